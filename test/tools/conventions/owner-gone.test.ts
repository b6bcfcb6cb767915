/** Records whose owner is no longer a member: on each pair of stores, now and at past moments. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { organizationAggregate } from '../../../src/commands/families.ts';
import { executeOrganizationCommand } from '../../../src/identity/memberships/actor.ts';
import { readFormerMembers } from '../../../src/queries/records/former-members.ts';
import { MISSING_OPTIONS } from '../../../src/register/family-description.ts';
import { daysAgo } from '../../support/histories/story.ts';
import { addMember, removeMember } from '../../support/members.ts';
import { envelopeFor, ORGANIZATION, OWNER, startRegister, type TestRegister } from '../../support/register.ts';
import { until } from '../../support/run/wait.ts';
import { type ServedPair, serve, startPairs, withOpenPair } from '../../support/stores/pairs.ts';

const GONE = { missing: ['OWNER_GONE'] };

for (const pair of await startPairs()) {
  const test = suite<ServedPair>(`owners who have left, on ${pair.name}`);
  test.before(async (context) => {
    Object.assign(context, await serve(pair));
  });
  test.after((served) => served.close());

  test('missing OWNER_GONE finds the records of former members, at each moment', async (served) => {
    const { owner, organizationId } = served;
    const priya = await served.addMember('Priya Raman', 'EDITOR');
    const add = async (name: string, owner_id: string | null) =>
      owner.ok('addVendor', { organization_id: organizationId, name: `Gone ${name}`, owner_id });
    const [theirs] = [await add('one', priya), await add('two', 'ME'), await add('three', null)];
    const { position: whileMember } = theirs;
    const archived = await add('archived', priya);
    await owner.ok('archiveRecords', { ids: [archived.vendor.id], action: 'ARCHIVE', reason: 'r' });
    const find = async (filter: object, moment: object = {}) => {
      const input = { organization_id: organizationId, filter: { query: 'gone', ...filter }, ...moment };
      return (await owner.ok('listVendors', input)).vendors.map(({ name }) => name);
    };
    const command = (order: { type: 'RemoveMember' } | { type: 'AddMember'; role: 'VIEWER' }) =>
      withOpenPair(pair.env, ({ handler }) =>
        executeOrganizationCommand(handler, organizationId, { ...order, account_id: priya }),
      );
    assert.equal(await find(GONE), []);
    await command({ type: 'RemoveMember' });
    await until(async () => (await find(GONE)).length > 0, 5_000, 'the service sees the removal');
    assert.equal(await find(GONE), ['Gone one']);
    const count = { organization_id: organizationId, filter: GONE, view: 'COUNT' };
    assert.is((await owner.ok('listVendors', count)).total, 1);
    assert.equal(await find(GONE, { as_of: daysAgo(0) }), ['Gone one'], 'today is now');
    assert.equal(await find(GONE, { as_of: whileMember }), [], 'they were a member then');
    assert.equal(await find({ ...GONE, include_archived: true }), ['Gone archived', 'Gone one']);
    assert.equal(await find({ missing: ['OWNER'] }), ['Gone three']);
    assert.equal(await find({ missing: ['OWNER', 'OWNER_GONE'] }), [], 'no owner, and one who has left');
    const whileGone = String((await add('later', 'ME')).position);
    await command({ type: 'AddMember', role: 'VIEWER' });
    await until(async () => (await find(GONE)).length === 0, 5_000, 'the service sees the return');
    assert.equal(await find(GONE, { as_of: whileGone }), ['Gone one'], 'they were away then');
  });

  test.run();
}

const test = suite<TestRegister>('former members');
test.before(async (context) => {
  Object.assign(context, await startRegister());
});
test.after((register) => register.stop());

test('a membership that ends lasts to the end of its day', async (register) => {
  const { reader, handler } = register;
  const account = await addMember(register, 'Ines Intern');
  const end = { type: 'ChangeMembershipEnd', account_id: account, until: `${daysAgo(-2)}T12:00:00.000Z` } as const;
  await handler.execute(organizationAggregate(ORGANIZATION), end, envelopeFor());
  await register.projections.progress.waitUntilCaughtUp(Date.now(), 5_000);
  const snapshot = reader.snapshot();
  const on = (today: string, position: number | null = null) =>
    readFormerMembers({ snapshot, organizationId: ORGANIZATION, moment: { today, position } });
  assert.equal(await on(daysAgo(-2)), []);
  assert.equal(await on(daysAgo(-3)), [account]);
  assert.equal(await on(daysAgo(-3), snapshot.newestPosition(ORGANIZATION)), [account]);
  assert.equal(await on(daysAgo(-3), 2), [], 'before the end was set');
  await removeMember(register, account);
  assert.equal(await on(daysAgo(0)), [account]);
  assert.equal(await on(daysAgo(0), 0), []);
  assert.not((await on(daysAgo(0))).includes(OWNER));
});

test('another value that sounds alike is refused with all that are taken', async (register) => {
  const input = { organization_id: ORGANIZATION, filter: { missing: ['OWNER_LEFT'] } };
  const { error } = await register.call<{ error: { allowed: string[] } }>('listNonconformities', input);
  assert.equal(
    error.allowed,
    MISSING_OPTIONS.filter((option) => option !== 'SCORE'),
  );
});

test.run();
