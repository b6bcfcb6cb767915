import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { organizationStream } from '../../../src/commands/families.ts';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { MAX_OWNED_ORGANIZATIONS, Members } from '../../../src/identity/memberships/members.ts';
import { indexedOrganizations } from '../../../src/identity/memberships/membership-index.ts';
import { closeAll, withAccounts } from '../../support/identity/identity.ts';
import { openOrganization, refusedWith } from '../../support/identity/membership.ts';
import { reconcile } from '../../support/identity/reconcile.ts';

const test = suite('members');

test.after.each(closeAll);

test('lists an account’s organizations by name, with its role and the number of OWNERs', async () => {
  const { members, organizationId, owner, member } = await openOrganization();
  const bo = await member('EDITOR', 'Bo');
  await member('OWNER', 'Cy');
  const second = await members.createOrganization('  Another ', owner);
  assert.equal(await members.organizationsOf(owner), [
    {
      ...{ ...second, name: 'Another', role: 'OWNER', owners: 1 },
      ...{ missingFactor: false, missingFactorFrom: null, ceiling: 'ALL' },
    },
    {
      id: organizationId,
      name: 'My organization',
      role: 'OWNER',
      owners: 2,
      missingFactor: false,
      missingFactorFrom: null,
      ceiling: 'ALL',
    },
  ]);
  assert.equal([...(await members.rolesOf(bo))], [[organizationId, 'EDITOR']]);
  const caller = await members.callerOf(bo);
  assert.equal(
    { ...caller, roles: [...caller.roles], members: [...caller.members] },
    {
      ...{ account_id: bo, token_id: null, client: null, read_only: false },
      ...{ roles: [[organizationId, 'EDITOR']], members: [[organizationId, 'EDITOR']] },
    },
  );
  assert.equal(await members.organizationsOf(randomId('acc')), []);
  const membership = {
    id: organizationId,
    name: 'My organization',
    role: 'EDITOR',
    owners: 2,
    missingFactor: false,
    missingFactorFrom: null,
    ceiling: 'ALL',
  };
  assert.equal(await members.membership(bo, organizationId), membership);
  for (const other of [second.id, randomId('org'), bo, '__proto__']) {
    assert.is(await members.membership(bo, other), null, other);
  }
});

test('lists members with their names, highest role first', async () => {
  const { members, organizationId, member, accounts } = await openOrganization();
  await member('EDITOR', 'Zoe');
  await member('EDITOR', 'Abe');
  const formerMember = await member('VIEWER', 'Gone');
  await accounts.update('accounts', formerMember, { name: null });
  assert.equal(
    (await members.membersOf(organizationId)).map(({ name, role }) => [name, role]),
    [
      ['First owner', 'OWNER'],
      ['Abe', 'EDITOR'],
      ['Zoe', 'EDITOR'],
      ['former member', 'VIEWER'],
    ],
  );
  assert.is(await refusedWith(members.membersOf(randomId('org'))), 'not_found');
});

test('events contain no person’s name', async () => {
  const { events, members, organizationId, owner, member } = await openOrganization();
  const bo = await member('EDITOR', 'Bo Personal');
  await members.changeRole(organizationId, bo, 'ADMIN', accountActor(owner), 'r');
  await members.remove(organizationId, bo, accountActor(owner));
  const storedEvents = await events.readStream(organizationStream(organizationId));
  assert.not.match(JSON.stringify(storedEvents), /Personal/);
  assert.equal(
    storedEvents.slice(-3).map(({ type, metadata }) => [type, metadata.actor_id]),
    [
      ['MemberAdded', owner],
      ['MemberRoleChanged', owner],
      ['MemberRemoved', owner],
    ],
  );
});

/* test/commands/organization has the rules of members, roles and domains. */
test('what the log refuses changes no account store', async () => {
  const { accounts, members, organizationId, member } = await openOrganization();
  const actor = accountActor(await member('ADMIN'));
  const forbidden = async (call: Promise<unknown>) => assert.is(await refusedWith(call), 'forbidden');
  const stranger = randomId('acc');
  await accounts.insert('accounts', { id: stranger, name: 'Stranger', organizations: [], created_at: '' });
  await forbidden(members.add(organizationId, stranger, 'VIEWER', actor));
  await forbidden(members.domains.admit(organizationId, 'example.org', 'VIEWER', actor));
  assert.equal([(await members.rolesOf(stranger)).size, await accounts.all('domains')], [0, []]);
});

