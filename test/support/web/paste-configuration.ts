/** Uses configurations exactly as pages show them, as a person pastes them. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type ClientCommand, connectByCommand } from '../mcp/stdio-client.ts';

const run = promisify(execFile);
const RUN_MS = 20_000;

interface Remote {
  url: string;
  headers?: Record<string, string>;
}

/** Returns a configuration's only server, under any client's member name. */
export function configuredServer(json: string): Remote | ClientCommand {
  const config = JSON.parse(json) as Record<string, Record<string, Remote | ClientCommand>>;
  const servers = config.mcpServers ?? config.servers ?? config.context_servers;
  const entries = Object.values(servers ?? {});
  if (entries.length !== 1) throw new Error(`not one server but ${entries.length}: ${json}`);
  return entries[0]!;
}

/** Connects by a configuration, with an address and headers or with a command. */
export async function connectByConfiguration(json: string): Promise<{ client: Client; close(): Promise<void> }> {
  const server = configuredServer(json);
  if ('command' in server) return connectByCommand(server);
  const requestInit = { headers: server.headers ?? {} };
  const transport = new StreamableHTTPClientTransport(new URL(server.url), { requestInit });
  const client = new Client({ name: 'shown', version: '1.0' });
  // Under exactOptionalPropertyTypes, the class's `sessionId` doesn't match the interface's.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return { client, close: () => client.close() };
}

/** Runs a command in a shell and returns its output. @throws Error when it fails */
export async function runPastedCommand(command: string): Promise<string> {
  const { stdout } = await run('sh', ['-c', command], { timeout: RUN_MS });
  return stdout;
}

/** Returns the arguments that a shell passes to a client for a command (`claude mcp add …`). */
export async function pastedArguments(command: string, program: string): Promise<string[]> {
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

/** Returns the ids of the organizations that a client sees. */
export async function organizationsOf(client: Client): Promise<string[]> {
  const { structuredContent, isError } = await client.callTool({ name: 'listOrganizations', arguments: {} });
  const { organizations } = structuredContent as { organizations?: { id: string }[] };
  if (isError || organizations === undefined) throw new Error(JSON.stringify(structuredContent));
  return organizations.map(({ id }) => id);
}
