import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SETTING_NAMES } from '../../src/config.ts';
import { rememberClock } from './clock.ts';
import { freePort } from './run/free-port.ts';
import { until } from './run/wait.ts';

/** Runs dist/ if it is current, like `npm start`. Compiled code starts in half the time, so `npm test` builds first. */
const SERVICE = fileURLToPath(new URL('../../bin/service.js', import.meta.url));
const START_MS = 90_000;
const STOP_MS = 15_000;

/** A running service. */
export interface Running {
  /** Base address, without a trailing slash. */
  url: string;
  /** The token printed on first start; empty on a later start, which prints none. */
  token: string;
  /** Returns the output of both streams until now. */
  output(): string;
  /** Stops the service and waits until it has ended. */
  stop(): Promise<void>;
}

/** A service that runs in its own process. */
export interface Service extends Running {
  /** The organization printed on first start. */
  organizationId?: string;
  pid: number;
  dataDir: string;
  /** Kills the process with SIGKILL, as a power cut would. */
  kill(): Promise<void>;
}

const children = new Set<ChildProcess>();
const folders = new Set<string>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/**
 * Starts the service on a free loopback port and waits until it is ready. Without DATA_DIR it gets a temporary folder. To
 * start again on the same data, pass the same DATA_DIR.
 * @param program Node.js arguments that replace the service's sources
 */
export async function startService(
  env: Record<string, string> = {},
  args: readonly string[] = [],
  program: readonly string[] = [SERVICE],
): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-service-'));
  folders.add(folder);
  const dataDir = env.DATA_DIR ?? join(folder, 'data');
  rememberClock(dataDir);
  const port = env.PORT ?? String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  // In a temporary folder, so that the service doesn't read the developer's .env.
  const child = spawn(process.execPath, [...program, ...args], {
    cwd: folder,
    // Sends nothing to the Internet, unless a test asks for it.
    env: { ...inherited(), CLIENT_METADATA_FETCH: 'off', ...env, PORT: port, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  // A service that a failed test left running must not keep the test process alive: its end stops the service.
  child.unref();
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    (stream as Socket).unref();
  }
  const exited = once(child, 'exit').then(() => children.delete(child));

  await waitUntilReady(url, child, () => output);
  const organization = /\borg_\w+/.exec(output)?.[0];
  return {
    url,
    token: /\bvtr_\w+/.exec(output)?.[0] ?? '',
    ...(organization === undefined ? {} : { organizationId: organization }),
    pid: child.pid!,
    dataDir,
    output: () => output,
    stop: async () => {
      child.kill('SIGTERM');
      const hasStopped = () => !children.has(child);
      await until(hasStopped, STOP_MS, `the service stops\n${output}`).catch((error: unknown) => {
        child.kill('SIGKILL');
        throw error;
      });
    },
    kill: async () => {
      child.ref();
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Waits for the greeting, then for /readyz. An error has the output of the process. */
async function waitUntilReady(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const isReady = async () => {
    if (!children.has(child)) throw new Error(`The service ended (${child.exitCode ?? child.signalCode})\n${output()}`);
    if (!output().includes('is listening on')) return false;
    return fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) }).then(
      (response) => response.ok,
      () => false,
    );
  };
  await until(isReady, START_MS, 'the service is ready').catch((error: Error) => {
    child.kill('SIGKILL');
    throw new Error(`${error.message}\n${output()}`, { cause: error });
  });
}

/** Returns the environment without the service's settings. */
function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !SETTING_NAMES.includes(name)));
}
