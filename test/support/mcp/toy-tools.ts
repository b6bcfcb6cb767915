/** A small set of tools, an app with them, and requests to it, for tests of protocol and HTTP. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import pino from 'pino';
import { z } from 'zod';
import type { Caller } from '../../../src/commands/organization/caller.ts';
import { clientInfoReader } from '../../../src/http/access/client-info-reader.ts';
import { createRateLimits } from '../../../src/http/access/rate-limits.ts';
import { createApp, type HttpServiceOptions } from '../../../src/http/create-app.ts';
import { startServer, stopServer } from '../../../src/http/server.ts';
import { StoreUnavailable } from '../../../src/stores/errors.ts';
import type { CallContext } from '../../../src/tools/tool.ts';
import type { ToolBox, ToolResult } from '../../../src/tools/toolbox.ts';

export const TOKEN = 'vtr_good';
export const CALLER: Caller = {
  account_id: 'acc_1',
  token_id: 'tok_1',
  client: null,
  roles: new Map([['org_1', 'OWNER']]),
  members: new Map([['org_1', 'OWNER']]),
  read_only: false,
};

type Toy = (args: Record<string, unknown>, context: CallContext) => Promise<ToolResult> | ToolResult;

const okResult = (value: object): ToolResult => ({ json: JSON.stringify(value), outcome: 'ok', status: 200 });

const text = { type: 'string' };
const schema = (properties: Record<string, object>) => ({ type: 'object', properties });

/** Records every call, newest last, and lets a test release a waiting one. */
export interface ToyTools extends ToolBox {
  readonly calls: { name: string; args: unknown; context: CallContext }[];
  /** Lets `wait` finish. */
  release(): void;
}

export function toyTools(): ToyTools {
  const calls: ToyTools['calls'] = [];
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const toys: Record<string, { input: object; readOnly: boolean; run: Toy }> = {
    echo: {
      input: schema({ word: text, size: { type: 'integer' }, archived: { type: 'boolean' }, filter: schema({}) }),
      readOnly: true,
      run: (args, { caller }) => okResult({ args, client: caller.client }),
    },
    add: { input: schema({ name: text }), readOnly: false, run: (args) => okResult({ added: args }) },
    fail: {
      input: schema({ status: { type: 'integer' } }),
      readOnly: true,
      run: ({ status, retryAfter }) => ({
        json: JSON.stringify({ error: { code: 'some_code', message: 'It failed: “quoted”.', retryable: false } }),
        outcome: 'internal',
        status: Number(status),
        ...(typeof retryAfter === 'number' ? { retryAfter } : {}),
      }),
    },
    steps: {
      input: schema({ steps: { type: 'integer' } }),
      readOnly: true,
      run: ({ steps }, { progress }) => {
        for (let step = 1; step <= Number(steps); step++) {
          progress?.(step, Number(steps), `step ${step}`);
          progress?.(step, Number(steps), 'said twice');
        }
        return okResult({ told: progress !== undefined });
      },
    },
    wait: {
      input: schema({}),
      readOnly: true,
      run: async (_args, { signal }) => {
        const aborted = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
        await Promise.race([released, aborted]);
        return okResult({ aborted: signal?.aborted ?? null });
      },
    },
  };
  const published = Object.entries(toys).map(([name, { input }]) => ({ name, description: name, inputSchema: input }));
  return {
    calls,
    release: () => release(),
    listJson: () => JSON.stringify(published),
    instructions: 'Say please.',
    openapi: (about) => JSON.stringify({ openapi: '3.1.1', about }),
    has: (name) => Object.hasOwn(toys, name),
    today: () => '2026-03-01',
    inputOf: () => z.object({}),
    permissionOf: () => 'readRecords',
    isReadOnly: (name) => toys[name]?.readOnly === true,
    call: async (name, args, context) => {
      calls.push({ name, args, context });
      return toys[name]!.run(args as Record<string, unknown>, context);
    },
  };
}

/** `TOKEN` is valid, `away` can't be checked, `broken` causes an internal error, all others are unknown. */
async function authenticate(token: string): Promise<Caller | null> {
  if (token === 'away') throw new StoreUnavailable('mongodb://10.0.0.1 is away');
  if (token === 'broken') throw new Error('boom at /srv/secret/file.ts');
  return token === TOKEN ? CALLER : null;
}

export interface ToyService {
  tools: ToyTools;
  server: Server;
  port: number;
  url: string;
  /** Lines of the log. */
  log: Record<string, unknown>[];
  stop(): Promise<void>;
}

/** Starts the app on a free port. */
export async function startToyService(
  options: Partial<HttpServiceOptions> = {},
  listen: { requestTimeoutMs?: number } = {},
): Promise<ToyService> {
  const tools = toyTools();
  const log: Record<string, unknown>[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => log.push(JSON.parse(line)) });
  const health = async () => ({ serving: true, store: 'fine' });
  const app = createApp({
    tools,
    authenticate,
    health,
    limits: createRateLimits(null, clientInfoReader([])),
    baseUrl: 'https://veritrail.example',
    version: '1.2.3',
    logger,
    ...options,
  });
  const server = await startServer(app.callback(), { host: '127.0.0.1', port: 0, ...listen });
  const { port } = server.address() as AddressInfo;
  return { tools, server, port, url: `http://127.0.0.1:${port}`, log, stop: () => stopServer(server, 100) };
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; null if it is not JSON. */
  json: Json;
}

/** JSON of unknown shape, for assertions. */
export type Json = { [key: string]: Json } & { [Symbol.toPrimitive]?: never };

/** Sends one request with the valid token, and reads the whole answer. */
export async function request(url: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, { ...init, headers: { Authorization: `Bearer ${TOKEN}`, ...init.headers } });
  const body = await response.text();
  let json: unknown = null;
  try {
    json = JSON.parse(body);
  } catch {}
  return { status: response.status, headers: response.headers, text: body, json: json as Json };
}

/** Posts a protocol message (or a raw body) to the endpoint. */
export function post(service: ToyService, message: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  return request(`${service.url}/api/mcp/v1`, {
    method: 'POST',
    body: typeof message === 'string' ? message : JSON.stringify(message),
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
  });
}

/** Writes raw bytes to the port and returns everything that comes back. */
export async function raw(port: number, ...parts: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  for (const part of parts) socket.write(part, 'latin1');
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('utf8');
}

/** Waits until a condition holds, for at most two seconds. */
export async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 2_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`never happened: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
