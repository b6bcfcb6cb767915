import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OrganizationTree } from '../src/projections/transparency/organization-tree.ts';
import { exportLines } from '../src/queries/files/export-lines.ts';
import { Verifier } from '../src/trail/check/verifier.ts';
import type { TrailEvent } from '../src/trail/event.ts';
import { eventHash, saltedHash } from '../src/trail/hash.ts';
import { nodeCrypto } from '../src/trail/node/node-crypto.ts';
import type { BenchRegister } from './bench-register.ts';
import { atLeast, atMost, countPerSecond, type Figure, figure, median } from './measure.ts';

const ROUNDS = 3;
/** The sealer checks once a second, so a round covers several checks. */
const SEALED_ROUND_MS = 4_000;
/** Events kept in memory to compare verifying with hashing. */
const EVENTS_IN_MEMORY = 50_000;

/** Compares export with reading the log, and verifying with hashing. Measures how much sealing slows writes down. */
export async function trailFigures(benchRegister: BenchRegister, ms: number): Promise<Figure[]> {
  return [
    await measureExport(benchRegister),
    await measureVerification(benchRegister),
    ...(await measureSealing(benchRegister, ms)),
  ];
}

function readExport({ stores, organizationId }: BenchRegister): AsyncIterable<string[]> {
  return exportLines({ events: stores.events, organizationId, installation: 'bench', now: () => new Date() });
}

async function measureExport(benchRegister: BenchRegister): Promise<Figure> {
  const [readTimes, exportTimes]: [number[], number[]] = [[], []];
  let events = 0;
  for (let round = 0; round < ROUNDS; round++) {
    let startedAt = performance.now();
    events = 0;
    for await (const batch of benchRegister.stores.events.readAll(null)) events += batch.length;
    readTimes.push(performance.now() - startedAt);
    startedAt = performance.now();
    await pipeline(
      Readable.from(joinLines(readExport(benchRegister))),
      createWriteStream('/dev/null', { highWaterMark: 256 * 1024 }),
    );
    exportTimes.push(performance.now() - startedAt);
  }
  const perSecond = (times: number[]) => (events * 1_000) / median(times);
  const name = `export (${events.toLocaleString('en')} events); baseline: reading the log`;
  return figure(name, '1/s', perSecond(exportTimes), perSecond(readTimes), atLeast(0.7));
}

async function* joinLines(batches: AsyncIterable<string[]>): AsyncGenerator<string> {
  for await (const lines of batches) yield `${lines.join('\n')}\n`;
}

async function measureVerification(benchRegister: BenchRegister): Promise<Figure> {
  const lines: string[] = [];
  for await (const batch of readExport(benchRegister)) {
    lines.push(...batch);
    if (lines.length > EVENTS_IN_MEMORY) break;
  }
  const events = lines.slice(1).flatMap((line) => (JSON.parse(line) as { event?: TrailEvent }).event ?? []);
  const [hashTimes, verifyTimes]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    let startedAt = performance.now();
    for (const event of events) {
      eventHash(nodeCrypto, event);
      saltedHash(nodeCrypto, event.metadata.salt, event.data);
    }
    hashTimes.push(performance.now() - startedAt);
    startedAt = performance.now();
    const verifier = new Verifier(nodeCrypto, { keys: [] });
    for (const line of lines) verifier.push(line);
    if (verifier.finish().event_fault !== null) throw new Error('the bench’s history is not valid');
    verifyTimes.push(performance.now() - startedAt);
  }
  const perSecond = (times: number[]) => (events.length * 1_000) / median(times);
  const name = 'verifying; baseline: canonical form and SHA-256 of the same events';
  return figure(name, '1/s', perSecond(verifyTimes), perSecond(hashTimes), atLeast(0.5));
}

/** Measures writes with and without a running sealer, and the cost of the tree, which every applied event adds to. */
async function measureSealing(benchRegister: BenchRegister, ms: number): Promise<Figure[]> {
  let index = 0;
  const { organizationId: organization_id, register } = benchRegister;
  const add = () => benchRegister.call('addVendor', { organization_id, name: `Sealed ${index++}` });
  const [ratesWithoutSealer, ratesWithSealer]: [number[], number[]] = [[], []];
  await countPerSecond(ms / 6, 64, add);
  // The store grows with every round, so the order alternates. Each round is long enough for several checks of the
  // sealer.
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const isSealing = round % 4 === 1 || round % 4 === 2;
    const before = await countSeals(benchRegister);
    if (isSealing) register.sealer.start();
    (isSealing ? ratesWithSealer : ratesWithoutSealer).push(
      await countPerSecond(Math.max(ms / 2, SEALED_ROUND_MS), 64, add),
    );
    await register.sealer.stop();
    if (isSealing && (await countSeals(benchRegister)) === before)
      throw new Error('no seal was created in a round that measures sealing');
  }
  const [withoutSeals, withSeals] = [median(ratesWithoutSealer), median(ratesWithSealer)];
  return [
    figure(
      'addVendor, 64 concurrent, while the sealer runs; baseline: without the sealer',
      '1/s',
      withSeals,
      withoutSeals,
      atLeast(0.95),
    ),
    figure(
      'appending one event to the tree; baseline: one addVendor, 64 concurrent',
      'µs',
      await measureTreeAppend(),
      1e6 / withoutSeals,
      atMost(0.05),
    ),
  ];
}

async function countSeals({ stores, organizationId }: BenchRegister): Promise<number> {
  return (await stores.events.readStream(`seal-${organizationId}`)).length;
}

/** Returns the microseconds that appending one event to the tree takes. */
async function measureTreeAppend(): Promise<number> {
  const hash = 'ab'.repeat(32);
  const tree = await OrganizationTree.read({ get: async () => [] }, 'org', 0);
  const startedAt = performance.now();
  for (let n = 0; n < EVENTS_IN_MEMORY; n++) tree.append(hash);
  return ((performance.now() - startedAt) * 1_000) / EVENTS_IN_MEMORY;
}
