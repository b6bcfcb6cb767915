/** Starts commands that an assistant talks to over standard input and output, such as mcp-remote. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Opener } from '../identity/oauth-client.ts';
import { freePort } from '../run/free-port.ts';
import { until } from '../run/wait.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Limit for the start, the consent and the first answer. */
const CONNECT_MS = 45_000;

/** An entry of `mcpServers` in a client's configuration. */
export interface ClientCommand {
  command: string;
  args: readonly string[];
  env?: Record<string, string>;
}

export interface StdioConnection {
  client: Client;
  /** The command's output for people. */
  output(): string;
  /** Waits until the command opens another address in the browser. */
  waitForAuthorization(): Promise<string>;
  /** Ends the command and removes its files. */
  close(): Promise<void>;
}

/**
 * mcp-remote with the endpoint's address. It runs without npx, which would leave it running if it could not connect.
 * It gets a port for the browser's answer too: the one that it derives from the address may be taken.
 */
export async function mcpRemote(endpoint: string): Promise<ClientCommand> {
  const script = fileURLToPath(import.meta.resolve('mcp-remote/dist/proxy.js'));
  return { command: process.execPath, args: [script, endpoint, String(await freePort())] };
}

/**
 * Starts the command with a temporary home folder and connects to it. `npx` finds this project's packages, so nothing is
 * downloaded.
 * @param open gets the address that the command would open in the browser
 */
export async function connectByCommand({ command, args, env }: ClientCommand, open?: Opener): Promise<StdioConnection> {
  const home = mkdtempSync(join(tmpdir(), 'veritrail-client-'));
  const addressFile = join(home, 'address');
  const browser = join(home, 'browser');
  // On Linux without a desktop, the command opens addresses by $BROWSER.
  writeFileSync(
    browser,
    `#!/bin/sh\nprintf '%s\\n' "$1" > '${addressFile}.part' && mv '${addressFile}.part' '${addressFile}'\n`,
  );
  chmodSync(browser, 0o755);
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: {
      ...env,
      HOME: home,
      MCP_REMOTE_CONFIG_DIR: home,
      BROWSER: browser,
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
    },
    cwd: ROOT,
    stderr: 'pipe',
  });
  let output = '';
  transport.stderr?.on('data', (text: Buffer) => {
    output += text.toString();
  });
  const takeAddress = () => {
    const address = readFileSync(addressFile, 'utf8').trim();
    rmSync(addressFile);
    return address;
  };
  const client = new Client({ name: 'stdio-client', version: '1.0' });
  const close = async () => {
    await client.close();
    rmSync(home, { recursive: true, force: true });
  };
  try {
    let isConnected = false;
    const connecting = client.connect(transport, { timeout: CONNECT_MS }).finally(() => {
      isConnected = true;
    });
    const opening = until(
      () => isConnected || existsSync(addressFile),
      CONNECT_MS,
      'the command connects or asks',
    ).then(() => {
      if (!isConnected) return open?.(takeAddress());
    });
    await Promise.all([connecting, opening]);
  } catch (error) {
    await close();
    throw new Error(`${command} ${args.join(' ')}: ${(error as Error).message}\n${output}`, { cause: error });
  }
  return {
    client,
    output: () => output,
    waitForAuthorization: () =>
      until(() => existsSync(addressFile), CONNECT_MS, 'the command asks again').then(takeAddress),
    close,
  };
}
