import { randomUUID } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import type { Change, Item } from '../../support/mcp/mcp-client.ts';
import { embeddedPair, type ServedPair, serve } from '../../support/stores/pairs.ts';

interface Context extends ServedPair {
  vendor(name?: string): Promise<Item>;
  risk(name?: string): Promise<Item>;
}

const test = suite<Context>('getRecords and archiveRecords');

test.before(async (context) => {
  const served = await serve(embeddedPair());
  const { owner, organizationId: organization_id } = served;
  Object.assign(context, served, {
    vendor: async (name = 'V') => (await owner.ok('addVendor', { organization_id, name })).vendor,
    risk: async (name = 'R') => (await owner.ok('addRisk', { organization_id, name })).risk,
  });
});
test.after((served) => served.close());

const ids = (items: readonly Item[]) => items.map(({ id }) => id);

test('getRecords answers in the order of the ids, each once, and lists unknown ids', async (served) => {
  const { owner } = served;
  const [vendor, risk, unknownId] = [await served.vendor(), await served.risk(), randomId('rsk')];
  const read = await owner.ok('getRecords', { ids: [risk.id, unknownId, vendor.id, risk.id] });
  assert.equal(
    read.records.map(({ id, type }) => [id, type]),
    [
      [risk.id, 'RISK'],
      [vendor.id, 'VENDOR'],
    ],
  );
  assert.equal([read.not_found, read.omitted], [[unknownId], []]);
  assert.equal(read.records[1], { type: 'VENDOR', ...vendor });
  assert.equal((await owner.ok('getRecords', { ids: [unknownId], include: ['HISTORY'] })).not_found, [unknownId]);
});

test('getRecords shows a record’s newest 50 changes', async (served) => {
  const { owner } = served;
  const { id } = await served.vendor();
  for (let round = 1; round <= 50; round++)
    await owner.ok('updateVendor', { id, category: `c${round}`, reason: `r${round}` });
  const [record] = (await owner.ok('getRecords', { ids: [id], include: ['HISTORY'] })).records;
  const history = record!.history as { changes: Change[]; truncated?: true };
  assert.equal([history.changes.length, history.truncated], [50, true]);
  const [newest] = history.changes;
  assert.equal(newest?.changes, [{ field: 'category', from: 'c49', to: 'c50' }]);
  assert.equal([newest?.reason, newest?.actor.name, newest?.revision], ['r50', 'First owner', 51]);
});

test('an archived record is hidden from lists, counts and getRecords by default', async (served) => {
  const { owner, organizationId } = served;
  const [archivedVendor, liveVendor] = [await served.vendor('Archived one'), await served.vendor('Archived two')];
  const archived = await owner.ok('archiveRecords', { ids: [archivedVendor.id], action: 'ARCHIVE', reason: 'gone' });
  assert.equal(Object.keys(archived), ['records', 'changes', 'call_id']);
  const [answer] = archived.records;
  assert.equal([answer?.id, typeof answer?.archived_at, answer?.referred_by], [archivedVendor.id, 'string', 0]);
  const list = { organization_id: organizationId, filter: { query: 'archived' } };
  assert.equal(ids((await owner.ok('listVendors', list)).vendors), [liveVendor.id]);
  assert.is((await owner.ok('listVendors', { ...list, view: 'COUNT' })).total, 1);
  const read = await owner.ok('getRecords', { ids: [archivedVendor.id, liveVendor.id] });
  assert.equal([ids(read.records), read.not_found], [[liveVendor.id], [archivedVendor.id]]);
  assert.is(read.hint, `${archivedVendor.id} is archived. To read archived records too, add ARCHIVED to include.`);
  const all = await owner.ok('getRecords', { ids: [archivedVendor.id, liveVendor.id], include: ['ARCHIVED'] });
  assert.equal(ids(all.records), [archivedVendor.id, liveVendor.id]);
  assert.is(all.records[0]!.archived_at, answer!.archived_at);
  assert.is(all.records[0]!.revision, 2);
  const { changes } = await owner.ok('listChanges', {
    organization_id: organizationId,
    filter: { record_id: [archivedVendor.id] },
  });
  assert.equal([changes[0]!.event_type, changes[0]!.reason], ['VendorArchived', 'gone']);
  const before = await owner.ok('getRecords', { ids: [archivedVendor.id], as_of: changes[1]!.position });
  assert.equal(ids(before.records), [archivedVendor.id], 'it was not archived at that time');
});

