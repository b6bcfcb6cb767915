/** The id of a call, and what a write changed. */
import * as assert from 'uvu/assert';
import type { ImportAnswer } from '../../../src/import/import-answer.ts';
import type { WrittenChange } from '../../../src/queries/changes/written-changes.ts';
import type { Session } from '../../support/mcp/mcp-client.ts';
import { onBothPairs } from '../../support/stores/pairs.ts';

const importRecords = async (owner: Session, input: object) =>
  (await owner.ok('importRecords', input)) as unknown as ImportAnswer;

await onBothPairs('calls', (test) => {
  test('a write names its call, which finds its events, also after a repeat', async ({ owner, organizationId }) => {
    const organization_id = organizationId;
    const added = await owner.ok('addVendor', { organization_id, name: 'Called', country: 'DE' });
    assert.match(added.call_id, /^[0-9a-f-]{36}$/);
    assert.is(added.changes, undefined, 'the answer has all of a new record');
    const { id } = added.vendor;
    const update = { id, country: 'FR', description: 'd'.repeat(300), idempotency_key: 'call of a vendor' };
    const updated = await owner.ok('updateVendor', update);
    assert.equal(updated.changes, [
      { record_id: id, field: 'description', from: null, to: `${'d'.repeat(200)}…` },
      { record_id: id, field: 'country', from: 'DE', to: 'FR' },
    ]);
    const repeated = await owner.ok('updateVendor', update);
    assert.equal([repeated.repeated, repeated.call_id, repeated.changes], [true, updated.call_id, undefined]);
    const same = await owner.ok('updateVendor', { id, country: 'FR' });
    assert.equal([same.event_types, same.changes], [[], undefined]);
    const listCall = (call_id: string) =>
      owner.ok('listChanges', { organization_id, filter: { call_id }, view: 'FULL', verify: true });
    for (const [{ call_id }, type] of [[added, 'VendorAdded'] as const, [updated, 'VendorDetailsChanged'] as const]) {
      const { changes, verification } = await listCall(call_id);
      assert.equal(
        changes.map((change) => [change.event_type, change.call_id]),
        [[type, call_id]],
      );
      assert.equal([verification.verdict, verification.complete], ['VALID', true]);
    }
    const error = await owner.refused('listChanges', { organization_id, filter: { call_id: 'the last one' } });
    assert.equal([error.code, error.field], ['invalid_input', 'filter.call_id']);
  });

  test('a call on many records is one call', async ({ owner, organizationId }) => {
    const organization_id = organizationId;
    const rows = [{ name: 'Many 1' }, { name: 'Many 2', country: 'DE' }];
    const imported = await importRecords(owner, { organization_id, type: 'VENDOR', rows });
    assert.is(imported.changes, undefined);
    const ids = imported.rows.map(({ id }) => id!);
    const { risk } = await owner.ok('addRisk', { organization_id, name: 'Linked' });
    const links = ids.map((to_id) => ({ from_id: risk.id, to_id }));
    const linked = await owner.ok('linkRecords', { links });
    assert.is(linked.changes, undefined, 'the results say which links are new');
    const changed = await importRecords(owner, {
      ...{ organization_id, type: 'VENDOR' },
      rows: ids.map((id) => ({ id, country: 'FR' })),
    });
    assert.equal(changed.changes, [
      { record_id: ids[0], field: 'country', from: null, to: 'FR' },
      { record_id: ids[1], field: 'country', from: 'DE', to: 'FR' },
    ]);
    const unlinked = await owner.ok('linkRecords', { links, action: 'UNLINK', reason: 'Not theirs' });
    assert.equal(
      unlinked.changes,
      ids.map((id) => ({ record_id: risk.id, field: 'linked', from: id, to: null })),
    );
    const archived = await owner.ok('archiveRecords', { ids, action: 'ARCHIVE', reason: 'Gone' });
    assert.equal(
      (archived.changes as unknown as WrittenChange[]).map(({ record_id, field, from }) => [record_id, field, from]),
      ids.map((id) => [id, 'archived_at', null]),
    );
    const counts = [imported, linked, changed, unlinked, archived].map(async ({ call_id }) => {
      const { total } = await owner.ok('listChanges', { organization_id, filter: { call_id }, view: 'COUNT' });
      return total;
    });
    assert.equal(await Promise.all(counts), [2, 2, 2, 2, 2]);
  });

  test('an answer names the changes of at most 50 records, and counts the others', async ({
    owner,
    organizationId,
  }) => {
    const common = { organization_id: organizationId, type: 'MEASURE', reason: 'Planned' };
    const rows = Array.from({ length: 60 }, (_, index) => ({ name: `Counted ${index}` }));
    const { rows: added } = await importRecords(owner, { ...common, rows });
    const ids = added.map(({ id }) => id!);
    const set = { due_date: '2030-01-01' };
    const dryRun = await importRecords(owner, { ...common, ids, set, dry_run: true });
    assert.equal([dryRun.changes?.length, dryRun.more_changes], [50, 10]);
    assert.equal(dryRun.changes?.[0], {
      record_id: dryRun.rows[0]!.id,
      field: 'due_date',
      from: null,
      to: '2030-01-01',
    });
    const { selection } = dryRun;
    const written = await importRecords(owner, { ...common, ids, set, selection });
    assert.equal([written.changes, written.more_changes], [dryRun.changes, 10]);
  });
});
