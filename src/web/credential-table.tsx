/** @jsxRuntime automatic @jsxImportSource preact */
import type { ShownToken } from '../identity/token-lists.ts';
import type { Tokens } from '../identity/tokens.ts';
import { Form } from './context.tsx';
import { Moment, Table } from './pieces.tsx';
import { roleName } from './roles.ts';

/** Where a person sees every token and assistant that acts in their name. */
export const CREDENTIALS = '/settings/security/credentials';

/** Tokens and assistants of an account that still work, newest first. */
export async function activeCredentials(tokens: Pick<Tokens, 'listOf'>, accountId: string): Promise<ShownToken[]> {
  return (await tokens.listOf(accountId)).filter(({ state }) => state === 'ACTIVE');
}

/**
 * Returns the page to show after a change that ended sessions only: the list of what goes on working.
 * @param otherwise for an account without any token and assistant
 */
export async function reviewOr(tokens: Pick<Tokens, 'listOf'>, accountId: string, otherwise: string): Promise<string> {
  return (await activeCredentials(tokens, accountId)).length > 0 ? CREDENTIALS : otherwise;
}

/** Tokens and assistants, each with a button that revokes it. */
export function CredentialTable({ caption, credentials }: { caption: string; credentials: readonly ShownToken[] }) {
  const rows = credentials.map(({ id, name, kind, role, read_only, last_four, created_at, last_used_at }) => ({
    key: id,
    cells: [
      <>
        {name}
        <br />
        <small>{kind === 'ASSISTANT' ? 'Assistant' : `Token …${last_four}`}</small>
      </>,
      `${roleName(role)}${read_only ? ', only reading' : ''}`,
      <Moment key="created" at={created_at} />,
      <Moment key="used" at={last_used_at} />,
      <Form key="revoke" action={`${CREDENTIALS}/revoke`}>
        <input type="hidden" name="credential" value={id} />
        <button type="submit" class="danger" aria-label={`Revoke ${name}`}>
          Revoke
        </button>
      </Form>,
    ],
  }));
  return <Table caption={caption} head={['Name', 'Role', 'Created', 'Last used', 'Revoke']} rows={rows} />;
}
