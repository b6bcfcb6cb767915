/** Rate limits, and the callers that they tell apart. */
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import pino from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Caller } from '../../src/commands/caller.ts';
import { clientInfoReader } from '../../src/http/client-info-reader.ts';
import { HttpError } from '../../src/http/http-errors.ts';
import { oauthEndpoints } from '../../src/http/oauth-endpoints.ts';
import { createRateLimits } from '../../src/http/rate-limits.ts';
import { type RequestState, requestMiddleware } from '../../src/http/request.ts';
import { startServer, stopServer } from '../../src/http/server.ts';
import { OAuthAddresses } from '../../src/identity/oauth/addresses.ts';
import type { OAuth } from '../../src/identity/oauth/oauth.ts';
import { RateLimit } from '../../src/identity/rate-limit.ts';
import { CALLER, post, request, startToyService, TOKEN, until } from '../support/toy-tools.ts';

const test = suite('limits');

/** A request as far as its sender is concerned. */
const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;

test("a minute's worth comes at once, then evenly", () => {
  let now = 5;
  const limit = new RateLimit(60, 60_000, () => now);
  const burst = () => {
    let taken = 0;
    while (limit.take('a') === 0) taken += 1;
    return taken;
  };
  assert.is(burst(), 60);
  assert.is(Math.round(limit.take('a')), 1_000, 'the next one is a second away');
  assert.is(limit.take('b'), 0, 'another is not concerned');
  now += 999;
  assert.is.not(limit.take('a'), 0);
  now += 1;
  assert.is(limit.take('a'), 0);
  assert.is.not(limit.take('a'), 0);
  now += 10_000;
  assert.is(burst(), 10, 'being refused costs nothing');
  now += 3_600_000;
  assert.is(burst(), 60, 'an hour of silence saves up a minute');
});

for (const perMinute of [1, 7, 6_000, 999_999]) {
  test(`${perMinute} a minute are exactly ${perMinute}`, () => {
    const limit = new RateLimit(perMinute, 60_000, () => 1e9);
    for (let i = 0; i < perMinute; i++) if (limit.take('a') !== 0) throw new Error(`refused after ${i}`);
    assert.is.not(limit.take('a'), 0);
  });
}

test('a flood of addresses takes a bounded amount of memory', () => {
  const limit = new RateLimit(60, 60_000, () => 0);
  for (let i = 0; i < 100_000; i++) limit.take(`address ${i}`);
  assert.ok(limit.size <= 20_000);
});

/** Returns the seconds that a rate limit makes a caller wait; 0 for none. */
function waitOf(count: () => void): number {
  try {
    count();
    return 0;
  } catch (error) {
    assert.instance(error, HttpError);
    const { status, headers, details } = error as HttpError;
    assert.is(status, 429);
    assert.is(headers['Retry-After'], String(details.retry_after_seconds));
    return details.retry_after_seconds!;
  }
}

test('the credentials of one account share five times what each may', () => {
  const limits = createRateLimits(10, clientInfoReader([]), () => 0);
  const call = (token_id: string | null, account_id = 'acc_1') =>
    waitOf(() => limits.countCaller({ account_id, token_id }));
  for (let i = 0; i < 10; i++) assert.is(call('tok_1'), 0);
  assert.is(call('tok_1'), 6, 'a tenth of a minute');
  for (let i = 0; i < 40; i++) assert.is(call(`tok_${2 + (i % 4)}`), 0);
  assert.ok(call('tok_9') > 0, 'a new token is no way around');
  assert.ok(call(null) > 0, 'nor are the pages');
  assert.is(call('tok_10', 'acc_2'), 0);
});

test('strangers are counted by address, IPv6 by its /64, whatever they say of themselves', () => {
  const limits = createRateLimits(null, clientInfoReader([]), () => 0);
  const ask = (address: string, headers = {}) => waitOf(() => limits.countStranger(from(address, headers)));
  for (let i = 0; i < 3_000; i++)
    assert.is(ask(`2001:db8::${i.toString(16)}`, { 'x-forwarded-for': `10.0.0.${i}` }), 0);
  assert.is(ask('2001:db8:0:0:ffff::1'), 1);
  assert.is(ask('2001:db8:0:1::1'), 0, 'another network');
  for (let i = 0; i < 3_000; i++) assert.is(ask(i % 2 ? '192.0.2.7' : '::ffff:192.0.2.7'), 0);
  assert.is(ask('192.0.2.7'), 1);
  assert.is(ask('192.0.2.8'), 0);
});

test('a client is where the last proxy that is trusted saw it', () => {
  const readClientInfo = clientInfoReader(['127.0.0.1', '10.0.0.0/8', '2001:db8::/32']);
  const seen = (address: string, forwarded?: string) =>
    readClientInfo(from(address, forwarded === undefined ? {} : { 'x-forwarded-for': forwarded })).address;
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
    assert.is(seen(address, forwarded), expected, `${address} ${forwarded?.slice(-60)}`);
  }
});

