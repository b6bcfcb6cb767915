import { randomUUID } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Session } from '../support/mcp/mcp-client.ts';
import { type Service, startService } from '../support/service.ts';
import { type Pair, type ServedPair, serve, startPairs } from '../support/stores/pairs.ts';

interface Context extends ServedPair {
  pair: Pair;
  /** The service that the test kills. */
  firstService: Service;
}

for (const pair of await startPairs()) {
  const test = suite<Context>(`after a crash, on ${pair.name}`);

  test.before(async (context) => {
    const firstService = await startService({ ...pair.env, LOG_LEVEL: 'warn' });
    Object.assign(context, await serve(pair, async () => firstService), { pair, firstService });
  });
  test.after(() => pair.close());

  test('idempotency keys, cursors and positions work as before the crash', async (served) => {
    const { owner, organizationId: organization_id, token, firstService } = served;
    const idempotency_key = randomUUID();
    const add = { organization_id, name: 'Kept', idempotency_key };
    const addAnswer = await owner.ok('addVendor', add);
    const { id } = addAnswer.vendor;
    const archive = { ids: [id], action: 'ARCHIVE', reason: 'r', idempotency_key };
    await owner.ok('archiveRecords', archive);
    await owner.ok('archiveRecords', { ...archive, action: 'RESTORE', idempotency_key: randomUUID() });
    for (const name of ['b', 'c']) await owner.ok('addVendor', { organization_id, name });
    const pastList = {
      organization_id,
      order_by: { field: 'created_at', direction: 'ASC' },
      size: 1,
      as_of: addAnswer.position,
    };
    const currentList = { organization_id, size: 2 };
    const { next_cursor: cursor } = await owner.ok('listVendors', currentList);
    const before = await owner.ok('listVendors', pastList);
    await firstService.kill();

    const restarted = await startService({ ...pair.env, LOG_LEVEL: 'warn' });
    assert.is(restarted.token, '', 'a later start prints no token');
    const session = new Session(restarted.url, token);
    const repeated = await session.ok('addVendor', add);
    assert.equal(
      [repeated.repeated, repeated.vendor.id, repeated.revision, repeated.position, repeated.event_types],
      [true, id, 1, addAnswer.position, ['VendorAdded']],
    );
    assert.is((await session.refused('addVendor', { ...add, name: 'Other' })).code, 'idempotency_conflict');
    await session.ok('archiveRecords', archive);
    assert.is((await session.ok('getRecords', { ids: [id] })).records[0]!.revision, 3, 'not archived again');
    const after = await session.ok('listVendors', pastList);
    const portOf = (address = '') => new URL(address).port;
    assert.equal([portOf(before.url), portOf(after.url)], [portOf(firstService.url), portOf(restarted.url)]);
    assert.equal({ ...after, url: before.url }, before);
    const secondPage = await session.ok('listVendors', { ...currentList, cursor });
    assert.equal(
      secondPage.vendors.map(({ name }) => name),
      ['Kept'],
    );
    const { verification } = await session.ok('listChanges', { organization_id, verify: true, size: 100 });
    assert.equal([verification.verdict, verification.faults], ['VALID', []]);
    await restarted.stop();
  });

  test.run();
}
