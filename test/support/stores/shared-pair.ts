import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getJson } from '../mcp/call-tool.ts';
import { startEventStore } from './event-store-server.ts';
import { startMongo } from './mongodb.ts';
import type { Pair } from './pairs.ts';

const BIN = fileURLToPath(new URL('../../../bin/veritrail.js', import.meta.url));

/** Runs the command line in its own process, while a service runs. @returns its standard output */
export async function veritrail(env: Record<string, string>, ...args: string[]): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), 'veritrail-cli-'));
  try {
    const run = promisify(execFile)(process.execPath, [BIN, ...args], { cwd, env: { PATH: process.env.PATH, ...env } });
    return (await run).stdout;
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

/** Starts stores that several services may share: EventStoreDB and MongoDB. Returns null without a MongoDB. */
export async function sharedPair(): Promise<Pair | null> {
  const mongo = await startMongo();
  if (mongo === null) return null;
  const events = await startEventStore();
  const close = async () => {
    await mongo.close();
    await events.close();
  };
  return {
    name: `${events.name} and ${mongo.name}`,
    env: { EVENTSTORE_URL: events.url, MONGODB_URL: mongo.url },
    close,
  };
}

/** Returns the service's role: LEADER applies events to the read models, FOLLOWER watches. */
export async function roleOf(url: string, token: string): Promise<string> {
  const { body } = await getJson(`${url}/api/mcp/v1/health`, token);
  return (body.projections as { role?: string } | undefined)?.role ?? 'UNKNOWN';
}

/** A call in progress: the service has its headers, the body is still to come. */
export interface InFlight {
  /** Sends the body and returns the answer. */
  finish(): Promise<{ status: number; body: Record<string, unknown> }>;
}

export function callInFlight(url: string, token: string, tool: string, args: object): Promise<InFlight> {
  const body = JSON.stringify(args);
  const call = request(`${url}/api/mcp/tools/${tool}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      Expect: '100-continue',
    },
  });
  const answered = new Promise<{ status: number; body: Record<string, unknown> }>((resolve, reject) => {
    call.once('error', reject);
    call.once('response', async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      resolve({ status: response.statusCode!, body: JSON.parse(text) as Record<string, unknown> });
    });
  });
  const finish = () => {
    call.end(body);
    return answered;
  };
  return new Promise((resolve, reject) => {
    answered.catch(reject);
    call.once('continue', () => resolve({ finish }));
    call.flushHeaders();
  });
}
