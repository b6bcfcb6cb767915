import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildGeneration } from '../src/projections/engine/build-generation.ts';
import { openStores } from '../src/stores/open.ts';
import { appendVendorEvents, tempFolder } from './bench-register.ts';
import { atMost, type Figure, figure, median } from './measure.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Times from starting the process to its first ready answer, with so many events in the log and with an empty one. */
export async function startFigures(events: number, rounds: number): Promise<Figure[]> {
  const fullFolder = tempFolder();
  const empty = tempFolder();
  await startOnce(empty);
  await startOnce(fullFolder);
  const stores = await openStores({ dataDir: fullFolder, eventStoreUrl: null, mongodbUrl: null });
  const [first] = await stores.events
    .readAll(null)
    [Symbol.asyncIterator]()
    .next()
    .then((r) => r.value ?? []);
  const { organization_id } = first!.metadata;
  await appendVendorEvents(
    stores.events,
    `${organization_id.slice(0, -1)}${organization_id.endsWith('0') ? '1' : '0'}`,
    'acc_bench',
    events / 2,
    2,
  );
  await buildGeneration({ events: stores.events, reads: stores.reads, installation: String(first!.data.installation) });
  await stores.close();
  const times = { full: [] as number[], empty: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    times.full.push(await startOnce(fullFolder));
    times.empty.push(await startOnce(empty));
  }
  for (const folder of [fullFolder, empty]) rmSync(folder, { recursive: true, force: true });
  const name = `ready after start with ${events.toLocaleString('en')} events in the log; baseline: empty log`;
  return [figure(name, 'ms', median(times.full), median(times.empty), atMost(1.5))];
}

/** Starts the service, waits until it is ready, stops it. @returns milliseconds until it was ready */
async function startOnce(folder: string): Promise<number> {
  const startedAt = performance.now();
  const env = { ...process.env, DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'error', EVENTSTORE_URL: '', MONGODB_URL: '' };
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  while (!/listening on (\S+)/.test(output)) await once(child.stdout, 'data');
  const url = /listening on (\S+)/.exec(output)![1]!;
  while ((await fetch(`${url}/readyz`)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
  const durationMs = performance.now() - startedAt;
  child.kill('SIGTERM');
  await once(child, 'exit');
  return durationMs;
}
