/** Form bodies that browsers do not send. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import pino from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { type RequestState, requestMiddleware } from '../../src/http/request.ts';
import { startServer, stopServer } from '../../src/http/server.ts';
import { checkForm, readForm, repeatedField, singleField } from '../../src/web/server/form-state.ts';
import { raw } from '../support/mcp/toy-tools.ts';

const test = suite<{ server: Server; port: number }>('forms');

const SHAPE = { name: singleField(z.string()), role: repeatedField(z.string()) };

test.before(async (context) => {
  const app = new Koa<RequestState>().use(requestMiddleware(pino({ level: 'silent' })));
  app.silent = true;
  app.use(async (ctx) => {
    const form = await readForm(ctx.req);
    ctx.body = { sent: [...form], read: checkForm(SHAPE, form).value };
  });
  context.server = await startServer(app.callback(), { host: '127.0.0.1', port: 0, requestTimeoutMs: 500 });
  context.port = (context.server.address() as AddressInfo).port;
});
test.after(({ server }) => stopServer(server, 100));

const URLENCODED = 'application/x-www-form-urlencoded';

async function send(port: number, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': URLENCODED, ...headers },
  });
  return { status: response.status, json: (await response.json()) as { sent: [string, string[]][]; read: unknown } };
}

test('accepts forms up to 64 KiB, with or without Content-Length', async ({ port }) => {
  const maxValueBytes = 64 * 1024 - 'name='.length;
  assert.is((await send(port, `name=${'a'.repeat(maxValueBytes)}`)).status, 200);
  assert.is((await send(port, `name=${'a'.repeat(maxValueBytes + 1)}`)).status, 413);
  const head = ['POST / HTTP/1.1', 'Host: localhost', 'Connection: close', `Content-Type: ${URLENCODED}`];
  const chunk = `4000\r\n${'a'.repeat(0x4000)}\r\n`;
  const chunked = (count: number) =>
    raw(port, `${[...head, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n`, chunk.repeat(count), '0\r\n\r\n');
  assert.match(await chunked(4), /^HTTP\/1\.1 200 /);
  assert.match(await chunked(5), /^HTTP\/1\.1 413 /);
  const slow = await raw(port, `${[...head, 'Content-Length: 100'].join('\r\n')}\r\n\r\nname=`);
  assert.match(slow, /^HTTP\/1\.1 408 /);
});

test('accepts one content type and one encoding', async ({ port }) => {
  for (const [type, status] of [
    [URLENCODED, 200],
    [`${URLENCODED}; charset=UTF-8`, 200],
    [`${URLENCODED}; charset=utf-7`, 415],
    [`${URLENCODED}, text/plain`, 415],
    ['text/plain', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/json', 415],
  ] as const) {
    assert.is((await send(port, 'name=a', { 'Content-Type': type })).status, status, type);
  }
  assert.is((await send(port, 'name=a', { 'Content-Encoding': 'gzip' })).status, 415);
});

test('treats field names as plain text', async ({ port }) => {
  const names = ['__proto__', 'constructor', 'prototype[polluted]', '__proto__[polluted]', 'a[b][c]', 'toString'];
  const { status, json } = await send(
    port,
    `${names.map((name) => `${encodeURIComponent(name)}=yes`).join('&')}&name=a`,
  );
  assert.is(status, 200);
  assert.equal(
    json.sent.map(([name]) => name),
    [...names, 'name'],
  );
  assert.equal(json.read, { name: 'a', role: [] });
  assert.is(({} as Record<string, unknown>).polluted, undefined);
});

test('refuses repeated fields and too many fields', async ({ port }) => {
  const repeatedFields = await send(port, 'name=a&name=b&role=x&role=y');
  assert.is(repeatedFields.json.read, null);
  assert.equal((await send(port, 'role=x&role=y')).json.read, { name: '', role: ['x', 'y'] });
  assert.is((await send(port, 'a=1&'.repeat(300))).status, 200);
  assert.is((await send(port, 'a=1&'.repeat(301))).status, 400);
});

test('keeps invalid UTF-8 and line ends out of headers', async ({ port }) => {
  const { status, json } = await send(port, 'name=%ff%fe%00%0d%0aSet-Cookie:%20x=1');
  assert.is(status, 200);
  assert.equal(json.read, { name: '\ufffd\ufffd\0\r\nSet-Cookie: x=1', role: [] });
});

test.run();
