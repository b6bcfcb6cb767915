/** Owners by the name or address of a present member: in writes, imports, filters and reports. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Role } from '../../../src/commands/organization/caller.ts';
import {
  OTHER_PREFIX,
  startTwoOrganizations,
  type TwoOrganizations,
} from '../../support/identity/two-organizations.ts';
import type { RefusalError } from '../../support/mcp/refusals.ts';
import { addMember, removeMember } from '../../support/members.ts';
import { type Answer, callerAs, ORGANIZATION, OWNER } from '../../support/register.ts';

interface Context extends TwoOrganizations {
  jane: string;
  kims: string[];
}

type Refused = { error: RefusalError };
const organization_id = ORGANIZATION;

const test = suite<Context>('owners by name');

test.before(async (context) => {
  Object.assign(context, await startTwoOrganizations());
  context.jane = await addMember(context.register, 'Jane Doe', 'jane@example.org');
  const kims = [
    await addMember(context.register, 'Kim Lee', 'kim@example.org'),
    await addMember(context.register, 'KIM  Lee'),
  ];
  context.kims = kims.sort();
});
test.after(({ register }) => register.stop());

async function rename({ register }: Context, id: string, name: string): Promise<void> {
  await register.names.record(id, name, new Date().toISOString());
}

const as = (role: Role, account_id: string) => callerAs(role, { account_id });
const ownerOf = ({ vendor }: Answer) => (vendor as { owner_id: string }).owner_id;

test('adds and updates take a whole name, and answer the id', async ({ register, jane }) => {
  const added = await register.call('addVendor', { organization_id, name: 'Alder', owner_id: ' jane  DOE ' });
  assert.is(ownerOf(added), jane);
  const { id } = added.vendor as { id: string };
  const updated = await register.call('updateVendor', { id, owner_id: 'Olivia Owner' });
  assert.equal([ownerOf(updated), updated.event_types], [OWNER, ['VendorOwnerAssigned']]);
});

test('no other account is taken by name', async ({ register }) => {
  const { risk } = await register.call('addRisk', { organization_id, name: 'Flood' });
  const accept = { id: (risk as { id: string }).id, decision: 'ACCEPT', until: '2026-12-31', reason: 'r' };
  const { error } = await register.call<Refused>('decideRisk', { ...accept, approver_id: 'Jane Doe' });
  assert.equal([error.code, error.field], ['invalid_input', 'approver_id']);
});

test('unknown names answer the nearest, names of several their ids', async ({ register, kims }) => {
  for (const [owner_id, hint] of [
    ['Jane', /^Members with similar names: Jane Doe/],
    ['Jane Do', /^Members with similar names: Jane Doe/],
  ] as const) {
    const { error } = await register.call<Refused>('addVendor', { organization_id, name: 'N', owner_id });
    assert.equal([error.code, error.field], ['invalid_input', 'owner_id']);
    assert.match(error.hint!, hint);
  }
  for (const owner_id of ['me', 'nobody', 'System', 'nobody@example.org']) {
    const { error } = await register.call<Refused>('addVendor', { organization_id, name: 'N', owner_id });
    assert.equal([error.code, error.field], ['invalid_input', 'owner_id'], owner_id);
  }
  const { error } = await register.call<Refused>('addVendor', { organization_id, name: 'N', owner_id: 'kim lee' });
  assert.equal([error.code, error.field, error.allowed], ['invalid_input', 'owner_id', kims]);
});

test('names that look alike answer all their ids, and a name for nobody is not found', async (context) => {
  const { register } = context;
  const refusedAs = async (owner_id: string) =>
    (await register.call<Refused>('addVendor', { organization_id, name: 'N', owner_id })).error;
  const lookalikes = [
    await addMember(context.register, 'Ada Byron'),
    await addMember(context.register, '\u0410da Byron'),
  ].sort();
  for (const name of ['Ada Byron', '\u0410da Byron']) {
    const { code, allowed } = await refusedAs(name);
    assert.equal([code, allowed], ['invalid_input', lookalikes], name);
    const row = { organization_id, type: 'VENDOR', rows: [{ name: 'N', owner_id: name }] };
    const { rows } = await register.call<{ rows: { errors: { hint: string }[] }[] }>('importRecords', row);
    assert.is(rows[0]!.errors[0]!.hint, `Their ids: ${lookalikes.join(', ')}`);
  }
  // Earlier versions took such names.
  await addMember(context.register, 'Me');
  await addMember(context.register, '\u3164');
  for (const name of ['me', '\u200b']) {
    const error = await refusedAs(name);
    assert.equal([error.code, error.field, error.allowed], ['invalid_input', 'owner_id', undefined], name);
    assert.not.match(error.hint ?? '', /\bMe\b/);
  }
});

test('addresses are for owners, and everybody’s own', async ({ register, jane }) => {
  const add = { organization_id, name: 'Addressed', owner_id: 'Jane@Example.org' };
  assert.is(ownerOf(await register.call('addVendor', add)), jane);
  assert.is(ownerOf(await register.call('addVendor', add, as('EDITOR', jane))), jane);
  for (const role of ['ADMIN', 'EDITOR'] as const) {
    const { error } = await register.call<Refused>('addVendor', add, as(role, OWNER));
    assert.equal([error.code, error.field], ['invalid_input', 'owner_id'], role);
  }
  const list = { organization_id, filter: { owner_id: ['jane@example.org'] } };
  const { error } = await register.call<Refused>('listVendors', list, as('VIEWER', OWNER));
  assert.equal([error.code, error.field], ['invalid_input', 'filter.owner_id.0']);
  assert.not.match(JSON.stringify(error), 'jane@');
});

test('lists, counts and reports filter by name, and state the id', async ({ register, jane }) => {
  await register.call('addVendor', { organization_id, name: 'Birch', owner_id: jane });
  for (const role of ['OWNER', 'VIEWER'] as const) {
    const read = (owner_id: string, view: string) =>
      register.call('listVendors', { organization_id, filter: { owner_id: [owner_id] }, view }, as(role, OWNER));
    const [byName, byId] = [await read('JANE doe', 'SUMMARY'), await read(jane, 'SUMMARY')];
    assert.equal(byName, { ...byId, owner_id: [jane] });
    assert.equal(await read('jane doe', 'COUNT'), { ...(await read(jane, 'COUNT')), owner_id: [jane] });
  }
  const input = { organization_id, type: 'VENDORS', format: 'JSON' };
  const report = async (owner_id: string) =>
    (await register.call('getReport', { ...input, owner_id })).report as { digest: string; inputs: object };
  const named = await report('Jane Doe');
  assert.equal(named.inputs, { owner_id: jane });
  assert.is(named.digest, (await report(jane)).digest);
  const { error } = await register.call<Refused>('getReport', { ...input, owner_id: 'Jane' });
  assert.equal([error.code, error.field], ['invalid_input', 'owner_id']);
});

test('a cursor holds for the account that the name meant', async (context) => {
  const { register } = context;
  const first = await addMember(context.register, 'Pat Page');
  for (const name of ['P1', 'P2']) await register.call('addVendor', { organization_id, name, owner_id: 'Pat Page' });
  const list = { organization_id, filter: { owner_id: ['Pat Page'] }, size: 1 };
  const { next_cursor: cursor } = await register.call('listVendors', list);
  const next = await register.call('listVendors', { ...list, cursor });
  assert.is((next.vendors as object[]).length, 1);
  await rename(context, first, 'Patricia Page');
  await addMember(context.register, 'Pat Page');
  const { error } = await register.call<Refused>('listVendors', { ...list, cursor });
  assert.equal([error.code, error.field], ['invalid_input', 'cursor']);
});

test('a repeated key answers before the name is resolved', async (context) => {
  const { register } = context;
  const account = await addMember(context.register, 'Robin Brief');
  const add = { organization_id, name: 'Kept', owner_id: 'Robin Brief', idempotency_key: 'kept' };
  const first = await register.call('addVendor', add);
  const update = { id: (first.vendor as { id: string }).id, owner_id: 'Olivia Owner', idempotency_key: 'kept' };
  await register.call('updateVendor', update);
  await rename(context, account, 'Robin Long');
  const again = await register.call('addVendor', add);
  assert.equal([again.repeated, again.position, ownerOf(again)], [true, first.position, OWNER]);
  const byId = await register.call<Refused>('addVendor', { ...add, owner_id: account });
  assert.is(byId.error.code, 'idempotency_conflict', 'the words count, not the account');
  const anew = await register.call<Refused>('addVendor', { ...add, idempotency_key: 'new' });
  assert.is(anew.error.code, 'invalid_input');
});

test('imported rows take names, and keep their record when the name is gone', async (context) => {
  const { register } = context;
  const account = await addMember(context.register, 'Sam Import');
  const rows = [{ name: 'Cedar', owner_id: 'Sam Import' }, { name: 'Doum', owner_id: account }, { name: 'Elm' }];
  const input = { organization_id, type: 'VENDOR', rows };
  const owners = (answer: Answer) => (answer.rows as { owner_id?: string }[]).map(({ owner_id }) => owner_id);
  const dry = await register.call('importRecords', { ...input, dry_run: true });
  assert.equal([dry.created, ...owners(dry)], [3, account, undefined, undefined]);
  const written = await register.call('importRecords', input);
  assert.equal([written.created, ...owners(written)], [3, account, undefined, undefined]);
  await rename(context, account, 'Sam Export');
  const again = await register.call('importRecords', input);
  assert.equal([again.created, again.unchanged], [0, 3]);
  const wrong = { ...input, rows: [{ name: 'Fir', owner_id: 'Sam Import' }] };
  const { rows: refused } = await register.call<{ rows: { errors: object[] }[] }>('importRecords', wrong);
  assert.match(JSON.stringify(refused[0]!.errors), /"field":"owner_id".*Sam Export/);
});

test('nobody of another organization is found or hinted, and in writes no former member', async (context) => {
  const { register, theirIds } = context;
  const former = await addMember(register, 'Fay Former');
  await removeMember(register, former);
  const reads: [string, object][] = [
    ['listVendors', { filter: { owner_id: [`${OTHER_PREFIX} Owner`] } }],
    ['getReport', { type: 'VENDORS', owner_id: OTHER_PREFIX }],
  ];
  const writes = [`${OTHER_PREFIX} Owner`, OTHER_PREFIX, 'Fay Former', 'Fay'].flatMap(
    (owner_id): [string, object][] => [
      ['addVendor', { name: 'N', owner_id }],
      ['importRecords', { type: 'VENDOR', rows: [{ name: 'N', owner_id }] }],
    ],
  );
  for (const [tool, input] of [...reads, ...writes]) {
    const answer = await register.call<Refused>(tool, { organization_id, ...input });
    assert.is(answer.error.code, 'invalid_input', `${tool} ${JSON.stringify(input)}`);
    const leaked = new RegExp(`${OTHER_PREFIX}|Fay|${theirIds.get('acc')}|${former}`);
    assert.not.match(JSON.stringify(answer), leaked, tool);
  }
});

test('a name that a list shows can be filtered by: of former members, earlier names, and of two with one name', async (context) => {
  const { register } = context;
  const add = async (name: string, account: string) => {
    const { position } = await register.call('addVendor', { organization_id, name, owner_id: account });
    return String(position);
  };
  const read = async (moment: object = {}) => {
    const { vendors } = await register.call<{ vendors: { name: string; owner?: string }[] }>('listVendors', {
      ...{ organization_id, filter: { query: 'shown' }, ...moment },
    });
    return new Map(vendors.map(({ name, owner }) => [name, owner!]));
  };
  const leaver = await addMember(register, 'Nia Leaver', 'nia@example.org');
  const renamed = await addMember(register, 'Tess Before');
  const twins = [await addMember(register, 'Dana Twin'), await addMember(register, 'dana twin')];
  await add('Shown 1', leaver);
  await add('Shown 2', renamed);
  await add('Shown 3', twins[0]!);
  const before = await add('Shown 4', twins[1]!);
  await rename(context, renamed, 'Tess After');
  await removeMember(register, leaver);
  await removeMember(register, twins[0]!);
  const now = await read();
  assert.equal([...now.values()].slice(0, 2), ['Nia Leaver', 'Tess After']);
  assert.match(now.get('Shown 3')!, /^Dana Twin \(…\w{5}\)$/);
  for (const shown of [now, await read({ as_of: before })]) {
    for (const [vendor, owner] of shown) {
      const filter = { query: 'shown', owner_id: [owner] };
      const { vendors } = await register.call<{ vendors: { name: string }[] }>('listVendors', {
        organization_id,
        filter,
      });
      assert.equal(
        vendors.map(({ name }) => name),
        [vendor],
        owner,
      );
      const report = { organization_id, type: 'VENDORS', owner_id: owner, format: 'JSON' };
      assert.is((await register.call<Refused>('getReport', report)).error, undefined, owner);
    }
  }
  const refusedAs = async (owner_id: string) =>
    (await register.call<Refused>('listVendors', { organization_id, filter: { owner_id: [owner_id] } })).error;
  assert.equal((await refusedAs('Dana Twin')).allowed, [...twins].sort());
  assert.is((await refusedAs('nia@example.org')).code, 'invalid_input', 'an address is of present members');
  assert.match((await refusedAs('Nia Leaves')).message, 'is no name of a present or former member');
  const { vendor } = await register.call('addVendor', { organization_id, name: 'V', owner_id: 'Jane Doe' });
  const mine = { id: (vendor as { id: string }).id, owner_id: now.get('Shown 4')! };
  assert.is((await register.call<Refused>('updateVendor', mine)).error, undefined, 'writes take it too');
  const past = { ...mine, owner_id: 'Tess Before' };
  assert.is((await register.call<Refused>('updateVendor', past)).error.code, 'invalid_input', 'but no earlier name');
});

test.run();
