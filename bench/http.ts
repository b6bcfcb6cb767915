import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type BenchRegister, vendorId } from './bench-register.ts';
import type { RepeatedRequest } from './concurrent-calls.ts';
import { MCP_HEADERS, PAGE_REQUEST } from './http-requests.ts';
import { atLeast, atMost, type Figure, figure, median } from './measure.ts';

const SERVER = fileURLToPath(new URL('./http-server.ts', import.meta.url));
const COMPILED_CODE = new URL('./compiled-code.js', import.meta.url).href;
const CALLS_PROGRAM = fileURLToPath(new URL('./concurrent-calls.ts', import.meta.url));
const CONNECTIONS = 16;

/** The two medians of a comparison. */
interface Comparison {
  value: number;
  baseline: number;
}

/** The service under load, with a credential. */
interface Service {
  port: number;
  token: string;
}

/** Compares MCP calls over HTTP, including their token check, to plain Koa routes that send the same bytes. */
export async function httpFigures(benchRegister: BenchRegister, ms: number): Promise<Figure[]> {
  const server = fork(SERVER, [benchRegister.folder, benchRegister.organizationId, benchRegister.caller.account_id], {
    execArgv: ['--import', 'tsx', '--import', COMPILED_CODE],
  });
  const [{ port, token }] = (await once(server, 'message')) as [Service];
  try {
    const listRequest = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const params = { name: 'getRecords', arguments: { ids: [vendorId(17)] } };
    const readRequest = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const requestTo = (path: string, message: object) => post(port, path, token, message);
    const againstPlain = async (name: string, path: string, message: object, limit: number) => {
      const { value, baseline } = await compare(port, ms, requestTo('/api/mcp/v1', message), requestTo(path, message));
      return figure(`${name}; baseline: plain Koa route`, '1/s', value, baseline, atLeast(limit));
    };
    const read = requestTo('/api/mcp/v1', readRequest);
    const { value, baseline } = await compareDuringSignIns(port, read, requestTo('/plain/sign-in', {}));
    const signIns = 'getRecords, p99 while 50 people sign in; baseline: p99 without them';
    return [
      figure(signIns, 'ms', value, baseline, atMost(3)),
      await againstPlain('tools/list over HTTP', '/plain/list', listRequest, 0.4),
      await againstPlain('getRecords of one vendor over HTTP', '/plain/record', readRequest, 0.42),
      await againstPlain('listVendors, 20 summaries over HTTP', '/plain/page', PAGE_REQUEST, 0.11),
    ];
  } finally {
    server.disconnect();
    await once(server, 'exit');
  }
}

/** Measures the rates of two requests in turn, three times each. Returns the median rates. */
async function compare(port: number, ms: number, measured: Buffer, baseline: Buffer): Promise<Comparison> {
  const rates = { value: [] as number[], baseline: [] as number[] };
  await requestRate(port, measured, ms / 6);
  await requestRate(port, baseline, ms / 6);
  for (let round = 0; round < 3; round++) {
    rates.value.push(await requestRate(port, measured, ms / 3));
    rates.baseline.push(await requestRate(port, baseline, ms / 3));
  }
  return { value: median(rates.value), baseline: median(rates.baseline) };
}

/** Returns the 99th percentile of call durations while people sign in, and while nobody does: medians of three rounds. */
async function compareDuringSignIns(port: number, call: Buffer, signIn: Buffer): Promise<Comparison> {
  const p99 = { value: [] as number[], baseline: [] as number[] };
  for (let round = 0; round < 3; round++) {
    let isBusy = true;
    const people = Promise.all(Array.from({ length: 50 }, () => exchangeOnce(port, signIn))).finally(() => {
      isBusy = false;
    });
    p99.value.push(percentile(await latencies(port, call, () => isBusy), 0.99));
    await people;
    const end = performance.now() + 1_500;
    p99.baseline.push(percentile(await latencies(port, call, () => performance.now() < end), 0.99));
  }
  return { value: median(p99.value), baseline: median(p99.baseline) };
}

/** Returns a call of the protocol endpoint. */
export const callRequest = (token: string, body: string): RepeatedRequest => ({
  method: 'POST',
  path: '/api/mcp/v1',
  headers: { Authorization: `Bearer ${token}`, ...MCP_HEADERS },
  body,
});

/**
 * Runs a function while a process sends requests, each again and again.
 * @param answers the number of answers after which the function begins
 */
export async function whileSending<Result>(
  port: number,
  requests: readonly RepeatedRequest[],
  run: () => Promise<Result>,
  answers = 20,
): Promise<Result> {
  const sender = fork(CALLS_PROGRAM, { execArgv: ['--import', 'tsx'] });
  sender.send({ port, requests });
  for (let answered = 0; answered < answers; answered++) await once(sender, 'message');
  const result = await run();
  sender.disconnect();
  await once(sender, 'exit');
  return result;
}

/** Sends a request on a connection of its own. */
async function exchangeOnce(port: number, request: Buffer): Promise<void> {
  const socket = connect(port, '127.0.0.1').setNoDelay();
  await once(socket, 'connect');
  await exchange(socket, request);
  socket.destroy();
}

/** Returns the duration of each call in milliseconds. Each connection sends calls one after another while `shouldContinue` returns true. */
export async function latencies(
  port: number,
  request: Buffer,
  shouldContinue: () => boolean,
  connections = 4,
): Promise<number[]> {
  const durationsMs: number[] = [];
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(port, '127.0.0.1').setNoDelay();
      await once(socket, 'connect');
      while (shouldContinue()) {
        const startedAt = performance.now();
        await exchange(socket, request);
        durationsMs.push(performance.now() - startedAt);
      }
      socket.destroy();
    }),
  );
  return durationsMs;
}

export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!;
}

/** Counts requests a second on a few persistent connections. Each sends the next one when it has the answer. */
async function requestRate(port: number, request: Buffer, ms: number): Promise<number> {
  let answered = 0;
  const startedAt = performance.now();
  const end = startedAt + ms;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect(port, '127.0.0.1').setNoDelay();
      await once(socket, 'connect');
      while (performance.now() < end) {
        await exchange(socket, request);
        answered += 1;
      }
      socket.destroy();
    }),
  );
  return (answered * 1_000) / (performance.now() - startedAt);
}

/** Sends a request and waits for the whole answer, by its Content-Length. */
function exchange(socket: ReturnType<typeof connect>, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = 0;
    let total = Number.POSITIVE_INFINITY;
    const onData = (chunk: Buffer) => {
      if (received === 0) {
        const head = chunk.toString('latin1');
        const body = head.indexOf('\r\n\r\n') + 4;
        if (!head.startsWith('HTTP/1.1 200')) reject(new Error(head.slice(0, 300)));
        total = body + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      }
      received += chunk.length;
      if (received < total) return;
      socket.off('data', onData);
      resolve();
    };
    socket.on('data', onData);
    socket.write(request);
  });
}

export function post(port: number, path: string, token: string, message: object): Buffer {
  const body = JSON.stringify(message);
  const headers = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    ...Object.entries(MCP_HEADERS).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${headers.join('\r\n')}\r\n\r\n${body}`);
}
