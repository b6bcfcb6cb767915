import { randomUUID } from 'node:crypto';
import type { EventStore } from '../../stores/event-store.ts';
import type { ReadModels, ReadStore } from '../../stores/read-store.ts';
import { COLLECTIONS, PROJECTIONS_VERSION } from '../models.ts';
import {
  type ActiveGeneration,
  activeGeneration,
  addBuild,
  buildsOf,
  removeBuild,
  switchTo,
} from './active-generation.ts';
import { Applier } from './applier.ts';
import { LEASE_RENEWAL_MS, LeaseHold } from './lease.ts';
import { findLogLosses, type LogLoss, type NewestEvent, newestEvents, refuseEmptyLog } from './log-loss.ts';
import { IncompleteGeneration, readProgress } from './place.ts';
import { WriteBuffer } from './write-buffer.ts';

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

/** A build was taken for dead, because it didn't renew its lease, and its generation was dropped. */
class BuildGivenUp extends Error {
  override readonly name = 'BuildGivenUp';
  constructor() {
    super('the build stood still for so long that its read models were dropped. Start it again');
  }
}

/**
 * Builds a new generation from the whole log, then its indexes, and makes it the active one. The old generation is
 * served and kept up to date until then.
 * @returns the active generation. It is another instance's if that one finished first.
 * @throws BuildGivenUp if it stood still and was dropped; Error if the log has nothing of what the old generation has
 */
export async function buildGeneration(options: BuildOptions): Promise<ActiveGeneration> {
  const { reads, installation } = options;
  const generation = `v${PROJECTIONS_VERSION}_${randomUUID().slice(0, 8)}`;
  const before = await addBuild(reads, generation);
  const lease = new LeaseHold({ reads, generation, holder: randomUUID(), exclusive: false });
  const givenUp = new AbortController();
  const beating = setInterval(() => void beat(reads, lease, generation, givenUp), LEASE_RENEWAL_MS);
  const signal = AbortSignal.any([givenUp.signal, ...(options.signal ? [options.signal] : [])]);
  try {
    await lease.take();
    const earlierEvents = await earlierEventsOf(before, options);
    await fill(generation, earlierEvents, { ...options, signal });
    const active = await switchTo(reads, before.generation, { generation, version: PROJECTIONS_VERSION, installation });
    if (active.generation === before.generation) throw new BuildGivenUp();
    if (active.generation !== generation) await discard(reads, generation);
    return active;
  } catch (error) {
    await discard(reads, generation).catch(() => undefined);
    throw error;
  } finally {
    clearInterval(beating);
    await lease.release().catch(() => undefined);
  }
}

/** Shows that the build goes on, and notices if it was given up. */
async function beat(reads: ReadStore, lease: LeaseHold, generation: string, givenUp: AbortController): Promise<void> {
  try {
    await lease.renew(0);
    const active = await activeGeneration(reads);
    const isListed = active !== null && (active.generation === generation || buildsOf(active).includes(generation));
    if (!isListed) givenUp.abort(new BuildGivenUp());
  } catch {
    // While the store is down, nobody gives the build up either.
  }
}

/** Drops a build, unless it has become the active generation after all. */
async function discard(reads: ReadStore, generation: string): Promise<void> {
  const active = await removeBuild(reads, generation);
  if (active.generation !== generation) await reads.drop(generation);
}

/** Applies the whole log to a new generation, closes it, and checks what is stored. */
async function fill(
  generation: string,
  earlierEvents: readonly NewestEvent[],
  options: BuildOptions & { signal: AbortSignal },
): Promise<void> {
  const { events, reads, installation, signal } = options;
  const models = await reads.open(generation, COLLECTIONS, true);
  const writeBuffer = new WriteBuffer(models);
  const applier = new Applier(events, writeBuffer, installation);
  let appliedCount = 0;
  const catchUp = async () => {
    // Read first, so that everything before this end is applied after it, other programs' events passed.
    const end = await events.end();
    for await (const batch of events.readAll(applier.place?.storePosition ?? null)) {
      signal.throwIfAborted();
      await applier.apply(batch, (count) => {
        appliedCount += count;
        options.onProgress?.(appliedCount);
      });
    }
    applier.moveTo(end);
    await writeBuffer.flush(applier.checkpoints, applier.place);
  };
  options.onPhase?.('EVENTS');
  await catchUp();
  options.onPhase?.('INDEXES');
  await models.buildIndexes();
  await catchUp();
  signal.throwIfAborted();
  // Before the switch, because the next start can't compare with the old generation any more.
  const losses = await findLogLosses(earlierEvents, models);
  refuseEmptyLog(earlierEvents, losses);
  for (const loss of losses) options.onLogLoss?.(loss);
  await models.close();
  if (applier.checkpoints.size > 0) await requireStored(generation, applier, options);
}

/** @throws IncompleteGeneration unless the stored checkpoints have all that was applied */
async function requireStored(generation: string, applier: Applier, { events, reads }: BuildOptions): Promise<void> {
  const { place } = await withModels(reads, generation, (models) => readProgress(events, models));
  if (place === null || !applier.isCoveredBy(place)) throw new IncompleteGeneration(generation);
}

async function withModels<T>(
  reads: ReadStore,
  generation: string,
  work: (models: ReadModels) => Promise<T>,
): Promise<T> {
  const models = await reads.open(generation, COLLECTIONS);
  try {
    return await work(models);
  } finally {
    await models.close();
  }
}

/** Returns the newest events of the generation that was active; none if it is unreadable, or of another version or log. */
async function earlierEventsOf(
  { generation, version, installation }: ActiveGeneration,
  options: Pick<BuildOptions, 'reads' | 'installation'>,
): Promise<NewestEvent[]> {
  if (version !== PROJECTIONS_VERSION || installation !== options.installation) return [];
  // A damaged generation is a reason to build another.
  return withModels(options.reads, generation, newestEvents).catch(() => []);
}
