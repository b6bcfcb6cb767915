import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../src/app/logger.ts';
import { startApp } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { callTool } from '../support/mcp/call-tool.ts';
import { until } from '../support/run/wait.ts';
import { startService } from '../support/service.ts';

/** Returns the reason that a service in this process does not start. */
async function refusal(config: Config, loadDemo?: () => Promise<null>): Promise<string> {
  const started = await startApp(config, createLogger('silent'), loadDemo).catch((error: Error) => error.message);
  if (typeof started === 'string') return started;
  await started.stop();
  throw new Error('was started');
}

/** Returns the reason that settings are refused, or that a service with them does not start. */
async function failureOf(env: Record<string, string>): Promise<string> {
  return (async () => refusal(readConfig(env, '/nowhere')))().catch((error: Error) => error.message);
}

const starting = suite('start', { DATA_DIR: '' });

starting.before.each((context) => {
  context.DATA_DIR = mkdtempSync(join(tmpdir(), 'veritrail-start-'));
});
starting.after.each(({ DATA_DIR }) => rmSync(DATA_DIR, { recursive: true }));

/** Starts another program's server on a free port. */
async function occupyPort(): Promise<{ PORT: string; server: Server }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { PORT: String((server.address() as AddressInfo).port), server };
}

async function free(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

/** Runs a service that can't start. Returns its last output. */
async function failedStart(env: Record<string, string>): Promise<string> {
  const started = await startService(env).catch((error: Error) => error.message);
  if (typeof started === 'string') return started;
  await started.stop();
  throw new Error('was started');
}

starting('names a data folder that cannot be used, and what to do', async ({ DATA_DIR }) => {
  const file = join(DATA_DIR, 'file');
  writeFileSync(file, '');
  const lockFolder = join(DATA_DIR, 'taken');
  mkdirSync(join(lockFolder, 'server.lock'), { recursive: true });
  for (const [folder, why] of [
    [file, /a file has its name, or that of a folder above it/],
    [join(file, 'below'), /a file has its name, or that of a folder above it/],
    [lockFolder, /server\.lock/],
  ] as const) {
    const message = await failureOf({ DATA_DIR: folder });
    assert.ok(message.startsWith(`The data folder ${folder} cannot be used: `), message);
    assert.match(message, why);
    assert.match(message, /set DATA_DIR to another folder\.$/);
  }
});

starting('if the port is in use at the first start, the next start prints the token', async ({ DATA_DIR }) => {
  const { PORT, server } = await occupyPort();
  const message = await failedStart({ PORT, DATA_DIR });
  assert.match(
    message,
    new RegExp(`could not start: PORT ${PORT} on HOST 127\\.0\\.0\\.1 is in use.*choose another PORT`),
  );
  const metricsPort = { PORT: '0', METRICS_PORT: PORT, DATA_DIR };
  assert.match(await failureOf(metricsPort), /METRICS_PORT \d+ on HOST 127\.0\.0\.1 is in use/);
  // The clock's file is this test's.
  assert.equal(readdirSync(DATA_DIR), ['clock.json', 'server.lock'], 'nothing else was created');
  await free(server);
  const service = await startService({ PORT, DATA_DIR });
  assert.match(service.token, /^vtr_/);
  assert.is((await callTool(service.url, service.token, 'listOrganizations')).status, 200);
  await service.stop();
});

starting('an address of another machine is named, with the next step', async ({ DATA_DIR }) => {
  const env = { HOST: '192.0.2.1', PORT: '0', ALLOW_PLAIN_HTTP: 'true', DATA_DIR };
  const message = await refusal(readConfig(env, '/nowhere'));
  assert.is(message, 'HOST 192.0.2.1 is not an address of this machine. Set HOST to one that is, such as 127.0.0.1.');
});

starting('until the installation exists, it is live but not ready, and calls wait', async ({ DATA_DIR }) => {
  const { PORT, server } = await occupyPort();
  await free(server);
  const url = `http://127.0.0.1:${PORT}`;
  const statuses: number[] = [];
  let pendingAnswer: Promise<{ status: number }> | undefined;
  const app = await startApp(readConfig({ PORT, DATA_DIR }, '/nowhere'), createLogger('silent'), async () => {
    for (const path of ['livez', 'readyz']) statuses.push((await fetch(`${url}/${path}`)).status);
    pendingAnswer = callTool(url, 'vtr_whatever', 'listOrganizations');
    return null;
  });
  statuses.push((await pendingAnswer!).status);
  const isAdmitted = async () => (await callTool(url, app.firstToken!, 'listOrganizations')).status === 200;
  await until(isAdmitted).finally(() => app.stop());
  assert.equal(statuses, [200, 503, 401]);
});

starting('calls that arrive during a restart are answered after it', async ({ DATA_DIR }) => {
  const { PORT, server } = await occupyPort();
  await free(server);
  const url = `http://127.0.0.1:${PORT}`;
  const config = readConfig({ PORT, DATA_DIR }, '/nowhere');
  const first = await startApp(config, createLogger('silent'));
  const token = first.firstToken!;
  await callTool(url, token, 'addVendor', { organization_id: first.organizationId, name: 'Kept' });
  await first.stop();
  const calls: ReturnType<typeof callTool>[] = [];
  const list = () => callTool(url, token, 'listVendors', { organization_id: first.organizationId });
  const restarted = await startApp(config, createLogger('silent'), async () => {
    calls.push(list(), list());
    const ready = await fetch(`${url}/readyz`);
    assert.is(ready.status, 503, 'readiness is reported correctly');
    return null;
  });
  calls.push(list());
  const answers = await Promise.all(calls).finally(() => restarted.stop());
  for (const { status, body } of answers) {
    assert.is(status, 200);
    assert.is((body.vendors as object[]).length, 1);
  }
});

starting('a start that fails late releases the port and the folder', async ({ DATA_DIR }) => {
  const { PORT, server } = await occupyPort();
  await free(server);
  const config = readConfig({ PORT, DATA_DIR }, '/nowhere');
  assert.is(await refusal(config, () => Promise.reject(new Error('no demo'))), 'no demo');
  const app = await startApp(config, createLogger('silent'));
  await until(async () => (await fetch(`http://127.0.0.1:${PORT}/readyz`)).ok).finally(() => app.stop());
  assert.match(app.firstToken!, /^vtr_/);
});

for (const [setting, value] of [
  ['EVENTSTORE_URL', 'esdb://admin:hunter2@127.0.0.1:1?tls=false'],
  ['EVENTSTORE_URL', 'esdb+discover://admin:hunter2@127.0.0.1:1?tls=false'],
  ['EVENTSTORE_URL', 'esdb://admin:hunter2:x@127.0.0.1:1'],
  ['MONGODB_URL', 'mongodb://admin:hunter2@127.0.0.1:1'],
  ['MONGODB_URL', 'mongodb://admin:hunter2@127.0.0.1:1/?tls=perhaps'],
] as const) {
  starting(
    `${setting}=${value}: fails quickly, names the setting and does not repeat its value`,
    async ({ DATA_DIR }) => {
      const startedAt = performance.now();
      const message = await failureOf({ [setting]: value, PORT: '0', DATA_DIR });
      assert.match(message, new RegExp(`\\b${setting} (names|has) `));
      assert.not.match(message, /hunter2|127\.0\.0\.1/);
      assert.ok(performance.now() - startedAt < 15_000);
    },
  );
}

starting('an unreachable store ends the process with code 1', async ({ DATA_DIR }) => {
  const message = await failedStart({ EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false', DATA_DIR });
  assert.match(
    message,
    /The service ended \(1\)\nveritrail could not start: The event store that EVENTSTORE_URL names/,
  );
});

starting('--demo refuses stores that have data already', async ({ DATA_DIR }) => {
  const first = await startService({ DATA_DIR });
  await first.stop();
  const restarted = await startService({ DATA_DIR }, ['--demo']);
  assert.match(restarted.output(), /"level":40,.*"msg":"The demo was not loaded\. It needs empty stores/);
  await restarted.stop();
  assert.match(restarted.output(), /"level":30,.*"reason":"SIGTERM","msg":"the service stops"/);
  assert.match(restarted.output(), /"level":30,.*"ms":\d+,"msg":"the service has stopped"/);
});

starting.run();
