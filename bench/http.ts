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

/** The service under load, with the credentials of two tokens. */
interface Service {
  port: number;
  token: string;
  viewerToken: string;
}

/** Compares MCP calls over HTTP, including their token check, to plain Koa routes that send the same bytes. */
export async function httpFigures(benchRegister: BenchRegister, ms: number): Promise<Figure[]> {
  const server = fork(SERVER, [benchRegister.folder, benchRegister.organizationId, benchRegister.caller.account_id], {
    execArgv: ['--import', 'tsx', '--import', COMPILED_CODE],
  });
  const [{ port, token, viewerToken }] = (await once(server, 'message')) as [Service];
  try {
    const listRequest = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const params = { name: 'getRecords', arguments: { ids: [vendorId(17)] } };
    const readRequest = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const requestTo = (path: string, message: object) => post(port, path, token, message);
    const lists = await compare(port, ms, requestTo('/api/mcp/v1', listRequest), requestTo('/plain/list', listRequest));
    const reads = await compare(
      port,
      ms,
      requestTo('/api/mcp/v1', readRequest),
      requestTo('/plain/record', readRequest),
    );
    const pages = await compare(
      port,
      ms,
      requestTo('/api/mcp/v1', PAGE_REQUEST),
      requestTo('/plain/page', PAGE_REQUEST),
    );
    const checks = await compare(
      port,
      ms,
      requestTo('/plain/checked', listRequest),
      requestTo('/plain/list', listRequest),
    );
    const duringSignIns = await compareDuringSignIns(
      port,
      requestTo('/api/mcp/v1', readRequest),
      requestTo('/plain/sign-in', {}),
    );
    const call = requestTo('/api/mcp/v1', readRequest);
    const invalid = await compareDuringCalls(port, call, viewerToken, invalidCalls());
    return toFigures({ lists, reads, pages, checks, duringSignIns, invalid });
  } finally {
    server.disconnect();
    await once(server, 'exit');
  }
}

interface Comparisons {
  lists: Comparison;
  reads: Comparison;
  pages: Comparison;
  checks: Comparison;
  duringSignIns: Comparison;
  invalid: Comparison & { worst: string };
}

function toFigures({ lists, reads, pages, checks, duringSignIns, invalid }: Comparisons): Figure[] {
  return [
    figure(
      `getRecords, p99 while another credential sends ${invalid.worst}, 20 concurrent; baseline: p99 without them`,
      'ms',
      invalid.value,
      invalid.baseline,
      atMost(3),
    ),
    figure(
      'getRecords, p99 while 50 people sign in; baseline: p99 without them',
      'ms',
      duringSignIns.value,
      duringSignIns.baseline,
      atMost(3),
    ),
    figure(
      'plain Koa route that checks token, Host and rate; baseline: the same route without checks',
      '1/s',
      checks.value,
      checks.baseline,
      atLeast(0.85),
    ),
    figure(
      'tools/list over HTTP with token check; baseline: plain Koa route that sends the same bytes',
      '1/s',
      lists.value,
      lists.baseline,
      atLeast(0.75),
    ),
    figure(
      'getRecords of one vendor over HTTP; baseline: plain Koa route with the same store read and JSON',
      '1/s',
      reads.value,
      reads.baseline,
      atLeast(0.85),
    ),
    figure(
      'listVendors, 20 summaries over HTTP; baseline: plain Koa route that sends the same bytes from memory',
      '1/s',
      pages.value,
      pages.baseline,
      atLeast(0.25),
    ),
  ];
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

/** The most expensive invalid calls, by name. */
function invalidCalls(): Map<string, string> {
  const unknownNames = (names: number, length: number) =>
    Object.fromEntries(Array.from({ length: names }, (_, index) => [`${index}`.padEnd(length, 'x'), 1]));
  const call = (name: string, inputs: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${inputs}}}`;
  const controls = JSON.stringify(Array.from({ length: 500 }, () => unknownNames(18, 10)));
  return new Map([
    ['170,000 levels', call('listVendors', `${'{"a":'.repeat(170_000)}1${'}'.repeat(170_000)}`)],
    ['75,000 unknown names', call('listVendors', JSON.stringify(unknownNames(75_000, 6)))],
    ['9,900 unknown names of 100 characters', call('listVendors', JSON.stringify(unknownNames(9_900, 100)))],
    ['500 controls of 18 unknown names', call('addFramework', `{"controls":${controls}}`)],
    ['1 MiB of escapes', call('listVendors', `{"filter":{"query":"${'\\u0061'.repeat(174_000)}"}}`)],
  ]);
}

/**
 * Returns the 99th percentile of call durations while another credential sends the worst of some calls, 20 concurrent,
 * and without any.
 * @param token the other credential
 * @param calls their bodies by name
 */
export async function compareDuringCalls(
  port: number,
  call: Buffer,
  token: string,
  calls: ReadonlyMap<string, string>,
): Promise<Comparison & { worst: string }> {
  const quietP99s: number[] = [];
  let worst = { name: '', p99: 0 };
  for (const [name, body] of calls) {
    const p99For = async (ms: number) => {
      const end = performance.now() + ms;
      return percentile(await latencies(port, call, () => performance.now() < end), 0.99);
    };
    quietP99s.push(await p99For(1_500));
    const requests = Array.from({ length: 20 }, () => callRequest(token, body));
    const p99 = await whileSending(port, requests, () => p99For(3_000));
    if (p99 > worst.p99) worst = { name, p99 };
  }
  return { value: worst.p99, baseline: median(quietP99s), worst: worst.name };
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
