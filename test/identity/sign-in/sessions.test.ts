import { hash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeBrowser, networkOf } from '../../../src/identity/client-info.ts';
import type { Session } from '../../../src/identity/sign-in/sessions.ts';
import { closeAll, open, rejectionError, sweepExpired } from '../../support/identity/identity.ts';
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

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const sessions = suite('sessions');

sessions.after.each(closeAll);

sessions('a cookie is 32 random bytes, and only its hash is stored', async () => {
  const people = await startPeople();
  const { cookie, session, account } = await signUp(people);
  assert.match(cookie, /^[\w-]{43}$/);
  assert.is(Buffer.from(cookie, 'base64url').length, 32);
  assert.is(session.id, hash('sha256', cookie, 'hex'));
  assert.equal(await people.sessions.find(cookie), session);
  assert.is(session.account_id, account.id);
  assert.is(session.browser, 'Firefox on Linux');
  assert.is(session.address, CLIENT_INFO.address);
  const storedSessions = JSON.stringify(await people.identity.accounts.all('sessions'));
  assert.not(storedSessions.includes(cookie));
  assert.is.not((await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO)).cookie, cookie);
});

for (const invalidToken of [undefined, '', 'x', 'A'.repeat(43), '__proto__', `${'A'.repeat(43)}\n`]) {
  sessions(`${JSON.stringify(invalidToken)} is not a session`, async () => {
    const people = await startPeople();
    await signUp(people);
    assert.is(await people.sessions.find(invalidToken), null);
    assert.is(await people.sessions.findPending(invalidToken), null);
  });
}

sessions('a session’s id, which lists show, does not work as a cookie', async () => {
  const people = await startPeople();
  const { session } = await signUp(people);
  assert.is(await people.sessions.find(session.id), null);
});

sessions('a session expires after 24 hours without use, and after seven days in any case', async () => {
  const people = await startPeople();
  const { cookie } = await signUp(people);
  const idle = await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO);
  people.clock.wait(DAY_MS - 1);
  assert.ok(await people.sessions.find(cookie));
  people.clock.wait(1);
  assert.is(await people.sessions.find(idle.cookie), null);
  for (let hours = 24; hours < 7 * 24; hours += 12) {
    assert.ok(await people.sessions.find(cookie), `${hours} hours`);
    people.clock.wait(DAY_MS / 2);
  }
  assert.is(await people.sessions.find(cookie), null, 'seven days, even if it is used');
});

sessions('writes the last use at most once a minute', async () => {
  const people = await startPeople();
  const { cookie, session } = await signUp(people);
  const storedTime = async () => (await people.identity.accounts.get<Session>('sessions', session.id))!.seen_at;
  const first = await storedTime();
  people.clock.wait(59_999);
  await people.sessions.find(cookie);
  assert.is(await storedTime(), first);
  people.clock.wait(1);
  await people.sessions.find(cookie);
  assert.is(await storedTime(), people.clock.now().toISOString());
});

sessions('lists an account’s signed-in sessions, last seen first', async () => {
  const people = await startPeople();
  const { cookie, session, account } = await withApp(people);
  await signUp(people, EVE);
  await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO);
  assert.equal(
    (await people.sessions.list(account.id)).map(({ id }) => id),
    [session.id],
  );
  people.clock.wait(HOUR_MS);
  await people.sessions.find(cookie);
  assert.is((await people.sessions.list(account.id))[0]!.seen_at, people.clock.now().toISOString());
  people.clock.wait(DAY_MS);
  assert.equal(await people.sessions.list(account.id), []);
});

sessions('only its own account can end a session, which then ends at once on all instances', async () => {
  const [here, there] = await startTwo();
  const { cookie, session, account } = await signUp(here);
  const eve = await signUp(here, EVE);
  assert.not(await here.sessions.end(eve.account.id, session.id));
  assert.ok(await there.sessions.find(cookie));
  assert.ok(await here.sessions.end(account.id, session.id));
  assert.is(await there.sessions.find(cookie), null);
  assert.not(await here.sessions.end(account.id, session.id));
});

sessions('adding the first factor ends all other sessions, also one that starts meanwhile', async () => {
  const people = await startPeople();
  const { cookie, session, account } = await signUp(people);
  const other = await people.signIn.withPassword(ADA.email, ADA.password, THIEF);
  const before = (await people.accounts.get(account.id))!;
  const { secret } = await people.totp.enrol(session);
  assert.is((await people.totp.add(session, codeOf(secret, people.clock.now()), CLIENT_INFO))?.length, 10);
  assert.ok(await people.sessions.find(cookie), 'the session that added it continues');
  assert.is(await people.sessions.find(other.cookie), null);
  const lateSession = await people.sessions.create(before, THIEF, 'SIGNED_IN');
  assert.is(await people.sessions.find(lateSession.cookie), null, 'its sign-in began before the factor was added');
});

