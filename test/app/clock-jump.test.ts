/** Tests that a service whose clock is wrong for seconds writes nothing then, and that its history stays right. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { folderOfTest } from '../support/run/installed.ts';
import { until } from '../support/run/wait.ts';
import { type Service, startService } from '../support/service.ts';

const test = suite('a service whose clock jumps');

const HOUR_MS = 3_600_000;
const TEN_YEARS_MS = 3_652 * 24 * HOUR_MS;
const PRELOAD = fileURLToPath(new URL('../support/skewed-date.mjs', import.meta.url));

interface Answer {
  status: number;
  retryAfter: string | null;
  json: {
    error?: { code: string; message: string };
    vendor?: { id: string; created_at: string };
    total?: number;
    changes?: { position: string; recorded_at: string }[];
    clock?: { status: string };
    status?: string;
  };
}

/** A service, and the file that says how wrong its clock is. */
async function startSkewed(skewMs: number, dataDir = join(folderOfTest(), 'data')) {
  const skewFile = join(folderOfTest(), 'skew');
  const setSkew = (ms: number) => writeFileSync(skewFile, String(ms));
  setSkew(skewMs);
  const env = { DATA_DIR: dataDir, SKEW_FILE: skewFile, NODE_OPTIONS: `--import file://${PRELOAD}` };
  return { service: await startService(env), setSkew, dataDir };
}

function client(service: Service, token: string, organization_id: string) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const answerOf = async (response: Response): Promise<Answer> => ({
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    json: (await response.json()) as Answer['json'],
  });
  return {
    call: async (tool: string, input: object): Promise<Answer> => {
      const body = JSON.stringify({ organization_id, ...input });
      return answerOf(await fetch(`${service.url}/api/mcp/tools/${tool}`, { method: 'POST', headers, body }));
    },
    health: async () => answerOf(await fetch(`${service.url}/api/mcp/v1/health`, { headers })),
  };
}

test('writes and seals wait while it is ten years ahead for three seconds', async () => {
  const { service, setSkew } = await startSkewed(0);
  const { call, health } = client(service, service.token, service.organizationId!);
  const add = (name: string) => call('addVendor', { name, criticality: 'LOW' });
  const before = await add('Before');
  assert.is(before.status, 200);
  setSkew(TEN_YEARS_MS);
  await until(async () => (await health()).json.clock?.status === 'JUMPED');
  const endsAt = performance.now() + 3_000;
  // An unsealed event is older than a minute now by that clock, so the sealer would seal it.
  while (performance.now() < endsAt) {
    const refused = await add('Meanwhile');
    assert.equal([refused.status, refused.json.error?.code], [503, 'unavailable']);
    assert.match(refused.json.error!.message, /^The clock of this machine jumped\. /);
    assert.ok(Number(refused.retryAfter) > 0 && Number(refused.retryAfter) <= 30, String(refused.retryAfter));
    await pause(200);
  }
  setSkew(0);
  await until(async () => (await add('After')).status === 200);
  assert.is((await health()).json.clock?.status, 'TRUSTED');

  const { changes } = (await call('listChanges', { size: 100 })).json;
  const latest = Math.max(...changes!.map(({ recorded_at }) => Date.parse(recorded_at)));
  assert.ok(latest <= Date.now() + 1_000, new Date(latest).toISOString());
  const as_of = new Date(Date.parse(before.json.vendor!.created_at) + 1_000).toISOString();
  const past = await call('listVendors', { view: 'COUNT', as_of });
  assert.equal([past.status, past.json.total], [200, 1]);
  assert.match(service.output(), /the clock of this machine is in doubt: writes and seals wait/);
  assert.match(service.output(), /the clock of this machine is trusted again/);
  await service.stop();
});

test('everything but writing goes on while it is an hour wrong, and health says so', async () => {
  const { service, setSkew } = await startSkewed(0);
  const { call, health } = client(service, service.token, service.organizationId!);
  await call('addVendor', { name: 'Before', criticality: 'LOW' });
  for (const skew of [HOUR_MS, -HOUR_MS]) {
    setSkew(skew);
    await until(async () => (await health()).json.clock?.status === 'JUMPED');
    const { status, json } = await health();
    assert.equal([status, json.status], [200, 'degraded']);
    assert.is((await call('addVendor', { name: 'Meanwhile', criticality: 'LOW' })).status, 503);
    const today = new Date().toISOString().slice(0, 10);
    const now = await call('listVendors', { view: 'COUNT', as_of: today });
    assert.equal([now.status, now.json.total], [200, 1]);
    const future = new Date(Date.now() + HOUR_MS / 2).toISOString();
    assert.is((await call('listVendors', { view: 'COUNT', as_of: future })).json.error?.code, 'invalid_input');
    setSkew(0);
    await until(async () => (await health()).json.clock?.status === 'TRUSTED');
  }
  await service.stop();
});

test('a start writes nothing while its clock differs from that of the last run', async () => {
  const first = await startSkewed(0);
  await first.service.stop();
  const { token, organizationId } = first.service;
  const { service, setSkew } = await startSkewed(HOUR_MS, first.dataDir);
  const { call, health } = client(service, token, organizationId!);
  assert.is((await health()).json.clock?.status, 'DIFFERS_FROM_LAST_RUN');
  const refused = await call('addVendor', { name: 'Meanwhile', criticality: 'LOW' });
  assert.is(refused.status, 503);
  assert.match(refused.json.error!.message, /^The clock of this machine differs from what it was in the last run\. /);
  setSkew(0);
  await until(async () => (await call('addVendor', { name: 'After', criticality: 'LOW' })).status === 200);
  await service.stop();
});

test.run();
