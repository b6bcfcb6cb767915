import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';

/** `test/run.ts` says which stores a run is for: `embedded`, `servers`, or both if it is not set. */
const { TEST_STORES } = process.env;
export const onlyServers = TEST_STORES === 'servers';

export interface Mongo {
  /** The URL of an empty database, which `close` drops. */
  url: string;
  /** The server's name, for the suite's name. */
  name: string;
  close(): Promise<void>;
}

/**
 * Returns an empty database on the server in MONGODB_URL, else on the FerretDB that was built in this folder (or that
 * FERRETDB_BIN names). FerretDB is started for the first caller and stopped after the last. Returns null if there is
 * neither, or if the run is for embedded stores, and says so on standard output.
 */
export async function startMongo(): Promise<Mongo | null> {
  const url = process.env.MONGODB_URL;
  if (url) return database(url, 'MongoDB', async () => undefined);
  const binary = ferretBinary();
  if (binary === null) return null;
  users++;
  server ??= startFerret(binary);
  return database((await server).url, 'FerretDB', async () => {
    if (--users > 0 || !server) return;
    const { child } = await server;
    server = undefined;
    child.ref();
    child.stdin?.end();
    await new Promise((resolve) => child.once('exit', resolve));
  });
}

/** Returns true if `startMongo` returns a database. If not, says why on standard output. */
export function canStartMongo(): boolean {
  return Boolean(process.env.MONGODB_URL) || ferretBinary() !== null;
}

/** Returns true if `startKillableMongo` returns a server. If not, says why on standard output. */
export function canKillMongo(): boolean {
  return ferretBinary() !== null;
}

/** Returns null if FerretDB is not built or not wanted, and says so on standard output. */
function ferretBinary(): string | null {
  if (TEST_STORES === 'embedded') {
    console.log('skipped: npm run test:servers runs this on FerretDB');
    return null;
  }
  const binary = process.env.FERRETDB_BIN ?? fileURLToPath(new URL('../ferretdb/ferretdb', import.meta.url));
  if (existsSync(binary)) return binary;
  console.log('skipped: test/support/ferretdb is not built, and no MONGODB_URL is set where one would do');
  return null;
}

/** A server for one test, which the test may kill and pause. */
export interface KillableMongo {
  url: string;
  /** Kills the server with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and data. */
  start(): Promise<void>;
  /** Pauses it; its connections stay open. */
  freeze(): void;
  resume(): void;
  close(): Promise<void>;
}

/** Starts a separate FerretDB, even if MONGODB_URL is set. Returns null if FerretDB is not built. */
export async function startKillableMongo(): Promise<KillableMongo | null> {
  const binary = ferretBinary();
  if (binary === null) return null;
  const data = mkdtempSync(join(tmpdir(), 'veritrail-ferretdb-'));
  let running = await startFerret(binary, ['-data', data]);
  const { port } = new URL(running.url);
  const kill = async () => {
    const { child } = running;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return {
    url: `${running.url}veritrail`,
    kill,
    start: async () => {
      running = await startFerret(binary, ['-data', data, '-port', port]);
    },
    freeze: () => void running.child.kill('SIGSTOP'),
    resume: () => void running.child.kill('SIGCONT'),
    close: async () => {
      await kill();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

let users = 0;
let server: Promise<{ child: ChildProcess; url: string }> | undefined;

async function database(serverUrl: string, name: string, release: () => Promise<void>): Promise<Mongo> {
  const [, base, query = ''] = /^([a-z+]+:\/\/[^/?]+)[^?]*(\?.*)?$/.exec(serverUrl) ?? [];
  if (!base) throw new Error('MONGODB_URL is not a MongoDB URL');
  const url = `${base}/veritrail_test_${randomBytes(6).toString('hex')}${query}`;
  const close = async () => {
    const client = await MongoClient.connect(url);
    await client.db().dropDatabase();
    await client.db(`${client.db().databaseName}_reports`).dropDatabase();
    await client.close();
    await release();
  };
  return { url, name, close };
}

async function startFerret(
  binary: string,
  args: readonly string[] = [],
): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(binary, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^listening (\S+)/.exec(line)?.[1];
    if (!url) continue;
    // The server must not keep a failed test's process alive, and ends with it.
    child.unref();
    for (const pipe of [child.stdin, child.stdout]) (pipe as Socket).unref();
    return { child, url };
  }
  throw new Error(`${binary} ended before it listened`);
}
