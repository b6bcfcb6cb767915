import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OrganizationTree } from '../src/projections/transparency/organization-tree.ts';
import { exportLines } from '../src/queries/files/export-lines.ts';
import { Verifier } from '../src/trail/check/verifier.ts';
import type { TrailEvent } from '../src/trail/event.ts';
import { eventHash, saltedHash } from '../src/trail/hash.ts';
import type { Bed } from './data.ts';
import { type Figure, figure, median, rate } from './measure.ts';

const ROUNDS = 3;
/** The sealer checks once a second. */
const SEALED_ROUND_MS = 4_000;
/** So many events are in memory for the loop that verifying is compared with. */
const HELD = 50_000;

/** Compares export with reading the log, and verifying with hashing. Measures the share of writes that sealing costs. */
export async function trailFigures(bed: Bed, ms: number): Promise<Figure[]> {
  return [await exporting(bed), await verifying(bed), ...(await sealing(bed, ms))];
}

function exportOf({ stores, organizationId }: Bed): AsyncIterable<string[]> {
  return exportLines({ events: stores.events, organizationId, installation: 'bench', now: () => new Date() });
}

async function exporting(bed: Bed): Promise<Figure> {
  const [reading, writing]: [number[], number[]] = [[], []];
  let events = 0;
  for (let round = 0; round < ROUNDS; round++) {
    let started = performance.now();
    events = 0;
    for await (const batch of bed.stores.events.readAll(null)) events += batch.length;
    reading.push(performance.now() - started);
    started = performance.now();
    await pipeline(
      Readable.from(textsOf(exportOf(bed))),
      createWriteStream('/dev/null', { highWaterMark: 256 * 1024 }),
    );
    writing.push(performance.now() - started);
  }
  const perSecond = (times: number[]) => (events * 1_000) / median(times);
  const name = `export (${events.toLocaleString('en')} events) to reading the log alone`;
  return figure(name, '1/s', perSecond(writing), perSecond(reading), '>=', 0.5);
}

async function* textsOf(batches: AsyncIterable<string[]>): AsyncGenerator<string> {
  for await (const lines of batches) yield `${lines.join('\n')}\n`;
}

async function verifying(bed: Bed): Promise<Figure> {
  const lines: string[] = [];
  for await (const some of exportOf(bed)) {
    lines.push(...some);
    if (lines.length > HELD) break;
  }
  const events = lines.slice(1).flatMap((line) => (JSON.parse(line) as { event?: TrailEvent }).event ?? []);
  const [hashing, checking]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    let started = performance.now();
    for (const event of events) {
      eventHash(event);
      saltedHash(event.metadata.salt, event.data);
    }
    hashing.push(performance.now() - started);
    started = performance.now();
    const verifier = new Verifier({ keys: [] });
    for (const line of lines) verifier.push(line);
    if (verifier.finish().event_fault !== null) throw new Error('the bench’s history is not valid');
    checking.push(performance.now() - started);
  }
  const perSecond = (times: number[]) => (events.length * 1_000) / median(times);
  const name = 'verifying to a loop of canonical form and SHA-256 alone over the same events';
  return figure(name, '1/s', perSecond(checking), perSecond(hashing), '>=', 0.35);
}

/** Measures writes with and without sealing: the sealer runs beside them, and the tree is part of each fold. */
async function sealing(bed: Bed, ms: number): Promise<Figure[]> {
  let index = 0;
  const { organizationId: organization_id, register } = bed;
  const add = () => bed.call('addVendor', { organization_id, name: `Sealed ${index++}` });
  const [without, withSealsRates]: [number[], number[]] = [[], []];
  await rate(ms / 6, 64, add);
  // Which comes first changes: the store grows with every round. Each is long enough for several looks of the sealer.
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const sealed = round % 4 === 1 || round % 4 === 2;
    const before = await sealsIn(bed);
    if (sealed) register.sealer.start();
    (sealed ? withSealsRates : without).push(await rate(Math.max(ms / 2, SEALED_ROUND_MS), 64, add));
    await register.sealer.stop();
    if (sealed && (await sealsIn(bed)) === before)
      throw new Error('no seal was made in a round that is to measure them');
  }
  const [bare, withSeals] = [median(without), median(withSealsRates)];
  return [
    figure('addVendor at 64 at once while the sealer runs, to without it', '1/s', withSeals, bare, '>=', 0.95),
    figure(
      'taking one event into the tree, to one addVendor at 64 at once',
      'µs',
      await growing(),
      1e6 / bare,
      '<=',
      0.05,
    ),
  ];
}

async function sealsIn({ stores, organizationId }: Bed): Promise<number> {
  return (await stores.events.readStream(`seal-${organizationId}`)).length;
}

/** Returns the microseconds that the tree costs for an event. */
async function growing(): Promise<number> {
  const hash = 'ab'.repeat(32);
  const tree = await OrganizationTree.read({ get: async () => [] }, 'org', 0);
  const started = performance.now();
  for (let n = 0; n < HELD; n++) tree.append(hash);
  return ((performance.now() - started) * 1_000) / HELD;
}
