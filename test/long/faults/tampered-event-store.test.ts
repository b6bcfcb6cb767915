import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../src/app/logger.ts';
import { startApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { Log } from '../../support/fake-eventstoredb/log.ts';
import { type FakeEventStoreDb, startFakeEventStoreDb } from '../../support/fake-eventstoredb/server.ts';
import { callTool, callUntilAccepted, firstOrganization, getJson } from '../../support/mcp/call-tool.ts';
import { startHere } from '../../support/run/in-process.ts';
import { veritrail } from '../../support/run/run-command.ts';
import { until } from '../../support/run/wait.ts';
import type { Running } from '../../support/service.ts';

interface Context {
  folder: string;
  env: Record<string, string>;
  fake: FakeEventStoreDb;
  service: Running;
  organization_id: string;
  cleanup: (() => Promise<unknown>)[];
}

/** The service on an EventStoreDB that somebody changes: callers, health and the log are told, and nothing is acknowledged. */
const test = suite<Context>('an event store that was changed by hand');

test.before.each(async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-tampered-'));
  const fake = await startFakeEventStoreDb();
  const env = { DATA_DIR: join(folder, 'data'), EVENTSTORE_URL: fake.url };
  const service = await startHere(env);
  const organization_id = await firstOrganization(service.url, service.token);
  const cleanup = [() => service.stop(), () => fake.close()];
  Object.assign(context, { folder, env, fake, service, organization_id, cleanup });
});
test.after.each(async ({ folder, cleanup }) => {
  for (const cleanUp of cleanup) await cleanUp();
  rmSync(folder, { recursive: true, force: true });
});

async function addVendor({ service, organization_id }: Context, name: string): Promise<string> {
  const { body } = await callUntilAccepted(service.url, service.token, 'addVendor', { organization_id, name });
  return (body.vendor as { id: string }).id;
}

const health = ({ url, token }: Pick<Running, 'url' | 'token'>) => getJson(`${url}/api/mcp/v1/health`, token);

/** Returns the log's lines with this message. */
const logLines = (service: Running, message: string) =>
  service
    .output()
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}"`));

test('a tombstoned record is refused for good, health says so, and the log has its stream once', async (context) => {
  const { service, fake } = context;
  const id = await addVendor(context, 'Unicloud');
  fake.log.tombstone(`vendor-${id}`);
  for (let count = 0; count < 3; count += 1) {
    const { status, body, retryAfter } = await callTool(service.url, service.token, 'updateVendor', {
      id,
      description: `try ${count}`,
    });
    const { code, message, retryable } = body.error as { code: string; message: string; retryable: boolean };
    assert.equal([status, code, retryable, retryAfter], [503, 'unavailable', false, null]);
    assert.match(message, /damaged: it was deleted\. Tell the operator/);
  }
  const { status, body } = await health(service);
  assert.equal([status, body.status], [200, 'degraded']);
  assert.equal(body.problems, ['A stored history is damaged: it was deleted. The log names its stream.']);
  assert.is(logLines(service, 'a store failed').length, 1);
  assert.match(logLines(service, 'a store failed')[0]!, `vendor-${id}`);
  await addVendor(context, 'Other');
});

test('while the roles can’t be read, the service is not ready, and commands print one line', async (context) => {
  const { service, fake, env, organization_id, folder, cleanup } = context;
  const { token } = service;
  await addVendor(context, 'Unicloud');
  await service.stop();
  cleanup.shift();
  fake.log.setMetadata(`organization-${organization_id}`, { $maxAge: 60 });
  let output = '';
  const write = (line: string) => {
    output += line;
  };
  const config = readConfig({ CLIENT_METADATA_FETCH: 'off', LOG_LEVEL: 'warn', ...env, PORT: '0' }, folder);
  const app = await startApp(config, createLogger(config.logLevel, { write }));
  cleanup.unshift(() => app.stop());
  const url = `http://127.0.0.1:${app.port}`;
  await until(
    async () => (await callTool(url, token, 'listOrganizations')).status === 503,
    10_000,
    'calls are refused',
  );
  assert.is((await getJson(`${url}/readyz`)).status, 503);
  const { code, out, err } = await veritrail(
    { cwd: folder, dataDir: env.DATA_DIR!, env },
    'token',
    'create',
    '--name',
    'x',
  );
  assert.equal([code, out], [1, '']);
  assert.match(err, /^veritrail token create: [^\n]*damaged[^\n]*$/);
  assert.match(output, /damaged: its metadata hide its events/);
  fake.log.setMetadata(`organization-${organization_id}`, {});
  await until(async () => (await getJson(`${url}/readyz`)).status === 200, 10_000, 'ready again');
  assert.is((await callTool(url, token, 'listOrganizations')).status, 200);
});

const OTHERS: [string, (log: Log) => Log][] = [
  ['an older copy', (log) => log.copy(log.records.length - 2)],
  ['an empty server', () => new Log(0n)],
];

for (const [what, other] of OTHERS) {
  test(`no write is acknowledged on ${what}, health says what was lost, and the log is used again when it is back`, async (context) => {
    const { service, fake, organization_id, cleanup } = context;
    const { url, token } = service;
    await addVendor(context, 'Unicloud');
    await addVendor(context, 'Second');
    await fake.close();
    cleanup.pop();
    const replaced = await startFakeEventStoreDb({ port: fake.port, log: other(fake.log) });
    cleanup.push(() => replaced.close());
    const { length } = replaced.log.records;
    const isRefused = async () => {
      const reply = await callTool(url, token, 'addVendor', { organization_id, name: 'Lost' });
      assert.is.not(reply.status, 200, JSON.stringify(reply.body));
      return (reply.body.error as { retryable: boolean }).retryable === false;
    };
    await until(isRefused, 20_000, 'writes are refused for good');
    await until(async () => (await getJson(`${url}/readyz`)).status === 503, 20_000, 'not ready');
    const { body } = await health(service);
    assert.match(JSON.stringify(body.stores), /"event_store":"(REPLACED|DOWN)"/);
    assert.is(replaced.log.records.length, length);
    await replaced.close();
    cleanup.pop();
    const again = await startFakeEventStoreDb({ port: fake.port, log: fake.log });
    cleanup.push(() => again.close());
    await until(async () => (await getJson(`${url}/readyz`)).status === 200, 20_000, 'ready again');
    await addVendor(context, 'Third');
    const { body: list } = await callTool(url, token, 'listVendors', { organization_id, view: 'COUNT' });
    assert.is(list.total, 3);
  });
}

test.run();
