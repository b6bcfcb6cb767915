/** Requests with unusual Host and Origin headers, and credentials with stray white space. */
import type { IncomingMessage } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hostGuard, originGuard } from '../../src/http/access/origin.ts';
import { HttpError } from '../../src/http/http-errors.ts';
import { raw, startToyService, TOKEN } from '../support/mcp/toy-tools.ts';

const test = suite('host and origin');

/** Returns true if a guard accepts these headers. */
function admits(guard: (request: IncomingMessage) => void, headers: { host?: string; origin?: string }): boolean {
  try {
    guard({ headers } as IncomingMessage);
    return true;
  } catch (error) {
    assert.instance(error, HttpError);
    assert.is((error as HttpError).status, 403);
    return false;
  }
}

const BASE = 'https://grc.example.com';

test('accepts a host by its exact name', () => {
  const takes = (host: string, base = BASE) => {
    const both = [hostGuard(base), originGuard(base)].map((guard) => admits(guard, { host }));
    assert.is(both[0], both[1], host);
    return both[0];
  };
  for (const host of [
    ...['grc.example.com', 'GRC.Example.COM', 'grc.example.com:443', 'grc.example.com:8443'],
    ...['localhost', 'LOCALHOST:8080', '127.0.0.1', '127.0.0.1:1', '[::1]', '[::1]:8080'],
  ]) {
    assert.ok(takes(host), host);
  }
  for (const host of [
    ...[
      '',
      ' ',
      'evil.example',
      'grc.example.com.evil.example',
      'evil-grc.example.com',
      'example.com',
      'x.grc.example.com',
    ],
    ...['grc.example.com.', 'localhost.', 'localhost.evil.example', 'xlocalhost', '127.0.0.1.nip.io', '127.0.0.1.'],
    ...[
      'grc.example.com:',
      'grc.example.com:x',
      'grc.example.com:80:80',
      'localhost:80@evil.example',
      'localhost:123456',
    ],
    ...[
      'evil.example:80@localhost',
      'user@localhost',
      'user:pass@grc.example.com',
      'evil.example#localhost',
      'localhost/x',
    ],
    ...[
      'evil.example, localhost',
      'localhost, evil.example',
      'localhost evil.example',
      'evil.example\\localhost',
      'localhost\t',
    ],
    ...['127.1', '127.0.0.2', '0.0.0.0', '0', '2130706433', '0x7f000001', '0177.0.0.1', '127.000.000.001'],
    ...[
      '::1',
      '[::1',
      '::1]',
      '[::]',
      '[0:0:0:0:0:0:0:1]',
      '[::ffff:127.0.0.1]',
      '[::1%lo]',
      '[fe80::1]',
      '[::1]x',
      '[[::1]]',
    ],
    ...['%6cocalhost', 'localhost%00', 'localhost%2eevil.example', 'ｌocalhost', 'grc.example。com', '*', 'null'],
  ]) {
    assert.not(takes(host), host);
  }
  assert.ok(takes('[2001:db8::7]:8443', 'https://[2001:DB8::7]:8443'));
  assert.not(takes('[2001:db8::8]', 'https://[2001:db8::7]'));
  assert.ok(takes('xn--bcher-kva.example', 'https://bücher.example'));
  assert.not(admits(originGuard(BASE), {}), 'no host at all');
});

test('accepts an origin by its exact text', () => {
  const guard = originGuard(BASE);
  for (const [host, origin, expected] of [
    ['grc.example.com', BASE, true],
    ['localhost:8080', BASE, true],
    ['localhost:8080', 'http://localhost:8080', true],
    ['localhost:8080', 'https://localhost:8080', true],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080', true],
    ['[::1]:8080', 'http://[::1]:8080', true],
    ['localhost:8080', 'http://127.0.0.1:8080', false],
    ['localhost:8080', 'http://localhost', false],
    ['localhost:8080', 'http://localhost:80', false],
    ['localhost:8080', 'http://localhost:80800', false],
    ['localhost:8080', 'http://user@localhost:8080', false],
    ['localhost:8080', 'http://localhost:8080/', false],
    ['localhost:8080', 'http://localhost.:8080', false],
    ['localhost:8080', 'file://localhost:8080', false],
    ['grc.example.com', 'http://grc.example.com', false],
    ['grc.example.com', 'https://grc.example.com:8443', false],
    ['grc.example.com:8443', 'https://grc.example.com:8443', false],
    ['grc.example.com', 'https://grc.example.com.', false],
    ['grc.example.com', 'https://GRC.example.com', false],
    ['grc.example.com', 'https://x.grc.example.com', false],
    ['grc.example.com', 'https://grc.example.com.evil.example', false],
    ['grc.example.com', 'https://grc.example.com@evil.example', false],
    ['grc.example.com', `${BASE}, https://evil.example`, false],
    ['grc.example.com', `https://evil.example ${BASE}`, false],
    ['grc.example.com', 'null', false],
    ['grc.example.com', '', false],
    ['localhost:8080', 'null', false],
  ] as const) {
    assert.is(admits(guard, { host, origin }), expected, `${host} ${origin}`);
  }
});

