import { randomUUID } from 'node:crypto';
import type { EventStore, StorePosition } from '../../stores/event-store.ts';
import type { ReadStore } from '../../stores/read-store.ts';
import { COLLECTIONS, PROJECTIONS_VERSION } from '../models.ts';
import { Applier } from './applier.ts';
import { LEASE_MS, LeaseHold } from './lease.ts';
import { WriteBuffer } from './write-buffer.ts';

/** The shared entry `active`: the generation that is served. */
export interface ActiveGeneration {
  generation: string;
  version: number;
  /** Id of the installation whose log it was built from. */
  installation: string;
}

interface BuildOptions {
  events: EventStore;
  reads: ReadStore;
  installation: string;
  /** Ends the build after the current batch, with the signal's reason. */
  signal?: AbortSignal;
  /** Called after every batch with the number of events applied so far. */
  onProgress?: (events: number) => void;
  /** Called with `INDEXES` when all events are applied and the indexes are created. */
  onPhase?: (phase: 'EVENTS' | 'INDEXES') => void;
}

/**
 * Builds a new generation from the whole log, then its indexes, and makes it the active one. The old generation is
 * served and kept up to date until then.
 * @returns the active generation. It is another instance's if that one finished first.
 */
export async function buildGeneration(options: BuildOptions): Promise<ActiveGeneration> {
  const { events, reads, installation } = options;
  const before = await reads.sharedEntry<ActiveGeneration>('active');
  const generation = `v${PROJECTIONS_VERSION}_${randomUUID().slice(0, 8)}`;
  const lease = new LeaseHold(reads, generation, randomUUID(), false);
  // First of all, because a generation that is neither active nor leased is dropped.
  await lease.take();
  const models = await reads.open(generation, COLLECTIONS, true);
  const writeBuffer = new WriteBuffer(models);
  const applier = new Applier(events, writeBuffer, installation);
  let storePosition: StorePosition | null = null;
  let appliedCount = 0;
  const beating = setInterval(() => lease.renew(0, storePosition).catch(() => undefined), LEASE_MS / 3);
  const catchUp = async () => {
    for await (const batch of events.readAll(storePosition)) {
      options.signal?.throwIfAborted();
      await applier.apply(batch, (count) => {
        appliedCount += count;
        options.onProgress?.(appliedCount);
      });
      storePosition = batch.at(-1)?.storePosition ?? storePosition;
    }
    await writeBuffer.flush(applier.checkpoints);
  };
  try {
    options.onPhase?.('EVENTS');
    await catchUp();
    options.onPhase?.('INDEXES');
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
  // Only now: without a lease, it would have been dropped before it was active.
  await lease.release();
  if (switched) return active;
  await reads.drop(generation);
  return (await reads.sharedEntry<ActiveGeneration>('active'))!.value;
}