sessions('ends all other sessions, also those that wait for a second factor', async () => {
  const people = await startPeople();
  const { cookie, session, account } = await withApp(people);
  const pending = await people.signIn.withPassword(ADA.email, ADA.password, THIEF);
  assert.is(await people.sessions.endOthers(account.id, session.id), 1);
  assert.is(await people.sessions.findPending(pending.cookie), null);
  assert.ok(await people.sessions.find(cookie));
});

sessions('a session that ended, or was renewed before, can’t be renewed', async () => {
  const [here, there] = await startTwo();
  const { session, account } = await signUp(here);
  const renewed = await here.sessions.renew(session);
  assert.is((await refusalOf(there.sessions.renew(session))).code, 'forbidden');
  assert.ok(await there.sessions.find(renewed.cookie));
  await here.sessions.end(account.id, renewed.session.id);
  assert.is((await refusalOf(there.sessions.renew(renewed.session))).code, 'forbidden');
  assert.equal(await there.sessions.list(account.id), []);
});

sessions('fixation: the cookie changes after the second factor', async () => {
  const people = await startPeople();
  const { secret } = await withApp(people);
  const pending = await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO);
  assert.is(await people.sessions.find(pending.cookie), null, 'it has no access yet');
  const done = await people.signIn.withTotp(pending.cookie, codeOf(secret, people.clock.now()), CLIENT_INFO);
  assert.is.not(done.cookie, pending.cookie);
  assert.is(await people.sessions.find(pending.cookie), null);
  assert.is(await people.sessions.findPending(pending.cookie), null);
  assert.ok(await people.sessions.find(done.cookie));
  assert.is(await people.sessions.findPending(done.cookie), null);
});

sessions('a pending session expires after ten minutes', async () => {
  const people = await startPeople();
  const { secret } = await withApp(people);
  const { cookie } = await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO);
  people.clock.wait(10 * 60_000 - 1);
  assert.ok(await people.sessions.findPending(cookie));
  people.clock.wait(1);
  const refusal = await rejectionError(people.signIn.withTotp(cookie, codeOf(secret, people.clock.now()), CLIENT_INFO));
  assert.match(refusal.message, /sign in again/i);
});

sessions('a pending session becomes one session, also under concurrent requests', async () => {
  const [here, there] = await startTwo();
  await withApp(here);
  const { session } = await here.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO);
  const { done, refused } = await outcomes([
    here.sessions.completeSecondFactor(session, CLIENT_INFO),
    there.sessions.completeSecondFactor(session, CLIENT_INFO),
  ]);
  assert.is(done.length, 1);
  assert.is(refused.length, 1);
});

sessions('a challenge works once, for its own purpose, within 15 minutes', async () => {
  const [here, there] = await startTwo();
  const { session } = await signUp(here);
  await here.sessions.storeChallenge(session, 'USE_PASSKEY', 'value');
  assert.is(await here.sessions.takeChallenge(session, 'REGISTER_PASSKEY'), null);
  const takenChallenges = await Promise.all(
    [here, there].map((instance) => instance.sessions.takeChallenge(session, 'USE_PASSKEY')),
  );
  assert.is(takenChallenges.filter((challenge) => challenge?.value === 'value').length, 1);
  await here.sessions.storeChallenge(session, 'USE_PASSKEY', 'value');
  here.clock.wait(15 * 60_000);
  assert.is(await here.sessions.takeChallenge(session, 'USE_PASSKEY'), null);
});

sessions('the sweeper deletes expired sessions', async () => {
  const people = await startPeople();
  const { session } = await signUp(people);
  people.clock.waitDays(2);
  const secondSignIn = await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO);
  await sweepExpired(people.identity);
  const storedSessions = await people.identity.accounts.all('sessions');
  assert.equal(
    storedSessions.map(({ id }) => id),
    [secondSignIn.session.id],
  );
  assert.is.not(secondSignIn.session.id, session.id);
});

sessions('survives a restart', async () => {
  const people = await startPeople();
  const { cookie } = await signUp(people);
  const restarted = await startPeople(await open(people.identity.dataDir, people.clock));
  assert.ok(await restarted.sessions.find(cookie));
});

sessions.run();

const clientInfo = suite('client info');

for (const [agent, words] of [
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    'Chrome on Windows',
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36',
    'Chrome on Linux',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 (KHTML, like Gecko) Version/18.0 Mobile/1 Safari/604.1',
    'Safari on iOS',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 (KHTML, like Gecko) Version/18.0 Safari/605.1',
    'Safari on macOS',
  ],
  ['curl/8.5.0', 'Unknown browser'],
  ['<script>', 'Unknown browser'],
  ['', 'Unknown browser'],
] as const) {
  clientInfo(`${words}: ${agent.slice(0, 50)}`, () => assert.is(describeBrowser(agent), words));
}

for (const [address, network] of [
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
] as const) {
  clientInfo(`${address} is in ${network}`, () => assert.is(networkOf(address), network));
}

clientInfo.run();
