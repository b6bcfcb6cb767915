import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Refusal } from '../../../src/commands/engine/refusal.ts';
import { closeAll, rejectionError, replaceMembers } from '../../support/identity/identity.ts';
import {
  ADA,
  CLIENT_INFO,
  codeOf,
  LIGHT,
  outcomes,
  refusalOf,
  signUp,
  startPeople,
  startTwo,
  type TestPeople,
  THIEF,
  withApp,
  wrongCode,
} from '../../support/identity/people.ts';

const MINUTE_MS = 60_000;
/** Returns another network for each number, so only the account's limit applies. */
const clientFrom = (i: number) => ({ ...THIEF, address: `198.51.100.${i}` });

async function fail(people: TestPeople, times: number, email = ADA.email) {
  for (let i = 0; i < times; i++)
    await refusalOf(people.signIn.withPassword(email, 'no password of theirs', clientFrom(i)));
}

const test = suite('throttling');

test.after.each(closeAll);

test('throttles an unknown account like an existing one', async () => {
  const people = await startPeople();
  await signUp(people);
  const refusals: unknown[] = [];
  for (const email of [ADA.email, 'nobody@example.org', 'no address']) {
    await fail(people, 5, email);
    const before = people.work.verify;
    refusals.push(
      (await refusalOf(people.signIn.withPassword(email, 'no password of theirs', clientFrom(9)))).toJSON(),
    );
    assert.is(people.work.verify, before, 'no password is hashed during a wait');
  }
  assert.is((refusals[0] as { code: string }).code, 'rate_limited');
  for (const refusal of refusals) assert.equal(refusal, refusals[0]);
});

test('allows five wrong passwords, then doubles the wait up to 15 minutes', async () => {
  const people = await startPeople();
  await signUp(people);
  await fail(people, 5);
  const waits: number[] = [];
  for (let i = 0; i < 8; i++) {
    const { code, more } = await refusalOf(people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO));
    assert.is(code, 'rate_limited');
    waits.push(more.retry_after_seconds!);
    people.clock.wait(more.retry_after_seconds! * 1_000);
    assert.is(
      (await refusalOf(people.signIn.withPassword(ADA.email, 'wrong again, sir', CLIENT_INFO))).code,
      'forbidden',
    );
  }
  assert.equal(waits, [30, 60, 120, 240, 480, 900, 900, 900]);
  people.clock.wait(15 * MINUTE_MS);
  assert.is((await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO)).next, 'DONE');
  await fail(people, 5);
});

test('refuses the right password during a wait', async () => {
  const people = await startPeople();
  await signUp(people);
  await fail(people, 5);
  assert.is((await refusalOf(people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO))).code, 'rate_limited');
  const last = people.accountEvents.at(-1)!;
  assert.equal([last.type, 'reason' in last && last.reason], ['SIGN_IN_REFUSED', 'THROTTLED']);
});

test('strangers do not lock the owner out of a remembered browser', async () => {
  const people = await startPeople();
  const { account } = await signUp(people);
  const remembered = { ...CLIENT_INFO, rememberedBrowser: { account_id: account.id, id: 'here', generation: 0 } };
  const signInCorrectly = (clientInfo: typeof remembered) =>
    people.signIn.withPassword(ADA.email, ADA.password, clientInfo);
  await fail(people, 5);
  assert.is((await signInCorrectly(remembered)).next, 'DONE');
  assert.is((await refusalOf(people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO))).code, 'rate_limited');
  const otherClient = {
    ...CLIENT_INFO,
    rememberedBrowser: { account_id: 'acc_of_somebody_else', id: 'here', generation: 0 },
  };
  assert.is((await refusalOf(signInCorrectly(otherClient))).code, 'rate_limited', 'remembered by another account');
  for (let i = 0; i < 5; i++)
    await refusalOf(
      people.signIn.withPassword(ADA.email, 'no password of theirs', {
        ...clientFrom(i),
        rememberedBrowser: remembered.rememberedBrowser,
      }),
    );
  assert.is((await refusalOf(signInCorrectly(remembered))).code, 'rate_limited', 'it has five attempts of its own');
});

test('forgets remembered browsers after a new password, and counts codes separately', async () => {
  const people = await startPeople();
  const { account, session, secret } = await withApp(people);
  const { generation } = (await people.accounts.get(account.id))!;
  const remembered = { ...CLIENT_INFO, rememberedBrowser: { account_id: account.id, id: 'here', generation } };
  for (let i = 0; i < 5; i++) {
    const { cookie } = await people.signIn.withPassword(ADA.email, ADA.password, clientFrom(i));
    await refusalOf(people.signIn.withTotp(cookie, wrongCode(secret, people.clock.now()), clientFrom(i)));
  }
  const { cookie } = await people.signIn.withPassword(ADA.email, ADA.password, remembered);
  const right = codeOf(secret, people.clock.now());
  assert.is((await refusalOf(people.signIn.withTotp(cookie, right, CLIENT_INFO))).code, 'rate_limited');
  assert.is((await people.signIn.withTotp(cookie, right, remembered)).next, 'DONE');
  await people.accounts.changePassword(session, ADA.password, 'another one altogether', remembered);
  await fail(people, 5);
  const lateAttempt = people.signIn.withPassword(ADA.email, 'another one altogether', remembered);
  assert.is((await refusalOf(lateAttempt)).code, 'rate_limited');
});

