/** The SDK's servers behind the transport: each call gets its own answer, and the SDK's faults reach no client. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { McpExchange } from '../../../src/mcp/protocol/mcp-exchange.ts';
import { progressReporter } from '../../../src/mcp/protocol/methods.ts';
import {
  type Era,
  META,
  type ProtocolError,
  type RpcRequest,
  readMessage,
} from '../../../src/mcp/protocol/protocol-message.ts';
import { type SdkServers, startSdkServers } from '../../../src/mcp/protocol/sdk-servers.ts';
import { CALLER, type Json, post, type Reply, startToyService, toyTools } from '../../support/mcp/toy-tools.ts';

const ERAS: readonly Era[] = ['legacy', 'modern'];
const MODERN_META = {
  [`${META}protocolVersion`]: '2026-07-28',
  [`${META}clientInfo`]: { name: 'peer', version: '9.9' },
  [`${META}clientCapabilities`]: {},
};

const LIBRARY_COMPLETION = {
  ref: { type: 'ref/resource', uri: 'veritrail://frameworks/library/{library_id}' },
  argument: { name: 'library_id', value: 'iso' },
};

const test = suite('servers of the SDK');

const requestOf = (method: string, params: object): RpcRequest =>
  readMessage({ jsonrpc: '2.0', id: 1, method, params }) as RpcRequest;

/** An exchange that keeps its notifications. */
function exchangeOf(): McpExchange & { readonly notifications: Json[] } {
  const notifications: Json[] = [];
  const { signal } = new AbortController();
  const notify = (message: string) => void notifications.push(JSON.parse(message));
  return { headers: {}, caller: CALLER, signal, streams: true, notify, onMethod: () => undefined, notifications };
}

/** Starts servers with one tool that answers with its arguments after `open` was called. */
async function startGated(): Promise<{ servers: SdkServers; open: () => void }> {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const tools = toyTools();
  const call: typeof tools.call = async (_name, args, { progress }) => {
    await opened;
    // Later calls answer first.
    for (let turn = (args as { number: number }).number; turn < 500; turn++) await null;
    progress?.(1);
    return { json: JSON.stringify(args), outcome: 'ok', status: 200 };
  };
  return { servers: await startSdkServers({ name: 'toy', version: '1', tools: { ...tools, call } }), open };
}

test('500 concurrent calls with the id 1 get their own answers and progress, and none stays', async () => {
  const { servers, open } = await startGated();
  const calls = Array.from({ length: 500 }, (_, number) => {
    const era = ERAS[number % 2]!;
    const params = { name: 'echo', arguments: { number }, _meta: { progressToken: `token ${number}` } };
    const exchange = exchangeOf();
    return { exchange, answer: servers[era].request(requestOf('tools/call', params), exchange) };
  });
  assert.equal([servers.legacy.pending, servers.modern.pending], [250, 250]);
  open();
  for (const [number, { exchange, answer }] of calls.entries()) {
    const result = await answer;
    const [members] = Object.getOwnPropertySymbols(result).map((key) => Reflect.get(result, key));
    assert.match(members.text, `"structuredContent":{"number":${number}}`);
    assert.equal(
      exchange.notifications.map(({ params }) => params?.progressToken as unknown),
      [`token ${number}`],
    );
  }
  assert.equal([servers.legacy.pending, servers.modern.pending], [0, 0]);
});

test('500 concurrent requests with the id 1 get their own answers over HTTP', async () => {
  const service = await startToyService();
  const numbers = Array.from({ length: 500 }, (_, number) => number);
  const answers = await Promise.all(
    numbers.map((number) => send(service, ERAS[number % 2]!, 'tools/call', { name: 'echo', arguments: { number } })),
  );
  assert.equal(
    answers.map(({ json }) => json.result?.structuredContent?.args?.number as unknown),
    numbers,
  );
  await service.stop();
});

test('a message that the SDK refuses to read gets an answer', async () => {
  const { servers } = await startGated();
  for (const era of ERAS) {
    const unreadable = { ...requestOf('ping', {}), method: 5 as never };
    const error = await servers[era].request(unreadable, exchangeOf()).catch((thrown: ProtocolError) => thrown);
    assert.is((error as ProtocolError).code, -32600);
    assert.is(servers[era].pending, 0);
  }
});

