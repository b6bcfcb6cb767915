import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import type { NewOneTimeLink, OneTimeLink } from '../../../src/identity/accounts/one-time-links.ts';
import { firstOwnerId, firstStart } from '../../../src/identity/installation/installation.ts';
import { closeAll, sweepExpired } from '../../support/identity/identity.ts';
import {
  ADA,
  CLIENT_INFO,
  EVE,
  outcomes,
  refusalOf,
  signUp,
  startPeople,
  startTwo,
  type TestPeople,
  THIEF,
  withApp,
} from '../../support/identity/people.ts';

const HOUR_MS = 3_600_000;
const INVITATION = { kind: 'INVITATION', organization_id: 'org_A', role: 'EDITOR', made_by: 'acc_BOSS' } as const;

const test = suite('links');

test.after.each(closeAll);

/** An installation whose first owner has no password yet. */
async function begin(people: TestPeople): Promise<{ installation: string; owner: string; secret: string }> {
  const { installation } = await firstStart(people.identity);
  return { installation, owner: firstOwnerId(installation), secret: (await people.setupLink(installation))! };
}

test('a secret is 32 random bytes, and only its hash is stored', async () => {
  const people = await startPeople();
  const { secret, record } = await people.links.create({ ...INVITATION, note: 'the new auditor' });
  assert.match(secret, /^[\w-]{43}$/);
  assert.not(JSON.stringify(await people.identity.accounts.all('links')).includes(secret));
  assert.equal(await people.links.find(secret), record);
  assert.is(record.note, 'the new auditor');
  assert.is(await people.links.find(record.id), null, 'the id that lists show does not work as a secret');
});

for (const [kind, hours, more] of [
  ['SETUP', 24, { account_id: 'acc_X' }],
  ['RESET', 1, { account_id: 'acc_X' }],
  ['INVITATION', 7 * 24, { organization_id: 'org_A', role: 'VIEWER' }],
] as const) {
  test(`${kind} lasts ${hours} hours`, async () => {
    const people = await startPeople();
    const { secret } = await people.links.create({ kind, made_by: 'SYSTEM', ...more } as NewOneTimeLink);
    people.clock.wait(hours * HOUR_MS - 1);
    assert.ok(await people.links.find(secret));
    people.clock.wait(1);
    assert.is(await people.links.find(secret), null);
    people.clock.wait(1);
    await sweepExpired(people.identity);
    assert.equal(await people.identity.accounts.all('links'), [], 'expired links are deleted');
  });
}

test('the first start’s link sets up the owner once', async () => {
  const people = await startPeople();
  const { installation, owner, secret } = await begin(people);
  const second = (await people.setupLink(installation))!;
  assert.is.not(second, secret, 'a fresh one at each start');
  const { link, account } = await people.welcome.describe(secret);
  assert.equal([link.kind, account!.id], ['SETUP', owner]);
  const done = await people.welcome.setUp(secret, ADA, CLIENT_INFO);
  assert.equal([done.next, done.session.account_id], ['DONE', owner]);
  assert.ok(await people.sessions.find(done.cookie));
  assert.is((await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO)).session.account_id, owner);
  for (const used of [secret, second]) {
    assert.is((await refusalOf(people.welcome.describe(used))).code, 'not_found');
    assert.is((await refusalOf(people.welcome.setUp(used, EVE, THIEF))).code, 'not_found');
  }
  assert.is(await people.setupLink(installation), null);
});

test('of two concurrent set-ups, by one link or two, one succeeds', async () => {
  const [here, there] = await startTwo();
  const { installation, secret } = await begin(here);
  const second = (await there.setupLink(installation))!;
  const { done, refused } = await outcomes([
    here.welcome.setUp(secret, ADA, CLIENT_INFO),
    there.welcome.setUp(secret, EVE, THIEF),
    there.welcome.setUp(second, { ...EVE, email: 'eve2@example.org' }, THIEF),
  ]);
  assert.equal([done.length, refused.length], [1, 2]);
  assert.is((await here.identity.accounts.all('accounts')).length, 1);
});

test('invalid input does not use up the link', async () => {
  const people = await startPeople();
  const { secret } = await begin(people);
  assert.is(
    (await refusalOf(people.welcome.setUp(secret, { ...ADA, password: 'short' }, CLIENT_INFO))).code,
    'invalid_input',
  );
  assert.is(
    (await refusalOf(people.welcome.setUp(secret, { ...ADA, email: 'ada' }, CLIENT_INFO))).code,
    'invalid_input',
  );
  assert.is((await people.welcome.setUp(secret, ADA, CLIENT_INFO)).next, 'DONE');
});

