import type { TokenListItem } from '../../../identity/tokens/token-lists.ts';
import { activeCredentials, CREDENTIALS_PATH, CredentialTable } from '../../components/credential-table.tsx';
import { Form } from '../../components/form.tsx';
import type { WebContext } from '../../server/context.ts';
import { hiddenField } from '../../server/form-state.ts';
import { actorOf, get, post, type Route, redirect } from '../../server/page-request.ts';
import { requireReauthentication } from '../../server/require-reauthentication.ts';
import { submitAndRedirect } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';
import { SECURITY_PATH } from './security.tsx';

const REVOKE_FIELDS = { credential: hiddenField() };
const REASON = 'Revoked by its owner.';

/** Every token and assistant that acts in a person's name, to revoke one by one or all together. */
export const credentialsPage = ({ tokens }: Pick<WebContext, 'tokens'>): Route[] => [
  get(CREDENTIALS_PATH, async ({ person }) => page(await activeCredentials(tokens, person.account.id))),
  post(`${CREDENTIALS_PATH}/revoke`, (request) => {
    requireReauthentication(request, CREDENTIALS_PATH);
    const done = 'Revoked. It no longer works anywhere.';
    return submitAndRedirect(CREDENTIALS_PATH, done, request.formValues, REVOKE_FIELDS, ({ credential }) =>
      tokens.revoke(credential, REASON, actorOf(request)),
    );
  }),
  post(`${CREDENTIALS_PATH}/revoke-all`, async (request) => {
    requireReauthentication(request, CREDENTIALS_PATH);
    for (const { id } of await activeCredentials(tokens, request.person.account.id)) {
      await tokens.revoke(id, REASON, actorOf(request));
    }
    return redirect(SECURITY_PATH, 'All tokens and assistants revoked.');
  }),
];

function page(credentials: readonly TokenListItem[]): WebPage {
  return {
    title: 'Tokens and assistants',
    section: SECURITY_PATH,
    body: (
      <>
        {credentials.length === 0 ? (
          <p>No tokens or assistants act in your name.</p>
        ) : (
          <>
            <p>
              These act in your name. A new password does not stop them. Revoke those that you don’t recognize or no
              longer need.
            </p>
            <CredentialTable caption="Active tokens and assistants" credentials={credentials} />
          </>
        )}
        <div class="row">
          {credentials.length > 1 && (
            <Form action={`${CREDENTIALS_PATH}/revoke-all`}>
              <button type="submit" class="danger">
                Revoke all {credentials.length}
              </button>
            </Form>
          )}
          <a class="button quiet" href={SECURITY_PATH}>
            Back to Security
          </a>
        </div>
      </>
    ),
  };
}