test('archiving an archived record, or restoring a live one, changes nothing', async (served) => {
  const { owner } = served;
  const { id } = await served.risk();
  const archive = { ids: [id, id], action: 'ARCHIVE', reason: 'r' };
  const first = await owner.ok('archiveRecords', archive);
  assert.is(first.records.length, 1);
  assert.equal((await owner.ok('archiveRecords', archive)).records, first.records);
  assert.is((await owner.ok('getRecords', { ids: [id], include: ['ARCHIVED'] })).records[0]!.revision, 2);
  const restore = { ...archive, action: 'RESTORE' };
  await owner.ok('archiveRecords', restore);
  await owner.ok('archiveRecords', restore);
  assert.is((await owner.ok('getRecords', { ids: [id] })).records[0]!.revision, 3);
});

test('archiveRecords checks all records before it writes the first', async (served) => {
  const { owner } = served;
  const { id } = await served.vendor();
  const archive = { action: 'ARCHIVE', reason: 'r' };
  const missing = await owner.refused('archiveRecords', { ...archive, ids: [id, randomId('rsk')] });
  assert.is(missing.code, 'not_found');
  assert.is((await owner.ok('getRecords', { ids: [id] })).records[0]!.revision, 1, 'nothing was written');
});

test('archiveRecords applies its idempotency_key record by record', async (served) => {
  const { owner } = served;
  const [vendor, risk] = [await served.vendor(), await served.risk()];
  const archive = { ids: [vendor.id], action: 'ARCHIVE', reason: 'r', idempotency_key: randomUUID() };
  await owner.ok('archiveRecords', archive);
  const repeated = await owner.ok('archiveRecords', { ...archive, ids: [vendor.id, risk.id] });
  assert.ok(repeated.records.every(({ archived_at }) => typeof archived_at === 'string'));
  const include = ['ARCHIVED'];
  const revisions = async () =>
    (await owner.ok('getRecords', { ids: [vendor.id, risk.id], include })).records.map(({ revision }) => revision);
  assert.equal(await revisions(), [2, 2]);
  const otherVendor = await served.vendor();
  const conflict = { ...archive, ids: [otherVendor.id, risk.id], reason: 'another' };
  assert.is((await owner.refused('archiveRecords', conflict)).code, 'idempotency_conflict');
  assert.is((await owner.ok('getRecords', { ids: [otherVendor.id] })).records[0]!.revision, 1, 'nothing was written');
  await owner.ok('archiveRecords', { ids: [vendor.id], action: 'RESTORE', reason: 'r' });
  await owner.ok('archiveRecords', archive);
  assert.equal(await revisions(), [3, 2], 'finished records are not changed again');
});

test('all records of a call must belong to one organization', async (served) => {
  const { organizationId } = served;
  const other = await served.secondOrganization();
  const memberOfBoth = await served.as('OWNER', { organizations: [organizationId, other] });
  const ownVendor = await served.vendor();
  const theirVendor = (await memberOfBoth.ok('addVendor', { organization_id: other, name: 'There' })).vendor;
  const mixedIds = { ids: [ownVendor.id, theirVendor.id] };
  const read = await memberOfBoth.refused('getRecords', mixedIds);
  assert.equal([read.code, read.field], ['invalid_input', 'ids']);
  const archive = await memberOfBoth.refused('archiveRecords', { ...mixedIds, action: 'ARCHIVE', reason: 'r' });
  assert.equal([archive.code, archive.field], ['invalid_input', 'ids']);
  const inOther = await memberOfBoth.ok('getRecords', { ...mixedIds, organization_id: other });
  assert.equal([ids(inOther.records), inOther.not_found], [[theirVendor.id], [ownVendor.id]]);
  const { organizations } = await memberOfBoth.ok('listOrganizations', { size: 1 });
  const next = await memberOfBoth.ok('listOrganizations', {
    size: 1,
    cursor: (await memberOfBoth.ok('listOrganizations', { size: 1 })).next_cursor,
  });
  assert.equal([...ids(organizations), ...ids(next.organizations)].sort(), [organizationId, other].sort());
  assert.is(next.next_cursor, undefined);
});

test.run();
