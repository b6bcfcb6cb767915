/** The protocol's modern era (2026-07-28), by raw requests. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Json,
  post,
  type Reply,
  startToyService,
  TOKEN,
  type ToyService,
  until,
} from '../../support/mcp/toy-tools.ts';

const test = suite<{ service: ToyService }>('protocol, 2026-07-28');

test.before(async (context) => {
  context.service = await startToyService();
});
test.after(async ({ service }) => service.stop());

const VERSION = '2026-07-28';
const KEY = 'io.modelcontextprotocol/';
const META = {
  [`${KEY}protocolVersion`]: VERSION,
  [`${KEY}clientInfo`]: { name: 'peer', version: '9.9' },
  [`${KEY}clientCapabilities`]: {},
};
const SERVER_INFO = { [`${KEY}serverInfo`]: { name: 'veritrail', version: '1.2.3' } };
const SUPPORTED = ['2026-07-28', '2025-11-25', '2025-06-18'];

/** Sends a valid request. Headers set to null are omitted. */
function send(
  service: ToyService,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string | null> = {},
): Promise<Reply> {
  const all = { 'MCP-Protocol-Version': VERSION, 'Mcp-Method': method, 'Mcp-Name': params.name ?? null, ...headers };
  const sentHeaders = Object.entries(all).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return post(
    service,
    { jsonrpc: '2.0', id: 'a-1', method, params: { _meta: META, ...params } },
    Object.fromEntries(sentHeaders),
  );
}

function assertError({ status, json }: Reply, expected: number, code: number, hint?: string): void {
  assert.is(status, expected, hint);
  assert.is(Number(json.error?.code), code, hint);
  assert.is(json.id as unknown, 'a-1', hint);
}

test('server/discover answers the server’s name, versions and capabilities', async ({ service }) => {
  const { status, json } = await send(service, 'server/discover');
  assert.is(status, 200);
  assert.equal(json as unknown, {
    jsonrpc: '2.0',
    id: 'a-1',
    result: {
      resultType: 'complete',
      supportedVersions: SUPPORTED,
      capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
      instructions: 'Say please.',
      ttlMs: 3_600_000,
      cacheScope: 'public',
      _meta: SERVER_INFO,
    },
  });
});

test('only server/discover has the icon, because every answer carries the server’s name', async () => {
  const src = 'data:image/svg+xml;base64,PHN2Zy8+';
  const service = await startToyService({ icon: src });
  const serverInfo = async (method: string) => {
    const { _meta } = (await send(service, method)).json.result as Json;
    return _meta![`${KEY}serverInfo`] as unknown;
  };
  const { [`${KEY}serverInfo`]: named } = SERVER_INFO;
  assert.equal(await serverInfo('server/discover'), {
    ...named,
    icons: [{ src, mimeType: 'image/svg+xml', sizes: ['any'] }],
  });
  assert.equal(await serverInfo('tools/list'), named);
  await service.stop();
});

test('tools/list says how long and for whom it can be cached', async ({ service }) => {
  const { status, json } = await send(service, 'tools/list');
  assert.is(status, 200);
  const { tools, ...rest } = json.result as Json;
  assert.is(JSON.stringify(tools), service.tools.listJson());
  assert.equal(rest as unknown, { resultType: 'complete', ttlMs: 300_000, cacheScope: 'private', _meta: SERVER_INFO });
  assertError(await send(service, 'tools/list', { cursor: 'x' }), 200, -32602);
});

test('tools/call answers a complete result, and takes the client from _meta', async ({ service }) => {
  const { status, json } = await send(service, 'tools/call', { name: 'echo', arguments: { a: [1] } });
  assert.is(status, 200);
  const structuredContent = { args: { a: [1] }, client: { name: 'peer', version: '9.9' } };
  const content = [{ type: 'text', text: JSON.stringify(structuredContent) }];
  assert.equal(json.result as unknown, {
    resultType: 'complete',
    content,
    structuredContent,
    _meta: { ...SERVER_INFO, 'veritrail/untrusted': true },
  });
});

