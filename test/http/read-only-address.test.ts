/** The address at which the MCP endpoint only reads, and both addresses with a slash at their end. */
import { extractWWWAuthenticateParams } from '@modelcontextprotocol/sdk/client/auth.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ALL_TOOLS } from '../../src/tools/all-tools.ts';
import { type Json, request } from '../support/mcp/toy-tools.ts';
import { embeddedPair, type ServedPair, serve } from '../support/stores/pairs.ts';

const ENDPOINT = '/api/mcp/v1';
const READ_ONLY = `${ENDPOINT}/readonly`;
const READING_TOOLS = ALL_TOOLS.filter(({ readOnly }) => readOnly).map(({ name }) => name);

const test = suite<ServedPair>('read-only address');

test.before(async (context) => {
  Object.assign(context, await serve(embeddedPair()));
});
test.after((served) => served.close());

async function send({ url, token }: Pick<ServedPair, 'url' | 'token'>, path: string, method: string, params = {}) {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2025-11-25',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return request(url + path, { method: 'POST', headers, body });
}

async function toolsAt(served: ServedPair, path: string): Promise<string[]> {
  const { tools } = (await send(served, path, 'tools/list')).json.result as unknown as { tools: { name: string }[] };
  return tools.map(({ name }) => name);
}

const callAt = async (served: ServedPair, path: string, name: string, args = {}): Promise<Json> =>
  (await send(served, path, 'tools/call', { name, arguments: args })).json.result!.structuredContent!;

for (const path of [READ_ONLY, `${READ_ONLY}/`, `${READ_ONLY}?x=1`]) {
  test(`${path} offers and allows an owner's token reads only`, async (served) => {
    assert.equal(await toolsAt(served, path), READING_TOOLS);
    const { organizations } = (await callAt(served, path, 'listOrganizations')) as object as { organizations: Json[] };
    assert.is(organizations[0]!.read_only as unknown, true);
    const addition = { organization_id: served.organizationId, name: 'Refused' };
    const { error } = await callAt(served, path, 'addVendor', addition);
    assert.is(error!.code as unknown, 'forbidden');
    assert.match(String(error!.message), 'without /readonly');
    assert.is((await served.owner.ok('listVendors', { ...addition, name: undefined, view: 'COUNT' })).total, 0);
    assert.is((await send(served, path, 'tools/call', { name: 'noSuchTool' })).json.error!.code as unknown, -32602);
  });
}

test('the same token may write at the other address, and in the direct form', async (served) => {
  assert.is((await toolsAt(served, ENDPOINT)).length, ALL_TOOLS.length);
  assert.is((await served.owner.ok('listOrganizations')).organizations[0]!.read_only, false);
});

for (const [path, scope] of [
  [ENDPOINT, 'compliance:read compliance:write'],
  [READ_ONLY, 'compliance:read'],
] as const) {
  for (const spelling of [path, `${path}/`]) {
    test(`a client of ${spelling} finds exactly this address in the metadata`, async ({ url }) => {
      const refusal = await fetch(url + spelling, { method: 'POST' });
      assert.is(refusal.status, 401);
      const challenge = extractWWWAuthenticateParams(refusal);
      assert.is(challenge.scope, scope);
      assert.is(String(challenge.resourceMetadataUrl), `${url}/.well-known/oauth-protected-resource${spelling}`);
      const metadata = (await (await fetch(challenge.resourceMetadataUrl!)).json()) as Json;
      assert.is(metadata.resource as unknown, url + spelling);
      assert.equal(metadata.scopes_supported as unknown, scope.split(' '));
    });

    test(`${spelling} answers other methods with 405`, async (served) => {
      for (const method of ['GET', 'DELETE', 'PUT', 'HEAD']) {
        const { status, headers } = await fetch(served.url + spelling, { method });
        assert.equal([method, status, headers.get('allow')], [method, 405, 'POST']);
      }
    });
  }
}

test('addresses like these are none of the endpoint', async (served) => {
  for (const path of ['readonlyx', '/readonly', 'readonly//', 'READONLY', 'readonly/health']) {
    assert.is((await send(served, `${ENDPOINT}/${path}`, 'tools/list')).status, 404, path);
    const metadata = await fetch(`${served.url}/.well-known/oauth-protected-resource${ENDPOINT}/${path}`);
    assert.is(metadata.status, 404, path);
  }
});

test('the OpenAPI document describes all tools, and the server’s metadata names both resources', async ({ url }) => {
  const { paths } = (await (await fetch(`${url}/api/mcp/openapi.json`)).json()) as Json;
  for (const { name } of ALL_TOOLS) assert.ok(Object.hasOwn(paths!, `/api/mcp/tools/${name}`), name);
  const server = (await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json()) as Json;
  assert.equal(server.protected_resources as unknown, [url + ENDPOINT, url + READ_ONLY]);
});

test.run();
