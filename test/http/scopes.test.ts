/** Answers to OAuth clients with too few scopes. */
import { extractWWWAuthenticateParams } from '@modelcontextprotocol/sdk/client/auth.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CALLER, startToyService, type ToyService } from '../support/mcp/toy-tools.ts';

const READ = 'compliance:read';
const WRITE = 'compliance:write';
const WHERE = 'https://veritrail.example/.well-known/oauth-protected-resource/api/mcp/v1';

const test = suite<{ service: ToyService }>('scopes');

test.before(async (context) => {
  const authenticate = async (token: string) => {
    if (token === 'reads') return { ...CALLER, scopes: [READ], read_only: true };
    if (token === 'writes') return { ...CALLER, scopes: [READ, WRITE] };
    return token === 'api' ? { ...CALLER, read_only: true } : null;
  };
  context.service = await startToyService({ authenticate });
});
test.after(async ({ service }) => service.stop());

function call({ url }: ToyService, token: string, tool: string): Promise<Response> {
  return fetch(`${url}/api/mcp/v1`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: {} } }),
  });
}

const direct = ({ url }: ToyService, token: string, tool: string) =>
  fetch(`${url}/api/mcp/tools/${tool}`, { method: 'POST', headers: { Authorization: `Bearer ${token}` } });

for (const [form, callTool] of [
  ['the endpoint', call],
  ['the direct form', direct],
] as const) {
  test(`tells a read-only client at ${form} which scope it needs to write`, async ({ service }) => {
    const before = service.tools.calls.length;
    const refusal = await callTool(service, 'reads', 'add');
    assert.is(refusal.status, 403);
    const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(refusal);
    assert.equal([String(resourceMetadataUrl), scope, error], [WHERE, `${READ} ${WRITE}`, 'insufficient_scope']);
    assert.is(service.tools.calls.length, before);
    assert.match(await refusal.text(), 'Connect it again');
  });

  test(`lets it read at ${form}, and lets a client with the write scope write`, async ({ service }) => {
    assert.is((await callTool(service, 'reads', 'echo')).status, 200);
    assert.is((await callTool(service, 'writes', 'add')).status, 200);
  });

  test(`leaves a token without scopes to the tool at ${form}`, async ({ service }) => {
    assert.is((await callTool(service, 'api', 'add')).status, 200);
    assert.is(service.tools.calls.at(-1)!.context.caller.read_only, true);
  });

  test(`tells a client with an invalid credential at ${form} where to get one`, async ({ service }) => {
    const refusal = await callTool(service, 'nonsense', 'echo');
    assert.is(refusal.status, 401);
    const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(refusal);
    assert.equal([String(resourceMetadataUrl), scope, error], [WHERE, `${READ} ${WRITE}`, 'invalid_token']);
  });
}

test('uses the configured address in WWW-Authenticate, not the Host header', async ({ service }) => {
  const { url } = service;
  const header = (await fetch(`${url}/api/mcp/v1`, { method: 'POST' })).headers.get('www-authenticate')!;
  assert.match(header, WHERE);
  assert.not.match(header, '127.0.0.1');
});

test.run();
