import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { openStores } from '../src/stores/open.ts';
import { chainEvents } from '../src/trail/hash.ts';
import { type Bed, tempFolder } from './data.ts';
import { type Figure, figure, median } from './measure.ts';

const ROWS = 200;
const ROUNDS = 15;

/** Compares importRecords of 200 vendors, until readable, with appending 200 ready events of the same content in one batch. */
export async function importFigures(bed: Bed): Promise<Figure[]> {
  const folder = tempFolder();
  const otherStores = await openStores({ dataDir: folder, eventStoreUrl: null, mongodbUrl: null });
  const imported: number[] = [];
  const appended: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const run = randomUUID();
    const rows = Array.from({ length: ROWS }, (_, row) => ({
      name: `Supplier ${run} ${row}`,
      description: `Provides thing ${row} to the company`,
      country: 'DE',
      criticality: 'HIGH',
    }));
    imported.push(
      await timed(() => bed.call('importRecords', { organization_id: bed.organizationId, type: 'VENDOR', rows })),
    );
    const events = chained(bed, run, rows);
    appended.push(await timed(() => otherStores.events.append(`bench-${run}`, events, -1)));
  }
  await otherStores.close();
  rmSync(folder, { recursive: true, force: true });
  const perSecond = (times: number[]) => (ROWS * 1_000) / median(times);
  const name = 'importRecords of 200 vendors, readable, to appending 200 ready events in one batch';
  return [figure(name, '1/s', perSecond(imported), perSecond(appended), '>=', 0.05)];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function chained(bed: Bed, run: string, rows: readonly Record<string, unknown>[]) {
  return chainEvents({
    stream: `bench-${run}`,
    revision: -1,
    previousHash: null,
    input: {},
    newEvents: rows.map((data) => ({ type: 'VendorAdded', data })),
    schemaVersion: () => 1,
    metadata: {
      organization_id: bed.organizationId,
      actor_id: 'SYSTEM',
      token_id: null,
      client: null,
      command_id: run,
      correlation_id: run,
      causation_id: null,
      recorded_at: new Date().toISOString(),
    },
  });
}
