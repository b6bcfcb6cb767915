import { z } from 'zod';
import type { Account } from '../../../identity/accounts/account.ts';
import { MAX_PASSKEYS, type Passkey } from '../../../identity/second-factor/passkeys.ts';
import type { Session } from '../../../identity/sign-in/sessions.ts';
import type { TokenListItem } from '../../../identity/tokens/token-lists.ts';
import { DAY_MS } from '../../../identity/tokens/token-record.ts';
import { Table, Timestamp } from '../../components/components.tsx';
import {
  activeCredentials,
  CREDENTIALS_PATH,
  CredentialTable,
  credentialReviewOr,
} from '../../components/credential-table.tsx';
import { FormError, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import { OpenIdConnectionCard } from '../../components/provider-form.tsx';
import type { WebContext } from '../../server/context.ts';
import { BLANK_FORM, type FormState, hiddenField, singleField } from '../../server/form-state.ts';
import { get, post, type Route, redirect, type SignedInRequest } from '../../server/page-request.ts';
import { passwordOrReauthentication, requireReauthentication } from '../../server/require-reauthentication.ts';
import { submitAndRedirect, submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';

type Collaborators = Pick<WebContext, 'people' | 'tokens' | 'openId' | 'now'>;

export const SECURITY_PATH = '/settings/security';
/** With this many codes or fewer, the page advises to create new ones. */
const FEW_RECOVERY_CODES = 3;
/** The page lists tokens and assistants created in this many days. */
const RECENT_DAYS = 30;

const PASSWORD_FIELDS = {
  current: singleField(z.string()),
  password: singleField(z.string().min(1, 'Enter a new password.')),
};
const SESSION_FIELDS = { session: hiddenField() };

/** Password, second factors, recent credentials and sessions of an account. */
export const securityPage = (context: Collaborators): Route[] => {
  const { accounts, signIn } = context.people;
  return [
    get(SECURITY_PATH, (request) => page(context, request, BLANK_FORM)),
    post(`${SECURITY_PATH}/password`, async (request) => {
      const { result, form } = await submitForm(request.formValues, PASSWORD_FIELDS, async ({ current, password }) => {
        const proof = passwordOrReauthentication(request, current, SECURITY_PATH);
        return accounts.changePassword(request.person.session, proof, password, request.clientInfo);
      });
      if (form !== null) return page(context, request, form);
      request.cookies.setSession(request.ctx, result.cookie);
      request.rememberedBrowsers.remember(request.ctx, result.session);
      const to = await credentialReviewOr(context.tokens, request.person.account.id, SECURITY_PATH);
      return redirect(to, 'Password changed. All other browsers are signed out.');
    }),
    post(`${SECURITY_PATH}/sessions/end`, (request) => {
      requireReauthentication(request, SECURITY_PATH);
      const end = ({ session }: { session: string }) =>
        signIn.signOutOthers(request.person.session, request.clientInfo, session);
      return submitAndRedirect(SECURITY_PATH, 'Browser signed out.', request.formValues, SESSION_FIELDS, end);
    }),
    post(`${SECURITY_PATH}/sessions/end-others`, async (request) => {
      requireReauthentication(request, SECURITY_PATH);
      await signIn.signOutOthers(request.person.session, request.clientInfo);
      return redirect(SECURITY_PATH, 'All other browsers are signed out.');
    }),
  ];
};

async function page(
  { people, openId, tokens, now }: Collaborators,
  request: SignedInRequest,
  form: FormState,
): Promise<WebPage> {
  const { account, session } = request.person;
  const [passkeys, sessions, credentials] = await Promise.all([
    people.passkeys.list(account.id),
    people.sessions.list(account.id),
    activeCredentials(tokens, account.id),
  ]);
  const from = new Date(now().getTime() - RECENT_DAYS * DAY_MS).toISOString();
  return {
    title: 'Security',
    section: SECURITY_PATH,
    form,
    body: (
      <>
        <PasswordCard account={account} isDemo={people.demo.includes(account.id)} form={form} />
        {openId !== null && <OpenIdConnectionCard host={openId.host} account={account} />}
        <FactorsCard account={account} passkeys={passkeys} available={people.passkeys.available} />
        <NewCredentials all={credentials} created={credentials.filter(({ created_at }) => created_at >= from)} />
        <SessionsPart sessions={sessions} current={session.id} />
      </>
    ),
  };
}

function PasswordCard({ account, isDemo, form }: { account: Account; isDemo: boolean; form: FormState }) {
  const has = account.password !== null;
  if (isDemo && !has) {
    return (
      <section class="card" aria-labelledby="password-title">
        <h2 id="password-title">Password</h2>
        <p>You look around as a person of the demo. The demo’s link signs you in, without a password.</p>
      </section>
    );
  }
  return (
    <section class="card" aria-labelledby="password-title">
      <h2 id="password-title">Password</h2>
      <Form action={`${SECURITY_PATH}/password`}>
        <FormError form={form} />
        {!has && <p>You sign in with your organization’s provider. With a password you can also sign in without it.</p>}
        {has && (
          <TextField
            form={form}
            name="current"
            label="Current password"
            type="password"
            autocomplete="current-password"
          />
        )}
        <TextField
          form={form}
          name="password"
          label="New password"
          hint="At least 12 characters. A few unrelated words are easy to remember and hard to guess."
          type="password"
          autocomplete="new-password"
        />
        <p class="hint">This signs out all other browsers.</p>
        <button type="submit">{has ? 'Change password' : 'Set password'}</button>
      </Form>
    </section>
  );
}

function FactorsCard(props: { account: Account; passkeys: readonly Passkey[]; available: boolean }) {
  const { account, passkeys, available } = props;
  const hasNoFactor = account.totp === null && passkeys.length === 0;
  return (
    <section class="card" aria-labelledby="factors-title">
      <h2 id="factors-title">Second factor</h2>
      <p>{factorsText(account.password !== null, !hasNoFactor)}</p>
      <h3>Authenticator app</h3>
      {account.totp === null ? (
        <a class="button quiet" href={`${SECURITY_PATH}/app`}>
          Add an authenticator app
        </a>
      ) : (
        <Form action={`${SECURITY_PATH}/app/remove`} class="row">
          <span>An app is set up.</span>
          <button type="submit" class="danger">
            Remove app
          </button>
        </Form>
      )}
      <h3>Passkeys</h3>
      {passkeys.length > 0 && <PasskeyTable passkeys={passkeys} />}
      {available && passkeys.length >= MAX_PASSKEYS && (
        <p class="muted">You have the maximum of {MAX_PASSKEYS}. Remove one to add another.</p>
      )}
      {!available && (
        <p class="muted">
          Passkeys are not available: this service is reached by an IP address, and passkeys need a host name.
        </p>
      )}
      {available && passkeys.length < MAX_PASSKEYS && (
        <a class="button quiet" href={`${SECURITY_PATH}/passkeys`}>
          Add a passkey
        </a>
      )}
      {!hasNoFactor && <RecoveryPart left={account.recovery.length} />}
    </section>
  );
}

function factorsText(hasPassword: boolean, hasFactor: boolean): string {
  if (hasFactor) return 'After your password, sign-in asks for one of these.';
  if (hasPassword) return 'Your account is protected by your password only. Add an authenticator app or a passkey.';
  return 'Sign-in asks for a second factor after a password. You have no password.';
}

function PasskeyTable({ passkeys }: { passkeys: readonly Passkey[] }) {
  const rows = passkeys.map(({ id, name, created_at, last_used_at }) => ({
    key: id,
    cells: [
      name,
      <Timestamp key="created" at={created_at} />,
      <Timestamp key="used" at={last_used_at} />,
      <Form key="remove" action={`${SECURITY_PATH}/passkeys/remove`}>
        <input type="hidden" name="passkey" value={id} />
        <button type="submit" class="danger" aria-label={`Remove ${name}`}>
          Remove
        </button>
      </Form>,
    ],
  }));
  return <Table caption="Your passkeys" head={['Name', 'Added', 'Last used', 'Remove']} rows={rows} />;
}

function RecoveryPart({ left }: { left: number }) {
  return (
    <>
      <h3>Recovery codes</h3>
      <p>
        {left === 1 ? '1 code is' : `${left} codes are`} left. Use one to sign in if you lose your device.{' '}
        {left <= FEW_RECOVERY_CODES && <span class="badge warning">Create new codes</span>}
      </p>
      <Form action={`${SECURITY_PATH}/recovery-codes`}>
        <button type="submit" class="quiet">
          Create new codes
        </button>
      </Form>
    </>
  );
}

/** Shows recent credentials: an intruder who had a session may have left a token behind. */
function NewCredentials({ all, created }: { all: readonly TokenListItem[]; created: readonly TokenListItem[] }) {
  const title = `Created in the last ${RECENT_DAYS} days`;
  return (
    <section aria-labelledby="credentials-title">
      <h2 id="credentials-title">New tokens and assistants</h2>
      {created.length > 0 ? (
        <CredentialTable caption={title} credentials={created} />
      ) : (
        <p class="muted">None were created in the last {RECENT_DAYS} days.</p>
      )}
      {all.length > created.length && (
        <p>
          <a href={CREDENTIALS_PATH}>All {all.length} tokens and assistants</a>
        </p>
      )}
    </section>
  );
}

function SessionsPart({ sessions, current }: { sessions: readonly Session[]; current: string }) {
  const rows = sessions.map(({ id, browser, address, created_at, seen_at }) => ({
    key: id,
    cells: [
      browser,
      <span key="address" class="long">
        {address}
      </span>,
      <Timestamp key="created" at={created_at} />,
      <Timestamp key="seen" at={seen_at} />,
      id === current ? (
        <span class="badge">This browser</span>
      ) : (
        <Form key="end" action={`${SECURITY_PATH}/sessions/end`}>
          <input type="hidden" name="session" value={id} />
          <button type="submit" class="danger" aria-label={`Sign out ${browser} at ${address}`}>
            Sign out
          </button>
        </Form>
      ),
    ],
  }));
  return (
    <section aria-labelledby="sessions-title">
      <h2 id="sessions-title">Where you are signed in</h2>
      <Table caption="Your sessions" head={['Browser', 'Address', 'Signed in', 'Last seen', 'Session']} rows={rows} />
      {sessions.length > 1 && (
        <Form action={`${SECURITY_PATH}/sessions/end-others`}>
          <button type="submit" class="danger">
            Sign out all other browsers
          </button>
        </Form>
      )}
    </section>
  );
}
