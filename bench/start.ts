import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildGeneration } from '../src/projections/engine/build-generation.ts';
import { openStores } from '../src/stores/open.ts';
import { appendVendorEvents, tempFolder } from './bench-register.ts';
import { MCP_HEADERS, PAGE_REQUEST } from './http-requests.ts';
import { atMost, type Figure, figure, median } from './measure.ts';

const SERVICE = fileURLToPath(new URL('../bin/service.js', import.meta.url));
/** /proc counts processor time in hundredths of a second. */
const MS_PER_TICK = 10;

/** The service, started by this bench. */
interface Start {
  /** Milliseconds from starting the process to the first answer. */
  ms: number;
  /** Milliseconds of processor time until then. */
  cpuMs: number;
}

/** A data folder with its first token. */
interface DataFolder {
  path: string;
  token: string;
}

/**
 * Times from starting the process to its first page of vendors. Starts with many vendors are compared with starts on an
 * empty log.
 */
export async function startFigures(vendors: number, rounds: number): Promise<Figure[]> {
  const empty = await createFolder(0);
  const full = await createFolder(vendors);
  const starts = { full: [] as Start[], empty: [] as Start[] };
  for (let round = 0; round < rounds; round++) {
    starts.full.push(await startService(full));
    starts.empty.push(await startService(empty));
  }
  for (const { path } of [full, empty]) rmSync(path, { recursive: true, force: true });
  const medianOf = (measured: readonly Start[], field: keyof Start) => median(measured.map((start) => start[field]));
  const ms = medianOf(starts.full, 'ms');
  const name = `start with ${vendors.toLocaleString('en')} vendors until the first answer`;
  return [
    figure(`${name}; baseline: on an empty log`, 'ms', ms, medianOf(starts.empty, 'ms'), atMost(1.5)),
    figure(`${name}; baseline: its limit`, 'ms', ms, 1_000, atMost(1)),
    figure(`${name}, CPU; baseline: its limit`, 'ms', medianOf(starts.full, 'cpuMs'), 1_300, atMost(1)),
  ];
}

/** Creates an installation with vendors of two versions each. */
async function createFolder(vendors: number): Promise<DataFolder> {
  const path = tempFolder();
  const { child, output } = await spawnService(path);
  const token = /\bvtr_\w+/.exec(output)![0];
  await stop(child);
  if (vendors === 0) return { path, token };
  const stores = await openStores({ dataDir: path, eventStoreUrl: null, mongodbUrl: null });
  const batches = stores.events.readAll(null)[Symbol.asyncIterator]();
  const { value: [first] = [] } = (await batches.next()) as IteratorYieldResult<readonly FirstEvent[]>;
  const organizationId = first!.metadata.organization_id;
  await appendVendorEvents(stores.events, otherOrganization(organizationId), 'acc_bench', vendors, 2);
  await buildGeneration({ events: stores.events, reads: stores.reads, installation: String(first!.data.installation) });
  await stores.close();
  return { path, token };
}

interface FirstEvent {
  data: { installation?: unknown };
  metadata: { organization_id: string };
}

/** Returns an id that differs in its last digit. The vendors are another organization's, which has no members. */
const otherOrganization = (id: string) => `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;

async function startService({ path, token }: DataFolder): Promise<Start> {
  const startedAt = performance.now();
  const { child, url } = await spawnService(path);
  const headers = { ...MCP_HEADERS, Authorization: `Bearer ${token}` };
  const body = JSON.stringify(PAGE_REQUEST);
  let isAnswered = false;
  while (!isAnswered) {
    const response = await fetch(`${url}/api/mcp/v1`, { method: 'POST', headers, body });
    isAnswered = response.ok && !(await response.text()).includes('"isError":true');
  }
  const start = { ms: performance.now() - startedAt, cpuMs: cpuMsOf(child) };
  await stop(child);
  return start;
}

/** Starts the service as `npm start` does, and waits until it listens. */
export async function spawnService(folder: string) {
  const quiet = { LOG_LEVEL: 'error', LOG_SECURITY_EVENTS: 'false' };
  const env = { ...process.env, ...quiet, DATA_DIR: folder, PORT: '0', EVENTSTORE_URL: '', MONGODB_URL: '' };
  const child = spawn(process.execPath, [SERVICE], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  while (!/listening on (http[\w:/.]+)/.test(output)) await once(child.stdout, 'data');
  return { child, output, url: /listening on (http[\w:/.]+)/.exec(output)![1]! };
}

export async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Returns the processor time of a child's threads until now, user and system (`man proc`, fields 14 and 15 of stat). */
function cpuMsOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}
