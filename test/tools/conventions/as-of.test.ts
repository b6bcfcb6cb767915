import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { daysAgo, writeHistory } from '../../support/histories/story.ts';
import type { Item } from '../../support/mcp/mcp-client.ts';
import { type ServedPair, serve, startPairs } from '../../support/stores/pairs.ts';

interface Context extends ServedPair {
  list: { organization_id: string; filter: { query: string } };
}

const names = (items: Item[]) => items.map(({ name }) => name);

for (const pair of await startPairs()) {
  const test = suite<Context>(`as_of, on ${pair.name}`);

  test.before(async (context) => {
    await writeHistory(pair);
    Object.assign(context, await serve(pair));
    context.list = { organization_id: context.organizationId, filter: { query: 'kept' } };
  });
  test.after((served) => served.close());

  test('as_of takes a timestamp, a date or a position', async ({ owner, list }) => {
    const now = await owner.ok('listVendors', list);
    assert.ok(names(now.vendors).includes('Kept but renamed'));
    assert.is(now.as_of, undefined);
    for (const as_of of [daysAgo(60), daysAgo(11), `${daysAgo(11)}T00:00:00Z`, `${daysAgo(11)}T23:59:59.999Z`]) {
      const moment = await owner.ok('listVendors', { ...list, as_of });
      assert.equal(names(moment.vendors)[0], 'Kept 0', as_of);
      assert.is(moment.as_of?.date, as_of.slice(0, 10));
      const sameList = await owner.ok('listVendors', { ...list, as_of: moment.as_of!.position });
      assert.equal([sameList.vendors, sameList.as_of?.position], [moment.vendors, moment.as_of?.position]);
    }
    // A date is the end of that day: the vendor was renamed on it.
    const renamed = await owner.ok('listVendors', { ...list, as_of: daysAgo(10) });
    assert.ok(names(renamed.vendors).includes('Kept but renamed'));
    const before = await owner.ok('listVendors', { ...list, as_of: `${daysAgo(10)}T00:00:00Z` });
    assert.ok(names(before.vendors).includes('Kept 0'));
    const count = await owner.ok('listVendors', { ...list, as_of: daysAgo(11), view: 'COUNT' });
    assert.equal([count.total, count.as_of?.date], [7, daysAgo(11)]);
  });

  test('as_of today returns a position that shows the same state later', async ({ owner, list, organizationId }) => {
    const { vendor } = await owner.ok('addVendor', { organization_id: organizationId, name: 'Kept today' });
    const today = await owner.ok('listVendors', { ...list, as_of: daysAgo(0) });
    assert.ok(names(today.vendors).includes('Kept today'));
    assert.is(today.as_of?.date, daysAgo(0));
    await owner.ok('updateVendor', { id: vendor.id, name: 'Renamed' });
    const laterList = await owner.ok('listVendors', { ...list, as_of: today.as_of!.position });
    assert.equal(laterList.vendors, today.vendors);
    const read = await owner.ok('getRecords', { ids: [vendor.id], as_of: daysAgo(0) });
    assert.equal([read.records[0]!.name, read.as_of?.date], ['Renamed', daysAgo(0)]);
  });

  test('as_of before the first event, and on a day after the last one, says so', async ({ owner, list }) => {
    const begins = `The history begins on ${daysAgo(60)}. Nothing was recorded before.`;
    assert.is((await owner.ok('listVendors', { ...list, as_of: '2001-02-03' })).as_of?.note, begins);
    assert.is((await owner.ok('listVendors', { ...list, as_of: daysAgo(11) })).as_of?.note, undefined);
    const { organization_id } = list;
    const early = await owner.ok('listChanges', { organization_id, filter: { to: '2001-02-03' } });
    assert.match(String(early.hint), /^filter\.to is before the history begins, at /);
    const late = await owner.ok('listChanges', { organization_id, filter: { from: daysAgo(-3) } });
    assert.match(String(late.hint), /^filter\.from is after the last change, recorded at /);
    assert.equal([early.changes, late.changes], [[], []]);
  });

  test('as_of before the organization’s first event finds nothing', async ({ owner, list, organizationId }) => {
    const { vendors } = await owner.ok('listVendors', list);
    for (const as_of of [daysAgo(61), '2001-02-03', '0']) {
      const empty = await owner.ok('listVendors', { ...list, as_of });
      assert.equal([empty.vendors, empty.as_of?.position, empty.next_cursor], [[], '0', undefined]);
      const { not_found, records } = await owner.ok('getRecords', { ids: [vendors[0]!.id], as_of });
      assert.equal([not_found, records], [[vendors[0]!.id], []]);
      assert.equal((await owner.ok('listChanges', { organization_id: organizationId, as_of })).changes, []);
    }
  });

  test('as_of refuses the future and invalid texts', async ({ owner, list, organizationId }) => {
    const { vendors } = await owner.ok('listVendors', list);
    const future = new Date(Date.now() + 3_600_000).toISOString();
    for (const as_of of [daysAgo(-1), future, '999999', 'yesterday', '2026-02-30', '2026-01-01T00:00:00', '-1']) {
      for (const [tool, args] of [
        ['listVendors', list],
        ['listRisks', { organization_id: organizationId }],
        ['listChanges', { organization_id: organizationId }],
        ['getRecords', { ids: [vendors[0]!.id] }],
      ] as const) {
        const { code, field } = await owner.refused(tool, { ...args, as_of });
        assert.equal([code, field], ['invalid_input', 'as_of'], `${tool} as of ${as_of}`);
      }
    }
  });

  test('date rules use the day of as_of', async ({ owner, organizationId }) => {
    const find = async (filter: object, as_of?: string) => {
      const list = { organization_id: organizationId, filter: { query: 'flood', ...filter }, view: 'FULL' };
      return (await owner.ok('listRisks', as_of === undefined ? list : { ...list, as_of })).risks;
    };
    const expired = (risk: Item | undefined) => (risk?.acceptance as { expired: boolean } | undefined)?.expired;
    for (const [filter, inverse] of [
      [{ acceptance_expired: true }, { acceptance_expired: false }],
      [{ overdue: true }, { overdue: false }],
    ] as const) {
      for (const day of [50, 40]) {
        assert.equal(await find(filter, daysAgo(day)), [], `${JSON.stringify(filter)} ${day} days ago`);
        assert.is(expired((await find(inverse, daysAgo(day)))[0]), false);
      }
      for (const day of [39, 1, 0]) {
        assert.is(expired((await find(filter, daysAgo(day)))[0]), true, `${JSON.stringify(filter)} ${day} days ago`);
        assert.equal(await find(inverse, daysAgo(day)), []);
      }
      assert.is(expired((await find(filter))[0]), true);
    }
  });

  test('as_of shows a record’s former state and name', async ({ owner, list }) => {
    const { vendors } = await owner.ok('listVendors', { ...list, filter: { query: 'renamed kept' } });
    const { id } = vendors[0]!;
    const moment = await owner.ok('getRecords', { ids: [id], as_of: daysAgo(20), include: ['HISTORY'] });
    const [record] = moment.records;
    assert.equal([record?.name, record?.revision], ['Kept 0', 1]);
    const history = record?.history as { changes: { event_type: string }[] };
    assert.equal(
      history.changes.map(({ event_type }) => event_type),
      ['VendorAdded'],
    );
  });

  test.run();
}
