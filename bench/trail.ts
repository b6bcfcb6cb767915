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
import { atLeast, atMost, type Figure, figure, median } from './measure.ts';

const ROUNDS = 3;
/** Events kept in memory to compare verifying with hashing. */
const EVENTS_IN_MEMORY = 50_000;

/** Compares export with reading the log, and verifying with hashing, and measures the tree. */
export async function trailFigures(benchRegister: BenchRegister): Promise<Figure[]> {
  return [await measureExport(benchRegister), await measureVerification(benchRegister), await measureTreeAppend()];
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
  return figure(name, '1/s', perSecond(exportTimes), perSecond(readTimes), atLeast(0.4));
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
  return figure(name, '1/s', perSecond(verifyTimes), perSecond(hashTimes), atLeast(0.32));
}

/** Measures the cost of the tree, which every applied event adds to. */
async function measureTreeAppend(): Promise<Figure> {
  const hash = 'ab'.repeat(32);
  const tree = await OrganizationTree.read({ get: async () => [] }, 'org', 0);
  const startedAt = performance.now();
  for (let n = 0; n < EVENTS_IN_MEMORY; n++) tree.append(hash);
  const us = ((performance.now() - startedAt) * 1_000) / EVENTS_IN_MEMORY;
  return figure('appending one event to the tree; baseline: its limit', 'µs', us, 3, atMost(1));
}