test('strangers on the same network lock out neither a remembered browser nor a signed-in person', async () => {
  const people = await startPeople(undefined, { hasher: LIGHT });
  const { account, session } = await signUp(people);
  const remembered = { ...THIEF, rememberedBrowser: { account_id: account.id, id: 'here', generation: 0 } };
  for (let i = 0; i < 60; i++)
    await refusalOf(people.signIn.withPassword(`nobody${i}@example.org`, 'password of many', THIEF));
  assert.is((await refusalOf(people.signIn.withPassword(ADA.email, ADA.password, THIEF))).code, 'rate_limited');
  assert.is((await people.signIn.withPassword(ADA.email, ADA.password, remembered)).next, 'DONE');
  assert.is(
    (await people.recentAuthentication.requirePasswordOrRecent(session, ADA.password, remembered)).id,
    account.id,
  );
});

test('another spelling of the address gets no more attempts', async () => {
  const people = await startPeople();
  await signUp(people);
  const forms = [
    'ada@example.org',
    'ADA@EXAMPLE.ORG',
    '\uff21da@example.org',
    ' ada@example.org',
    'ada@example.org\u00a0',
    'ada@\uff45xample.org',
  ];
  for (const [i, form] of forms.entries()) {
    const { code } = await refusalOf(people.signIn.withPassword(form, 'no password of theirs', clientFrom(i)));
    assert.is(code, i < 5 ? 'forbidden' : 'rate_limited', form);
  }
});

test('all instances count failures together, and the count survives a restart', async () => {
  const [here, there] = await startTwo();
  await signUp(here);
  await fail(here, 3);
  await fail(there, 2);
  assert.is((await refusalOf(here.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO))).code, 'rate_limited');
});

test('keeps a failure that another instance counts in between', async () => {
  const people = await startPeople(undefined, { hasher: LIGHT });
  await signUp(people);
  const { accounts } = people.identity;
  let updatesBetween = 0;
  const update: typeof accounts.update = async (table, id, fields, when) => {
    if (table === 'attempts' && updatesBetween < 2) {
      updatesBetween += 1;
      await fail(people, 1);
    }
    return accounts.update(table, id, fields, when);
  };
  await fail(people, 2);
  const other = await startPeople(
    { ...people.identity, accounts: replaceMembers(accounts, { update }) },
    { hasher: LIGHT },
  );
  await fail(other, 1);
  assert.is(updatesBetween, 2);
  assert.is((await refusalOf(people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO))).code, 'rate_limited');
});

test('allows five of many concurrent guesses', async () => {
  const [here, there] = await startTwo();
  await signUp(here);
  const guesses = Array.from({ length: 20 }, (_, i) =>
    (i % 2 === 0 ? here : there).signIn.withPassword(ADA.email, `guess number ${i}`, clientFrom(i)),
  );
  const { refused } = await outcomes(guesses);
  assert.is(refused.filter((error) => (error as Refusal).code === 'forbidden').length, 5);
  assert.is(here.work.verify + there.work.verify, 1 + 5, 'the sign-up and the guesses');
});

test('accepts fifty concurrent right passwords', async () => {
  const people = await startPeople();
  await signUp(people);
  const all = Array.from({ length: 50 }, () => people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO));
  assert.is((await outcomes(all)).done.length, 50);
});

test('throttles a network that tries many accounts, also with successes in between', async () => {
  const people = await startPeople(undefined, { hasher: LIGHT });
  await signUp(people);
  for (let i = 0; i < 60; i++) {
    if (i % 10 === 0) await people.signIn.withPassword(ADA.email, ADA.password, THIEF);
    const attempt = people.signIn.withPassword(`somebody${i}@example.org`, 'password of many', THIEF);
    assert.is((await refusalOf(attempt)).code, 'forbidden', `try ${i}`);
  }
  assert.is((await refusalOf(people.signIn.withPassword(ADA.email, ADA.password, THIEF))).code, 'rate_limited');
  const otherClient = { ...THIEF, address: '203.0.113.10' };
  assert.is((await people.signIn.withPassword(ADA.email, ADA.password, otherClient)).next, 'DONE');
});

test('counts an IPv6 network by its /64', async () => {
  const people = await startPeople(undefined, { hasher: LIGHT });
  for (let i = 0; i < 60; i++) {
    const clientInfo = { ...THIEF, address: `2001:db8::${i.toString(16)}` };
    await refusalOf(people.signIn.withPassword(`somebody${i}@example.org`, 'password of many', clientInfo));
  }
  const clientInfo = { ...THIEF, address: '2001:db8::ffff:1' };
  const attempt = people.signIn.withPassword('another@example.org', 'password of many', clientInfo);
  assert.is((await refusalOf(attempt)).code, 'rate_limited');
});

test('stores a typed address only as a hash', async () => {
  const people = await startPeople();
  await refusalOf(people.signIn.withPassword('oh dear, my password', 'x', CLIENT_INFO));
  const storedText = JSON.stringify(await people.identity.accounts.all('attempts'));
  assert.match(storedText, /"failures":1/);
  assert.not(storedText.includes('oh dear'));
  assert.not(storedText.includes(CLIENT_INFO.address));
});

test('does not count an attempt that could not be made', async () => {
  const people = await startPeople();
  await signUp(people);
  const hasher = { hash: async () => '', verify: () => Promise.reject(new Error('out of memory')) };
  const broken = await startPeople(people.identity, { hasher });
  for (let i = 0; i < 6; i++) {
    const error = await rejectionError(broken.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO));
    assert.is(error.message, 'out of memory');
  }
  assert.is((await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO)).next, 'DONE');
});

test.run();
