/** Addresses that links for somebody new are tried with: who has an account is told sparingly. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Refusal } from '../../src/commands/refusal.ts';
import { firstStart } from '../../src/identity/installation.ts';
import type { AccountRecord, AccountTableName } from '../../src/stores/account-store.ts';
import { closeAll } from '../support/identity.ts';
import { ADA, CLIENT_INFO, EVE, outcomes, refusalOf, signUp, startPeople, startTwo, THIEF } from '../support/people.ts';

const INVITATION = { kind: 'INVITATION', organization_id: 'org_A', role: 'EDITOR', made_by: 'acc_BOSS' } as const;

const test = suite('taken addresses');

test.after.each(closeAll);

test('an invitation tells of one address whether it has an account, and then is that account’s alone', async () => {
  const people = await startPeople();
  const eve = await signUp(people, EVE);
  const { secret } = await people.links.create(INVITATION);
  const newcomer = { ...ADA, email: EVE.email };
  assert.is((await refusalOf(people.welcome.join(secret, newcomer, THIEF))).code, 'conflict');
  const [told] = people.noted.slice(-1);
  assert.equal([told?.type, told?.account_id], ['SIGN_IN_REFUSED', eve.account.id]);
  for (const email of [EVE.email, 'free@example.org']) {
    assert.is((await refusalOf(people.welcome.join(secret, { ...ADA, email }, THIEF))).code, 'not_found');
  }
  const ada = await signUp(people);
  assert.is((await refusalOf(people.welcome.accept(secret, ada.session))).code, 'not_found');
  await people.welcome.accept(secret, eve.session);
  assert.equal(people.joined.length, 1);
});

test('however many ask an invitation at once, it tells of one address', async () => {
  const [here, there] = await startTwo();
  const known = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((n) => here.accounts.create({ ...EVE, email: `eve${n}@example.org` }, CLIENT_INFO)),
  );
  const { secret } = await here.links.create(INVITATION);
  const { refused } = await outcomes(
    known.map(({ email }, at) => (at % 2 ? here : there).welcome.join(secret, { ...ADA, email: email! }, THIEF)),
  );
  assert.is(refused.filter((error) => (error as Refusal).code === 'conflict').length, 1);
  assert.is(refused.length, known.length);
});

test('a link that became an account’s while it was read is used as that', async () => {
  const people = await startPeople();
  const { accounts } = people.identity;
  const { secret, record } = await people.links.create(INVITATION);
  const get = accounts.get.bind(accounts);
  let reads = 0;
  accounts.get = async <T extends AccountRecord>(table: AccountTableName, id: string) => {
    const found = await get<T>(table, id);
    reads += 1;
    if (reads === 1) await people.links.restrictTo(record.id, 'acc_EVE');
    return found;
  };
  const used = await people.links.use(secret, 'INVITATION', async (link) => link.account_id);
  assert.equal([used, reads], ['acc_EVE', 2]);
});

test('who tries addresses by many links is made to wait, whatever they succeed at in between', async () => {
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

test('a link to set an account up counts taken addresses as well', async () => {
  const people = await startPeople();
  await signUp(people, EVE);
  const { installation } = await firstStart(people.identity);
  const secret = (await people.setupLink(installation))!;
  const taken = () => refusalOf(people.welcome.setUp(secret, { ...ADA, email: EVE.email }, CLIENT_INFO));
  for (let tries = 1; tries <= 5; tries++) assert.is((await taken()).code, 'conflict');
  assert.is((await taken()).code, 'rate_limited');
});

test.run();