/** Sends a request of an era, with further members of `_meta`. */
function send(
  service: { url: string },
  era: Era,
  method: string,
  params: Record<string, unknown>,
  meta: object = {},
): Promise<Reply> {
  const _meta = era === 'modern' ? { ...MODERN_META, ...meta } : meta;
  const named = typeof params.name === 'string' ? { 'Mcp-Name': params.name } : {};
  const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, ...named };
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
  return post(service as Parameters<typeof post>[0], message, era === 'modern' ? headers : {});
}

test('members of _meta that the service does not use are ignored, whatever they hold', async () => {
  const service = await startToyService();
  for (const era of ERAS) {
    for (const meta of [
      { progressToken: null },
      { progressToken: 1.5 },
      { progressToken: {} },
      { [`${META}related-task`]: 5 },
      { [`${META}logLevel`]: 'shout' },
      { traceparent: 5 },
      ...(era === 'modern' ? [{ [`${META}clientCapabilities`]: { sampling: 5, roots: 'x' } }] : []),
    ]) {
      for (const [method, params] of [
        ['tools/call', { name: 'echo' }],
        ['tools/list', {}],
        ['completion/complete', LIBRARY_COMPLETION],
      ] as const) {
        const { status, json, text } = await send(service, era, method, params, meta);
        assert.is(status, 200, text);
        assert.ok(json.result, `${era} ${method} ${JSON.stringify(meta)}: ${text}`);
      }
    }
    const params = { name: 'echo', inputResponses: 5, requestState: 5, task: { ttl: 1_000 } };
    assert.ok((await send(service, era, 'tools/call', params)).json.result, 'other members of params');
  }
  await service.stop();
});

test('incorrect parameters are the client’s error, and the answer does not repeat them', async () => {
  const service = await startToyService();
  const long = 'x'.repeat(100_000);
  for (const [method, params] of [
    ['initialize', {}],
    ['initialize', { protocolVersion: '2025-11-25', capabilities: { experimental: { [long]: 5 } }, clientInfo: {} }],
    ['prompts/get', {}],
    ['prompts/get', { name: long }],
    ['prompts/get', { name: 'review_vendor', arguments: { vendor: 5, [long]: long } }],
    ['resources/read', { uri: 5 }],
    ['completion/complete', { ref: long }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: long }, argument: { name: long, value: '' } }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'x' }, argument: {}, context: { arguments: { [long]: 1 } } },
    ],
    ['tools/call', { name: long }],
  ] as const) {
    const { status, json, text } = await send(service, 'legacy', method, params);
    assert.equal([status, Number(json.error?.code)], [200, -32602], `${method}: ${text.slice(0, 300)}`);
    assert.ok(text.length < 1_000, `${method}: ${text.length} characters`);
  }
  await service.stop();
});

test('an unknown method is named and shortened, by the SDK’s refusal and by ours', async () => {
  const service = await startToyService();
  for (const [era, method, status] of [
    ['legacy', 'server/discover', 200],
    ['legacy', 'nonsense', 200],
    ['modern', 'initialize', 404],
    ['modern', 'nonsense', 404],
    ['legacy', 'x'.repeat(100_000), 200],
  ] as const) {
    const reply = await send(service, era, method, {});
    assert.is(reply.status, status);
    assert.is(String(reply.json.error?.message), `Method not found: ${method.slice(0, 100)}`);
  }
  await service.stop();
});

test('a fault of the service is logged, and its text reaches no client', async () => {
  const tools = toyTools();
  const call: typeof tools.call = async () => {
    throw new Error('boom at /srv/secret/file.ts');
  };
  const service = await startToyService({ tools: { ...tools, call } });
  for (const era of ERAS) {
    const { status, json, text } = await send(service, era, 'tools/call', { name: 'echo' });
    assert.is(status, 500);
    assert.is(Number(json.error?.code), -32603);
    assert.not.match(text, 'secret');
  }
  assert.is(JSON.stringify(service.log).split('boom at').length > 1, true);
  await service.stop();
});

test('a progress message that can’t be sent is dropped', async () => {
  const rejections: unknown[] = [];
  const keep = (reason: unknown) => rejections.push(reason);
  process.on('unhandledRejection', keep);
  progressReporter('p', () => Promise.reject(new Error('not connected')))!.report(1);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', keep);
  assert.equal(rejections, []);
});

test.run();