test('refusals are error results; internal faults and unknown tools are protocol errors', async ({ service }) => {
  const refusal = await send(service, 'tools/call', { name: 'fail', arguments: { status: 422 } });
  assert.is(refusal.json.result?.isError as unknown, true);
  assert.is(refusal.json.result?.resultType as unknown, 'complete');
  assertError(await send(service, 'tools/call', { name: 'fail', arguments: { status: 500 } }), 200, -32603);
  assertError(await send(service, 'tools/call', { name: 'nonsense' }), 200, -32602);
  assertError(await send(service, 'tools/call', { name: 'echo', arguments: [] }), 200, -32602);
});

test('a request without complete and valid _meta is refused', async ({ service }) => {
  const without = (key: string) => Object.fromEntries(Object.entries(META).filter(([name]) => name !== KEY + key));
  const cases: [string, unknown][] = [
    ['none', undefined],
    ['empty', {}],
    ['no version', without('protocolVersion')],
    ['no capabilities', without('clientCapabilities')],
    ['version not a text', { ...META, [`${KEY}protocolVersion`]: 20260728 }],
    ['capabilities not an object', { ...META, [`${KEY}clientCapabilities`]: [] }],
    ['client without version', { ...META, [`${KEY}clientInfo`]: { name: 'x' } }],
  ];
  for (const [hint, _meta] of cases) {
    assertError(await send(service, 'server/discover', { _meta }), 400, -32602, hint);
  }
  const anonymous = await send(service, 'tools/call', { name: 'echo', _meta: without('clientInfo') });
  assert.is(anonymous.json.result?.structuredContent?.client as unknown, null, 'clientInfo is optional');
  const _meta = { ...META, [`${KEY}clientInfo`]: { name: 'Veritrail web', version: '1' } };
  const impostor = await send(service, 'tools/call', { name: 'echo', _meta });
  assert.equal(impostor.json.result?.structuredContent?.client, { name: '"Veritrail web"', version: '1' });
});

test('an unsupported version is refused with the supported ones', async ({ service }) => {
  const requestWithVersion = (version: string) =>
    send(
      service,
      'server/discover',
      { _meta: { ...META, [`${KEY}protocolVersion`]: version } },
      { 'MCP-Protocol-Version': version },
    );
  for (const requested of ['v999.0.0', '2024-11-05', '2027-01-01']) {
    const reply = await requestWithVersion(requested);
    assertError(reply, 400, -32022, requested);
    assert.equal(reply.json.error?.data as unknown, { supported: SUPPORTED, requested });
  }
  const withoutMeta = await send(service, 'tools/list', { _meta: undefined }, { 'MCP-Protocol-Version': 'v999.0.0' });
  assertError(withoutMeta, 400, -32022, 'the version comes from the header alone');
});

test('headers that contradict the body are refused', async ({ service }) => {
  const name = 'echo';
  const cases: [string, Record<string, unknown>, Record<string, string | null>][] = [
    ['tools/list', {}, { 'MCP-Protocol-Version': null }],
    ['tools/list', {}, { 'MCP-Protocol-Version': '2025-11-25' }],
    ['tools/list', { _meta: { ...META, [`${KEY}protocolVersion`]: '2025-11-25' } }, {}],
    ['tools/list', { _meta: { ...META, [`${KEY}protocolVersion`]: 'v999.0.0' } }, {}],
    ['tools/list', {}, { 'Mcp-Method': null }],
    ['tools/list', {}, { 'Mcp-Method': 'tools/call' }],
    ['tools/list', {}, { 'Mcp-Method': 'TOOLS/LIST' }],
    ['tools/call', { name }, { 'Mcp-Name': null }],
    ['tools/call', { name }, { 'Mcp-Name': 'add' }],
    ['tools/call', { name }, { 'Mcp-Name': 'Echo' }],
    ['tools/call', { name }, { 'Mcp-Name': '=?base64?YWRk?=' }],
    ['tools/call', { name }, { 'Mcp-Name': '=?base64?ZWNobw?=' }],
    ['tools/call', { name }, { 'Mcp-Name': '=?BASE64?ZWNobw==?=' }],
    ['tools/call', { name: undefined }, { 'Mcp-Name': 'echo' }],
    ['prompts/get', { name: 'x' }, { 'Mcp-Name': 'y' }],
    ['resources/read', { uri: 'a:b' }, {}],
  ];
  const before = service.tools.calls.length;
  for (const [method, params, headers] of cases) {
    assertError(await send(service, method, params, headers), 400, -32020, JSON.stringify([method, headers]));
  }
  assert.is(service.tools.calls.length, before, 'none was called');
  const long = await send(service, 'x'.repeat(100_000), {}, { 'Mcp-Method': 'y' });
  assert.ok(long.text.length < 1_000, 'the answer does not repeat the whole input');
});

