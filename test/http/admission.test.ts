/** Admission: credentials, and requests from web pages. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Json, post, raw, request, startToyService, TOKEN, type ToyService } from '../support/mcp/toy-tools.ts';

const test = suite<{ service: ToyService }>('admission');

test.before(async (context) => {
  context.service = await startToyService();
});
test.after(async ({ service }) => service.stop());

/** Sends raw header lines. Returns the status and the text of the answer. */
async function statusOf(service: ToyService, path: string, lines: string[]): Promise<[number, string]> {
  const host = lines.some((line) => /^host:/i.test(line)) ? [] : ['Host: localhost'];
  const head = [`GET ${path} HTTP/1.1`, ...host, 'Connection: close', ...lines].join('\r\n');
  const text = await raw(service.port, `${head}\r\n\r\n`);
  return [Number(text.split(' ')[1]), text];
}

const HEALTH = '/api/mcp/v1/health';

test('accepts a credential only as Bearer, one space and the token', async ({ service }) => {
  const headers = [
    `Authorization: Bearer ${TOKEN}`,
    `authorization:Bearer ${TOKEN}`,
    `Authorization: \t Bearer ${TOKEN} \t`,
  ];
  for (const line of headers) assert.is((await statusOf(service, HEALTH, [line]))[0], 200, line);
  const values = [
    'Bearer',
    'Bearer ',
    `Bearer  ${TOKEN}`,
    `Bearer\t${TOKEN}`,
    `Bearer ${TOKEN.slice(0, 4)} ${TOKEN.slice(4)}`,
    `Bearer ${TOKEN.slice(0, 4)}\t${TOKEN.slice(4)}`,
    `Bearer ${TOKEN} x`,
    `Bearer ${TOKEN},`,
    `Bearer ${TOKEN}, Bearer ${TOKEN}`,
    `Bearer "${TOKEN}"`,
    `Bearer \u00a0${TOKEN}`,
    `bearer ${TOKEN}`,
    `BEARER ${TOKEN}`,
    `Bearer${TOKEN}`,
    `Basic ${TOKEN}`,
    TOKEN,
    'Bearer vtr_unknown',
    '',
  ];
  for (const value of values) {
    const [status, text] = await statusOf(service, HEALTH, [`Authorization: ${value}`]);
    assert.is(status, 401, JSON.stringify(value));
    assert.match(text, /WWW-Authenticate: Bearer realm="veritrail", error="invalid_token"/i);
    assert.match(text, /{"error":{"code":"unauthorized","message":"[^"\\]*(\\"[^"\\]*)*","retryable":false}}/);
  }
});

test('refuses a credential sent twice or in several lines', async ({ service }) => {
  const line = `Authorization: Bearer ${TOKEN}`;
  assert.is((await statusOf(service, HEALTH, [line, line]))[0], 401);
  assert.is((await statusOf(service, HEALTH, [line, 'authorization: Bearer other']))[0], 401);
  for (const folded of [`Authorization: Bearer\r\n ${TOKEN}`, `Authorization: Bearer ${TOKEN}\r\n x`]) {
    const [status] = await statusOf(service, HEALTH, [folded]);
    assert.ok(status === 400 || status === 401, `${status}`);
  }
});

test('asks for a credential everywhere', async ({ service }) => {
  for (const [method, path] of [
    ['POST', '/api/mcp/v1'],
    ['GET', HEALTH],
    ['GET', '/api/mcp/tools/echo'],
    ['GET', '/api/mcp/tools/nonsense'],
  ] as const) {
    const response = await fetch(service.url + path, { method });
    assert.is(response.status, 401, path);
    const where = 'https://veritrail.example/.well-known/oauth-protected-resource/api/mcp/v1';
    const expectedChallenge = `resource_metadata="${where}", scope="compliance:read compliance:write"`;
    assert.is(response.headers.get('www-authenticate'), `Bearer realm="veritrail", ${expectedChallenge}`);
    assert.is(((await response.json()) as Json).error?.code as unknown, 'unauthorized');
  }
});

test('answers unavailable, never unauthorized, if a credential can’t be checked, without details', async ({
  service,
}) => {
  for (const path of ['/api/mcp/v1', '/api/mcp/tools/echo']) {
    const away = await request(service.url + path, { method: 'POST', headers: { Authorization: 'Bearer away' } });
    assert.is(away.status, 503);
    assert.is(away.headers.get('retry-after'), '2');
    assert.is(away.json.error?.code as unknown, 'unavailable');
    assert.is(away.json.error?.retryable as unknown, true);
    assert.not.match(away.text, /mongodb/);
    const broken = await request(service.url + path, { method: 'POST', headers: { Authorization: 'Bearer broken' } });
    assert.is(broken.status, 500);
    assert.not.match(broken.text, /boom|secret/);
  }
  const lines = service.log.filter(({ status }) => status === 500);
  assert.match(JSON.stringify(lines), /boom/, 'the error is logged');
});

test('refuses a foreign Host or Origin', async ({ service }) => {
  const auth = `Authorization: Bearer ${TOKEN}`;
  const { port } = service;
  const statusWith = async (...lines: string[]) => (await statusOf(service, HEALTH, [auth, ...lines]))[0];
  for (const host of ['localhost', `127.0.0.1:${port}`, `[::1]:${port}`, `LocalHost:${port}`, 'veritrail.example']) {
    assert.is(await statusWith(`Host: ${host}`), 200, host);
  }
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    'localhost.evil.example',
    '127.0.0.1.nip.io',
    'localhost:x',
    '',
  ]) {
    assert.is(await statusWith(`Host: ${host}`), 403, host);
  }
  const origins: [string, string, number][] = [
    [`localhost:${port}`, `http://localhost:${port}`, 200],
    ['veritrail.example', 'https://veritrail.example', 200],
    [`localhost:${port}`, `http://localhost:${port + 1}`, 403],
    [`localhost:${port}`, 'http://evil.example', 403],
    [`localhost:${port}`, 'null', 403],
    ['veritrail.example', 'http://veritrail.example', 403],
    ['evil.example', 'http://evil.example', 403],
  ];
  for (const [host, origin, expected] of origins) {
    assert.is(await statusWith(`Host: ${host}`, `Origin: ${origin}`), expected, `${host} ${origin}`);
  }
  const withSite = (site: string) => statusWith(`Host: localhost:${port}`, 'Origin: null', `Sec-Fetch-Site: ${site}`);
  assert.is(await withSite('same-origin'), 200, 'a proxy made the browser hide its own page');
  for (const site of ['cross-site', 'same-site', 'none', 'same-origin, cross-site'])
    assert.is(await withSite(site), 403, site);
  const hidden = await post(service, {}, { Origin: 'null' });
  assert.match(
    hidden.json.error?.message as unknown as string,
    /Referrer-Policy to no-referrer: set it to same-origin/,
  );
  const refusal = await post(service, {}, { Origin: 'http://evil.example' });
  assert.is(refusal.status, 403);
  assert.is(Number(refusal.json.error?.code), -32600, 'as a JSON-RPC error');
  assert.is((await statusOf(service, '/readyz', ['Host: 10.0.0.7:8080']))[0], 200, 'probes use the IP address');
});

test.run();
