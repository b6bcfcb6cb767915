import { LOOPBACK_NAMES } from '../identity/loopback.ts';

/** What this service is called in the configurations of assistants. */
const NAME = 'veritrail';
/** Needs no quotes in any shell. */
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Something to paste, and where. */
export interface ConnectBlock {
  /** For the page: unique and stable. */
  id: string;
  client: string;
  /** In one sentence. */
  where: string;
  text: string;
}

/** The configuration that most assistants take as it is. */
export function mcpServersConfig(endpoint: string, token: string): string {
  return json({ mcpServers: { [NAME]: remote(endpoint, token) } });
}

/** Ready configurations of the usual clients for a token. */
export function connectBlocks(endpoint: string, token: string): ConnectBlock[] {
  const typed = { type: 'http', ...remote(endpoint, token) };
  return [
    {
      id: 'claude-desktop',
      client: 'Claude Desktop',
      where: 'In Settings, Developer, Edit Config. Needs Node.js on that computer; restart Claude Desktop afterwards.',
      text: json({ mcpServers: { [NAME]: bridged(endpoint, token) } }),
    },
    {
      id: 'claude-code',
      client: 'Claude Code',
      where: 'Run this in a terminal, in the folder of your project.',
      text: `claude mcp add --transport http ${NAME} ${quoted(endpoint)} --header "${headerLine(token)}"`,
    },
    {
      id: 'claude-code-file',
      client: 'Claude Code, as a file',
      where: 'In .mcp.json in the folder of your project. Keep that file out of version control.',
      text: json({ mcpServers: { [NAME]: typed } }),
    },
    {
      id: 'cursor',
      client: 'Cursor',
      where: 'In .cursor/mcp.json in your home folder, or in that of your project.',
      text: mcpServersConfig(endpoint, token),
    },
    {
      id: 'vscode',
      client: 'VS Code',
      where: 'In .vscode/mcp.json, or by the command "MCP: Open User Configuration".',
      text: json({ servers: { [NAME]: typed } }),
    },
    {
      id: 'zed',
      client: 'Zed',
      where: 'In settings.json, by the command "zed: open settings file".',
      text: json({ context_servers: { [NAME]: remote(endpoint, token) } }),
    },
    {
      id: 'mcp-remote',
      client: 'mcp-remote',
      where: 'For any other assistant that starts a command: it speaks to that over standard input and output.',
      text: `AUTH_HEADER='Bearer ${token}' npx ${bridgeArguments(endpoint).map(quoted).join(' ')}`,
    },
    {
      id: 'curl',
      client: 'curl',
      where: 'To try the token in a terminal: it lists your organizations.',
      text: `curl ${quoted(directAddress(endpoint))} --header "${headerLine(token)}"`,
    },
  ];
}

/** How to add the service to an assistant that signs in by itself: only the address is needed. */
export function signInBlocks(endpoint: string): ConnectBlock[] {
  return [
    {
      id: 'address',
      client: 'Web assistants, and others that sign in by themselves',
      where: 'Add a custom connector (or MCP server) with this address. It brings you here to allow it.',
      text: endpoint,
    },
    {
      id: 'claude-code-sign-in',
      client: 'Claude Code',
      where: 'Run this in a terminal, then /mcp in Claude Code to sign in.',
      text: `claude mcp add --transport http ${NAME} ${quoted(endpoint)}`,
    },
  ];
}

const headerLine = (token: string) => `Authorization: Bearer ${token}`;

const remote = (url: string, token: string) => ({ url, headers: { Authorization: `Bearer ${token}` } });

/** For clients that only start commands. Some of them break arguments at spaces, so the one with a space is a variable. */
const bridged = (endpoint: string, token: string) => ({
  command: 'npx',
  args: bridgeArguments(endpoint),
  env: { AUTH_HEADER: `Bearer ${token}` },
});

/** The bridge refuses plain http but on loopback, unless it is told that this is meant. */
function bridgeArguments(endpoint: string): string[] {
  const { protocol, hostname } = new URL(endpoint);
  const plain = protocol === 'http:' && !LOOPBACK_NAMES.has(hostname) ? ['--allow-http'] : [];
  const header = ['--header', `Authorization:\${AUTH_HEADER}`];
  return ['-y', 'mcp-remote', endpoint, '--transport', 'http-only', ...plain, ...header];
}

/** Where a tool is called without the protocol. */
const directAddress = (endpoint: string) => endpoint.replace(/\/v1$/, '/tools/listOrganizations');

const quoted = (text: string) => (PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

const json = (value: unknown) => JSON.stringify(value, null, 2);
