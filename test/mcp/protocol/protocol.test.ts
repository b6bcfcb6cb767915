/** The protocol's legacy era, by the SDK's own client and by hand. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, LATEST_PROTOCOL_VERSION, type McpError } from '@modelcontextprotocol/sdk/types.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LATEST_LEGACY_VERSION, RPC_ERRORS } from '../../../src/mcp/protocol/protocol-message.ts';
import { post, request, startToyService, TOKEN, type ToyService, until } from '../../support/mcp/toy-tools.ts';

const test = suite<{ service: ToyService }>('protocol, legacy era');

test.before(async (context) => {
  context.service = await startToyService();
});
test.after(async ({ service }) => service.stop());

const VERSION = { 'MCP-Protocol-Version': '2025-11-25' };
const call = (name: string, args: object, extra: object = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: args, ...extra },
});

async function sdkClient(service: ToyService): Promise<Client> {
  const client = new Client({ name: 'peer', version: '9.9' });
  const requestInit = { headers: { Authorization: `Bearer ${TOKEN}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/api/mcp/v1`), { requestInit });
  // The SDK's own types disagree under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return client;
}

test('the SDK client connects, lists, calls, pings and leaves', async ({ service }) => {
  const client = await sdkClient(service);
  assert.equal(client.getServerVersion(), { name: 'veritrail', version: '1.2.3' });
  assert.equal(client.getServerCapabilities(), { tools: {}, prompts: {}, resources: {}, completions: {} });
  assert.is(client.getInstructions(), 'Say please.');
  const { tools } = await client.listTools();
  assert.equal(JSON.stringify(tools), service.tools.listJson());
  const result = await client.callTool({ name: 'add', arguments: { name: 'Ünïcode “x”\n' } });
  assert.equal(result.structuredContent, { added: { name: 'Ünïcode “x”\n' } });
  const [content] = result.content as { type: string; text: string }[];
  assert.equal(JSON.parse(content?.text ?? ''), result.structuredContent);
  assert.is(result.isError, undefined);
  await client.ping();
  await client.close();
});

test('a refused call is an error result, with the same JSON in both places', async ({ service }) => {
  const client = await sdkClient(service);
  for (const status of [400, 403, 404, 409, 422, 429, 503]) {
    const result = await client.callTool({ name: 'fail', arguments: { status } });
    assert.is(result.isError, true, String(status));
    const [content] = result.content as { text: string }[];
    assert.equal(JSON.parse(content?.text ?? ''), result.structuredContent);
    assert.is((result.structuredContent as { error: { code: string } }).error.code, 'some_code');
  }
  await client.close();
});

test('an internal fault, an unknown tool and unusable arguments are protocol errors', async ({ service }) => {
  const client = await sdkClient(service);
  const codeOf = async (name: string, args: Record<string, unknown>) => {
    try {
      await client.callTool({ name, arguments: args });
    } catch (error) {
      return (error as McpError).code;
    }
    return 'no error';
  };
  assert.is(await codeOf('fail', { status: 500 }), -32603);
  assert.is(await codeOf('nonsense', {}), -32602);
  await client.close();
  for (const params of [{}, { name: 5 }, { name: 'echo', arguments: [] }, { name: 'echo', arguments: 'x' }]) {
    const { status, json } = await post(service, { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    assert.is(status, 200);
    assert.is(Number(json.error?.code), -32602, JSON.stringify(params));
  }
});

test('the answer is a stream with progress only if the client asked and accepts streams', async ({ service }) => {
  const client = await sdkClient(service);
  const messages: unknown[] = [];
  const onprogress = (progress: unknown) => messages.push(progress);
  const result = await client.callTool({ name: 'steps', arguments: { steps: 3 } }, undefined, { onprogress });
  assert.equal(result.structuredContent, { told: true });
  assert.equal(
    messages,
    [1, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })),
    'of many updates within 100 ms, the first and the last',
  );
  await client.close();

  const reportedProgress = async (extra: object, headers: Record<string, string> = {}) => {
    const { headers: answerHeaders, json } = await post(service, call('steps', { steps: 2 }, extra), headers);
    assert.is(answerHeaders.get('content-type'), 'application/json');
    return JSON.stringify(json.result?.structuredContent?.told);
  };
  assert.is(await reportedProgress({}), 'false');
  assert.is(await reportedProgress({ _meta: { progressToken: null } }), 'false');
  assert.is(await reportedProgress({ _meta: { progressToken: 1 } }, { Accept: 'application/json' }), 'false');
  const noSteps = await post(service, call('steps', { steps: 0 }, { _meta: { progressToken: 1 } }));
  assert.is(noSteps.headers.get('content-type'), 'application/json', 'nothing was reported');
});

test('the latest legacy version and the error codes are those of the SDK', () => {
  assert.is(LATEST_LEGACY_VERSION, LATEST_PROTOCOL_VERSION);
  for (const [name, code] of Object.entries(RPC_ERRORS)) {
    assert.is(code, ErrorCode[(name[0]!.toUpperCase() + name.slice(1)) as keyof typeof ErrorCode]);
  }
});

test('initialize answers with the requested version, or the latest legacy one', async ({ service }) => {
  const requestedVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2026-07-28', 'x'];
  const answeredVersions = await Promise.all(
    requestedVersions.map(async (protocolVersion) => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'a', version: '1' } };
      const { json, headers } = await post(service, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
      assert.is(headers.get('mcp-session-id'), null);
      return json.result?.protocolVersion as unknown;
    }),
  );
  assert.equal(answeredVersions, ['2025-11-25', '2025-06-18', '2025-11-25', '2025-11-25', '2025-11-25', '2025-11-25']);
  const bad = await post(service, { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1 } });
  assert.is(Number(bad.json.error?.code), -32602);
});

test('initialize shows the icon to clients whose version has icons', async () => {
  const src = 'data:image/svg+xml;base64,PHN2Zy8+';
  const service = await startToyService({ icon: src });
  const serverInfo = async (protocolVersion: string) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'a', version: '1' } };
    const { json } = await post(service, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
    return json.result?.serverInfo as unknown;
  };
  const named = { name: 'veritrail', version: '1.2.3' };
  assert.equal(await serverInfo('2025-11-25'), {
    ...named,
    icons: [{ src, mimeType: 'image/svg+xml', sizes: ['any'] }],
  });
  assert.equal(await serverInfo('2025-06-18'), named);
  await service.stop();
});

test('initialize refuses an optional member of a wrong type, and names it', async ({ service }) => {
  const clientInfo = { name: 'a', version: '1' };
  for (const [field, params] of [
    ['capabilities.roots.listChanged', { capabilities: { roots: { listChanged: 'yes' } }, clientInfo }],
    ['clientInfo.icons.0.src', { capabilities: {}, clientInfo: { ...clientInfo, icons: [{}] } }],
    ['_meta.progressToken', { capabilities: {}, clientInfo, _meta: { progressToken: null } }],
  ] as const) {
    const message = {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', ...params },
    };
    const { error } = (await post(service, message)).json;
    assert.is(Number(error?.code), -32602);
    assert.match(String(error?.message), `Correct ${field}.`);
  }
});

test('an answer has exactly the request’s id', async ({ service }) => {
  for (const id of [0, -5, 9007199254740991, '', 'a "quoted" – id', '0']) {
    const { json } = await post(service, { jsonrpc: '2.0', id, method: 'tools/list' });
    assert.is(json.id as unknown, id);
    const failed = await post(service, { jsonrpc: '2.0', id, method: 'nonsense' });
    assert.is(failed.json.id as unknown, id);
  }
});

test('an id that is longer than any client’s is refused, and not echoed', async ({ service }) => {
  const { status, json } = await post(service, { jsonrpc: '2.0', id: 'x'.repeat(1_001), method: 'tools/list' });
  assert.equal([status, json.id], [400, undefined]);
});

test('notifications and responses are accepted and do nothing', async ({ service }) => {
  const before = service.tools.calls.length;
  for (const message of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    { jsonrpc: '2.0', method: 'tools/call', params: { name: 'add', arguments: {} } },
    { jsonrpc: '2.0', id: 4, result: {} },
  ]) {
    const { status, text } = await post(service, message, VERSION);
    assert.is(status, 202);
    assert.is(text, '');
  }
  assert.is(service.tools.calls.length, before);
});

test('invalid messages are refused with their JSON-RPC error code', async ({ service }) => {
  const cases: [string, number][] = [
    ['', -32700],
    ['{', -32700],
    ['nope', -32700],
    ['{"jsonrpc":"2.0","id":1,"method":"ping"}x', -32700],
    ['[]', -32600],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
    ['null', -32600],
    ['5', -32600],
    ['{}', -32600],
    ['{"id":1,"method":"ping"}', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":5}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":5}}', -32602],
  ];
  for (const [body, code] of cases) {
    const { status, json } = await post(service, body);
    assert.is(status, 400, body);
    assert.is(Number(json.error?.code), code, body);
    assert.is(json.jsonrpc as unknown, '2.0');
    assert.is('id' in json, /"id":1,/.test(body) && !body.startsWith('[') && code !== -32700, body);
  }
});

test('params and arguments that are null are absent', async ({ service }) => {
  for (const method of ['ping', 'tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
    const { status, json } = await post(service, { jsonrpc: '2.0', id: 1, method, params: null });
    assert.equal([method, status, json.error], [method, 200, undefined]);
  }
  const before = service.tools.calls.length;
  const params = { name: 'echo', arguments: null };
  assert.is((await post(service, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })).json.error, undefined);
  assert.equal(service.tools.calls[before]!.args, {});
  assert.is((await post(service, { jsonrpc: '2.0', method: 'notifications/cancelled', params: null })).status, 202);
});

test('arguments are read from the text of their JSON', async ({ service }) => {
  const call = async (text: string) => {
    const params = { name: 'echo', arguments: text };
    return (await post(service, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })).json.error?.code;
  };
  const before = service.tools.calls.length;
  assert.is(await call(' {"text":"a","size":2}'), undefined);
  assert.equal(service.tools.calls[before]!.args, { text: 'a', size: 2 });
  for (const text of ['{"text":', '[]', '"a"', 'null', '']) assert.is(Number(await call(text)), -32602, text);
  const prompt = { name: 'weekly_due_items', arguments: '[]' };
  const refused = await post(service, { jsonrpc: '2.0', id: 1, method: 'prompts/get', params: prompt });
  assert.match(String((refused.json.error as { message?: unknown }).message), '"arguments" must be an object');
});

test('a body that is not UTF-8 is refused', async ({ service }) => {
  const message = Buffer.from('{"jsonrpc":"2.0","id":"\u00ff","method":"ping"}', 'latin1');
  const { status, json } = await request(`${service.url}/api/mcp/v1`, {
    method: 'POST',
    body: message,
    headers: { 'Content-Type': 'application/json' },
  });
  assert.is(status, 400);
  assert.is(Number(json.error?.code), -32700);
});

test('unknown methods and cursors are refused', async ({ service }) => {
  for (const method of ['nonsense', 'constructor', 'logging/setLevel', 'resources/subscribe', 'server/discover']) {
    const { status, json } = await post(service, { jsonrpc: '2.0', id: 1, method }, VERSION);
    assert.is(status, 200);
    assert.is(Number(json.error?.code), -32601, method);
  }
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
    const { json } = await post(service, { jsonrpc: '2.0', id: 1, method, params: { cursor: 'x' } });
    assert.is(Number(json.error?.code), -32602, method);
  }
});

test('a missing version header is accepted, an unknown version refused', async ({ service }) => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  for (const version of ['2025-11-25', '2025-06-18']) {
    assert.is((await post(service, ping, { 'MCP-Protocol-Version': version })).status, 200);
  }
  assert.is((await post(service, ping)).status, 200);
  for (const version of ['2025-03-26', '2024-11-05', '2025-11-26', '', 'x', '2025-11-25, 2025-11-25']) {
    const { status, json } = await post(service, ping, { 'MCP-Protocol-Version': version });
    assert.is(status, 400, version);
    assert.is(Number(json.error?.code), -32022);
    const silent = await post(
      service,
      { jsonrpc: '2.0', method: 'notifications/x' },
      { 'MCP-Protocol-Version': version },
    );
    assert.is(silent.status, 400);
  }
});

test('the client’s name comes from User-Agent, without control characters', async ({ service }) => {
  const clientFor = async (agent: string) => {
    const { json } = await post(service, call('echo', {}), { 'User-Agent': agent });
    return json.result?.structuredContent?.client as unknown;
  };
  assert.equal(await clientFor('claude-code/2.0.1 (cli, linux)'), { name: 'claude-code', version: '2.0.1' });
  assert.equal(await clientFor('curl'), { name: 'curl', version: '' });
  assert.equal(await clientFor(`${'n'.repeat(300)}/${'1'.repeat(300)}`), {
    name: 'n'.repeat(100),
    version: '1'.repeat(40),
  });
  assert.equal(await clientFor('a\u0085b/1\u00ad2'), { name: 'ab', version: '12' }, 'invisible characters are removed');
  assert.equal(await clientFor('(x)'), null);
});

test('a lost connection doesn’t cancel a call in the legacy era', async ({ service }) => {
  const leaving = new AbortController();
  const before = service.tools.calls.length;
  const abandonedRequest = fetch(`${service.url}/api/mcp/v1`, {
    method: 'POST',
    body: JSON.stringify(call('wait', {})),
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
    signal: leaving.signal,
  }).catch(() => 'gone');
  await until(() => service.tools.calls.length > before);
  assert.is(service.tools.calls.at(-1)?.context.signal, undefined);
  leaving.abort();
  assert.is(await abandonedRequest, 'gone');
  service.tools.release();
});

test('HTTP methods other than POST are refused with an Allow header', async ({ service }) => {
  for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS']) {
    const { status, headers, json } = await request(`${service.url}/api/mcp/v1`, { method });
    assert.is(status, 405, method);
    assert.is(headers.get('allow'), 'POST');
    assert.is(Number(json.error?.code), -32600);
  }
});

test.run();