test('header names ignore case, and values can be base64', async ({ service }) => {
  const wrapped = `=?base64?${Buffer.from('echo').toString('base64')}?=`;
  for (const headers of [
    { 'Mcp-Name': wrapped },
    { 'Mcp-Name': '  echo ' },
    { 'Mcp-Name': null, 'MCP-NAME': 'echo' },
  ]) {
    const { status, json } = await send(service, 'tools/call', { name: 'echo' }, headers);
    assert.is(status, 200);
    assert.ok(json.result);
  }
  const encodedName = `=?base64?${Buffer.from('größe').toString('base64')}?=`;
  assertError(await send(service, 'tools/call', { name: 'größe' }, { 'Mcp-Name': encodedName }), 200, -32602);
});

test('removed and unknown methods are not found', async ({ service }) => {
  for (const method of [
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'subscriptions/listen',
    'x/y',
  ]) {
    assertError(await send(service, method), 404, -32601, method);
  }
});

test('the version decides the era, not Mcp-Method or other reserved keys', async ({ service }) => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  assert.is((await post(service, ping, { 'Mcp-Method': 'ping' })).status, 200);
  const hybrid = { ...ping, params: { _meta: { [`${KEY}clientCapabilities`]: {}, [`${KEY}clientInfo`]: {} } } };
  assert.is((await post(service, hybrid, { 'MCP-Protocol-Version': '2025-11-25' })).status, 200);
  const older = { ...ping, params: { _meta: { ...META, [`${KEY}protocolVersion`]: '2025-11-25' } } };
  assert.is((await post(service, older, { 'MCP-Protocol-Version': '2025-11-25' })).status, 200);
});

test('notifications are accepted without an answer', async ({ service }) => {
  const message = { jsonrpc: '2.0', method: 'notifications/x', params: { _meta: META } };
  const { status, text } = await post(service, message, { 'MCP-Protocol-Version': VERSION });
  assert.is(status, 202);
  assert.is(text, '');
});

test('progress makes the answer a stream that ends with the result', async ({ service }) => {
  const { status, headers, text } = await send(service, 'tools/call', {
    name: 'steps',
    arguments: { steps: 2 },
    _meta: { ...META, progressToken: 'p' },
  });
  assert.is(status, 200);
  assert.is(headers.get('content-type'), 'text/event-stream');
  assert.is(headers.get('x-accel-buffering'), 'no');
  const events = text.trim().split('\n\n');
  const messages = events.map((event) => JSON.parse(event.replace('event: message\ndata: ', '')) as Json);
  assert.equal(
    messages.map(({ method, params, id }) => [method, params?.progressToken, params?.progress, id] as unknown[]),
    [
      ['notifications/progress', 'p', 1, undefined],
      ['notifications/progress', 'p', 2, undefined],
      [undefined, undefined, undefined, 'a-1'],
    ],
  );
  assert.is(messages.at(-1)?.result?.resultType as unknown, 'complete');
});

test('a client that disconnects cancels its call', async ({ service }) => {
  const leaving = new AbortController();
  const before = service.tools.calls.length;
  const abandonedRequest = fetch(`${service.url}/api/mcp/v1`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', _meta: META } }),
    headers: {
      Authorization: `Bearer ${TOKEN}`,
      'Content-Type': 'application/json',
      'MCP-Protocol-Version': VERSION,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'wait',
    },
    signal: leaving.signal,
  }).catch(() => 'gone');
  await until(() => service.tools.calls.length > before);
  const { signal } = service.tools.calls.at(-1)!.context;
  assert.is(signal?.aborted, false);
  leaving.abort();
  assert.is(await abandonedRequest, 'gone');
  await until(() => signal?.aborted === true);
});

test.run();
