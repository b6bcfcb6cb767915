import type { Account } from '../../identity/accounts/account.ts';
import { withNext } from '../server/sign-in-redirects.ts';
import { Form } from './form.tsx';

/** Starts sign-in with the OpenID provider. */
export const OPENID_SIGN_IN_PATH = '/sign-in/openid';
/** Connects an account to the provider. `/remove` below it disconnects. */
export const PROVIDER_PATH = '/settings/security/provider';

/** A button to sign in with the provider. The sign-in returns to `next`. */
export function OpenIdSignInForm({ host, next }: { host: string; next: string }) {
  return (
    <Form action={withNext(OPENID_SIGN_IN_PATH, next)} class="card">
      <button type="submit" class="quiet">
        Continue with {host}
      </button>
    </Form>
  );
}

/** Shows whether the account is connected to the provider, with a button to change that. */
export function OpenIdConnectionCard({ host, account }: { host: string; account: Account }) {
  const isConnected = account.subject !== null;
  return (
    <section class="card" aria-labelledby="provider-title">
      <h2 id="provider-title">Sign-in with {host}</h2>
      {!isConnected && (
        <Form action={PROVIDER_PATH} class="row">
          <span>Your account is not connected.</span>
          <button type="submit" class="quiet">
            Connect
          </button>
        </Form>
      )}
      {isConnected && account.password === null && (
        <p>Your account is connected, and this is your only way to sign in. To disconnect it, set a password first.</p>
      )}
      {isConnected && account.password !== null && (
        <Form action={`${PROVIDER_PATH}/remove`} class="row">
          <span>Your account is connected.</span>
          <button type="submit" class="danger">
            Disconnect
          </button>
        </Form>
      )}
    </section>
  );
}
