/** Rate limits, and the callers that they count separately. */
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import pino from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Caller } from '../../src/commands/organization/caller.ts';
import { clientInfoReader } from '../../src/http/access/client-info-reader.ts';
import { oauthEndpoints } from '../../src/http/access/oauth-endpoints.ts';
import { createRateLimits } from '../../src/http/access/rate-limits.ts';
import { HttpError } from '../../src/http/http-errors.ts';
import { type RequestState, requestMiddleware } from '../../src/http/request.ts';
import { startServer, stopServer } from '../../src/http/server.ts';
import { OAuthAddresses } from '../../src/identity/oauth/addresses.ts';
import type { OAuth } from '../../src/identity/oauth/oauth.ts';
import { RateLimit } from '../../src/identity/rate-limit.ts';
import { CALLER, post, request, startToyService, TOKEN, until } from '../support/mcp/toy-tools.ts';

const test = suite('limits');

/** A request with only the parts that identify its sender. */
const requestFrom = (remoteAddress: string, headers: Record<string, string> = {}) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;

test("allows a minute's calls at once, then evenly", () => {
  let now = 5;
  const limit = new RateLimit(60, 60_000, () => now);
  const countAllowed = () => {
    let allowed = 0;
    while (limit.countOrWaitMs('a') === 0) allowed += 1;
    return allowed;
  };
  assert.is(countAllowed(), 60);
  assert.is(Math.round(limit.countOrWaitMs('a')), 1_000, 'the next one is a second away');
  assert.is(limit.countOrWaitMs('b'), 0, 'another key is not affected');
  now += 999;
  assert.is.not(limit.countOrWaitMs('a'), 0);
  now += 1;
  assert.is(limit.countOrWaitMs('a'), 0);
  assert.is.not(limit.countOrWaitMs('a'), 0);
  now += 10_000;
  assert.is(countAllowed(), 10, 'being refused costs nothing');
  now += 3_600_000;
  assert.is(countAllowed(), 60, 'after an hour without calls, only one minute’s calls are allowed');
});

for (const perMinute of [1, 7, 6_000, 999_999]) {
  test(`allows exactly ${perMinute} calls a minute`, () => {
    const limit = new RateLimit(perMinute, 60_000, () => 1e9);
    for (let i = 0; i < perMinute; i++) if (limit.countOrWaitMs('a') !== 0) throw new Error(`refused after ${i}`);
    assert.is.not(limit.countOrWaitMs('a'), 0);
  });
}

test('bounds the memory for a flood of addresses', () => {
  const limit = new RateLimit(60, 60_000, () => 0);
  for (let i = 0; i < 100_000; i++) limit.countOrWaitMs(`address ${i}`);
  assert.ok(limit.size <= 20_000);
});

/** Returns the seconds a caller must wait, or 0. */
async function waitOf(count: () => void | Promise<void>): Promise<number> {
  try {
    await count();
    return 0;
  } catch (error) {
    assert.instance(error, HttpError);
    const { status, headers, details } = error as HttpError;
    assert.is(status, 429);
    assert.is(headers['Retry-After'], String(details.retry_after_seconds));
    return details.retry_after_seconds!;
  }
}

test('all credentials of an account together may make five times the calls of one', async () => {
  const limits = createRateLimits(10, clientInfoReader([]), () => 0);
  const call = (token_id: string | null, account_id = 'acc_1') =>
    waitOf(() => limits.admitCaller({ account_id, token_id }));
  for (let i = 0; i < 10; i++) assert.is(await call('tok_1'), 0);
  assert.is(await call('tok_1'), 6, 'a tenth of a minute');
  for (let i = 0; i < 40; i++) assert.is(await call(`tok_${2 + (i % 4)}`), 0);
  assert.ok((await call('tok_9')) > 0, 'a new token does not avoid the limit');
  assert.ok((await call(null)) > 0, 'pages do not avoid the limit');
  assert.is(await call('tok_10', 'acc_2'), 0);
});

test('strangers on many connections of one network take turns in the event loop', async () => {
  const limits = createRateLimits(null, clientInfoReader([]));
  const begun: string[] = [];
  const ask = async (address: string) => {
    await limits.admitStranger(requestFrom(address));
    begun.push(address);
  };
  const asked = [...Array.from({ length: 50 }, () => '192.0.2.7'), '192.0.2.8'].map(ask);
  await new Promise(process.nextTick);
  const ofFirst = begun.filter((address) => address === '192.0.2.7').length;
  assert.ok(ofFirst <= 10, `${ofFirst} in one turn`);
  assert.ok(begun.includes('192.0.2.8'), 'another network doesn’t wait for them');
  await Promise.all(asked);
  assert.is(begun.length, 51);
});

