import { LOOPBACK_NAMES, MCP_PATH, READ_ONLY_MCP_PATH } from '../../identity/oauth/addresses.ts';

/** Returns the address at which the endpoint only reads. */
export const readOnlyAddress = (endpoint: string): string => endpoint.replace(MCP_PATH, READ_ONLY_MCP_PATH);

/** The name of this service in the configurations of assistants. */
const SERVER_NAME = 'veritrail';
/** Texts that need no quotes in a POSIX shell. */
const NEEDS_NO_QUOTES = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** A text to copy, and an instruction where to paste it. */
export interface ConnectBlock {
  /** Unique on the page, and stable. */
  id: string;
  client: string;
  /** Says where to paste the text. */
  instruction: string;
  text: string;
}

/** Returns the configuration that most assistants accept unchanged. */
export function mcpServersConfig(endpoint: string, token: string): string {
  return json({ mcpServers: { [SERVER_NAME]: remote(endpoint, token) } });
}

/** Returns a configuration with this token for each supported client. */
export function connectBlocks(endpoint: string, token: string): ConnectBlock[] {
  const typed = { type: 'http', ...remote(endpoint, token) };
  return [
    {
      id: 'claude-desktop',
      client: 'Claude Desktop',
      instruction:
        'Paste this into the file that Settings → Developer → Edit Config opens, and restart Claude Desktop. Needs Node.js.',
      text: json({ mcpServers: { [SERVER_NAME]: bridged(endpoint, token) } }),
    },
    {
      id: 'claude-code',
      client: 'Claude Code',
      instruction: 'Run this in a terminal, in the folder of your project.',
      text: `claude mcp add --transport http ${SERVER_NAME} ${quoteArgument(endpoint)} --header "${headerLine(token)}"`,
    },
    {
      id: 'claude-code-file',
      client: 'Claude Code, as a file',
      instruction: 'Paste this into .mcp.json in your project folder. Keep that file out of version control.',
      text: json({ mcpServers: { [SERVER_NAME]: typed } }),
    },
    {
      id: 'cursor',
      client: 'Cursor',
      instruction: 'Paste this into .cursor/mcp.json in your home folder or your project folder.',
      text: mcpServersConfig(endpoint, token),
    },
    {
      id: 'vscode',
      client: 'VS Code',
      instruction: 'Paste this into .vscode/mcp.json, or into the file that "MCP: Open User Configuration" opens.',
      text: json({ servers: { [SERVER_NAME]: typed } }),
    },
    {
      id: 'zed',
      client: 'Zed',
      instruction: 'Paste this into settings.json. The command "zed: open settings file" opens it.',
      text: json({ context_servers: { [SERVER_NAME]: remote(endpoint, token) } }),
    },
    {
      id: 'mcp-remote',
      client: 'mcp-remote',
      instruction: 'For any other assistant that starts a command. Use this command.',
      text: `AUTH_HEADER='Bearer ${token}' npx ${bridgeArguments(endpoint).map(quoteArgument).join(' ')}`,
    },
    {
      id: 'curl',
      client: 'curl',
      instruction: 'Run this in a terminal to test the token. It lists your organizations.',
      text: `curl ${quoteArgument(directAddress(endpoint))} --header "${headerLine(token)}"`,
    },
  ];
}

/** Returns the texts for assistants that sign in by themselves. They need only the address. */
export function signInBlocks(endpoint: string): ConnectBlock[] {
  return [
    {
      id: 'address',
      client: 'Web assistants, and others that sign in by themselves',
      instruction:
        'Add a custom connector (or MCP server) with this address. The assistant then opens this website, and you allow the connection.',
      text: endpoint,
    },
    {
      id: 'claude-code-sign-in',
      client: 'Claude Code',
      instruction: 'Run this in a terminal, then /mcp in Claude Code to sign in.',
      text: `claude mcp add --transport http ${SERVER_NAME} ${quoteArgument(endpoint)}`,
    },
  ];
}

const headerLine = (token: string) => `Authorization: Bearer ${token}`;

const remote = (url: string, token: string) => ({ url, headers: { Authorization: `Bearer ${token}` } });

/**
 * The configuration for clients that only start commands. Some of them split arguments at spaces, so the header's value is
 * an environment variable.
 */
const bridged = (endpoint: string, token: string) => ({
  command: 'npx',
  args: bridgeArguments(endpoint),
  env: { AUTH_HEADER: `Bearer ${token}` },
});

/** Returns the arguments of mcp-remote. Without `--allow-http` it refuses plain http beyond loopback. */
function bridgeArguments(endpoint: string): string[] {
  const { protocol, hostname } = new URL(endpoint);
  const plain = protocol === 'http:' && !LOOPBACK_NAMES.has(hostname) ? ['--allow-http'] : [];
  const header = ['--header', `Authorization:\${AUTH_HEADER}`];
  return ['-y', 'mcp-remote', endpoint, '--transport', 'http-only', ...plain, ...header];
}

/** Returns the address of a tool's direct form. */
const directAddress = (endpoint: string) => endpoint.replace(/\/v1$/, '/tools/listOrganizations');

const quoteArgument = (text: string) => (NEEDS_NO_QUOTES.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

const json = (value: unknown) => JSON.stringify(value, null, 2);
