import type { TokenListItem } from '../../identity/tokens/token-lists.ts';
import type { Tokens } from '../../identity/tokens/tokens.ts';
import { accessText } from '../texts/access-text.ts';
import { Table, Timestamp } from './components.tsx';
import { Form } from './form.tsx';

/** The page with every token and assistant that acts in a person's name. */
export const CREDENTIALS_PATH = '/settings/security/credentials';

/** Returns the active tokens and assistants of an account, newest first. */
export async function activeCredentials(
  tokens: Pick<Tokens, 'listOfAccount'>,
  accountId: string,
): Promise<TokenListItem[]> {
  return (await tokens.listOfAccount(accountId)).filter(({ state }) => state === 'ACTIVE');
}

/**
 * Returns the page to show after a change that ends sessions but no credentials: the list of those that still work.
 * @param fallback for an account without active credentials
 */
export async function credentialReviewOr(
  tokens: Pick<Tokens, 'listOfAccount'>,
  accountId: string,
  fallback: string,
): Promise<string> {
  return (await activeCredentials(tokens, accountId)).length > 0 ? CREDENTIALS_PATH : fallback;
}

/** Tokens and assistants, each with a button that revokes it. */
export function CredentialTable({ caption, credentials }: { caption: string; credentials: readonly TokenListItem[] }) {
  const rows = credentials.map(({ id, name, kind, last_four, created_at, last_used_at, ...access }) => ({
    key: id,
    cells: [
      <>
        {name}
        <br />
        <small>{kind === 'ASSISTANT' ? 'Assistant' : `Token …${last_four}`}</small>
      </>,
      accessText(access),
      <Timestamp key="created" at={created_at} />,
      <Timestamp key="used" at={last_used_at} />,
      <Form key="revoke" action={`${CREDENTIALS_PATH}/revoke`}>
        <input type="hidden" name="credential" value={id} />
        <button type="submit" class="danger" aria-label={`Revoke ${name}`}>
          Revoke
        </button>
      </Form>,
    ],
  }));
  return <Table caption={caption} head={['Name', 'Role', 'Created', 'Last used', 'Revoke']} rows={rows} />;
}
