import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import { closeAll } from '../../support/identity/identity.ts';
import {
  ADA,
  CLIENT_INFO,
  codeOf,
  EVE,
  outcomes,
  refusalOf,
  signUp,
  startPeople,
  startTwo,
  THIEF,
  withApp,
} from '../../support/identity/people.ts';

const NEW_PASSWORD = 'a password that is new';

const test = suite('accounts');

test.after.each(closeAll);

/** Accepts every link as valid. */
const acceptLink = async () => undefined;

test('stores an address as typed, and finds it in any spelling', async () => {
  const people = await startPeople();
  const account = await people.accounts.create({ ...ADA, name: ' Ada\u0301 ' }, CLIENT_INFO);
  assert.match(account.id, /^acc_[0-9A-HJKMNP-TV-Z]{26}$/);
  assert.equal([account.name, account.email, account.email_key], ['Ad\u00e1', 'Ada@Example.org', 'ada@example.org']);
  assert.equal(await people.accounts.get(account.id), account);
  assert.is((await people.accounts.findByEmail('\uff21DA@example.ORG '))!.id, account.id);
  assert.is(await people.accounts.findByEmail('ada@example.com'), null);
  assert.is(await people.accounts.findByEmail('ada@example.org\u0000x'), null);
  assert.is(await people.accounts.get('acc_nobody'), null);
  const storedAccounts = JSON.stringify(await people.identity.accounts.all('accounts'));
  assert.not(storedAccounts.includes(ADA.password));
});

test('reads an account of the first version', async () => {
  const people = await startPeople();
  const created_at = '2025-01-01T00:00:00.000Z';
  await people.identity.accounts.insert('accounts', { id: 'acc_OLD', name: 'Owner', created_at });
  const account = (await people.accounts.get('acc_OLD'))!;
  assert.equal([account.email, account.password, account.totp, account.recovery], [null, null, null, []]);
  const changedAccount = await people.accounts.setPassword('acc_OLD', NEW_PASSWORD, CLIENT_INFO, acceptLink);
  assert.is(changedAccount.generation, 1);
});

for (const email of [
  '',
  'ada',
  '@example.org',
  'ada@',
  'ada lovelace@example.org',
  'a@b@c',
  'a,b@example.org',
  '<a@example.org>',
  'a@exa\u0000mple.org',
  'a\u202eb@example.org',
  `${'a'.repeat(250)}@example.org`,
  '\ud800@example.org',
]) {
  test(`${JSON.stringify(email.slice(0, 30))} is not an e-mail address`, async () => {
    const people = await startPeople();
    const refused = await refusalOf(people.accounts.create({ ...ADA, email }, CLIENT_INFO));
    assert.equal([refused.code, refused.more.field], ['invalid_input', 'email']);
    assert.equal(await people.identity.accounts.all('accounts'), []);
  });
}

for (const name of [
  '',
  ' ',
  'a'.repeat(201),
  'two\nlines',
  'null\u0000',
  'turned \u202earound',
  'tagged \u{e0041}',
  'half \ud800',
]) {
  test(`${JSON.stringify(name.slice(0, 30))} is not a name`, async () => {
    const people = await startPeople();
    const refused = await refusalOf(people.accounts.create({ ...ADA, name }, CLIENT_INFO));
    assert.equal([refused.code, refused.more.field], ['invalid_input', 'name']);
    const { session } = await signUp(people, EVE);
    assert.is((await refusalOf(people.accounts.rename(session, name))).code, 'invalid_input');
  });
}

test('refuses a second account with the same e-mail address or subject, also concurrently and in another spelling', async () => {
  const [here, there] = await startTwo();
  const forms = ['ada@example.org', 'ADA@example.org', '\uff41da@example.org', ' ada@EXAMPLE.org'];
  const creations = forms.map((email, i) => (i % 2 ? here : there).accounts.create({ ...ADA, email }, CLIENT_INFO));
  const { done, refused } = await outcomes(creations);
  assert.equal([done.length, refused.length], [1, 3]);
  for (const error of refused) assert.is((error as Refusal).code, 'conflict');
  const subject = 'https://id.example olga';
  await here.accounts.create({ name: 'Olga', email: 'olga@example.org', subject }, CLIENT_INFO);
  const secondAccount = there.accounts.create({ name: 'Olga', email: 'olga2@example.org', subject }, CLIENT_INFO);
  assert.is((await refusalOf(secondAccount)).code, 'conflict');
  assert.is((await here.accounts.findBySubject(subject))!.name, 'Olga');
  assert.is((await here.identity.accounts.all('accounts')).length, 2);
});

