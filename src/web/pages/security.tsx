/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import type { Account } from '../../identity/account.ts';
import { MAX_PASSKEYS, type Passkey } from '../../identity/passkeys.ts';
import type { Session } from '../../identity/sessions.ts';
import type { ShownToken } from '../../identity/token-lists.ts';
import { DAY_MS } from '../../identity/token-record.ts';
import { attempt, doThere } from '../attempt.ts';
import { proofOf } from '../confirmed.ts';
import type { WebContext } from '../context.ts';
import { Form } from '../context.tsx';
import { activeCredentials, CREDENTIALS, CredentialTable, reviewOr } from '../credential-table.tsx';
import { FormFault, TextField } from '../fields.tsx';
import { BLANK, type FormState, hidden, one } from '../forms.ts';
import type { Page } from '../page.ts';
import { Moment, Table } from '../pieces.tsx';
import { ProviderCard } from '../provider-form.tsx';
import { get, post, type Route, redirect, type SignedInVisit } from '../visit.ts';

export const SECURITY = '/settings/security';
/** With fewer left, making new ones is advised. */
const FEW_CODES = 3;
/** Tokens and assistants created within so many days are shown. */
const NEW_DAYS = 30;

const PASSWORD = {
  current: one(z.string()),
  password: one(z.string().min(1, 'Give a new password.')),
};
const SESSION = { session: hidden() };

/** How an account is protected, and where it is signed in. */
export const securityPage = (context: WebContext): Route[] => {
  const { accounts, signIn } = context.people;
  return [
    get(SECURITY, (visit) => page(context, visit, BLANK)),
    post(`${SECURITY}/password`, async (visit) => {
      const { done, state } = await attempt(visit.sent, PASSWORD, async ({ current, password }) => {
        const proof = proofOf(context, visit, current, SECURITY);
        return accounts.changePassword(visit.person.session, proof, password, visit.visitor);
      });
      if (state !== null) return page(context, visit, state);
      visit.cookies.setSession(visit.ctx, done.cookie);
      visit.knownBrowsers.remember(visit.ctx, done.session);
      const to = await reviewOr(context.tokens, visit.person.account.id, SECURITY);
      return redirect(to, 'Your password is changed, and all other browsers are signed out.');
    }),
    post(`${SECURITY}/sessions/end`, ({ person, sent, visitor }) =>
      doThere(SECURITY, 'That browser is signed out.', sent, SESSION, ({ session }) =>
        signIn.signOutOthers(person.session, visitor, session),
      ),
    ),
    post(`${SECURITY}/sessions/end-others`, async ({ person: { session }, visitor }) => {
      await signIn.signOutOthers(session, visitor);
      return redirect(SECURITY, 'All other browsers are signed out.');
    }),
  ];
};

async function page({ people, openId, tokens, now }: WebContext, visit: SignedInVisit, form: FormState): Promise<Page> {
  const { account, session } = visit.person;
  const [passkeys, sessions, credentials] = await Promise.all([
    people.passkeys.list(account.id),
    people.sessions.list(account.id),
    activeCredentials(tokens, account.id),
  ]);
  const from = new Date(now().getTime() - NEW_DAYS * DAY_MS).toISOString();
  return {
    title: 'Security',
    section: SECURITY,
    form,
    body: (
      <>
        <PasswordCard account={account} form={form} />
        {openId !== null && <ProviderCard host={openId.host} account={account} />}
        <FactorsCard account={account} passkeys={passkeys} available={people.passkeys.available} />
        <NewCredentials all={credentials} created={credentials.filter(({ created_at }) => created_at >= from)} />
        <SessionsPart sessions={sessions} current={session.id} />
      </>
    ),
  };
}

