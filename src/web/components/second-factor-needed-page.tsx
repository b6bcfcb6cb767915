import { SECOND_FACTOR_PAGE } from '../../identity/second-factor/required-factor.ts';
import type { WebPage } from '../server/web-page.ts';

/** The only page that a member without the required second factor sees of an organization. */
export function secondFactorNeededPage(organizationName: string): WebPage {
  return {
    title: 'Add a second factor',
    status: 403,
    plain: true,
    body: (
      <>
        <p class="lead">{organizationName} requires a second factor of its members, and your account has none.</p>
        <p>
          Add an authenticator app or a passkey, then open this page again. Your tokens and assistants work there again,
          too.
        </p>
        <p>
          <a class="button" href={SECOND_FACTOR_PAGE}>
            Add a second factor
          </a>
        </p>
        <p>
          Do you sign in with an OpenID provider only? Then you can also sign out, and sign in there with two factors.
          The provider must say so.
        </p>
        <p>
          <a href="/organizations">Your organizations</a>
        </p>
      </>
    ),
  };
}
