import { randomUUID } from 'node:crypto';
import type { EventStore, StorePosition } from '../stores/event-store.ts';
import type { ReadStore } from '../stores/read-store.ts';
import { Applier } from './applier.ts';
import { LEASE_MS, LeaseHold } from './lease.ts';
import { COLLECTIONS, PROJECTIONS_VERSION } from './models.ts';
import { WriteBuffer } from './write-buffer.ts';

/** The generation that is served, and the version of the projections that built it. */
export interface ActiveGeneration {
  generation: string;
  version: number;
  /** The log that it was built from. */
  installation: string;
}

interface BuildOptions {
  events: EventStore;
  reads: ReadStore;
  installation: string;
  /** Told after every batch how many events have been applied. */
  progress?: (events: number) => void;
  /** `INDEXES` when all events are applied and the indexes are being made. */
  phase?: (phase: 'EVENTS' | 'INDEXES') => void;
}

/**
 * Builds a new generation from the whole log beside the one that is served, indexes last, and switches to it. The one
 * before goes on being served and kept up until then.
 * @returns the generation that is active now: another's, if that one was first
 */
export async function buildGeneration(options: BuildOptions): Promise<ActiveGeneration> {
  const { events, reads, installation } = options;
  const before = await reads.register<ActiveGeneration>('active');
  const generation = `v${PROJECTIONS_VERSION}_${randomUUID().slice(0, 8)}`;
  const lease = new LeaseHold(reads, generation, randomUUID(), false);
  // Before there is anything to see: a generation that is neither active nor held is thrown away.
  await lease.take();
  const models = await reads.open(generation, COLLECTIONS, true);
  const writeBuffer = new WriteBuffer(models);
  const applier = new Applier(events, writeBuffer, installation);
  let storePosition: StorePosition | null = null;
  let done = 0;
  const beating = setInterval(() => lease.renew(0, storePosition).catch(() => undefined), LEASE_MS / 3);
  const catchUp = async () => {
    for await (const batch of events.readAll(storePosition)) {
      await applier.apply(batch, (count) => {
        done += count;
        options.progress?.(done);
      });
      storePosition = batch.at(-1)?.storePosition ?? storePosition;
    }
    await writeBuffer.flush(applier.checkpoints);
  };
  try {
    options.phase?.('EVENTS');
    await catchUp();
    options.phase?.('INDEXES');
    await models.buildIndexes();
    await catchUp();
  } catch (error) {
    await reads.drop(generation).catch(() => undefined);
    throw error;
  } finally {
    clearInterval(beating);
  }
  await lease.renew(0, storePosition);
  await models.close();
  const active: ActiveGeneration = { generation, version: PROJECTIONS_VERSION, installation };
  const switched = await reads.compareAndSet('active', before?.version ?? 0, active);
  // Only now, see above.
  await lease.release();
  if (switched) return active;
  await reads.drop(generation);
  return (await reads.register<ActiveGeneration>('active'))!.value;
}