function PasswordCard({ account, form }: { account: Account; form: FormState }) {
  const has = account.password !== null;
  return (
    <section class="card" aria-labelledby="password-title">
      <h2 id="password-title">Password</h2>
      <Form action={`${SECURITY}/password`}>
        <FormFault form={form} />
        {!has && <p>You sign in by your organization’s provider. With a password you can also sign in without it.</p>}
        {has && (
          <TextField
            form={form}
            name="current"
            label="Present password"
            type="password"
            autocomplete="current-password"
          />
        )}
        <TextField
          form={form}
          name="password"
          label="New password"
          hint="At least 12 characters. A few words in a row are easy to keep in mind."
          type="password"
          autocomplete="new-password"
        />
        <p class="hint">All other browsers are signed out by this.</p>
        <button type="submit">{has ? 'Change the password' : 'Set a password'}</button>
      </Form>
    </section>
  );
}

function FactorsCard(props: { account: Account; passkeys: readonly Passkey[]; available: boolean }) {
  const { account, passkeys, available } = props;
  const none = account.totp === null && passkeys.length === 0;
  return (
    <section class="card" aria-labelledby="factors-title">
      <h2 id="factors-title">Second step of signing in</h2>
      {none ? (
        <p>Your password alone lets somebody in. Add an authenticator app or a passkey, so that it does not.</p>
      ) : (
        <p>After your password, one of these is asked for.</p>
      )}
      <h3>Authenticator app</h3>
      {account.totp === null ? (
        <a class="button quiet" href={`${SECURITY}/app`}>
          Add an authenticator app
        </a>
      ) : (
        <Form action={`${SECURITY}/app/remove`} class="row">
          <span>An app is set up.</span>
          <button type="submit" class="danger">
            Remove the app
          </button>
        </Form>
      )}
      <h3>Passkeys</h3>
      {passkeys.length > 0 && <PasskeyTable passkeys={passkeys} />}
      {available && passkeys.length >= MAX_PASSKEYS && <p class="muted">Remove one to add another.</p>}
      {!available && <p class="muted">Passkeys need a host name: this service is reached by a bare IP address.</p>}
      {available && passkeys.length < MAX_PASSKEYS && (
        <a class="button quiet" href={`${SECURITY}/passkeys`}>
          Add a passkey
        </a>
      )}
      {!none && <RecoveryPart left={account.recovery.length} />}
    </section>
  );
}

function PasskeyTable({ passkeys }: { passkeys: readonly Passkey[] }) {
  const rows = passkeys.map(({ id, name, created_at, last_used_at }) => ({
    key: id,
    cells: [
      name,
      <Moment key="created" at={created_at} />,
      <Moment key="used" at={last_used_at} />,
      <Form key="remove" action={`${SECURITY}/passkeys/remove`}>
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
        {left === 1 ? '1 code is' : `${left} codes are`} left to get in with when your device is lost.{' '}
        {left <= FEW_CODES && <span class="badge warning">Make new ones</span>}
      </p>
      <Form action={`${SECURITY}/recovery-codes`}>
        <button type="submit" class="quiet">
          Make new codes
        </button>
      </Form>
    </>
  );
}

/** Whoever had a session for a while may have left a token behind: its owner is to see it. */
function NewCredentials({ all, created }: { all: readonly ShownToken[]; created: readonly ShownToken[] }) {
  const title = `Created in the last ${NEW_DAYS} days`;
  return (
    <section aria-labelledby="credentials-title">
      <h2 id="credentials-title">New tokens and assistants</h2>
      {created.length > 0 ? (
        <CredentialTable caption={title} credentials={created} />
      ) : (
        <p class="muted">None was created in the last {NEW_DAYS} days.</p>
      )}
      {all.length > created.length && (
        <p>
          <a href={CREDENTIALS}>All {all.length} that work in your name</a>
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
      <Moment key="created" at={created_at} />,
      <Moment key="seen" at={seen_at} />,
      id === current ? (
        <span class="badge">This browser</span>
      ) : (
        <Form key="end" action={`${SECURITY}/sessions/end`}>
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
      <Table
        caption="Browsers that are signed in to your account"
        head={['Browser', 'Address', 'Signed in', 'Last seen', 'Sign out']}
        rows={rows}
      />
      {sessions.length > 1 && (
        <Form action={`${SECURITY}/sessions/end-others`}>
          <button type="submit" class="danger">
            Sign out all other browsers
          </button>
        </Form>
      )}
    </section>
  );
}
