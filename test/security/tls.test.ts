/** TLS served by the service itself. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../src/app/logger.ts';
import { serviceUrl } from '../../src/app/service-address.ts';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { startServer, stopServer } from '../../src/http/server.ts';

const FILES = fileURLToPath(new URL('../fixtures/tls/', import.meta.url));
const cert = join(FILES, 'certificate.pem');
const key = join(FILES, 'key.pem');
const ca = readFileSync(cert);

const test = suite<{ folder: string }>('tls');

test.before((context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'veritrail-tls-'));
});
test.after(({ folder }) => rmSync(folder, { recursive: true }));

const listen = (tls: { cert: string; key: string }, requestTimeoutMs = 5_000) =>
  startServer((_request, response) => response.end('hello'), { host: '127.0.0.1', port: 0, tls, requestTimeoutMs });
const portOf = (server: Server) => (server.address() as AddressInfo).port;

function get(port: number, options: RequestOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const clientRequest = request({ host: 'localhost', port, ca, agent: false, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.once('end', () => resolve(text));
    });
    clientRequest.once('error', reject).end();
  });
}

function headersOf(port: number, path: string): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    const clientRequest = request({ host: 'localhost', port, ca, agent: false, path }, (response) => {
      response.resume();
      resolve(response.headers);
    });
    clientRequest.once('error', reject).end();
  });
}

/** Returns a handshake's protocol, or the reason that it failed. */
function handshake(port: number, options: ConnectionOptions): Promise<string> {
  return new Promise((resolve) => {
    const socket = connectTls({ host: 'localhost', port, ca, ...options });
    socket.once('secureConnect', () => {
      resolve(socket.getProtocol() ?? 'none');
      socket.destroy();
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

test('serves a client that trusts the certificate by TLS 1.2 and 1.3 only', async () => {
  const server = await listen({ cert, key });
  const port = portOf(server);
  assert.is(await get(port), 'hello');
  assert.is(
    await get(port, { ca: undefined }).catch((error: NodeJS.ErrnoException) => error.code),
    'DEPTH_ZERO_SELF_SIGNED_CERT',
  );
  assert.is(await handshake(port, {}), 'TLSv1.3');
  assert.is(await handshake(port, { maxVersion: 'TLSv1.2' }), 'TLSv1.2');
  const old = await handshake(port, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' });
  assert.match(old, /PROTOCOL|VERSION/i);
  await stopServer(server, 100);
});

test('takes suites with forward secrecy and authenticated encryption only', async () => {
  const server = await listen({ cert, key });
  const offer = (ciphers: string) =>
    handshake(portOf(server), { maxVersion: 'TLSv1.2', ciphers: `${ciphers}@SECLEVEL=0` });
  for (const suite of ['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305']) {
    assert.is(await offer(suite), 'TLSv1.2', suite);
  }
  for (const suite of ['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384', 'AES128-GCM-SHA256']) {
    assert.match(await offer(suite), /HANDSHAKE|ECONNRESET/i, suite);
  }
  await stopServer(server, 100);
});

test('the settings start the whole service with TLS', async ({ folder }) => {
  const env = { PORT: '0', DATA_DIR: join(folder, 'data'), TLS_CERT: cert, TLS_KEY: key };
  const config = readConfig(env, '/nowhere');
  assert.is(serviceUrl(config, 8443), 'https://127.0.0.1:8443');
  const app = await startApp(config, createLogger('silent'));
  assert.equal(JSON.parse(await get(app.port, { path: '/livez' })), { status: 'ok' });
  const paths = [
    '/livez',
    '/readyz',
    '/api/mcp/v1',
    '/api/mcp/v1/listVendors',
    '/.well-known/oauth-authorization-server',
  ];
  for (const path of [...paths, '/authorize', '/sign-in', '/assets/page.css', '/nowhere']) {
    assert.is((await headersOf(app.port, path))['strict-transport-security'], 'max-age=31536000', path);
  }
  await app.stop();
});

test('disconnects plain HTTP and stalled handshakes', async () => {
  const server = await listen({ cert, key }, 200);
  const waitUntilClosed = (text: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(portOf(server), '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.setEncoding('latin1').on('data', (part: string) => {
        answer += part;
      });
      socket.once('error', () => undefined).once('close', () => resolve(answer));
    });
  assert.not.match(await waitUntilClosed('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'), 'hello');
  assert.not.match(await waitUntilClosed('\x16\x03\x01'), 'hello');
  await stopServer(server, 100);
});

test('names the setting of an unusable file and the remedy, before listening', async ({ folder }) => {
  const junk = join(folder, 'junk.pem');
  writeFileSync(junk, 'hunter2');
  for (const [files, said] of [
    [{ cert: join(folder, 'none.pem'), key }, /^TLS_CERT names a file that cannot be read \(ENOENT\)/],
    [{ cert, key: folder }, /^TLS_KEY names a file that cannot be read \(EISDIR\)/],
    [{ cert: junk, key }, /^TLS_CERT is not a certificate/],
    [{ cert: key, key: cert }, /^TLS_CERT is not a certificate/],
    [{ cert, key: junk }, /^TLS_KEY is not a private key/],
    [{ cert, key: join(FILES, 'other-key.pem') }, /^TLS_KEY does not belong to the certificate in TLS_CERT/],
  ] as const) {
    const fault = await listen(files).then(
      () => 'listens',
      (error: Error) => error.message,
    );
    assert.match(fault, said);
    assert.not.match(fault, /hunter2|veritrail-tls-/);
  }
});

test.run();
