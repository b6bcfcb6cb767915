import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Caller } from '../../src/commands/organization/caller.ts';
import type { RequestState } from '../../src/http/request.ts';
import { HttpExchange } from '../../src/http/tools/mcp-endpoint.ts';

const test = suite('progress messages');

const MIB = 2 ** 20;

test('are dropped when the client reads too slowly, but the answer is never dropped', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clientRequest = request({ port, host: '127.0.0.1', method: 'POST', agent: false }).end();
  const [{ headers }, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  const exchange = new HttpExchange(headers, response, { id: 'r-1' } as RequestState, {} as Caller, true);
  for (let number = 1; number <= 300; number += 1) exchange.notify(`${number} ${'x'.repeat(MIB)}`);
  assert.ok(response.writableLength < 3 * MIB, `${response.writableLength} bytes wait for the client`);
  exchange.send({ status: 200, text: 'the answer' });
  const [received] = await once(clientRequest, 'response');
  const messages = (await text(received)).split('event: message\ndata: ').slice(1);
  assert.match(messages[0]!, /^1 x+\n\n$/);
  assert.is(messages.at(-1), 'the answer\n\n');
  server.close();
});

test.run();