test('the first owner of an adopted log is the account created for it', async () => {
  const people = await startPeople();
  const created_at = people.clock.now().toISOString();
  await people.identity.accounts.insert('accounts', { id: 'acc_ADOPTER', name: 'Owner', created_at });
  const secret = await people.setupLink('11111111-1111-4111-8111-111111111111');
  assert.is((await people.welcome.describe(secret!)).account!.id, 'acc_ADOPTER');
});

test('an invitation makes a new person a member', async () => {
  const people = await startPeople();
  const until = '2026-11-30T23:59:59.999Z';
  const { secret } = await people.links.create({ ...INVITATION, until });
  const { next, session } = await people.welcome.join(secret, ADA, CLIENT_INFO);
  assert.is(next, 'DONE');
  const { organization_id, role, made_by } = INVITATION;
  assert.equal(people.joined, [[{ organization_id, role, until, made_by }, session.account_id]]);
  assert.is((await refusalOf(people.welcome.join(secret, EVE, THIEF))).code, 'not_found');
});

test('the note of an invitation is erased when it is used, and only then', async () => {
  const people = await startPeople();
  const { secret, record } = await people.links.create({ ...INVITATION, note: 'for Quattro Person' });
  const noteOf = async () => (await people.identity.accounts.get<OneTimeLink>('links', record.id))!.note;
  const failing = people.links.use(secret, 'INVITATION', () => Promise.reject(new Error('cut')));
  assert.is(await failing.catch((error: Error) => error.message), 'cut');
  assert.is(await noteOf(), 'for Quattro Person');
  await people.links.use(secret, 'INVITATION', () => Promise.resolve());
  assert.is(await noteOf(), '');
});

test('a signed-in person accepts an invitation', async () => {
  const people = await startPeople();
  const { session, account } = await signUp(people);
  const { secret } = await people.links.create(INVITATION);
  assert.is(
    (await refusalOf(people.welcome.join(secret, ADA, CLIENT_INFO))).code,
    'conflict',
    'the address has an account',
  );
  assert.is(await people.welcome.accept(secret, session), 'org_A');
  assert.is((people.joined as [unknown, string][])[0]![1], account.id);
  assert.is((await refusalOf(people.welcome.accept(secret, session))).code, 'not_found');
});

test('an invitation accepted by many at once is used once', async () => {
  const [here, there] = await startTwo();
  const { secret } = await here.links.create(INVITATION);
  const { session } = await signUp(here);
  const { done, refused } = await outcomes<unknown>([
    here.welcome.accept(secret, session),
    there.welcome.accept(secret, session),
    here.welcome.join(secret, EVE, THIEF),
    there.welcome.join(secret, { ...EVE, email: 'eve2@example.org' }, THIEF),
  ]);
  assert.equal([done.length, refused.length], [1, 3]);
  assert.is(here.joined.length + there.joined.length, 1);
});

test('an invitation fails when its creator may no longer invite, and leaves no account behind', async () => {
  const join = () => Promise.reject(new Refusal('forbidden', 'Ask an OWNER for another invitation.'));
  const people = await startPeople(undefined, { join });
  const { secret } = await people.links.create(INVITATION);
  assert.is((await refusalOf(people.welcome.join(secret, ADA, CLIENT_INFO))).code, 'forbidden');
  assert.equal(await people.identity.accounts.all('accounts'), []);
  assert.ok(await people.links.find(secret));
});

test('after an outage during joining the account stays, and the person accepts again', async () => {
  let isAway = true;
  const joinedAccounts: string[] = [];
  const join = async (_: unknown, id: string) => {
    if (isAway) throw new Refusal('unavailable', 'The store does not answer.');
    joinedAccounts.push(id);
  };
  const people = await startPeople(undefined, { join });
  const { secret } = await people.links.create(INVITATION);
  await refusalOf(people.welcome.join(secret, ADA, CLIENT_INFO));
  isAway = false;
  const { session } = await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO);
  await people.welcome.accept(secret, session);
  assert.equal(joinedAccounts, [session.account_id]);
});

