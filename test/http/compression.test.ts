/** Compressed answers: of tools by both forms, of the OpenAPI document, of files, and for which clients. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { acceptsCoding } from '../../src/http/compression.ts';
import { startToyService, TOKEN, type ToyService } from '../support/mcp/toy-tools.ts';
import { callerAs, ORGANIZATION } from '../support/register.ts';

const test = suite<{ service: ToyService }>('compression');

const CHUNK = Buffer.from(`${'one,two,three\n'.repeat(5_000)}`);

test.before(async (context) => {
  async function* content() {
    yield CHUNK;
    yield CHUNK;
  }
  context.service = await startToyService({
    authenticate: async () => callerAs(),
    reports: {
      files: {
        generate: async ({ format }) => ({
          etag: 'W/"1"',
          file: { name: `report.${format}`, size: 2 * CHUNK.length, chunks: content() },
        }),
      },
      printer: {
        isAvailable: () => false,
        requireBrowser: () => undefined,
        print: () => Promise.reject(new Error('no printer')),
      },
    },
  });
});
test.after(({ service }) => service.stop());

interface Received {
  headers: IncomingMessage['headers'];
  bytes: Buffer;
}

async function send(service: ToyService, path: string, body = '', headers: object = {}): Promise<Received> {
  const method = body === '' ? 'GET' : 'POST';
  const all = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json', ...headers };
  const [response] = (await once(
    request({ port: service.port, path, method, agent: false, headers: all }).end(body),
    'response',
  )) as [IncomingMessage];
  assert.is(response.statusCode, 200, path);
  return { headers: response.headers, bytes: await buffer(response) };
}

const GZIP = { 'Accept-Encoding': 'gzip, deflate, br' };
const REPORT = `/api/v1/organizations/${ORGANIZATION}/reports/vendors?format=`;

/** A call whose answer repeats a word of this length. */
const echo = (length: number) => JSON.stringify({ word: 'x'.repeat(length) });
const rpc = (length: number) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'echo', arguments: { word: 'x'.repeat(length) } },
  });

test('compresses answers of tools from 32 KB on, in both forms', async ({ service }) => {
  for (const [path, call] of [
    ['/api/mcp/tools/echo', echo],
    ['/api/mcp/v1', rpc],
  ] as const) {
    const small = await send(service, path, call(10_000), GZIP);
    assert.is(small.headers['content-encoding'], undefined, path);
    const plain = await send(service, path, call(40_000));
    assert.is(plain.headers['content-encoding'], undefined, path);
    const zipped = await send(service, path, call(40_000), GZIP);
    assert.is(zipped.headers['content-encoding'], 'gzip', path);
    assert.match(String(zipped.headers.vary), 'Accept-Encoding');
    assert.is(Number(zipped.headers['content-length']), zipped.bytes.length);
    assert.ok(zipped.bytes.length < 1_000, `${zipped.bytes.length} bytes`);
    assert.equal(gunzipSync(zipped.bytes), plain.bytes);
  }
});

test('marks the tag of a compressed document as weak, and knows it again', async ({ service }) => {
  const path = '/api/mcp/openapi.json';
  const plain = await send(service, path);
  const zipped = await send(service, path, '', GZIP);
  if (plain.bytes.length < 32_768) assert.is(zipped.headers['content-encoding'], undefined);
  else assert.is(zipped.headers.etag, `W/${plain.headers.etag}`);
});

test('compresses a file while it is read, but not a workbook', async ({ service }) => {
  const csv = await send(service, `${REPORT}csv`, '', GZIP);
  assert.is(csv.headers['content-encoding'], 'gzip');
  assert.is(csv.headers['content-length'], undefined);
  assert.is(csv.headers.etag, 'W/"1"');
  assert.equal(gunzipSync(csv.bytes), Buffer.concat([CHUNK, CHUNK]));
  const plain = await send(service, `${REPORT}csv`);
  assert.equal([plain.headers['content-encoding'], plain.bytes.length], [undefined, 2 * CHUNK.length]);
  const workbook = await send(service, `${REPORT}xlsx`, '', GZIP);
  assert.is(workbook.headers['content-encoding'], undefined);
  assert.equal(workbook.bytes, Buffer.concat([CHUNK, CHUNK]));
});

test('uses a coding only if the client lists it without q=0', () => {
  const accepted = (header?: string) => acceptsCoding({ 'accept-encoding': header }, 'gzip');
  for (const header of ['gzip', 'br, GZIP', 'gzip;q=0.5', 'deflate,gzip ; q=1.0']) assert.ok(accepted(header), header);
  for (const header of [undefined, '', 'br', 'gzip;q=0', 'gzip; q=0.000, br', 'x-gzip', '*']) {
    assert.not(accepted(header), String(header));
  }
});

test.run();