test('counts requests without a credential by address (IPv6: by /64), and ignores X-Forwarded-For', async () => {
  const limits = createRateLimits(null, clientInfoReader([]), () => 0);
  const countRequest = (address: string, headers = {}) =>
    waitOf(() => limits.countStranger(requestFrom(address, headers)));
  for (let i = 0; i < 3_000; i++)
    assert.is(await countRequest(`2001:db8::${i.toString(16)}`, { 'x-forwarded-for': `10.0.0.${i}` }), 0);
  assert.is(await countRequest('2001:db8:0:0:ffff::1'), 1);
  assert.is(await countRequest('2001:db8:0:1::1'), 0, 'another network');
  for (let i = 0; i < 3_000; i++) assert.is(await countRequest(i % 2 ? '192.0.2.7' : '::ffff:192.0.2.7'), 0);
  assert.is(await countRequest('192.0.2.7'), 1);
  assert.is(await countRequest('192.0.2.8'), 0);
});

test('takes the client’s address from the last trusted proxy', () => {
  const readClientInfo = clientInfoReader(['127.0.0.1', '10.0.0.0/8', '2001:db8::/32']);
  const clientAddress = (address: string, forwarded?: string) =>
    readClientInfo(requestFrom(address, forwarded === undefined ? {} : { 'x-forwarded-for': forwarded })).address;
  for (const [address, forwarded, expected] of [
    ['192.0.2.1', undefined, '192.0.2.1'],
    ['192.0.2.1', '198.51.100.1', '192.0.2.1'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['127.0.0.1', 'forged, 203.0.113.9, 198.51.100.1', '198.51.100.1'],
    ['127.0.0.1', '203.0.113.9, 198.51.100.1, 10.1.2.3', '198.51.100.1'],
    ['127.0.0.1', '10.9.9.9, 10.1.2.3', '10.9.9.9'],
    ['127.0.0.1', '203.0.113.9, unknown', '127.0.0.1'],
    ['127.0.0.1', '203.0.113.9, unknown, 10.1.2.3', '10.1.2.3'],
    ['127.0.0.1', '', '127.0.0.1'],
    ['127.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['127.0.0.1', '[2001:DB9::1]:4711', '2001:db9::1'],
    ['2001:db8::7', '2001:db9::1', '2001:db9::1'],
    ['2001:db8::7', 'fe80::1%eth0', 'fe80::1'],
    ['2001:db9::7', '198.51.100.1', '2001:db9::7'],
    ['127.0.0.1', `${'198.51.100.1,'.repeat(1_000)}${'10.0.0.1,'.repeat(15)}10.0.0.2`, '10.0.0.1'],
  ] as const) {
    assert.is(clientAddress(address, forwarded), expected, `${address} ${forwarded?.slice(-60)}`);
  }
});

test('cuts a User-Agent and removes special characters', () => {
  const agentOf = (agent: string) => clientInfoReader([])(requestFrom('127.0.0.1', { 'user-agent': agent })).agent;
  assert.is(agentOf(`  curl/8\u0000\t\u0085é\u009b31m `), 'curl/8     31m');
  assert.is(agentOf('a'.repeat(10_000)).length, 256);
  assert.is(clientInfoReader([])(requestFrom('127.0.0.1')).agent, '');
});

const echo = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

test('answers MCP, direct calls and health checks with 429 and Retry-After', async () => {
  const limits = createRateLimits(3, clientInfoReader([]), () => 0);
  const service = await startToyService({ limits });
  const get = (path: string) => request(service.url + path);
  assert.is((await post(service, echo)).status, 200);
  assert.is((await get('/api/mcp/tools/echo')).status, 200);
  assert.is((await get('/api/mcp/v1/health')).status, 200);
  const before = service.tools.calls.length;
  for (const reply of [await post(service, echo), await get('/api/mcp/tools/echo'), await get('/api/mcp/v1/health')]) {
    assert.is(reply.status, 429);
    assert.is(reply.headers.get('retry-after'), '20');
    const { code, retryable, retry_after_seconds, message } = reply.json.error as Record<string, unknown>;
    assert.equal([code, retryable, retry_after_seconds], ['rate_limited', true, 20]);
    assert.match(String(message), /^Too many requests\. Wait 20 s/);
  }
  assert.is(service.tools.calls.length, before);
  assert.is((await fetch(`${service.url}/readyz`)).status, 200, 'probes are not limited');
  await service.stop();
});

test('queries the stores once for concurrent readiness checks', async () => {
  let queries = 0;
  let arrived = 0;
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const health = async () => {
    queries += 1;
    await answered;
    return { serving: true };
  };
  const service = await startToyService({ health });
  service.server.on('request', () => {
    arrived += 1;
  });
  const all = Array.from({ length: 20 }, () => fetch(`${service.url}/readyz`));
  await until(() => arrived === all.length);
  answer();
  for (const { status } of await Promise.all(all)) assert.is(status, 200);
  assert.is(queries, 1);
  await fetch(`${service.url}/readyz`);
  assert.is(queries, 2, 'the result is not cached');
  await service.stop();
});

test('counts refused credentials by address, and valid ones from there separately', async () => {
  let now = 0;
  const limits = createRateLimits(null, clientInfoReader(['127.0.0.1']), () => now);
  const service = await startToyService({ limits });
  const statusFor = async (authorization?: string, address = '192.0.2.1') => {
    const headers: Record<string, string> = { 'X-Forwarded-For': address };
    if (authorization !== undefined) headers.Authorization = authorization;
    return (await fetch(`${service.url}/api/mcp/tools/echo`, { headers })).status;
  };
  assert.is(await statusFor('Bearer wrong'), 401);
  for (let i = 1; i < 3_000; i++) limits.countStranger(requestFrom('192.0.2.1'));
  assert.is(await statusFor('Bearer wrong'), 429);
  assert.is(await statusFor(), 429);
  assert.is(await statusFor('Bearer'), 429);
  assert.is(await statusFor(`Bearer ${TOKEN}`), 200);
  assert.is(await statusFor('Bearer away'), 503, 'a token is not counted while the store is down');
  assert.is(await statusFor('Bearer wrong', '192.0.2.2'), 401);
  now += 60_000;
  assert.is(await statusFor('Bearer wrong'), 401);
  await service.stop();
});

test('counts OAuth requests by address before doing anything', async () => {
  let served = 0;
  const serve: OAuth['serve'] = async (_request, response) => {
    served += 1;
    response.writeHead(200).end('{}');
  };
  let account: string | null = null;
  const signedIn = async () => account;
  const oauth = {
    addresses: new OAuthAddresses('http://localhost'),
    ...{ serve, signedIn },
    documents: { areAdvertised: () => true },
    requireTrust: () => undefined,
    authorizationError: () => null,
  } as unknown as OAuth;
  const limits = createRateLimits(null, clientInfoReader([]), () => 0);
  const app = new Koa<RequestState>()
    .use(requestMiddleware(pino({ level: 'silent' })))
    .use(oauthEndpoints(oauth, limits));
  const server = await startServer(app.callback(), { host: '127.0.0.1', port: 0 });
  const send = (path: string, method = 'POST') =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { method, redirect: 'manual' });
  const endpoints = [
    ...['/oauth/token', '/oauth/register', '/oauth/revoke'].map((path) => () => send(path)),
    ...['/oauth/authorize?x=1', '/.well-known/oauth-authorization-server'].map((path) => () => send(path, 'GET')),
  ];
  for (const callEndpoint of endpoints) assert.is((await callEndpoint()).status, 200);
  assert.is(served, 4);
  for (let i = endpoints.length; i < 3_000; i++) limits.countStranger(requestFrom('127.0.0.1'));
  for (const callEndpoint of endpoints) {
    const { status, headers } = await callEndpoint();
    assert.is(status, 429);
    assert.is(headers.get('retry-after'), '1');
  }
  assert.is(served, 4);
  account = 'acc_1';
  assert.is((await send('/oauth/authorize?x=1', 'GET')).status, 200, 'a signed-in person');
  assert.is((await send('/oauth/register')).status, 429, 'a program without a session');
  await stopServer(server, 100);
});

test('counts two credentials of one account separately', async () => {
  const callers = new Map<string, Caller>(['a', 'b'].map((name) => [name, { ...CALLER, token_id: `tok_${name}` }]));
  const service = await startToyService({
    limits: createRateLimits(1, clientInfoReader([]), () => 0),
    authenticate: async (token) => callers.get(token) ?? null,
  });
  const statusFor = async (token: string) =>
    (await request(`${service.url}/api/mcp/tools/echo`, { headers: { Authorization: `Bearer ${token}` } })).status;
  assert.is(await statusFor('a'), 200);
  assert.is(await statusFor('a'), 429);
  assert.is(await statusFor('b'), 200);
  await service.stop();
});

test.run();
