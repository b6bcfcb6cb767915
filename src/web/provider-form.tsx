/** @jsxRuntime automatic @jsxImportSource preact */
import type { Account } from '../identity/account.ts';
import { Form } from './context.tsx';
import { withNext } from './signing-in.ts';

/** Where signing in by the OpenID provider begins. */
export const OPENID = '/sign-in/openid';
/** Where an account is connected to the provider; `/remove` below it takes that back. */
export const PROVIDER = '/settings/security/provider';

/** Leads to the provider, and back to `next`. */
export function ProviderForm({ host, next }: { host: string; next: string }) {
  return (
    <Form action={withNext(OPENID, next)} class="card">
      <button type="submit" class="quiet">
        Continue with {host}
      </button>
    </Form>
  );
}

/** Whether the provider lets somebody into this account, and a way to change that. */
export function ProviderCard({ host, account }: { host: string; account: Account }) {
  const connected = account.subject !== null;
  return (
    <section class="card" aria-labelledby="provider-title">
      <h2 id="provider-title">Sign-in with {host}</h2>
      {!connected && (
        <Form action={PROVIDER} class="row">
          <span>Your account is not connected.</span>
          <button type="submit" class="quiet">
            Connect it
          </button>
        </Form>
      )}
      {connected && account.password === null && (
        <p>Your account is connected, and this is the one way in. To disconnect it, set a password first.</p>
      )}
      {connected && account.password !== null && (
        <Form action={`${PROVIDER}/remove`} class="row">
          <span>Your account is connected.</span>
          <button type="submit" class="danger">
            Disconnect it
          </button>
        </Form>
      )}
    </section>
  );
}