test('a User-Agent is cut, and holds nothing but plain letters', () => {
  const agentOf = (agent: string) => clientInfoReader([])(from('127.0.0.1', { 'user-agent': agent })).agent;
  assert.is(agentOf(`  curl/8\u0000\t\u0085é\u009b31m `), 'curl/8     31m');
  assert.is(agentOf('a'.repeat(10_000)).length, 256);
  assert.is(clientInfoReader([])(from('127.0.0.1')).agent, '');
});

const echo = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

test('over the limit, every form answers 429 with the wire’s error and when to come back', async () => {
  const limits = createRateLimits(3, clientInfoReader([]), () => 0);
  const service = await startToyService({ limits });
  const ask = (path: string) => request(service.url + path);
  assert.is((await post(service, echo)).status, 200);
  assert.is((await ask('/api/mcp/tools/echo')).status, 200);
  assert.is((await ask('/api/mcp/v1/health')).status, 200);
  const before = service.tools.calls.length;
  for (const reply of [await post(service, echo), await ask('/api/mcp/tools/echo'), await ask('/api/mcp/v1/health')]) {
    assert.is(reply.status, 429);
    assert.is(reply.headers.get('retry-after'), '20');
    const { code, retryable, retry_after_seconds, message } = reply.json.error as Record<string, unknown>;
    assert.equal([code, retryable, retry_after_seconds], ['rate_limited', true, 20]);
    assert.match(String(message), /^Too many requests\. Wait 20 s/);
  }
  assert.is(service.tools.calls.length, before);
  assert.is((await fetch(`${service.url}/readyz`)).status, 200, 'probes are not concerned');
  await service.stop();
});

test('however many ask at once whether it is ready, the stores are asked once', async () => {
  let asked = 0;
  let arrived = 0;
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const health = async () => {
    asked += 1;
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
  assert.is(asked, 1);
  await fetch(`${service.url}/readyz`);
  assert.is(asked, 2, 'an answer is not kept');
  await service.stop();
});

test('refused credentials run into the limit of their address, good ones from there do not', async () => {
  let now = 0;
  const limits = createRateLimits(null, clientInfoReader(['127.0.0.1']), () => now);
  const service = await startToyService({ limits });
  const ask = async (authorization?: string, address = '192.0.2.1') => {
    const headers: Record<string, string> = { 'X-Forwarded-For': address };
    if (authorization !== undefined) headers.Authorization = authorization;
    return (await fetch(`${service.url}/api/mcp/tools/echo`, { headers })).status;
  };
  assert.is(await ask('Bearer wrong'), 401);
  for (let i = 1; i < 3_000; i++) limits.countStranger(from('192.0.2.1'));
  assert.is(await ask('Bearer wrong'), 429);
  assert.is(await ask(), 429);
  assert.is(await ask('Bearer'), 429);
  assert.is(await ask(`Bearer ${TOKEN}`), 200);
  assert.is(await ask('Bearer away'), 503, 'what cannot be checked is not counted');
  assert.is(await ask('Bearer wrong', '192.0.2.2'), 401);
  now += 60_000;
  assert.is(await ask('Bearer wrong'), 401);
  await service.stop();
});

test('whoever asks the OAuth server is counted by address, before it does anything', async () => {
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
    waitToRegister: () => 0,
    authorizationError: () => null,
  } as unknown as OAuth;
  const limits = createRateLimits(null, clientInfoReader([]), () => 0);
  const app = new Koa<RequestState>()
    .use(requestMiddleware(pino({ level: 'silent' })))
    .use(oauthEndpoints(oauth, limits));
  const server = await startServer(app.callback(), { host: '127.0.0.1', port: 0 });
  const ask = (path: string, method = 'POST') =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { method, redirect: 'manual' });
  const places = [
    ...['/oauth/token', '/oauth/register', '/oauth/revoke'].map((path) => () => ask(path)),
    ...['/oauth/authorize?x=1', '/.well-known/oauth-authorization-server'].map((path) => () => ask(path, 'GET')),
  ];
  for (const place of places) assert.is((await place()).status, 200);
  assert.is(served, 4);
  for (let i = places.length; i < 3_000; i++) limits.countStranger(from('127.0.0.1'));
  for (const place of places) {
    const { status, headers } = await place();
    assert.is(status, 429);
    assert.is(headers.get('retry-after'), '1');
  }
  assert.is(served, 4);
  account = 'acc_1';
  assert.is((await ask('/oauth/authorize?x=1', 'GET')).status, 200, 'somebody who has signed in');
  assert.is((await ask('/oauth/register')).status, 429, 'no program is known');
  await stopServer(server, 100);
});

test('two credentials of one account are two', async () => {
  const callers = new Map<string, Caller>(['a', 'b'].map((name) => [name, { ...CALLER, token_id: `tok_${name}` }]));
  const service = await startToyService({
    limits: createRateLimits(1, clientInfoReader([]), () => 0),
    authenticate: async (token) => callers.get(token) ?? null,
  });
  const ask = async (token: string) =>
    (await request(`${service.url}/api/mcp/tools/echo`, { headers: { Authorization: `Bearer ${token}` } })).status;
  assert.is(await ask('a'), 200);
  assert.is(await ask('a'), 429);
  assert.is(await ask('b'), 200);
  await service.stop();
});

test.run();
