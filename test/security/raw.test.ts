/** Requests that no client sends, written byte by byte: paths, framing, sizes and times. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { raw, startToyService, TOKEN, type ToyService, until } from '../support/mcp/toy-tools.ts';

const test = suite<{ service: ToyService }>('raw requests');

test.before(async (context) => {
  context.service = await startToyService();
});
test.after(async ({ service }) => service.stop());

const AUTH = `Authorization: Bearer ${TOKEN}`;
const CLOSE = 'Connection: close';
const HOST = 'Host: localhost';

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`;
const get = (target: string, ...headers: string[]) => lines(`GET ${target} HTTP/1.1`, HOST, CLOSE, AUTH, ...headers);
const post = (body: string, ...headers: string[]) =>
  lines('POST /api/mcp/tools/add HTTP/1.1', HOST, CLOSE, AUTH, 'Content-Type: application/json', ...headers) + body;
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);

test('accepts one spelling of the endpoint', async ({ service }) => {
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const send = async (target: string) => {
    const head = [`POST ${target} HTTP/1.1`, HOST, CLOSE, AUTH, 'Content-Type: application/json'];
    return statusOf(await raw(service.port, lines(...head, `Content-Length: ${ping.length}`) + ping));
  };
  for (const target of ['/api/mcp/v1', '/api/mcp/v1/', '/api/mcp/v1?x=1', '/api/mcp/v1/?x=%2f..']) {
    assert.is(await send(target), 200, target);
  }
  for (const target of [
    '//api/mcp/v1',
    '/api//mcp/v1',
    '/api/mcp/v1//',
    '/./api/mcp/v1',
    '/api/mcp/./v1',
    '/api/x/../mcp/v1',
    '/api/mcp/tools/../v1',
    '/api/%2e%2e/api/mcp/v1',
    '/api/mcp/%2e/v1',
    '/api%2fmcp%2fv1',
    '/api/mcp%2Fv1',
    '/api/mcp/%76%31',
    '/API/MCP/V1',
    '/api/mcp/V1',
    '/api/mcp/v1.',
    '/api/mcp/v1%20',
    '/api/mcp/v1%00',
    '/api/mcp/v1;x=1',
    '/api/mcp\\v1',
    '/api/mcp/v1/x',
  ]) {
    assert.is(await send(target), 404, target);
  }
  for (const target of [
    `http://localhost:${service.port}/api/mcp/v1`,
    'http://evil.example/api/mcp/v1',
    'http:///api/mcp/v1',
    '*',
    '/api/mcp/v1#x',
    '/api/mcp/v1 x',
    '/api/mcp/v1\tx',
    '/api/mcp/v1\u0000',
  ]) {
    assert.is(await send(target), 400, target);
  }
});

test('the direct form accepts only plain tool names', async ({ service }) => {
  for (const target of [
    '/API/MCP/TOOLS/echo',
    '/api/mcp/tools//echo',
    '/api/mcp/tools/ECHO',
    '/api/mcp/tools/echo%2f',
    '/api/mcp/tools/echo%00',
    '/api/mcp/tools/echo.',
    '/api/mcp/tools/x/../echo',
    '/api/mcp/tools/..%2ftools%2fecho',
    '/api/mcp/tools/__proto__',
    '/api/mcp/tools/constructor',
    '/api/mcp/tools/toString',
    '/api/mcp/tools/%',
  ]) {
    assert.is(statusOf(await raw(service.port, get(target))), 404, target);
  }
});

test('refuses an ambiguous length, and never reads the rest as a request', async ({ service }) => {
  const inner = lines('GET /livez HTTP/1.1', HOST);
  const before = service.tools.calls.length;
  for (const [name, request] of Object.entries({
    'length, then chunks': post(`0\r\n\r\n${inner}`, 'Content-Length: 2', 'Transfer-Encoding: chunked'),
    'chunks, then length': post(`0\r\n\r\n${inner}`, 'Transfer-Encoding: chunked', 'Content-Length: 2'),
    'two lengths': post(`{}${inner}`, 'Content-Length: 2', 'Content-Length: 200'),
    'two lengths that agree': post(`{}${inner}`, 'Content-Length: 2', 'Content-Length: 2'),
    'a list of lengths': post(`{}${inner}`, 'Content-Length: 2, 2'),
    'a signed length': post(`{}${inner}`, 'Content-Length: +2'),
    'a negative length': post(`{}${inner}`, 'Content-Length: -2'),
    'a hexadecimal length': post(`{}${inner}`, 'Content-Length: 0x2'),
    'an unknown coding': post(`0\r\n\r\n${inner}`, 'Transfer-Encoding: xchunked'),
    'a coding after chunked': post(`0\r\n\r\n${inner}`, 'Transfer-Encoding: chunked, identity'),
    'a space before the colon': post(`0\r\n\r\n${inner}`, 'Transfer-Encoding : chunked'),
    'a folded coding': post(`0\r\n\r\n${inner}`, 'Transfer-Encoding:\r\n chunked'),
    'two codings': post(`0\r\n\r\n${inner}`, 'Transfer-Encoding: identity', 'Transfer-Encoding: chunked'),
  })) {
    const answer = await raw(service.port, request);
    assert.is(statusOf(answer), 400, name);
    assert.is(answer.split('HTTP/1.1 ').length, 2, `${name}: one answer`);
    assert.is(service.tools.calls.length, before, `${name}: no call`);
  }
  for (const chunks of [
    '2\n{}\r\n0\r\n\r\n',
    '0x2\r\n{}\r\n0\r\n\r\n',
    '1\r\n{}\r\n0\r\n\r\n',
    ' 2\r\n{}\r\n0\r\n\r\n',
  ]) {
    const answer = await raw(service.port, post(chunks + inner, 'Transfer-Encoding: chunked'));
    assert.is(statusOf(answer), 400, JSON.stringify(chunks));
    assert.is(answer.split('HTTP/1.1 ').length, 2, JSON.stringify(chunks));
    assert.is(service.tools.calls.length, before, `${JSON.stringify(chunks)}: no call`);
  }
});

test('refuses headers with stray bytes, folds or other line ends', async ({ service }) => {
  for (const line of [
    'X: a\rb',
    'X: a\0b',
    'X\0: a',
    'X : a',
    ' X: a',
    'X: a\r\n b',
    'X: a\n\nGET /livez HTTP/1.1',
    'X',
  ]) {
    assert.is(statusOf(await raw(service.port, get('/livez', line))), 400, JSON.stringify(line));
  }
  const bareLineFeeds = 'GET /livez HTTP/1.1\nHost: localhost\nConnection: close\n\n';
  assert.is(statusOf(await raw(service.port, bareLineFeeds)), 400);
});

test('requires exactly one Host', async ({ service }) => {
  const path = '/api/mcp/v1/health';
  assert.is(statusOf(await raw(service.port, get(path))), 200);
  assert.is(statusOf(await raw(service.port, get(path, 'Host: evil.example'))), 400);
  assert.is(statusOf(await raw(service.port, get(path, 'host: localhost'))), 400);
  assert.is(statusOf(await raw(service.port, lines(`GET ${path} HTTP/1.1`, CLOSE, AUTH))), 400);
  assert.is(statusOf(await raw(service.port, lines(`GET ${path} HTTP/1.0`, AUTH))), 403);
});

test('refuses oversized requests before parsing them', async ({ service }) => {
  const headers = Array.from({ length: 100 }, (_, i) => `X-${i}: a`);
  const long = 'a'.repeat(17_000);
  assert.is(statusOf(await raw(service.port, get('/livez', ...headers.slice(4)))), 200);
  for (const request of [
    get('/livez', ...headers),
    get(`/${long}`),
    get('/livez', `X: ${long}`),
    get('/livez', `${long}: x`),
  ]) {
    assert.is(statusOf(await raw(service.port, request)), 431, request.slice(0, 40));
  }
  assert.is(statusOf(await raw(service.port, get(`/${'a/'.repeat(7_000)}`))), 404);
});

test('refuses methods for proxies', async ({ service }) => {
  const answer = await raw(service.port, lines('CONNECT evil.example:80 HTTP/1.1', 'Host: evil.example:80'));
  assert.is(answer, '');
  assert.is(statusOf(await raw(service.port, lines('TRACE /api/mcp/tools/echo HTTP/1.1', HOST, CLOSE, AUTH))), 405);
  assert.is(statusOf(await raw(service.port, lines('get /livez HTTP/1.1', HOST, CLOSE))), 400);
  assert.is(statusOf(await raw(service.port, lines('PRI * HTTP/2.0', 'SM'))), 400);
  const upgraded = await raw(service.port, get('/livez', 'Upgrade: websocket'));
  assert.is(statusOf(upgraded), 200, 'an upgrade is not taken up');
});

test('disconnects silent and stalled clients, and serves others meanwhile', async () => {
  const service = await startToyService({}, { requestTimeoutMs: 300 });
  const slow = [
    raw(service.port),
    raw(service.port, 'GET /livez HTTP/1.1\r\nHost: loc'),
    raw(service.port, lines('GET /livez HTTP/1.1', HOST).slice(0, -2)),
    raw(service.port, post('{', 'Content-Length: 100')),
    raw(service.port, post('5\r\n{"na', 'Transfer-Encoding: chunked')),
  ];
  assert.is(statusOf(await raw(service.port, get('/livez'))), 200);
  for (const answer of await Promise.all(slow)) assert.is(statusOf(answer), 408);
  await until(() => service.log.length === 3);
  assert.equal(service.log.map(({ status }) => status).sort(), [200, 499, 499]);
  await service.stop();
});

test('refuses addresses with many parameters before anything reads them', async ({ service }) => {
  const statusWith = async (query: string) => statusOf(await raw(service.port, get(`/livez?${query}`)));
  assert.is(await statusWith(`${'a&'.repeat(499)}a`), 200);
  for (const query of ['a&'.repeat(500), '&'.repeat(500), 'scope=a&'.repeat(1_900)]) {
    assert.is(await statusWith(query), 400, query.slice(0, 10));
  }
});

test('ends a connection whose body arrives in very many chunks', async ({ service }) => {
  const head = ['POST /api/mcp/tools/echo HTTP/1.1', HOST, CLOSE, AUTH, 'Content-Type: application/json'];
  const send = (count: number) =>
    raw(
      service.port,
      `${lines(...head, 'Transfer-Encoding: chunked')}${'1\r\n \r\n'.repeat(count)}2\r\n{}\r\n0\r\n\r\n`,
    );
  assert.match(await send(4_000), /^HTTP\/1\.1 /);
  const before = service.log.length;
  assert.is(await send(6_000), '');
  await until(() => service.log.length > before);
  assert.is(service.log.at(-1)!.status, 499);
});

test('never repeats input in a header', async ({ service }) => {
  const injected = 'x%0d%0aSet-Cookie:%20stolen=1';
  for (const request of [
    get(`/${injected}`),
    get(`/api/mcp/tools/${injected}`),
    get(`/api/mcp/tools/echo?word=${injected}&${injected}=1`),
    get('/livez', 'X-Request-Id: mine', `User-Agent: ${injected}`, `Origin: http://${injected}`),
    get('/api/mcp/v1/health', `Origin: http://${injected}`),
    get('/api/mcp/openapi.json', `If-None-Match: "${injected}"`),
    lines(`OPTIONS /${injected} HTTP/1.1`, HOST, CLOSE, `Access-Control-Request-Method: ${injected}`),
  ]) {
    const head = (await raw(service.port, request)).split('\r\n\r\n')[0]!;
    assert.match(head, /\r\nX-Request-Id: [\w-]{8}-\d+/);
    assert.not.match(head, /stolen|mine|Access-Control|Set-Cookie|Location/i, request);
  }
});

test.run();
