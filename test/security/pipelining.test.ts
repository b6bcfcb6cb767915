/** Connections that send many requests without waiting for their answers, or don't read them. */
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer, stopServer } from '../../src/http/server.ts';
import { until } from '../support/run/wait.ts';

/** Answers at once, as a refusal of a stranger does. Counts the requests of each turn of the event loop. */
async function startCounting(isAnswered: boolean) {
  const counts = { inTurn: 0, most: 0, all: 0 };
  const server = await startServer(
    (_request, response) => {
      if (counts.inTurn++ === 0) void nextTurn().then(() => Object.assign(counts, { inTurn: 0 }));
      counts.most = Math.max(counts.most, counts.inTurn);
      counts.all += 1;
      if (isAnswered) response.end('yes');
    },
    { host: '127.0.0.1', port: 0 },
  );
  const { port } = server.address() as AddressInfo;
  const send = async (requests: number) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(requests));
    const answers = () => text.split('HTTP/1.1 200').length - 1;
    await until(() => socket.destroyed || answers() === requests);
    const isEnded = socket.destroyed;
    socket.destroy();
    return { answers: answers(), isEnded };
  };
  return { counts, send, stop: () => stopServer(server, 0) };
}

test('answers a few that arrive together, and ends a connection that sends many', async () => {
  const service = await startCounting(true);
  assert.equal(await service.send(10), { answers: 10, isEnded: false });
  assert.is((await service.send(1_000)).isEnded, true);
  assert.ok(service.counts.most <= 20, `${service.counts.most} in one turn of the event loop`);
  await service.stop();
});

test('lets no more than ten requests of a connection wait for answers', async () => {
  const service = await startCounting(false);
  assert.equal(await service.send(500), { answers: 0, isEnded: true });
  assert.ok(service.counts.all <= 10, `${service.counts.all} began`);
  await service.stop();
});

test('disconnects a client that does not read its answer', async () => {
  let isClosed = false;
  const server = await startServer(
    (_request, response) => {
      response.once('close', () => {
        isClosed = true;
      });
      response.end(Buffer.alloc(30_000_000));
    },
    { host: '127.0.0.1', port: 0, requestTimeoutMs: 100 },
  );
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await until(() => isClosed);
  socket.destroy();
  await stopServer(server, 0);
});

test.run();
