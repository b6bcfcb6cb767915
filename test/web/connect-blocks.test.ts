import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connectBlocks, mcpServersConfig, readOnlyAddress, signInBlocks } from '../../src/web/texts/connect-blocks.ts';
import { configuredServer, pastedArguments } from '../support/web/paste-configuration.ts';

const test = suite('connect blocks');
const TOKEN = `vtr_${'a1'.repeat(24)}Z`;
const ENDPOINT = 'https://veritrail.example/api/mcp/v1';
const BEARER = `Bearer ${TOKEN}`;

const block = (id: string, endpoint = ENDPOINT) => {
  const match = connectBlocks(endpoint, TOKEN).find((candidate) => candidate.id === id);
  if (match === undefined) throw new Error(`no block ${id}`);
  return match.text;
};

test('gives each block a unique id, a place and the token', () => {
  const blocks = connectBlocks(ENDPOINT, TOKEN);
  assert.is(new Set(blocks.map(({ id }) => id)).size, blocks.length);
  for (const { instruction, text } of blocks) {
    assert.ok(instruction.endsWith('.'));
    assert.ok(text.includes(TOKEN));
  }
});

for (const id of ['cursor', 'claude-code-file', 'vscode', 'zed']) {
  test(`${id} has the address and the header`, () => {
    const server = configuredServer(block(id)) as { url: string; headers: Record<string, string>; type?: string };
    assert.is(server.url, ENDPOINT);
    assert.equal(server.headers, { Authorization: BEARER });
    assert.is(server.type, ['claude-code-file', 'vscode'].includes(id) ? 'http' : undefined);
  });
}

test('uses the key under which each client looks for its servers', () => {
  const names = { 'claude-desktop': 'mcpServers', cursor: 'mcpServers', vscode: 'servers', zed: 'context_servers' };
  for (const [id, name] of Object.entries(names)) assert.equal(Object.keys(JSON.parse(block(id))), [name], id);
  assert.is(block('cursor'), mcpServersConfig(ENDPOINT, TOKEN));
});

test('starts a bridge for Claude Desktop, with no space and no token in its arguments', () => {
  const server = configuredServer(block('claude-desktop')) as {
    command: string;
    args: string[];
    env: Record<string, string>;
  };
  assert.is(server.command, 'npx');
  assert.equal(server.args.slice(0, 3), ['-y', 'mcp-remote', ENDPOINT]);
  assert.not.match(server.args.join(''), /\s|vtr_/);
  assert.equal(server.env, { AUTH_HEADER: BEARER });
  assert.not.ok(server.args.includes('--allow-http'));
});

test('passes --allow-http to the bridge only for plain http beyond loopback', () => {
  for (const [endpoint, isAllowed] of [
    ['http://10.0.0.5:8080/api/mcp/v1', true],
    ['http://localhost.example/api/mcp/v1', true],
    ['http://localhost:8080/api/mcp/v1', false],
    ['http://127.0.0.1/api/mcp/v1', false],
    ['http://[::1]:8080/api/mcp/v1', false],
  ] as const) {
    const { args } = configuredServer(block('claude-desktop', endpoint)) as { command: string; args: string[] };
    assert.is(args.includes('--allow-http'), isAllowed, endpoint);
  }
});

test('gives commands that a shell passes on correctly', async () => {
  const header = ['--header', `Authorization: ${BEARER}`];
  const expectedArguments = ['mcp', 'add', '--transport', 'http', 'veritrail', ENDPOINT];
  assert.equal(await pastedArguments(block('claude-code'), 'claude'), [...expectedArguments, ...header]);
  const bridged = await pastedArguments(block('mcp-remote'), 'npx');
  assert.equal(bridged.slice(-2), ['--header', `Authorization:\${AUTH_HEADER}`]);
  assert.equal(await pastedArguments(block('curl'), 'curl'), [
    'https://veritrail.example/api/mcp/tools/listOrganizations',
    ...header,
  ]);
  const signIn = signInBlocks(ENDPOINT).find(({ id }) => id === 'claude-code-sign-in')!;
  assert.equal(await pastedArguments(signIn.text, 'claude'), expectedArguments);
});

test('names the address that only reads, below any base address', () => {
  assert.is(readOnlyAddress(ENDPOINT), `${ENDPOINT}/readonly`);
  assert.is(readOnlyAddress('http://localhost:8080/api/mcp/v1'), 'http://localhost:8080/api/mcp/v1/readonly');
});

test('quotes an address with shell characters', async () => {
  const endpoint = "https://veritrail.example/it's;a$(b)/api/mcp/v1";
  assert.is((await pastedArguments(block('claude-code', endpoint), 'claude'))[5], endpoint);
});

test.run();
