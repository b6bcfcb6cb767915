import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpGateway } from '../../src/app/http-gateway.ts';

interface Context {
  gateway: HttpGateway;
  server: Server;
  /** Returns the status of an answer. */
  statusOf(path: string): Promise<number>;
}

const test = suite<Context>('the HTTP gateway');

test.before.each(async (context) => {
  context.gateway = new HttpGateway({});
  const server = createServer(context.gateway.listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  context.server = server;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  context.statusOf = async (path) => (await fetch(`${url}${path}`)).status;
});
test.after.each(({ server }) => {
  server.closeAllConnections();
  server.close();
});

test('during the start, probes get 503 immediately and other requests wait for the app', async ({
  gateway,
  statusOf,
}) => {
  assert.equal([await statusOf('/livez'), await statusOf('/readyz')], [503, 503]);
  const waiting = statusOf('/anything');
  gateway.serve((_, response) => void response.writeHead(204).end());
  assert.is(await waiting, 204);
  assert.is(gateway.isOpen, false, 'the app refuses credentials');
  gateway.open();
  assert.is(gateway.isOpen, true);
});

test('after closing began, it answers only /livez and does not open again', async ({ gateway, statusOf }) => {
  gateway.serve((_, response) => void response.writeHead(204).end());
  gateway.close('A newer version has migrated the accounts.');
  gateway.open();
  assert.is(gateway.isOpen, false);
  assert.equal([await statusOf('/livez'), await statusOf('/readyz'), await statusOf('/')], [200, 503, 503]);
});

test.run();
