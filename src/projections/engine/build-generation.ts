import { randomUUID } from 'node:crypto';
import type { EventStore, StorePosition } from '../../stores/event-store.ts';
import type { ReadStore } from '../../stores/read-store.ts';
import { COLLECTIONS, PROJECTIONS_VERSION } from '../models.ts';
import { Applier } from './applier.ts';
import { LEASE_MS, LeaseHold } from './lease.ts';
import { findLogLosses, type LogLoss, type NewestEvent, newestEvents } from './log-loss.ts';
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
  /** Called for each organization if the log lacks an event that the old generation has. */
  onLogLoss?: (loss: LogLoss) => void;
}

/**
 * Builds a new generation from the whole log, then its indexes, and makes it the active one. The old generation is
 * served and kept up to date until then.
 * @returns the active generation. It is another instance's if that one finished first.
 */
export async function buildGeneration(options: BuildOptions): Promise<ActiveGeneration> {
  const { events, reads, installation } = options;
  const before = await reads.sharedEntry<ActiveGeneration>('active');
  const earlierEvents = before === null ? [] : await earlierEventsOf(before.value, options);
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
  // Before the switch, because the next start can't compare with the old generation any more.
  for (const loss of await findLogLosses(earlierEvents, models)) options.onLogLoss?.(loss);
  await models.close();
  const active: ActiveGeneration = { generation, version: PROJECTIONS_VERSION, installation };
  const switched = await reads.compareAndSet('active', before?.version ?? 0, active);
  // Only now: without a lease, it would have been dropped before it was active.
  await lease.release();
  if (switched) return active;
  await reads.drop(generation);
  return (await reads.sharedEntry<ActiveGeneration>('active'))!.value;
}

/** Returns the newest events of the generation that was active; none if it is unreadable, or of another version or log. */
async function earlierEventsOf(
  { generation, version, installation }: ActiveGeneration,
  options: Pick<BuildOptions, 'reads' | 'installation'>,
): Promise<NewestEvent[]> {
  if (version !== PROJECTIONS_VERSION || installation !== options.installation) return [];
  try {
    const models = await options.reads.open(generation, COLLECTIONS);
    try {
      return await newestEvents(models);
    } finally {
      await models.close();
    }
  } catch {
    // A damaged generation is a reason to build another.
    return [];
  }
}
