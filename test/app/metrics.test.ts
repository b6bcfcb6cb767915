import { request } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../src/app/logger.ts';
import { Metrics } from '../../src/app/metrics.ts';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { callTool, callUntilAccepted, firstOrganization } from '../support/mcp/call-tool.ts';
import { freePort } from '../support/run/free-port.ts';
import { startHere } from '../support/run/in-process.ts';
import { until } from '../support/run/wait.ts';
import { embeddedPair } from '../support/stores/pairs.ts';

const test = suite('metrics');

const TOKEN = 'm'.repeat(32);

const getMetrics = (url: string, authorization?: string) =>
  fetch(`${url}/metrics`, authorization === undefined ? {} : { headers: { authorization } });

/** Returns the value of a sample, by its name and labels as printed; null if it is absent. */
function sample(text: string, name: string): number | null {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? null : Number(line.slice(name.length + 1));
}

test('are off by default', async () => {
  const pair = embeddedPair();
  const service = await startHere(pair.env);
  assert.is((await getMetrics(service.url, `Bearer ${TOKEN}`)).status, 404);
  await service.stop();
  await pair.close();
});

test('require the token, and have no caller’s input in their labels', async () => {
  const pair = embeddedPair();
  const service = await startHere({ ...pair.env, METRICS_TOKEN: TOKEN });
  const { url, token } = service;
  for (const invalidHeader of [
    undefined,
    '',
    `Bearer ${TOKEN}m`,
    `Bearer ${'n'.repeat(32)}`,
    `Bearer ${token}`,
    TOKEN,
  ]) {
    const refusal = await getMetrics(url, invalidHeader);
    assert.is(refusal.status, 401, invalidHeader);
    assert.is(refusal.headers.get('www-authenticate'), 'Bearer');
  }
  const organization_id = await firstOrganization(url, token);
  await callUntilAccepted(url, token, 'addVendor', { organization_id, name: 'Somebody' });
  await callTool(url, token, 'addVendor', { organization_id });
  await callTool(url, token, 'noSuchTool');
  await callTool(url, 'vtr_wrong', 'listVendors');

  const answer = await getMetrics(url, `Bearer ${TOKEN}`);
  assert.is(answer.status, 200);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  const text = await answer.text();
  const assertSample = (name: string, value: number) => assert.is(sample(text, name), value, name);
  assertSample('veritrail_tool_calls_total{tool="addVendor",outcome="ok"}', 1);
  assertSample('veritrail_tool_calls_total{tool="addVendor",outcome="invalid_input"}', 1);
  assertSample('veritrail_tool_call_duration_seconds_count{tool="addVendor"}', 2);
  assertSample('veritrail_http_requests_total{tool="addVendor",status="200"}', 1);
  assertSample('veritrail_http_requests_total{tool="other",status="404"}', 1);
  assertSample('veritrail_parked_events', 0);
  assertSample('veritrail_out_of_order_events', 0);
  assertSample('veritrail_projection_leader', 1);
  assertSample('veritrail_projection_failing', 0);
  assertSample('veritrail_projection_lag_seconds', 0);
  for (const queue of ['appends', 'passwords']) assertSample(`veritrail_queue_length{queue="${queue}"}`, 0);
  assert.ok(sample(text, 'veritrail_queue_length{queue="access_log"}')! > 0, 'refusals wait to be written');
  assert.ok(sample(text, 'veritrail_append_duration_seconds_count{outcome="ok"}')! > 0);
  assert.ok(sample(text, 'veritrail_appended_events_total')! > 0);
  assert.ok(sample(text, 'veritrail_projection_caught_up_timestamp_seconds')! > Date.now() / 1_000 - 60);
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])
    assert.ok(sample(text, name) !== null, name);
  for (const secret of [organization_id, token, TOKEN, 'Somebody', 'org_', 'acc_', 'tok_', 'noSuchTool'])
    assert.not.ok(text.includes(secret), secret);
  const unsealed = async () =>
    sample(await (await getMetrics(url, `Bearer ${TOKEN}`)).text(), 'veritrail_unsealed_events');
  await until(async () => ((await unsealed()) ?? 0) > 0, 10_000, 'the sealer has checked');
  await service.stop();
  await pair.close();
});

test('are served on a separate port, to this machine only', async () => {
  const pair = embeddedPair();
  const port = await freePort();
  const service = await startHere({ ...pair.env, METRICS_PORT: String(port) });
  assert.is((await getMetrics(service.url)).status, 404);
  const response = await getMetrics(`http://127.0.0.1:${port}`);
  assert.is(response.status, 200);
  assert.match(await response.text(), /^veritrail_projection_leader 1$/m);
  assert.is((await fetch(`http://127.0.0.1:${port}/`)).status, 404);
  assert.is((await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST' })).status, 405);
  const rebound = await new Promise((resolve, reject) => {
    const headers = { Host: `attacker.example:${port}` };
    request({ port, host: '127.0.0.1', path: '/metrics', headers }, (incoming) => {
      incoming.resume();
      resolve(incoming.statusCode);
    })
      .on('error', reject)
      .end();
  });
  assert.is(rebound, 403);
  await service.stop();
  await pair.close();
});

test('pass the arguments of readStream through unchanged', async () => {
  const calls: unknown[][] = [];
  const readStream = async (...args: unknown[]) => {
    calls.push(args);
    return [];
  };
  await new Metrics().countAppends({ readStream } as unknown as EventStore).readStream('risk-rsk_1', 3, 200);
  assert.equal(calls, [['risk-rsk_1', 3, 200]]);
});

test('logs the duration of each command, batch and query at debug level, without content', async () => {
  const pair = embeddedPair();
  let output = '';
  const write = (line: string) => {
    output += line;
  };
  const config = readConfig({ ...pair.env, PORT: '0' }, '/nowhere');
  const { port, firstToken, stop } = await startApp(config, createLogger('debug', { write }));
  const url = `http://127.0.0.1:${port}`;
  const organization_id = await firstOrganization(url, firstToken!);
  await callUntilAccepted(url, firstToken!, 'addVendor', {
    organization_id,
    name: 'A confidential name',
    reason: 'Nobody knows',
  });
  await callTool(url, firstToken!, 'listVendors', { organization_id, filter: { query: 'confidential' } });
  await stop();
  const lines = output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const find = (fields: Record<string, unknown>) =>
    lines.find((line) => Object.entries(fields).every(([name, value]) => line[name] === value));
  const command = find({ msg: 'command', command: 'AddVendor' })!;
  assert.equal(command.event_types, ['VendorAdded']);
  const batch = find({ msg: 'projection batch' })!;
  assert.ok(Number(batch.events) > 0);
  const query = find({ msg: 'query', tool: 'listVendors', outcome: 'ok' })!;
  for (const line of [command, batch, query]) assert.type(line.ms, 'number');
  assert.not.match(output, /confidential|Nobody knows/i);
  assert.not.ok(output.includes(firstToken!));
  await pair.close();
});

test.run();