test('changes a name, and an address to an unused one', async () => {
  const people = await startPeople();
  const { session, account } = await signUp(people);
  await signUp(people, EVE);
  await people.accounts.rename(session, 'Countess of Lovelace');
  const changeEmail = (email: string, id = account.id) => people.accounts.changeEmail(id, email, CLIENT_INFO);
  assert.is((await refusalOf(changeEmail('EVE@example.org'))).code, 'conflict');
  assert.is((await refusalOf(changeEmail('nothing'))).code, 'invalid_input');
  assert.is((await refusalOf(changeEmail('new@example.org', 'acc_nobody'))).code, 'not_found');
  await changeEmail('New@example.org');
  const { name, email, email_key } = (await people.accounts.get(account.id))!;
  assert.equal([name, email, email_key], ['Countess of Lovelace', 'New@example.org', 'new@example.org']);
  await refusalOf(people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO));
  assert.is((await people.signIn.withPassword('new@example.org', ADA.password, CLIENT_INFO)).next, 'DONE');
});

test('a new password ends every other session at once, and invalidates a stolen copy of this cookie', async () => {
  const [here, there] = await startTwo();
  const ada = await signUp(here);
  const thiefSession = await here.signIn.withPassword(ADA.email, ADA.password, THIEF);
  const { secret } = await here.links.create({ kind: 'RESET', account_id: ada.account.id, made_by: 'SYSTEM' });
  const next = await there.accounts.changePassword(ada.session, ADA.password, NEW_PASSWORD, CLIENT_INFO);
  for (const cookie of [thiefSession.cookie, ada.cookie]) assert.is(await here.sessions.find(cookie), null);
  assert.is((await here.sessions.find(next.cookie))?.account_id, ada.account.id);
  assert.equal(
    (await here.sessions.list(ada.account.id)).map(({ id }) => id),
    [next.session.id],
  );
  assert.is(await here.links.find(secret), null, 'nor do links lead back in');
  await refusalOf(here.signIn.withPassword(ADA.email, ADA.password, THIEF));
  assert.is((await here.signIn.withPassword(ADA.email, NEW_PASSWORD, CLIENT_INFO)).next, 'DONE');
});

test('the session that changes the password continues after a second factor', async () => {
  const people = await startPeople();
  const { session } = await withApp(people);
  const next = await people.accounts.changePassword(session, ADA.password, NEW_PASSWORD, CLIENT_INFO);
  assert.ok(await people.sessions.find(next.cookie));
  assert.is((await people.signIn.withPassword(ADA.email, NEW_PASSWORD, CLIENT_INFO)).next, 'SECOND_FACTOR');
});

test('a session is invalid even if a crash prevented its removal', async () => {
  const people = await startPeople();
  const { session } = await signUp(people);
  const thiefSession = await people.signIn.withPassword(ADA.email, ADA.password, THIEF);
  await people.accounts.changePassword(session, ADA.password, NEW_PASSWORD, CLIENT_INFO);
  await people.identity.accounts.insert('sessions', thiefSession.session);
  assert.is(await people.sessions.find(thiefSession.cookie), null);
  assert.equal((await people.sessions.list(session.account_id)).length, 1);
});

test('changing the password requires the current one and a strong new one', async () => {
  const people = await startPeople();
  const { session, cookie } = await signUp(people);
  const change = (current: string | null, next: string) =>
    people.accounts.changePassword(session, current, next, THIEF);
  assert.is((await refusalOf(change('not the password', NEW_PASSWORD))).code, 'forbidden');
  assert.is((await refusalOf(change(null, NEW_PASSWORD))).code, 'forbidden', 'even right after signing in');
  assert.is((await refusalOf(change(ADA.password, 'short'))).code, 'invalid_input');
  assert.is((await refusalOf(change(ADA.password, 'Ada@Example.ORG'))).code, 'invalid_input');
  assert.ok(await people.sessions.find(cookie));
  for (let i = 0; i < 5; i++) await refusalOf(change(`guess number ${i}`, NEW_PASSWORD));
  assert.is((await refusalOf(change(ADA.password, NEW_PASSWORD))).code, 'rate_limited');
});

test('of two concurrent changes one succeeds and the other is refused', async () => {
  const [here, there] = await startTwo();
  const { session } = await signUp(here);
  const { done, refused } = await outcomes([
    here.accounts.changePassword(session, ADA.password, 'the first new password', CLIENT_INFO),
    there.accounts.changePassword(session, ADA.password, 'the second new password', CLIENT_INFO),
  ]);
  assert.equal([done.length, refused.length], [1, 1]);
  assert.is((await here.sessions.list(session.account_id)).length, 1);
  assert.ok(await here.sessions.find(done[0]!.cookie));
});

test('a person without a password sets one soon after signing in with a provider', async () => {
  const people = await startPeople();
  const account = await people.accounts.create(
    { name: 'Olga', email: 'olga@example.org', subject: 'x olga' },
    CLIENT_INFO,
  );
  const { session } = await people.signIn.withVerifiedAccount(account, 'OPENID', CLIENT_INFO);
  people.clock.wait(15 * 60_000);
  const change = () => people.accounts.changePassword(session, null, NEW_PASSWORD, CLIENT_INFO);
  assert.match((await refusalOf(change())).message, /sign out and in again/);
  const { session: freshSession } = await people.signIn.withVerifiedAccount(account, 'OPENID', CLIENT_INFO);
  await people.accounts.changePassword(freshSession, null, NEW_PASSWORD, CLIENT_INFO);
  assert.is((await people.signIn.withPassword('olga@example.org', NEW_PASSWORD, CLIENT_INFO)).next, 'DONE');
});

