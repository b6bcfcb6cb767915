/** HTTP: bodies, direct tool calls, health, the log, shutdown. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../src/app/logger.ts';
import { type RequestState, requestMiddleware } from '../../src/http/request.ts';
import { stopServer } from '../../src/http/server.ts';
import { post, raw, request, startToyService, TOKEN, type ToyService, until } from '../support/mcp/toy-tools.ts';

const test = suite<{ service: ToyService }>('http');

test.before(async (context) => {
  context.service = await startToyService();
});
test.after(async ({ service }) => service.stop());

const HEALTH = '/api/mcp/v1/health';
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

test('accepts and returns only JSON at the endpoint', async ({ service }) => {
  const types: [string, number][] = [
    ['application/json', 200],
    ['Application/JSON; charset=UTF-8', 200],
    ['application/json;charset="utf-8"', 200],
    ['application/json; charset=latin1', 415],
    ['application/jsonp', 415],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
  ];
  for (const [type, status] of types) {
    assert.is((await post(service, PING, { 'Content-Type': type })).status, status, type);
  }
  const zipped = await post(service, PING, { 'Content-Encoding': 'gzip' });
  assert.is(zipped.status, 415);
  assert.is(Number(zipped.json.error?.code), -32600);
  const accepts: [string, number][] = [
    ['application/json, text/event-stream', 200],
    ['text/event-stream;q=0.5, Application/JSON;q=0.9', 200],
    ['*/*', 200],
    ['application/*', 200],
    ['text/event-stream', 406],
    ['text/html', 406],
    ['application/json;q=0', 406],
  ];
  for (const [accept, status] of accepts) {
    const reply = await post(service, PING, { Accept: accept });
    assert.is(reply.status, status, accept);
    assert.is(reply.json.jsonrpc as unknown, '2.0');
  }
});

test('refuses a body over 1 MiB, with or without Content-Length', async ({ service }) => {
  const maxPadding = (1 << 20) - PING.length;
  assert.is((await post(service, PING + ' '.repeat(maxPadding))).status, 200);
  const tooLarge = PING + ' '.repeat(maxPadding + 1);
  const withLength = await post(service, tooLarge);
  assert.is(withLength.status, 413);
  assert.is(Number(withLength.json.error?.code), -32600);
  const direct = await request(`${service.url}/api/mcp/tools/echo`, { method: 'POST', body: tooLarge });
  assert.is(direct.status, 413);
  assert.is(direct.json.error?.code as unknown, 'too_large');

  const head = [
    'POST /api/mcp/v1 HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${TOKEN}`,
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
    'Connection: close',
  ].join('\r\n');
  const chunk = `40000\r\n${' '.repeat(0x40000)}\r\n`;
  assert.match(await raw(service.port, `${head}\r\n\r\n`, chunk.repeat(5), '0\r\n\r\n'), /^HTTP\/1.1 413 /);
});

test('cuts off a slow body, and drops one that the client aborts', async () => {
  const service = await startToyService({}, { requestTimeoutMs: 200 });
  const head = [
    'POST /api/mcp/v1 HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${TOKEN}`,
    'Content-Type: application/json',
    'Content-Length: 1000',
  ].join('\r\n');
  assert.match(await raw(service.port, `${head}\r\n\r\n{"jsonrpc"`), /^HTTP\/1.1 408 /);
  await until(() => service.log.length === 1);
  assert.is(service.log[0]?.status, 499);
  await service.stop();
});

test('direct calls: accept a POST of a JSON object or an empty body', async ({ service }) => {
  const tool = (name: string, init: RequestInit = {}) =>
    request(`${service.url}/api/mcp/tools/${name}`, { method: 'POST', ...init });
  const json = { 'Content-Type': 'application/json' };
  assert.equal((await tool('add', { body: '{"name":"x"}', headers: json })).json as unknown, { added: { name: 'x' } });
  assert.equal((await tool('add')).json as unknown, { added: {} });
  const done = await tool('add', { body: '{}', headers: json });
  assert.is(done.status, 200);
  assert.match(done.headers.get('content-type') ?? '', /^application\/json/);
  assert.is(done.headers.get('cache-control'), 'no-store');
  assert.is(done.headers.get('x-content-type-options'), 'nosniff');

  for (const body of ['[]', 'null', '5', '"x"', '{', '{"a":1}x']) {
    const reply = await tool('add', { body, headers: json });
    assert.is(reply.status, 400, body);
    assert.is(reply.json.error?.code as unknown, 'invalid_input');
  }
  const plain = await tool('add', { body: '{}', headers: { 'Content-Type': 'text/plain' } });
  assert.is(plain.status, 415);
  assert.is(plain.json.error?.code as unknown, 'invalid_input');
  const unknown = await tool('nonsense');
  assert.is(unknown.status, 404);
  assert.is(unknown.json.error?.code as unknown, 'not_found');
});

