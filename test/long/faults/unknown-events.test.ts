import { randomUUID } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callTool, callUntilAccepted, firstOrganization, getJson } from '../../support/mcp/call-tool.ts';
import { until } from '../../support/run/wait.ts';
import { startService } from '../../support/service.ts';
import { appendUnknownEvent } from '../../support/stores/append-unknown-event.ts';
import { checkRebuild } from '../../support/stores/check-stores.ts';
import { embeddedPair, withOpenPair } from '../../support/stores/pairs.ts';

const test = suite('unknown events');

interface Listed {
  vendors: { id: string; name: string; stale?: true }[];
  incomplete?: true;
  total: number;
}

test('unknown events are parked with their record and reported to callers, and other records work', async () => {
  const pair = embeddedPair();
  let service = await startService(pair.env);
  const { token } = service;
  const organization_id = await firstOrganization(service.url, token);
  const add = async (name: string) => {
    const { body } = await callUntilAccepted(service.url, token, 'addVendor', { organization_id, name });
    return (body.vendor as { id: string }).id;
  };
  const list = async (args: object = {}) =>
    (await callUntilAccepted(service.url, token, 'listVendors', { organization_id, ...args }))
      .body as unknown as Listed;
  const concerned = await add('Concerned');
  const otherVendor = await add('Other');
  assert.is((await list()).incomplete, undefined);

  await withOpenPair(pair.env, async ({ events }) => {
    await appendUnknownEvent(events, `vendor-${concerned}`, organization_id);
    await appendUnknownEvent(events, `widget-${randomUUID()}`, organization_id);
  });
  const parked = async () => {
    const { body } = await getJson(`${service.url}/api/mcp/v1/health`, token);
    return (body.projections as { parked_events: number }).parked_events;
  };
  await until(async () => (await parked()) === 2, 5_000, 'both are parked');
  assert.is((await list()).incomplete, true);

  for (let start = 0; start < 2; start++) {
    const { vendors } = await list();
    assert.equal(
      vendors.filter(({ stale }) => stale).map(({ id }) => id),
      [concerned],
    );
    assert.is((await list({ view: 'COUNT' })).incomplete, true);
    const records = await callTool(service.url, token, 'getRecords', { ids: [concerned, otherVendor] });
    assert.is(records.body.incomplete, true);
    assert.is((await getJson(`${service.url}/api/mcp/v1/health`, token)).status, 200);
    assert.is(await parked(), 2);

    // The service doesn't decide on a record with an unknown event. The caller is not at fault.
    const answer = await callTool(service.url, token, 'updateVendor', { id: concerned, description: 'blind' });
    assert.is(answer.status, 500, JSON.stringify(answer.body));
    assert.is(answer.code, 'internal');
    const updated = await callUntilAccepted(service.url, token, 'updateVendor', {
      id: otherVendor,
      description: `start ${start}`,
    });
    assert.is(updated.body.pending, undefined);
    assert.is((await list()).vendors.length, 2 + start);
    await add(`After ${start}`);
    const changes = await callTool(service.url, token, 'listChanges', { organization_id, verify: true });
    assert.is((changes.body.verification as { verdict: string }).verdict, 'VALID');

    await service.stop();
    await withOpenPair(pair.env, checkRebuild);
    service = await startService(pair.env);
  }
  await service.stop();
  await pair.close();
});

test.run();