test('erasing leaves only id and dates, and history shows "former member"', async () => {
  const people = await startPeople();
  const { session, cookie, account, secret } = await withApp(people);
  const other = await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO);
  const reset = await people.links.create({ kind: 'RESET', account_id: account.id, made_by: 'SYSTEM' });
  await people.identity.accounts.insert('passkeys', { id: 'credential', account_id: account.id });
  assert.is((await refusalOf(people.accounts.erase(session, 'not the password', THIEF))).code, 'forbidden');
  await people.accounts.erase(session, ADA.password, CLIENT_INFO);

  assert.equal(people.left, [account.id, account.id], 'also an organization joined in between');
  const erased = { id: account.id, created_at: account.created_at, erased_at: people.clock.now().toISOString() };
  assert.equal(await people.identity.accounts.all('accounts'), [erased]);
  for (const table of ['sessions', 'passkeys', 'links', 'names'] as const)
    assert.equal(await people.identity.accounts.all(table), []);
  assert.is(await people.sessions.find(cookie), null);
  await refusalOf(people.signIn.withTotp(other.cookie, codeOf(secret, people.clock.now()), CLIENT_INFO));
  assert.is(await people.links.find(reset.secret), null);
  assert.is((await people.identity.names.readNames([account.id], NOBODY)).of(account.id), 'former member');
  assert.is((await people.accounts.get(account.id))!.erased_at, erased.erased_at);
  assert.is((await signUp(people)).next, 'DONE', 'the address is free again');
});

test('renaming, and setting up the first owner, keep the earlier name with its dates', async () => {
  const people = await startPeople();
  const { accounts } = people.identity;
  const { session, account } = await signUp(people);
  const first = people.clock.now().toISOString();
  people.clock.wait(60_000);
  await people.accounts.rename(session, 'Ada King');
  await people.accounts.rename(session, 'Ada King');
  const names = await people.identity.names.readNames([account.id], NOBODY);
  assert.equal([names.of(account.id, first), names.of(account.id)], [ADA.name, 'Ada King']);
  assert.is((await accounts.all('names')).length, 2);

  await accounts.insert('accounts', { id: 'acc_OWNER', name: 'Owner' });
  await people.identity.names.recordFirst('acc_OWNER', 'Owner');
  people.clock.wait(60_000);
  await people.accounts.setUpOwner('acc_OWNER', EVE, CLIENT_INFO);
  const both = await people.identity.names.readNames(['acc_OWNER'], NOBODY);
  assert.equal([both.of('acc_OWNER', first), both.of('acc_OWNER')], ['Owner', EVE.name]);
});

const NOBODY = async () => new Set<string>();

test('a null name is shown as "former member"', async () => {
  const people = await startPeople();
  await people.identity.accounts.insert('accounts', { id: 'acc_GONE', name: null, created_at: '' });
  const names = await people.identity.names.readNames(['acc_GONE', 'acc_NEVER'], NOBODY);
  assert.equal([names.of('acc_GONE'), names.of('acc_NEVER')], ['former member', 'former member']);
});

test('refuses to erase the last owner', async () => {
  const leaveAll = () => Promise.reject(new Refusal('invalid_transition', 'Make somebody else an owner first.'));
  const people = await startPeople(undefined, { leaveAll });
  const { session, cookie, account } = await signUp(people);
  assert.match((await refusalOf(people.accounts.erase(session, ADA.password, CLIENT_INFO))).message, /owner/);
  assert.ok(await people.sessions.find(cookie));
  assert.is((await people.accounts.get(account.id))!.name, ADA.name);
});

test('no operation in progress restores an erased account', async () => {
  const people = await startPeople();
  const { session, account } = await signUp(people);
  const { session: other, cookie } = await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO);
  const reset = await people.links.create({ kind: 'RESET', account_id: account.id, made_by: 'SYSTEM' });
  await people.accounts.erase(session, ADA.password, CLIENT_INFO);
  const before = await people.identity.accounts.all('accounts');
  await people.accounts.rename(other, 'Back again');
  await people.factors.removeAll(account.id);
  await refusalOf(people.accounts.setPassword(account.id, NEW_PASSWORD, CLIENT_INFO, acceptLink));
  await refusalOf(people.welcome.reset(reset.secret, NEW_PASSWORD, CLIENT_INFO));
  await refusalOf(people.accounts.changeEmail(account.id, 'back@example.org', CLIENT_INFO));
  assert.equal(await people.identity.accounts.all('accounts'), before);
  await people.identity.accounts.insert('sessions', other);
  assert.is(await people.sessions.find(cookie), null, 'nor by a session that a crash left');
});

test.run();
