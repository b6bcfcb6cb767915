import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';

export interface Mongo {
  /** Of an empty database of its own, which `close` drops. */
  url: string;
  /** What answers there, for the suite's name. */
  name: string;
  close(): Promise<void>;
}

/**
 * An empty database: on the server that MONGODB_URL names, else on the FerretDB built in this folder (or named by
 * FERRETDB_BIN), which is started for the first who asks and stopped when the last has closed. Null where there is
 * neither; that is said on standard output.
 */
export async function startMongo(): Promise<Mongo | null> {
  const given = process.env.MONGODB_URL;
  if (given) return database(given, 'MongoDB', async () => undefined);
  const binary = process.env.FERRETDB_BIN ?? fileURLToPath(new URL('./ferretdb/ferretdb', import.meta.url));
  if (!existsSync(binary)) {
    console.log('skipped: no MONGODB_URL is set and test/support/ferretdb is not built');
    return null;
  }
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

let users = 0;
let server: Promise<{ child: ChildProcess; url: string }> | undefined;

async function database(serverUrl: string, name: string, release: () => Promise<void>): Promise<Mongo> {
  const [, base, query = ''] = /^([a-z+]+:\/\/[^/?]+)[^?]*(\?.*)?$/.exec(serverUrl) ?? [];
  if (!base) throw new Error('MONGODB_URL is not a MongoDB URL');
  const url = `${base}/veritrail_test_${randomBytes(6).toString('hex')}${query}`;
  const close = async () => {
    const client = await MongoClient.connect(url);
    await client.db().dropDatabase();
    await client.close();
    await release();
  };
  return { url, name, close };
}

async function startFerret(binary: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(binary, [], { stdio: ['pipe', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^listening (\S+)/.exec(line)?.[1];
    if (!url) continue;
    // A test that fails before it closes must end all the same; the server then ends with it.
    child.unref();
    for (const pipe of [child.stdin, child.stdout]) (pipe as Socket).unref();
    return { child, url };
  }
  throw new Error(`${binary} ended before it listened`);
}