test('refuses invalid roles, accounts, names and domains', async () => {
  const { members, organizationId, owner } = await openOrganization();
  const actor = accountActor(owner);
  await members.domains.recordVouchedDomain(owner, 'example.org');
  for (const invalidCall of [
    members.add(organizationId, randomId('acc'), 'KING' as never, actor),
    members.add(organizationId, '__proto__', 'VIEWER', actor),
    members.changeRole(organizationId, owner, '' as never, actor),
    members.rename(organizationId, ' ', actor),
    members.rename(organizationId, 'x'.repeat(201), actor),
    members.rename(organizationId, 'Verltrail', actor),
    members.createOrganization('0wner', owner),
    members.createOrganization('', owner),
    members.domains.admit(organizationId, 'localhost', 'VIEWER', actor),
    members.domains.admit(organizationId, 'a@example.org', 'VIEWER', actor),
    members.domains.admit(organizationId, 'exa mple.org', 'VIEWER', actor),
    members.domains.admit(organizationId, '__proto__', 'VIEWER', actor),
    members.domains.admit(organizationId, 'example.org', 'OWNER', actor),
  ]) {
    assert.is(await refusedWith(invalidCall), 'invalid_input');
  }
});

test('the last OWNER cannot be erased, and of two who leave at once one stays', async () => {
  const { members, organizationId, owner, member } = await openOrganization();
  assert.is(await refusedWith(members.leaveAll(owner)), 'invalid_transition');
  const second = await member('OWNER');
  const both = [members.leave(organizationId, owner), members.leave(organizationId, second)];
  const outcomesOfLeaving = await Promise.allSettled(both);
  assert.equal(outcomesOfLeaving.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const remaining = await members.membersOf(organizationId);
  assert.equal(
    remaining.map(({ role }) => role),
    ['OWNER'],
  );
});

test('of two OWNERs who demote each other at once, one succeeds', async () => {
  const first = await openOrganization();
  const other = await openOrganization(first);
  const { members, organizationId, owner, member } = first;
  const second = await member('OWNER');
  const outcomesOfLeaving = await Promise.allSettled([
    members.changeRole(organizationId, second, 'VIEWER', accountActor(owner)),
    other.members.changeRole(organizationId, owner, 'VIEWER', accountActor(second)),
  ]);
  assert.equal(outcomesOfLeaving.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

test('leaving everything does nothing if one organization would lose its last OWNER', async () => {
  const { members, organizationId, owner, member } = await openOrganization();
  await member('OWNER');
  const { id } = await members.createOrganization('Mine alone', owner);
  assert.is(await refusedWith(members.leaveAll(owner)), 'invalid_transition');
  assert.is((await members.rolesOf(owner)).size, 2);
  await members.add(id, await member('VIEWER'), 'OWNER', accountActor(owner));
  await members.leaveAll(owner);
  assert.is((await members.rolesOf(owner)).size, 0);
  assert.not.ok((await members.membersOf(organizationId)).some(({ account_id }) => account_id === owner));
});

test('an OWNER creates further organizations of the installation, up to the limit', async () => {
  const { accounts, events, members, organizationId, owner, member } = await openOrganization();
  const editor = await member('EDITOR');
  assert.is(await refusedWith(members.createOrganization('Mine', editor)), 'forbidden');
  const { id } = await members.createOrganization('Another', owner);
  const [began] = await events.readStream(organizationStream(id));
  const [first] = await events.readStream(organizationStream(organizationId));
  assert.equal([began!.data?.installation, began!.data?.name], [first!.data?.installation, 'Another']);
  assert.is.not(began!.data?.import_key, first!.data?.import_key);
  assert.equal((await accounts.get('accounts', owner))!.organizations, [organizationId, id]);
  for (let count = 2; count < MAX_OWNED_ORGANIZATIONS; count++)
    await members.createOrganization(`Number ${count}`, owner);
  assert.is(await refusedWith(members.createOrganization('One more', owner)), 'too_large');
});

test('writes the index entry before the membership, also concurrently, and repairs it', async () => {
  const identity = await openOrganization();
  const { accounts, members, organizationId, owner, member } = identity;
  const bo = await member('EDITOR');
  const ids = (await Promise.all(['A', 'B', 'C'].map((name) => members.createOrganization(name, owner)))).map(
    ({ id }) => id,
  );
  await Promise.all(ids.map((id) => members.add(id, bo, 'VIEWER', accountActor(owner))));
  assert.equal([...(await members.rolesOf(bo)).keys()].sort(), [organizationId, ...ids].sort());
  await accounts.update('accounts', bo, { organizations: ['org_nowhere', ids[0]] });
  assert.equal([...(await members.rolesOf(bo)).keys()], [ids[0]]);
  const { found, left } = await reconcile(identity, [organizationId, ...ids]);
  assert.equal([found.length, left], [3, []]);
  assert.is((await members.rolesOf(bo)).size, 4);
  await members.remove(ids[0]!, bo, accountActor(owner));
  assert.not.ok((await indexedOrganizations(accounts, bo)).includes(ids[0]!));
});

test('looks for an account of an earlier version in the first organization', async () => {
  const { accounts, members, organizationId, owner } = await openOrganization();
  const id = randomId('acc');
  await accounts.insert('accounts', { id, name: 'Old', created_at: '2026-01-01T00:00:00.000Z' });
  assert.equal(await members.organizationsOf(id), []);
  await members.add(organizationId, id, 'EDITOR', accountActor(owner));
  assert.is((await members.rolesOf(id)).get(organizationId), 'EDITOR');
});

test('ignores the index entry of a membership that was never written', async () => {
  const identity = await openOrganization();
  const { members, organizationId, owner } = identity;
  const execute = async () => {
    throw new Error('power cut');
  };
  const handler = new Proxy(identity.handler, {
    get: (target, name) => (name === 'execute' ? execute : Reflect.get(target, name).bind?.(target)),
  });
  const cut = new Members({ ...withAccounts(identity, {}), handler });
  try {
    await cut.createOrganization('Half', owner);
    assert.unreachable();
  } catch (error) {
    assert.is((error as Error).message, 'power cut');
  }
  assert.equal([...(await members.rolesOf(owner)).keys()], [organizationId]);
});

test('a domain admits people with its role until it is withdrawn', async () => {
  const { members, organizationId, owner, accounts } = await openOrganization();
  const actor = accountActor(owner);
  assert.not.ok(await members.domains.isAdmitted('example.org'));
  const admission = members.domains.admit(organizationId, 'example.org', 'EDITOR', actor);
  assert.is(await refusedWith(admission), 'forbidden', 'the provider has not verified an address of this domain');
  await members.domains.recordVouchedDomain(owner, 'other.example.org');
  const other = members.domains.admit(organizationId, 'example.org', 'EDITOR', actor);
  assert.is(await refusedWith(other), 'forbidden', 'nor for this one');
  await members.domains.recordVouchedDomain(owner, 'EXAMPLE.org');
  await members.domains.admit(organizationId, ' @Example.ORG', 'EDITOR', actor);
  assert.equal(await members.domains.list(organizationId), [{ domain: 'example.org', role: 'EDITOR' }]);
  assert.ok(await members.domains.isAdmitted('EXAMPLE.org'));
  assert.not.ok(await members.domains.isAdmitted('sub.example.org'));
  const account = async () => {
    const id = randomId('acc');
    await accounts.insert('accounts', { id, name: 'New', organizations: [], created_at: '' });
    return id;
  };
  const [bo, cy] = [await account(), await account()];
  assert.equal(await members.domains.joinOrganizations(bo, 'Example.org'), [organizationId]);
  assert.equal(await members.domains.joinOrganizations(bo, 'example.org'), []);
  assert.is((await members.rolesOf(bo)).get(organizationId), 'EDITOR');
  await members.remove(organizationId, bo, actor);
  assert.equal(await members.domains.joinOrganizations(bo, 'example.org'), [], 'a removed member is not admitted');
  assert.equal(await indexedOrganizations(accounts, bo), []);
  await members.domains.withdraw(organizationId, 'example.org', actor);
  assert.not.ok(await members.domains.isAdmitted('example.org'));
  assert.equal(await members.domains.joinOrganizations(cy, 'example.org'), []);
});

test('a domain that is only in the account store admits nobody', async () => {
  const { members, organizationId, accounts, member } = await openOrganization();
  const domain = 'example.org';
  await accounts.insert('domains', { id: `${domain} ${organizationId}`, domain, organization_id: organizationId });
  assert.not.ok(await members.domains.isAdmitted(domain));
  assert.equal(await members.domains.joinOrganizations(await member('VIEWER'), domain), []);
});

test.run();
