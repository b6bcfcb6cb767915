/** Uses configurations as pages show them: nothing is put together here that a person would not paste. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Command, connectByCommand } from './stdio-client.ts';

const run = promisify(execFile);
const RUN_MS = 20_000;

interface Remote {
  url: string;
  headers?: Record<string, string>;
}

/** A configuration's only server, under whichever name the client looks for it. */
export function shownServer(json: string): Remote | Command {
  const config = JSON.parse(json) as Record<string, Record<string, Remote | Command>>;
  const servers = config.mcpServers ?? config.servers ?? config.context_servers;
  const entries = Object.values(servers ?? {});
  if (entries.length !== 1) throw new Error(`not one server but ${entries.length}: ${json}`);
  return entries[0]!;
}

/** Connects by a shown configuration, whether it names an address with headers or a command. */
export async function connectAsShown(json: string): Promise<{ client: Client; close(): Promise<void> }> {
  const server = shownServer(json);
  if ('command' in server) return connectByCommand(server);
  const requestInit = { headers: server.headers ?? {} };
  const transport = new StreamableHTTPClientTransport(new URL(server.url), { requestInit });
  const client = new Client({ name: 'shown', version: '1.0' });
  // The class declares `sessionId` in a way that exactOptionalPropertyTypes does not take for the interface's.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return { client, close: () => client.close() };
}

/** What a shown command writes when it is pasted into a shell. @throws Error when it fails */
export async function runAsShown(command: string): Promise<string> {
  const { stdout } = await run('sh', ['-c', command], { timeout: RUN_MS });
  return stdout;
}

/** The arguments that a shown command of a client (`claude mcp add …`) gives it, read as a shell reads them. */
export async function argumentsAsShown(command: string, program: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-shown-'));
  try {
    const stub = join(folder, program);
    writeFileSync(stub, `#!/bin/sh\nprintf '%s\\0' "$@" > '${join(folder, 'args')}'\n`);
    chmodSync(stub, 0o755);
    await run('sh', ['-c', command], { timeout: RUN_MS, env: { PATH: `${folder}:${process.env.PATH ?? ''}` } });
    return readFileSync(join(folder, 'args'), 'utf8').split('\0').slice(0, -1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The ids of the organizations that a client is told of. */
export async function organizationsOf(client: Client): Promise<string[]> {
  const { structuredContent, isError } = await client.callTool({ name: 'listOrganizations', arguments: {} });
  const { organizations } = structuredContent as { organizations?: { id: string }[] };
  if (isError || organizations === undefined) throw new Error(JSON.stringify(structuredContent));
  return organizations.map(({ id }) => id);
}
