import { hash as argon2 } from '@node-rs/argon2';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closeAll, replaceMembers } from '../../support/identity/identity.ts';
import {
  ADA,
  CLIENT_INFO,
  codeOf,
  EVE,
  refusalOf,
  signUp,
  startPeople,
  type TestPeople,
  THIEF,
  withApp,
  wrongCode,
} from '../../support/identity/people.ts';

/** Returns another network for each number, so only the account's limit applies. */
const clientFrom = (i: number) => ({ ...THIEF, address: `198.51.100.${i}` });

async function fail(people: TestPeople, times: number, email = ADA.email) {
  for (let i = 0; i < times; i++)
    await refusalOf(people.signIn.withPassword(email, 'no password of theirs', clientFrom(i)));
}

const test = suite('signing in');

test.after.each(closeAll);

test('accepts the e-mail address in any spelling', async () => {
  const people = await startPeople();
  const { account } = await signUp(people);
  for (const email of ['ada@example.org', ' ADA@EXAMPLE.ORG ', 'Ada@Example.org', '\uff41da@example.org']) {
    const { next, session, factors } = await people.signIn.withPassword(email, ADA.password, CLIENT_INFO);
    assert.equal([next, session.stage, session.account_id, factors], ['DONE', 'SIGNED_IN', account.id, []]);
  }
  assert.equal(people.accountEvents.at(-1), {
    type: 'SIGNED_IN',
    account_id: account.id,
    factor: 'PASSWORD',
    clientInfo: CLIENT_INFO,
  });
});

test('an unknown account is refused with the same message and the same work', async () => {
  const people = await startPeople();
  await signUp(people);
  await people.accounts.create(
    { name: 'Olga', email: 'olga@example.org', subject: 'https://id.example olga' },
    CLIENT_INFO,
  );
  const erased = await signUp(people, EVE);
  await people.accounts.erase(erased.session, EVE.password, CLIENT_INFO);
  const attempts: unknown[] = [];
  for (const email of [
    ADA.email,
    'nobody@example.org',
    'olga@example.org',
    EVE.email,
    'no address',
    '',
    'a@b\u0000c',
    '\ud800@x.org',
  ]) {
    const before = { ...people.work };
    const refusal = await refusalOf(people.signIn.withPassword(email, 'no password of theirs', CLIENT_INFO));
    const { verify, hash } = people.work;
    attempts.push([refusal.toJSON(), verify - before.verify, hash - before.hash]);
  }
  assert.equal((attempts[0] as unknown[]).slice(1), [1, 0]);
  for (const attempt of attempts) assert.equal(attempt, attempts[0]);
});

test('replaces a hash of a lower cost at the next sign-in', async () => {
  const people = await startPeople();
  const { account } = await signUp(people);
  const weakHash = await argon2(ADA.password, { memoryCost: 8_192, timeCost: 1, parallelism: 1 });
  await people.identity.accounts.update('accounts', account.id, { password: weakHash });
  await fail(people, 1);
  assert.is((await people.accounts.get(account.id))!.password, weakHash);
  await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO);
  const { password } = (await people.accounts.get(account.id))!;
  assert.match(password!, /m=19456,t=2,p=1/);
  await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO);
  assert.is((await people.accounts.get(account.id))!.password, password);
});

test('a sign-in with the old password fails if the password changes meanwhile', async () => {
  const people = await startPeople();
  const { session } = await signUp(people);
  const { accounts } = people.identity;
  let pendingCookie: string | undefined;
  const insert: typeof accounts.insert = async (table, record) => {
    if (table === 'sessions' && pendingCookie === undefined) {
      pendingCookie = record.id;
      await people.accounts.changePassword(session, ADA.password, 'a password that is new', CLIENT_INFO);
    }
    return accounts.insert(table, record);
  };
  const slow = await startPeople({ ...people.identity, accounts: replaceMembers(accounts, { insert }) });
  const { cookie } = await slow.signIn.withPassword(ADA.email, ADA.password, THIEF);
  assert.is(await people.sessions.find(cookie), null);
});

test('signing out ends the session and reports it', async () => {
  const people = await startPeople();
  const { cookie, account } = await signUp(people);
  await people.signIn.signOut(cookie, CLIENT_INFO);
  assert.is(await people.sessions.find(cookie), null);
  assert.equal(people.accountEvents.at(-1), { type: 'SIGNED_OUT', account_id: account.id, clientInfo: CLIENT_INFO });
  const eventsBefore = people.accountEvents.length;
  await people.signIn.signOut(cookie, CLIENT_INFO);
  await people.signIn.signOut(undefined, CLIENT_INFO);
  assert.is(people.accountEvents.length, eventsBefore);
});

test('with a second factor, the password alone creates a pending session', async () => {
  const people = await startPeople();
  const { account } = await withApp(people);
  const { next, factors, session, cookie } = await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO);
  assert.equal([next, factors, session.stage], ['SECOND_FACTOR', ['TOTP', 'RECOVERY_CODE'], 'SECOND_FACTOR']);
  assert.is(await people.sessions.find(cookie), null);
  assert.equal(await people.signIn.factorsOf(session), factors);
  const signIns = people.accountEvents.filter((event) => event.type === 'SIGNED_IN');
  assert.is(signIns.length, 1, 'only the one of the sign-up');
  const proven = await people.signIn.withVerifiedAccount(
    (await people.accounts.get(account.id))!,
    'OPENID',
    CLIENT_INFO,
  );
  assert.is(proven.next, 'SECOND_FACTOR');
});

test('a signed-in session accepts no codes', async () => {
  const people = await startPeople();
  const { cookie, secret } = await withApp(people);
  const code = codeOf(secret, people.clock.now());
  assert.is((await refusalOf(people.signIn.withTotp(cookie, code, CLIENT_INFO))).code, 'forbidden');
  assert.is((await refusalOf(people.signIn.withTotp(undefined, code, CLIENT_INFO))).code, 'forbidden');
});

test('five wrong codes end the pending session, and throttle the account across sessions', async () => {
  const people = await startPeople();
  const { secret, codes } = await withApp(people);
  const begin = async () => (await people.signIn.withPassword(ADA.email, ADA.password, THIEF)).cookie;
  const invalidCode = wrongCode(secret, people.clock.now());
  const first = await begin();
  for (let i = 0; i < 5; i++)
    assert.match((await refusalOf(people.signIn.withTotp(first, invalidCode, THIEF))).message, /code/);
  assert.is(await people.sessions.findPending(first), null);
  const second = await begin();
  const right = codeOf(secret, people.clock.now());
  const refused = await refusalOf(people.signIn.withTotp(second, right, THIEF));
  assert.equal([refused.code, refused.more.retry_after_seconds], ['rate_limited', 30]);
  // The owner can still sign in.
  assert.is((await people.signIn.withRecoveryCode(second, codes[0]!, CLIENT_INFO)).next, 'DONE');
});

test('wrong recovery codes end the pending session too', async () => {
  const people = await startPeople();
  const { codes } = await withApp(people);
  const { cookie } = await people.signIn.withPassword(ADA.email, ADA.password, THIEF);
  for (let i = 0; i < 5; i++) await refusalOf(people.signIn.withRecoveryCode(cookie, `wrong-${i}`, THIEF));
  assert.match((await refusalOf(people.signIn.withRecoveryCode(cookie, codes[0]!, THIEF))).message, /sign in again/i);
});

test.run();
