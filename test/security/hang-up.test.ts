import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import Koa from 'koa';
import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clientInfoReader } from '../../src/http/access/client-info-reader.ts';
import { type RequestState, requestMiddleware } from '../../src/http/request.ts';

const test = suite('clients that disconnect at once');

const readClientInfo = clientInfoReader([]);

/** Serves one request whose client disconnects before or during it. Returns the recorded address, or null. */
async function serveOne(leaves: 'BEFORE' | 'MEANWHILE'): Promise<string | null> {
  let address: string | null = null;
  const app = new Koa<RequestState>();
  app.use(requestMiddleware(pino({ enabled: false })));
  app.use(async (ctx) => {
    await waitUntilLeft(ctx.req);
    address = readClientInfo(ctx.req).address;
    ctx.body = 'done';
  });
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  if (leaves === 'BEFORE') await waitUntilLeft(request);
  await app.callback()(request, response);
  server.close();
  return address;
}

async function waitUntilLeft({ socket }: IncomingMessage): Promise<void> {
  socket.destroy();
  if (!socket.closed) await once(socket, 'close');
}

test('are recorded with their address', async () => {
  assert.is(await serveOne('MEANWHILE'), '127.0.0.1');
});

test('are not served if their address is unknown', async () => {
  assert.is(await serveOne('BEFORE'), null);
});

test.run();
