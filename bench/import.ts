import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { openStores } from '../src/stores/open.ts';
import { chainEvents } from '../src/trail/hash.ts';
import { nodeCrypto } from '../src/trail/node/node-crypto.ts';
import { type BenchRegister, tempFolder } from './bench-register.ts';
import { atLeast, type Figure, figure, median } from './measure.ts';

const ROWS = 200;
const ROUNDS = 15;

/**
 * Compares importing 200 vendors until they are readable with appending 200 prepared events of the same content in
 * one batch.
 */
export async function importFigures(benchRegister: BenchRegister): Promise<Figure[]> {
  const folder = tempFolder();
  const otherStores = await openStores({ dataDir: folder, eventStoreUrl: null, mongodbUrl: null });
  const importMs: number[] = [];
  const appendMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const run = randomUUID();
    const rows = Array.from({ length: ROWS }, (_, row) => ({
      name: `Supplier ${run} ${row}`,
      description: `Provides thing ${row} to the company`,
      country: 'DE',
      criticality: 'HIGH',
    }));
    importMs.push(
      await durationOf(() =>
        benchRegister.call('importRecords', { organization_id: benchRegister.organizationId, type: 'VENDOR', rows }),
      ),
    );
    const events = chainRows(benchRegister, run, rows);
    appendMs.push(await durationOf(() => otherStores.events.append(`bench-${run}`, events, -1)));
  }
  await otherStores.close();
  rmSync(folder, { recursive: true, force: true });
  const perSecond = (times: number[]) => (ROWS * 1_000) / median(times);
  const name = 'importRecords of 200 vendors, until readable; baseline: appending 200 prepared events in one batch';
  return [figure(name, '1/s', perSecond(importMs), perSecond(appendMs), atLeast(0.2))];
}

async function durationOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function chainRows(benchRegister: BenchRegister, run: string, rows: readonly Record<string, unknown>[]) {
  return chainEvents(nodeCrypto, {
    stream: `bench-${run}`,
    revision: -1,
    previousHash: null,
    input: {},
    newEvents: rows.map((data) => ({ type: 'VendorAdded', data })),
    schemaVersion: () => 1,
    metadata: {
      organization_id: benchRegister.organizationId,
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