test('direct calls: return a status for every error code, with Retry-After', async ({ service }) => {
  for (const status of [200, 400, 403, 404, 409, 413, 422, 429, 500, 503]) {
    const retryAfter = status === 429 || status === 503 ? 7 : undefined;
    const reply = await request(`${service.url}/api/mcp/tools/fail`, {
      method: 'POST',
      body: JSON.stringify({ status, retryAfter }),
      headers: { 'Content-Type': 'application/json' },
    });
    assert.is(reply.status, status);
    assert.is(reply.headers.get('retry-after'), retryAfter === undefined ? null : '7');
    assert.is(reply.json.error?.code as unknown, 'some_code');
  }
});

test('direct calls: read by GET, whose tool gets texts, lists and filters', async ({ service }) => {
  const get = (query: string) => request(`${service.url}/api/mcp/tools/echo${query}`);
  const cases: [string, object][] = [
    ['', {}],
    ['?word=two%20words&size=5', { word: 'two words', size: '5' }],
    ['?size=1&size=2', { size: ['1', '2'] }],
    ['?filter=%7B%22a%22%3A%5B1%5D%7D', { filter: { a: [1] } }],
    ['?unknown=null&other=2026-01-01', { unknown: 'null', other: '2026-01-01' }],
    ['?word=', { word: '' }],
  ];
  for (const [query, args] of cases) {
    const { status, json } = await get(query);
    assert.is(status, 200, query);
    assert.equal(json.args as unknown, args, query);
  }
  assert.equal((await get('')).json.client as unknown, { name: 'node', version: '' }, 'identified by its User-Agent');
  const auth = `Authorization: Bearer ${TOKEN}`;
  const withBody = (body: string) =>
    raw(
      service.port,
      `GET /api/mcp/tools/echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${auth}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  assert.match(await withBody('{}'), /^HTTP\/1.1 200 /);
  assert.match(await withBody('{"size":1}'), /^HTTP\/1.1 400 /);
});

test('refuses other methods and names the allowed ones', async ({ service }) => {
  const allow = async (method: string, name: string) => {
    const { status, headers, json } = await request(`${service.url}/api/mcp/tools/${name}`, { method });
    assert.is(status, 405);
    assert.is(json.error?.code as unknown, 'method_not_allowed');
    return headers.get('allow');
  };
  const before = service.tools.calls.length;
  assert.is(await allow('GET', 'add'), 'POST');
  assert.is(await allow('DELETE', 'add'), 'POST');
  assert.is(await allow('PUT', 'echo'), 'GET, POST');
  assert.is(service.tools.calls.length, before);
});

test('answers unknown addresses with JSON', async ({ service }) => {
  for (const path of ['/', '/api', '/api/mcp/v2', '/api/mcp/v1x', '/api/mcp/tools', '/%ff', '/api/mcp/tools/%ff']) {
    const { status, json } = await request(service.url + path);
    assert.is(status, 404, path);
    assert.is(json.error?.code as unknown, 'not_found', path);
  }
  const { status, headers } = await request(`${service.url}/livez`, { method: 'POST' });
  assert.is(status, 405);
  assert.match(headers.get('allow') ?? '', /GET/);
  assert.is(
    (await request(`${service.url}/api/mcp/v1/?x=1`, { method: 'GET' })).status,
    405,
    'a trailing slash is accepted',
  );
});

test('names to callers only their own organizations that can not be sealed', async () => {
  const stopOf = (organization_id: string) => ({ organization_id, from: 3, until: 5 });
  const own = 'org_1';
  const health = async () => ({ serving: true, sealStops: [stopOf('org_other'), stopOf(own)] });
  const service = await startToyService({ health });
  const { json } = await request(service.url + HEALTH);
  const sealing_stopped = [{ organization_id: own, from_position: '3', to_position: '5' }];
  assert.equal(json, { status: 'ok', version: '1.2.3', serving: true, sealing_stopped });
  await service.stop();
});

test('reports health in detail to callers, and only yes or no to others', async () => {
  let serving = true;
  let degraded = false;
  let broken = false;
  const health = async () => {
    if (broken) throw new Error('mongodb://10.0.0.1 is away');
    return { serving, degraded, store: 'detail' };
  };
  const service = await startToyService({ health });
  const fetchPath = async (path: string) => {
    const { status, json } = await request(service.url + path);
    return [status, json] as unknown;
  };
  assert.equal(await fetchPath(HEALTH), [200, { status: 'ok', version: '1.2.3', serving: true, store: 'detail' }]);
  assert.equal(await fetchPath('/readyz'), [200, { status: 'ok' }]);
  degraded = true;
  assert.equal(await fetchPath(HEALTH), [
    200,
    { status: 'degraded', version: '1.2.3', serving: true, store: 'detail' },
  ]);
  assert.equal(await fetchPath('/readyz'), [200, { status: 'ok' }], 'a degraded service stays ready');
  serving = false;
  assert.equal(await fetchPath(HEALTH), [
    503,
    { status: 'unavailable', version: '1.2.3', serving: false, store: 'detail' },
  ]);
  assert.equal(await fetchPath('/readyz'), [503, { status: 'unavailable' }]);
  assert.equal(await fetchPath('/livez'), [200, { status: 'ok' }]);
  broken = true;
  assert.equal(await fetchPath(HEALTH), [503, { status: 'unavailable', version: '1.2.3', serving: false }]);
  assert.equal(await fetchPath('/readyz'), [503, { status: 'unavailable' }]);
  await service.stop();
});

test('logs one line per request with its id, without tokens or content', async () => {
  const service = await startToyService();
  const { headers } = await post(service, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'echo', arguments: { secret: 'hush' } },
  });
  await request(`${service.url}/api/mcp/tools/echo?word=hush`);
  await request(`${service.url}/nothing?word=hush`);
  assert.is(service.log.length, 3);
  const [rpc, direct, nothing] = service.log.map(({ time, pid, hostname, ms, request, ...line }) => line);
  assert.is(service.log[0]?.request, headers.get('x-request-id'));
  const line = { level: 30, status: 200, account: 'acc_1', tool: 'echo', msg: 'request' };
  assert.equal(rpc, { ...line, method: 'POST', path: '/api/mcp/v1', rpc: 'tools/call' });
  assert.equal(direct, { ...line, method: 'GET', path: '/api/mcp/tools/echo' });
  assert.equal(nothing, { level: 30, method: 'GET', path: '/nothing', status: 404, msg: 'request' });
  assert.not.match(JSON.stringify(service.log), /hush|vtr_/);
  await post(service, PING, { Origin: 'http://other.example' });
  await post(service, PING, { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' });
  await post(service, PING, { Origin: 'null' });
  const [foreign, hiddenByProxy, hidden] = service.log.slice(3) as unknown as { status: number; problem?: string }[];
  assert.equal([foreign!.status, foreign!.problem], [403, undefined]);
  assert.equal([hiddenByProxy!.status, hiddenByProxy!.problem], [200, undefined]);
  assert.is(hidden!.status, 403);
  assert.match(hidden!.problem!, 'a proxy sets the header Referrer-Policy to no-referrer');
  await service.stop();
});

test('logs the assets of pages at debug, unless they fail', async () => {
  const lines: { level: number; path: string }[] = [];
  const logger = createLogger('debug', { write: (line) => void lines.push(JSON.parse(line)) });
  const app = new Koa<RequestState>().use(requestMiddleware(logger)).use((ctx) => {
    if (ctx.path !== '/assets/gone.css') ctx.body = 'text';
  });
  const server = createServer(app.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const path of ['/assets/page.css', '/assets/gone.css', '/home']) await request(`${url}${path}`);
  await stopServer(server, 0);
  assert.equal(
    lines.map(({ level, path }) => [level, path]),
    [
      [20, '/assets/page.css'],
      [30, '/assets/gone.css'],
      [30, '/home'],
    ],
  );
});

test('lets running requests finish at shutdown, up to the time limit', async () => {
  const patient = await startToyService();
  const under = request(`${patient.url}/api/mcp/tools/wait`);
  await until(() => patient.tools.calls.length === 1);
  const stopped = patient.stop();
  assert.is(patient.server.listening, false);
  patient.tools.release();
  assert.is((await under).status, 200);
  await stopped;

  const hasty = await startToyService();
  const aborted = request(`${hasty.url}/api/mcp/tools/wait`).catch(() => 'disconnect');
  await until(() => hasty.tools.calls.length === 1);
  await hasty.stop();
  assert.is(await aborted, 'disconnect');
  const { signal } = hasty.tools.calls[0]!.context;
  await until(() => signal?.aborted === true);
});

test.run();
