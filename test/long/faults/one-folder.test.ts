import { randomUUID } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callTool, callUntilAccepted, firstOrganization } from '../../support/mcp/call-tool.ts';
import { until } from '../../support/run/wait.ts';
import { startService } from '../../support/service.ts';
import { callInFlight, veritrail } from '../../support/stores/shared-pair.ts';

const test = suite('one data folder');
/** It is refused within a second; this limit is for a busy machine. */
const SOON_MS = 10_000;

test('a second service is refused with the reason; the first one and the command line work', async () => {
  const first = await startService();
  const { url, token, dataDir } = first;
  const organization_id = await firstOrganization(url, token);
  const outcome = await startService({ DATA_DIR: dataDir }).then(
    () => 'was started',
    (error: Error) => error.message,
  );
  assert.match(outcome, new RegExp(`in use by another instance of veritrail \\(process ${first.pid}\\)`));
  assert.match(outcome, /Stop that instance first, or set DATA_DIR/);

  const args = { organization_id, name: 'After the refusal', idempotency_key: randomUUID() };
  assert.is((await callTool(url, token, 'addVendor', args)).status, 200);
  const creation = await veritrail({ DATA_DIR: dataDir }, 'token', 'create', '--name', 'beside');
  const secondOutput = creation.split('\n')[0]!;
  const read = await callTool(url, secondOutput, 'listVendors', { organization_id });
  assert.is(read.status, 200, JSON.stringify(read.body));
  await first.stop();
});

test('a token revoked by command is refused by the running service, and stays refused', async () => {
  const service = await startService();
  const { url, dataDir } = service;
  const creation = await veritrail({ DATA_DIR: dataDir }, 'token', 'create', '--name', 'short-lived');
  const token = creation.split('\n')[0]!;
  const id = /\btok_\w+/.exec(await veritrail({ DATA_DIR: dataDir }, 'token', 'list', '--json'))?.[0];
  assert.ok(id);
  const status = async () => (await callTool(url, token, 'listOrganizations')).status;
  assert.is(await status(), 200);
  // The token is in constant use, so its cached look-up is as fresh as possible.
  let using = true;
  const statuses: number[] = [];
  const use = (async () => {
    while (using) statuses.push(await status());
  })();
  await veritrail({ DATA_DIR: dataDir }, 'token', 'revoke', id);
  await until(() => statuses.at(-1) === 401, SOON_MS, 'the token is refused');
  const statusesBefore = statuses.length;
  await until(() => statuses.length > statusesBefore + 10, SOON_MS, 'other calls are still answered');
  using = false;
  await use;
  assert.equal([...new Set(statuses)], [200, 401]);
  assert.is(statuses.lastIndexOf(200) < statuses.indexOf(401), true, statuses.join(' '));
  await service.stop();
});

test('SIGTERM lets a request in flight finish', async () => {
  const service = await startService();
  const { url, token, dataDir } = service;
  const organization_id = await firstOrganization(url, token);
  const args = { organization_id, name: 'In flight', idempotency_key: randomUUID() };
  const inFlight = await callInFlight(url, token, 'addVendor', args);
  const stopping = service.stop();
  const isClosed = async () => (await fetch(`${url}/livez`).catch(() => null)) === null;
  await until(isClosed, 5_000, 'no new connection is taken');
  const { status, body } = await inFlight.finish();
  assert.is(status, 200, JSON.stringify(body));
  await stopping;
  const restarted = await startService({ DATA_DIR: dataDir });
  assert.is((await callUntilAccepted(restarted.url, token, 'addVendor', args)).body.repeated, true);
  await restarted.stop();
});

test.run();
