/** @jsxRuntime automatic @jsxImportSource preact */
import { personOf } from '../../identity/actor.ts';
import type { ShownToken } from '../../identity/token-lists.ts';
import { doThere } from '../attempt.ts';
import type { WebContext } from '../context.ts';
import { Form } from '../context.tsx';
import { activeCredentials, CREDENTIALS, CredentialTable } from '../credential-table.tsx';
import { hidden } from '../forms.ts';
import type { Page } from '../page.ts';
import { get, post, type Route, redirect } from '../visit.ts';
import { SECURITY } from './security.tsx';

const REVOKED = { credential: hidden() };
const REASON = 'Revoked by its owner.';

/** Every token and assistant that acts in the visitor's name, to be revoked one by one or all at once. */
export const credentialsPage = ({ tokens }: WebContext): Route[] => [
  get(CREDENTIALS, async ({ person }) => page(await activeCredentials(tokens, person.account.id))),
  post(`${CREDENTIALS}/revoke`, ({ person: { account }, sent }) =>
    doThere(CREDENTIALS, 'It is revoked, and no longer works anywhere.', sent, REVOKED, ({ credential }) =>
      tokens.revoke(credential, REASON, personOf(account.id)),
    ),
  ),
  post(`${CREDENTIALS}/revoke-all`, async ({ person: { account } }) => {
    for (const { id } of await activeCredentials(tokens, account.id)) {
      await tokens.revoke(id, REASON, personOf(account.id));
    }
    return redirect(SECURITY, 'All tokens and assistants are revoked.');
  }),
];

function page(credentials: readonly ShownToken[]): Page {
  return {
    title: 'Tokens and assistants',
    section: SECURITY,
    body: (
      <>
        {credentials.length === 0 ? (
          <p>No token and no assistant works in your name.</p>
        ) : (
          <>
            <p>
              These work in your name. A new password does not stop them. Revoke all that you do not know, or no longer
              need.
            </p>
            <CredentialTable caption="What works in your name" credentials={credentials} />
          </>
        )}
        <div class="row">
          {credentials.length > 1 && (
            <Form action={`${CREDENTIALS}/revoke-all`}>
              <button type="submit" class="danger">
                Revoke all {credentials.length}
              </button>
            </Form>
          )}
          <a class="button quiet" href={SECURITY}>
            Back to Security
          </a>
        </div>
      </>
    ),
  };
}