test('an invitation whose response was lost is not valid for another person', async () => {
  let isAnswerLost = true;
  const joinedAccounts: string[] = [];
  const join = async (_invitation: unknown, id: string) => {
    joinedAccounts.push(id);
    if (isAnswerLost) throw new Refusal('unavailable', 'The store does not answer.');
  };
  const people = await startPeople(undefined, { join });
  const { secret } = await people.links.create(INVITATION);
  await refusalOf(people.welcome.join(secret, ADA, CLIENT_INFO));
  isAnswerLost = false;
  const eve = await signUp(people, EVE);
  assert.is((await refusalOf(people.welcome.accept(secret, eve.session))).code, 'not_found');
  const thirdPerson = { ...EVE, name: 'Third', email: 'third@example.org' };
  assert.is((await refusalOf(people.welcome.join(secret, thirdPerson, CLIENT_INFO))).code, 'not_found');
  assert.is(await people.accounts.findByEmail(thirdPerson.email), null);
  const ada = await people.signIn.withPassword(ADA.email, ADA.password, CLIENT_INFO);
  await people.welcome.accept(secret, ada.session);
  assert.equal(joinedAccounts, [ada.session.account_id, ada.session.account_id]);
});

test('lists an organization’s open invitations newest first, and revokes them', async () => {
  const people = await startPeople();
  const first = await people.links.create(INVITATION);
  people.clock.wait(1_000);
  const second = await people.links.create(INVITATION);
  await people.links.create({ ...INVITATION, organization_id: 'org_B' });
  await people.welcome.join((await people.links.create(INVITATION)).secret, ADA, CLIENT_INFO);
  const ids = async () => (await people.links.list('org_A')).map(({ id }) => id);
  assert.equal(await ids(), [second.record.id, first.record.id]);
  assert.not(await people.links.revoke('org_B', first.record.id), 'not by another organization');
  assert.ok(await people.links.revoke('org_A', first.record.id));
  assert.not(await people.links.revoke('org_A', first.record.id));
  assert.is(await people.links.find(first.secret), null);
  people.clock.waitDays(8);
  assert.equal(await ids(), []);
});

test('a reset link ends all sessions, works once, and revokes other reset links', async () => {
  const people = await startPeople();
  const { cookie, account } = await signUp(people);
  const reset = () => people.links.create({ kind: 'RESET', account_id: account.id, made_by: 'SYSTEM' });
  const [first, second] = [await reset(), await reset()];
  assert.is((await refusalOf(people.welcome.reset(first.secret, 'short', CLIENT_INFO))).code, 'invalid_input');
  const { done, refused } = await outcomes([
    people.welcome.reset(first.secret, 'a password that is new', CLIENT_INFO),
    people.welcome.reset(first.secret, 'another one that is new', THIEF),
  ]);
  assert.equal([done.length, refused.length], [1, 1]);
  assert.is(await people.sessions.find(cookie), null);
  assert.ok(await people.sessions.find(done[0]!.cookie));
  assert.is(await people.links.find(second.secret), null);
  assert.equal(
    people.accountEvents.filter((event) => event.type === 'PASSWORD_CHANGED').map((event) => 'by' in event && event.by),
    ['LINK'],
  );
});

test('a reset link does not skip the second factor', async () => {
  const people = await startPeople();
  const { account } = await withApp(people);
  const { secret } = await people.links.create({ kind: 'RESET', account_id: account.id, made_by: 'SYSTEM' });
  const { next, cookie } = await people.welcome.reset(secret, 'a password that is new', CLIENT_INFO);
  assert.is(next, 'SECOND_FACTOR');
  assert.is(await people.sessions.find(cookie), null);
});

test('a link works only for its own kind', async () => {
  const people = await startPeople();
  const { session, account } = await signUp(people);
  const invitation = (await people.links.create(INVITATION)).secret;
  const reset = (await people.links.create({ kind: 'RESET', account_id: account.id, made_by: 'SYSTEM' })).secret;
  const { welcome } = people;
  for (const attempt of [
    () => welcome.setUp(invitation, EVE, THIEF),
    () => welcome.setUp(reset, EVE, THIEF),
    () => welcome.reset(invitation, 'a password that is new', THIEF),
    () => welcome.join(reset, EVE, THIEF),
    () => welcome.accept(reset, session),
    () => welcome.reset('A'.repeat(43), 'a password that is new', THIEF),
    () => welcome.reset('', 'a password that is new', THIEF),
  ]) {
    assert.is((await refusalOf(attempt() as Promise<unknown>)).code, 'not_found');
  }
  assert.ok(await people.links.find(invitation));
  assert.ok(await people.links.find(reset));
});

test.run();
