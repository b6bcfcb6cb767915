/** Links for new people reveal very few addresses that are in use. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import { firstStart } from '../../../src/identity/installation/installation.ts';
import type { TakenNames } from '../../../src/identity/memberships/taken-names.ts';
import type { AccountRecord, AccountTableName } from '../../../src/stores/account-store.ts';
import { closeAll } from '../../support/identity/identity.ts';
import {
  ADA,
  CLIENT_INFO,
  EVE,
  outcomes,
  refusalOf,
  signUp,
  startPeople,
  startTwo,
  THIEF,
} from '../../support/identity/people.ts';

const INVITATION = { kind: 'INVITATION', organization_id: 'org_A', role: 'EDITOR', made_by: 'acc_BOSS' } as const;

const test = suite('addresses in use');

test.after.each(closeAll);

test('an invitation reveals at most one address in use, and is then bound to that account', async () => {
  const people = await startPeople();
  const eve = await signUp(people, EVE);
  const { secret } = await people.links.create(INVITATION);
  const newcomer = { ...ADA, email: EVE.email };
  assert.is((await refusalOf(people.welcome.join(secret, newcomer, THIEF))).code, 'conflict');
  const [lastEvent] = people.accountEvents.slice(-1);
  assert.equal([lastEvent?.type, lastEvent?.account_id], ['SIGN_IN_REFUSED', eve.account.id]);
  for (const email of [EVE.email, 'free@example.org']) {
    assert.is((await refusalOf(people.welcome.join(secret, { ...ADA, email }, THIEF))).code, 'not_found');
  }
  const ada = await signUp(people);
  assert.is((await refusalOf(people.welcome.accept(secret, ada.session))).code, 'not_found');
  await people.welcome.accept(secret, eve.session);
  assert.equal(people.joined.length, 1);
});

test('an invitation is not bound to somebody who is a member already', async () => {
  const people = await startPeople(undefined, { organizationsOf: async () => [{ id: 'org_A', role: 'VIEWER' }] });
  const eve = await signUp(people, EVE);
  const { secret } = await people.links.create(INVITATION);
  assert.is((await refusalOf(people.welcome.join(secret, { ...ADA, email: EVE.email }, THIEF))).code, 'conflict');
  assert.is((await people.links.find(secret))?.account_id, null);
  const [lastEvent] = people.accountEvents.slice(-1);
  assert.equal([lastEvent?.type, lastEvent?.account_id], ['SIGN_IN_REFUSED', eve.account.id]);
  const { session } = await people.welcome.join(secret, ADA, CLIENT_INFO);
  assert.equal(people.joined, [
    [{ organization_id: 'org_A', role: 'EDITOR', until: null, made_by: 'acc_BOSS' }, session.account_id],
  ]);
  const another = await people.links.create(INVITATION);
  for (let tries = 1; tries <= 4; tries++) {
    assert.is(
      (await refusalOf(people.welcome.join(another.secret, { ...ADA, email: EVE.email }, THIEF))).code,
      'conflict',
    );
  }
  const throttled = await refusalOf(people.welcome.join(another.secret, { ...ADA, email: EVE.email }, THIEF));
  assert.is(throttled.code, 'rate_limited', 'members’ addresses can’t be tried without end');
});

test('an invitation reveals one address, also under concurrent requests', async () => {
  const [here, there] = await startTwo();
  const accounts = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((n) => here.accounts.create({ ...EVE, email: `eve${n}@example.org` }, CLIENT_INFO)),
  );
  const { secret } = await here.links.create(INVITATION);
  const { refused } = await outcomes(
    accounts.map(({ email }, at) => (at % 2 ? here : there).welcome.join(secret, { ...ADA, email: email! }, THIEF)),
  );
  assert.is(refused.filter((error) => (error as Refusal).code === 'conflict').length, 1);
  assert.is(refused.length, accounts.length);
});

test('a link bound to an account meanwhile is used for that account', async () => {
  const people = await startPeople();
  const { accounts } = people.identity;
  const { secret, record } = await people.links.create(INVITATION);
  const get = accounts.get.bind(accounts);
  let reads = 0;
  accounts.get = async <T extends AccountRecord>(table: AccountTableName, id: string) => {
    const row = await get<T>(table, id);
    reads += 1;
    if (reads === 1) await people.links.restrictTo(record.id, 'acc_EVE');
    return row;
  };
  const used = await people.links.use(secret, 'INVITATION', async (link) => link.account_id);
  assert.equal([used, reads], ['acc_EVE', 2]);
});

test('trying addresses through many links is throttled, also with successes in between', async () => {
  const people = await startPeople();
  await signUp(people, EVE);
  const join = async (email: string, made_by = INVITATION.made_by as string) => {
    const { secret } = await people.links.create({ ...INVITATION, made_by });
    return people.welcome.join(secret, { ...ADA, email }, { ...CLIENT_INFO, address: '198.51.100.4' });
  };
  for (let tries = 1; tries <= 5; tries++) {
    assert.is((await refusalOf(join(EVE.email))).code, 'conflict');
    if (tries < 5) await join(`free${tries}@example.org`);
  }
  assert.is((await refusalOf(join(EVE.email))).code, 'rate_limited');
  assert.is((await refusalOf(join('free@example.org'))).code, 'rate_limited');
  await join('other@example.org', 'acc_ELSE');
  people.clock.wait(31_000);
  await join('free@example.org');
});

test('trying members’ names with one invitation is throttled, for newcomers and for people with an account', async () => {
  const refuse = async () => {
    throw new Refusal('invalid_input', 'Another member has this name.', { field: 'name' });
  };
  const takenNames = { refuseForOrganization: refuse, refuseForAccount: async () => undefined };
  const people = await startPeople(undefined, { takenNames: takenNames as unknown as TakenNames });
  const eve = await signUp(people, EVE);
  for (const tryName of [
    (secret: string) => people.welcome.join(secret, { ...ADA, email: 'new@example.org' }, CLIENT_INFO),
    (secret: string) => people.welcome.accept(secret, eve.session),
  ]) {
    const { secret } = await people.links.create(INVITATION);
    for (let tries = 1; tries <= 5; tries++) {
      assert.is((await refusalOf(tryName(secret))).code, 'invalid_input');
    }
    assert.is((await refusalOf(tryName(secret))).code, 'rate_limited');
  }
});

test('a set-up link counts addresses in use as well', async () => {
  const people = await startPeople();
  await signUp(people, EVE);
  const { installation } = await firstStart(people.identity);
  const secret = (await people.setupLink(installation))!;
  const refusalOfTaken = () => refusalOf(people.welcome.setUp(secret, { ...ADA, email: EVE.email }, CLIENT_INFO));
  for (let tries = 1; tries <= 5; tries++) assert.is((await refusalOfTaken()).code, 'conflict');
  assert.is((await refusalOfTaken()).code, 'rate_limited');
});

test.run();