test('checks only the host for public paths', () => {
  assert.ok(admits(hostGuard(BASE), { host: 'grc.example.com', origin: 'https://evil.example' }));
  assert.not(admits(hostGuard(BASE), { host: 'evil.example', origin: BASE }));
});

test('gives a browser on another site nothing to read, also after a preflight', async () => {
  const service = await startToyService();
  const send = (method: string, ...lines: string[]) =>
    raw(
      service.port,
      `${[`${method} /api/mcp/v1 HTTP/1.1`, 'Host: localhost', 'Connection: close', ...lines].join('\r\n')}\r\n\r\n`,
    );
  const origin = 'Origin: https://evil.example';
  const preflight = await send(
    'OPTIONS',
    origin,
    'Access-Control-Request-Method: POST',
    'Access-Control-Request-Headers: authorization',
  );
  const question = await send('POST', origin, `Authorization: Bearer ${TOKEN}`, 'Content-Length: 0');
  assert.match(preflight, /^HTTP\/1\.1 405 /);
  assert.match(question, /^HTTP\/1\.1 403 /);
  for (const answer of [preflight, question]) assert.not.match(answer, /access-control/i);
  assert.is(service.tools.calls.length, 0);
  await service.stop();
});

test('accepts no credential with stray white space', async () => {
  const service = await startToyService();
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const send = async (request: string, header: string, body = '') => {
    const lines = [
      `${request} HTTP/1.1`,
      'Host: localhost',
      'Connection: close',
      header,
      'Content-Type: application/json',
    ];
    const answer = await raw(
      service.port,
      `${[...lines, `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n${body}`,
    );
    return Number(answer.split(' ')[1]);
  };
  const forms: ((header: string) => Promise<number>)[] = [
    (header) => send('POST /api/mcp/v1', header, ping),
    (header) => send('POST /api/mcp/tools/echo', header, '{}'),
    (header) => send('GET /api/mcp/tools/echo', header),
    (header) => send('GET /api/mcp/v1/health', header),
  ];
  const middle = TOKEN.length >> 1;
  for (const form of forms) {
    // HTTP itself removes white space around a header's value.
    for (const header of [`Authorization: Bearer ${TOKEN}`, `Authorization:\t Bearer ${TOKEN}\t `]) {
      assert.is(await form(header), 200, JSON.stringify(header));
    }
    for (const space of [' ', '\t', '  ', '\u00a0', '\v', '\f', '\u0085', '+', '%20']) {
      for (const value of [
        `Bearer${space === ' ' ? '  ' : space}${TOKEN}`,
        `Bearer ${space}${TOKEN}`,
        `Bearer${space} ${TOKEN}`,
        `Bea${space}rer ${TOKEN}`,
        `Bearer ${TOKEN.slice(0, middle)}${space}${TOKEN.slice(middle)}`,
        `Bearer ${TOKEN}${space}x`,
      ]) {
        const status = await form(`Authorization: ${value}`);
        assert.ok(status === 401 || status === 400, `${status} ${JSON.stringify(value)}`);
      }
    }
    for (const end of ['\r', '\n', '\r\n ', '\r\n\t', '\0']) {
      for (const value of [`Bearer ${end}${TOKEN}`, `Bearer${end} ${TOKEN}`, `Bearer ${TOKEN}${end}x`]) {
        const status = await form(`Authorization: ${value}`);
        assert.ok(status === 401 || status === 400, `${status} ${JSON.stringify(value)}`);
      }
    }
  }
  assert.is(service.tools.calls.length, 4, 'those of the good ones to tools');
  await service.stop();
});

test.run();
