import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { monotonicMs } from '../../clock/monotonic.ts';
import { controlsOfPairs, storedCrosswalk } from '../../commands/crosswalk.ts';
import { approximateBytes, createByteCache } from '../../commands/engine/byte-cache.ts';
import { upcast } from '../../commands/engine/stream-state.ts';
import { storedLinkTransition } from '../../commands/link.ts';
import { type CrosswalkPair, relationOfPair } from '../../register/crosswalk.ts';
import { StoreUnavailable, TooLarge } from '../../stores/errors.ts';
import type { EventStore, StoredEvent, StorePosition } from '../../stores/event-store.ts';
import type { Checkpoint, Commit, Place, ReadModels } from '../../stores/read-store.ts';
import { isSealEventType, isSealStreamEvent, readSealEvent } from '../../trail/seals/seal-events.ts';
import { sealChangeRow } from '../history/change-rows.ts';
import { appliedRows, NO_RECORD, type StreamRecord } from '../history/event-rows.ts';
import {
  idsOfPairStream,
  isCrosswalkStream,
  isLinkStream,
  isPairStream,
  modelOfId,
  modelOfStream,
  PARKED,
  recordIdOf,
} from '../models.ts';
import { withoutLargeMap } from '../read-models/map-entries.ts';
import { type ReadModel, type RecordDocument, StoredForms } from '../read-models/read-model.ts';
import type { Neighbours } from '../relations/neighbours.ts';
import type { OrganizationTree } from '../transparency/organization-tree.ts';
import { SEALS, type SealDocument } from '../transparency/seal-documents.ts';
import { Batch, type ProjectionCache } from './batch.ts';
import { EventTransaction } from './event-transaction.ts';
import { parkEvent } from './park-event.ts';
import { countEvents, readProgress } from './place.ts';

/** A batch ends before the event that would take it past one of these limits. The size is an estimate. */
const MAX_BATCH_EVENTS = 500;
const MAX_BATCH_BYTES = 2 * 1024 * 1024;
/** After a batch of this size, timers and messages get their turn before the next batch. */
const LONG_BATCH_EVENTS = 50;
/** Limits of the memory between batches, in bytes. */
const CACHED_RECORD_BYTES = 64 * 1024 ** 2;
const CACHED_NEIGHBOUR_BYTES = 16 * 1024 ** 2;
const CACHED_FIGURE_BYTES = 16 * 1024 ** 2;
/** A cached record keeps its search words alive too, as a list and as a text. */
const COPIES_OF_TEXTS = 3;
/** Pause between commits that only move the place. */
const STORE_PLACE_MS = 10_000;
/** A tree takes about 2 KB. */
const MAX_CACHED_TREES = 1_000;

const TIME_BEFORE_FIRST_EVENT = '0000-01-01T00:00:00.000Z';

/**
 * Applies events to one generation of read models, organization by organization, and keeps their checkpoints and the
 * generation's place.
 */
export class Applier {
  readonly checkpoints = new Map<string, Checkpoint>();
  /** Null before the log's first event, and for a generation that lacks events. */
  place: Place | null = null;
  private eventCount = 0;
  /** The newest place that was stored, and when, on the monotonic clock. */
  placeStored: { place: Place | null; at: number };
  /** Commits are made one after the other, because each has the number after the one before. */
  private lastWork: Promise<unknown> = Promise.resolve();
  private readonly cache: ProjectionCache = {
    forms: new StoredForms(),
    records: createByteCache<RecordDocument>(
      CACHED_RECORD_BYTES,
      (document) => COPIES_OF_TEXTS * approximateBytes(document),
    ),
    neighbours: createByteCache<Neighbours>(CACHED_NEIGHBOUR_BYTES, ({ bytes }) => bytes),
    trees: new LRUCache<string, OrganizationTree>({ max: MAX_CACHED_TREES }),
    figures: createByteCache<object>(CACHED_FIGURE_BYTES),
  };

  constructor(
    private readonly events: EventStore,
    private readonly models: Pick<ReadModels, 'get' | 'commit' | 'checkpoints' | 'recover'>,
    private readonly installation: string,
    private readonly clock: () => number = monotonicMs,
  ) {
    this.placeStored = { place: null, at: clock() };
  }

  /** Finishes a commit that an earlier runner left unfinished, and reads the checkpoints and the place. */
  async prepare(): Promise<void> {
    await this.models.recover();
    const { place, checkpoints } = await readProgress(this.events, this.models);
    this.place = place;
    for (const checkpoint of checkpoints) this.checkpoints.set(checkpoint.organizationId, checkpoint);
    this.eventCount = countEvents(checkpoints);
    this.placeStored.place = place;
  }

  /**
   * Applies the events that follow the place, in log order. Skips events that a checkpoint already covers.
   * @throws Fenced, StoreUnavailable: the memory is then out of date, so go on with a new applier
   */
  apply(events: readonly StoredEvent[], applied?: (count: number) => void): Promise<void> {
    return this.afterOtherWork(() => this.applyBatches(events, applied));
  }

  private async applyBatches(events: readonly StoredEvent[], applied?: (count: number) => void): Promise<void> {
    for (const batch of toBatches(events)) {
      let remaining = batch.length;
      for (const [organizationId, ofOne] of byOrganization(batch)) {
        remaining -= ofOne.length;
        let from = this.checkpoints.get(organizationId) ?? this.first(organizationId);
        let newEvents = ofOne.filter(
          ({ storePosition }) =>
            from.n === 0 || this.events.compareStorePositions(storePosition, from.storePosition) > 0,
        );
        while (newEvents.length > 0) {
          const appliedCount = await this.applySome(from, newEvents, remaining === 0 ? batch.at(-1)! : null);
          from = this.checkpoints.get(organizationId)!;
          newEvents = newEvents.slice(appliedCount);
        }
      }
      this.moveTo(batch.at(-1)!.storePosition);
      applied?.(batch.length);
      // The embedded stores answer without leaving the event loop's turn. A catch-up would hold it until its end, and
      // neither renew the lease nor stop.
      if (batch.length >= LONG_BATCH_EVENTS) await nextTurn();
    }
  }

  /**
   * Applies the first of one organization's new events, in one commit. If the store never takes one of their documents,
   * because it is too large, the event is parked that leads to it.
   * @param last the event up to which all are applied if these are
   * @returns the number of applied events
   */
  private async applySome(
    from: Checkpoint,
    events: readonly StoredEvent[],
    last: StoredEvent | null,
    tooLarge: TooLarge | null = null,
  ): Promise<number> {
    const { commit, eventCount } = await foldBatch(this.models, this.cache, from, events, tooLarge);
    this.eventCount += eventCount;
    const place = last !== null && eventCount === events.length ? this.placeAt(last) : this.place;
    try {
      await this.commit({ ...commit, checkpoint: { ...commit.checkpoint, place } });
    } catch (error) {
      if (!(error instanceof TooLarge) || tooLarge !== null) throw error;
      this.eventCount -= eventCount;
      for (const cache of [this.cache.records, this.cache.neighbours, this.cache.trees, this.cache.figures])
        cache.clear();
      if (events.length > 1) return this.applySome(from, events.slice(0, Math.ceil(events.length / 2)), null);
      return this.applySome(from, events, last, error);
    }
    return eventCount;
  }

  /** Returns true if all events up to a store position are applied. */
  includes(storePosition: StorePosition): boolean {
    return this.place !== null && this.events.compareStorePositions(this.place.storePosition, storePosition) >= 0;
  }

  /** Returns true if a place has all that is applied. */
  isCoveredBy({ storePosition }: Place): boolean {
    return this.place === null || this.events.compareStorePositions(storePosition, this.place.storePosition) >= 0;
  }

  /** Moves the place to the end of the log, if no event of veritrail lies between. The next commit stores it. */
  moveTo(storePosition: StorePosition): void {
    if (!this.includes(storePosition)) this.place = this.placeAt({ storePosition });
  }

  private placeAt({ storePosition }: Pick<StoredEvent, 'storePosition'>): Place {
    return { storePosition, events: this.eventCount };
  }

  /**
   * Stores the place by a commit of its own, if only other programs' events moved it, and at most every 10 s. A successor
   * then needn't read them again.
   * @throws as `apply` does
   */
  storePlace(): Promise<void> {
    return this.afterOtherWork(async () => {
      const [first] = this.checkpoints.values();
      const { place, at } = this.placeStored;
      if (first === undefined || place === this.place || this.clock() - at < STORE_PLACE_MS) return;
      await this.commit({ checkpoint: { ...first, n: first.n + 1, place: this.place }, puts: [] });
    });
  }

  private async commit(commit: Commit): Promise<void> {
    await this.models.commit(commit);
    const { checkpoint } = commit;
    const { place } = checkpoint;
    this.checkpoints.set(checkpoint.organizationId, checkpoint);
    this.placeStored = { place, at: this.clock() };
    if (place !== null && !this.includes(place.storePosition)) this.place = place;
  }

  private afterOtherWork<T>(work: () => Promise<T>): Promise<T> {
    const result = this.lastWork.then(work);
    this.lastWork = result.catch(() => undefined);
    return result;
  }

  private first(group: string): Checkpoint {
    const { installation } = this;
    return {
      organizationId: group,
      n: 0,
      storePosition: '' as StorePosition,
      position: 0,
      logTime: TIME_BEFORE_FIRST_EVENT,
      bytes: 0,
      parked: 0,
      outOfOrder: 0,
      installation,
      place: null,
    };
  }
}

function* toBatches(events: readonly StoredEvent[]): Generator<readonly StoredEvent[]> {
  let start = 0;
  let bytes = 0;
  for (const [index, event] of events.entries()) {
    const size = roughSize(event);
    if (index > start && (index - start >= MAX_BATCH_EVENTS || bytes + size > MAX_BATCH_BYTES)) {
      yield events.slice(start, index);
      start = index;
      bytes = 0;
    }
    bytes += size;
  }
  if (start < events.length) yield events.slice(start);
}

/** Estimates the bytes of an event's texts. */
function roughSize(event: StoredEvent): number {
  let size = 500;
  if (event.data === null) return size + event.bytes.data.length;
  for (const value of Object.values(event.data)) {
    if (typeof value === 'string') size += value.length;
    else if (typeof value === 'object' && value !== null) size += JSON.stringify(value).length;
  }
  return size;
}

function byOrganization(events: readonly StoredEvent[]): Map<string, StoredEvent[]> {
  const groups = new Map<string, StoredEvent[]>();
  for (const event of events) {
    const { organization_id } = event.metadata;
    const group = groups.get(organization_id) ?? [];
    group.push(event);
    groups.set(organization_id, group);
  }
  return groups;
}

/** The writes for a batch's events, and the number of events that they cover. */
interface FoldedBatch {
  commit: Commit;
  eventCount: number;
}

/**
 * Turns one organization's events, in log order, into the documents to write: records, their versions, changes, links,
 * and the checkpoint. Stops when the batch is full. Writes nothing itself.
 * @param refusal parks the events for this reason
 */
async function foldBatch(
  models: Pick<ReadModels, 'get'>,
  cache: ProjectionCache,
  from: Checkpoint,
  events: readonly StoredEvent[],
  refusal: Error | null,
): Promise<FoldedBatch> {
  const batch = new Batch(models, cache, from);
  await batch.readTree();
  await batch.preloadRecords(recordsOf(batch, events));
  let foldedCount = 0;
  for (const event of events) {
    await batch.beginEvent(event);
    await applyOrPark(batch, event, refusal);
    foldedCount += 1;
    // One event may change thousands of records, so a batch of events could exceed the memory.
    if (batch.isFull) break;
  }
  return { commit: await batch.toCommit(), eventCount: foldedCount };
}

/** Returns the ids of the existing records that the streams name. Those that begin here aren't looked up. */
function recordsOf(batch: Batch, events: readonly StoredEvent[]): string[] {
  const ids: string[] = [];
  for (const event of events) {
    if (isPairStream(event.stream)) {
      ids.push(...idsOfPairStream(event.stream));
      continue;
    }
    const model = modelOfStream(event.stream);
    if (model === null) continue;
    const id = recordIdOf(event.stream);
    if (event.revision === 0 && model.family.origin === undefined) batch.expectNew(id);
    else ids.push(id);
  }
  return ids;
}

/** Applies an event. Parks it if it can't be applied, and so all later events of that record. */
async function applyOrPark(batch: Batch, event: StoredEvent, refusal: Error | null): Promise<void> {
  try {
    if (refusal !== null) throw refusal;
    if (event.data === null) throw new Error(event.fault);
    const transaction = new EventTransaction(batch, event);
    await applyEvent(transaction, batch.logTime);
    await transaction.commit();
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    const transaction = new EventTransaction(batch, { ...event, data: event.data ?? {} });
    await parkEvent(transaction, batch.logTime);
    const { organization_id } = event.metadata;
    const doc = {
      position: batch.position,
      event_id: event.id,
      event_type: event.type,
      stream: event.stream,
      error: error instanceof Error ? error.message : String(error),
    };
    const document = { id: event.id, organization_id, keys: { position: batch.position }, doc };
    transaction.put({ collection: PARKED.name, document });
    await transaction.commit();
    batch.countParked();
  }
}

/** Applies an event to all records that it concerns. @throws Error if this version can't apply it */
async function applyEvent(transaction: EventTransaction, logTime: string): Promise<void> {
  const { event, position } = transaction;
  if (isSealStreamEvent(event)) return applySealEvent(transaction, logTime);
  const own = await applyToRecords(transaction);
  const rows = await appliedRows({ event, position, logTime }, (id) => transaction.record(id), own);
  if (rows === null) throw new Error('a record that the event names does not exist');
  for (const put of rows) transaction.put(put);
}

/** Returns the record of the event's own stream before and after. */
async function applyToRecords(transaction: EventTransaction): Promise<StreamRecord> {
  const { event } = transaction;
  if (isLinkStream(event.stream)) {
    const [a, b] = idsOfPairStream(event.stream);
    await transaction.setLink(a, b, storedLinkTransition(event).after);
    return NO_RECORD;
  }
  if (isCrosswalkStream(event.stream)) {
    await linkPairs(transaction, storedCrosswalk(event).pairs);
    return NO_RECORD;
  }
  const model = modelOfStream(event.stream);
  if (model === null) throw new Error('no read model has events of this stream');
  return applyRecordEvent(transaction, model);
}

async function applyRecordEvent(transaction: EventTransaction, model: ReadModel): Promise<StreamRecord> {
  const { event } = transaction;
  const id = recordIdOf(event.stream);
  const { before, after } = await transaction.evolve(model, id, event);
  await transaction.replaceRecord(withoutLargeMap(model, after));
  await transaction.putEntries(model, before, after);
  const data = upcast(event);
  for (const child of model.childRecords?.(event.type, data, id) ?? []) {
    transaction.expectNew(child.id);
    await transaction.replaceRecord(transaction.nextVersion(modelOfId(child.id)!, child.id, child.state, null, 1));
    await transaction.connect(id, child.id);
  }
  for (const field of model.family.references ?? []) await updateReference(transaction, id, field, before, after);
  for (const other of model.linkedIds?.(event.type, data) ?? []) await transaction.connect(id, other);
  return { model, before, after };
}

/** Connects the record with the one that a reference field names, and disconnects the one it named before. */
async function updateReference(
  transaction: EventTransaction,
  id: string,
  field: string,
  before: RecordDocument | null,
  after: RecordDocument,
) {
  const [from, to] = [idIn(before, field), idIn(after, field)];
  if (from === to) return;
  if (from !== null) await transaction.disconnect(id, from);
  if (to !== null) await transaction.connect(id, to);
}

function idIn(document: RecordDocument | null, field: string): string | null {
  const linkedId = (document as Record<string, unknown> | null)?.[field];
  return typeof linkedId === 'string' ? linkedId : null;
}

/** Links the pairs of a crosswalk. A pair that is already linked by the same relation stays as it is. */
async function linkPairs(transaction: EventTransaction, pairs: readonly CrosswalkPair[]): Promise<void> {
  await transaction.preload(controlsOfPairs(pairs));
  for (const pair of pairs) {
    await transaction.setLink(pair.from_id, pair.to_id, { linked: true, relation: relationOfPair(pair) });
  }
}

/** Applies an event of the seal stream. @throws Error if this version can't read it */
function applySealEvent(transaction: EventTransaction, logTime: string): void {
  const { event, position } = transaction;
  const fact = isSealEventType(event.type) ? readSealEvent(event.type, event.data) : null;
  if (fact === null) throw new Error(`${event.type} is a seal event that this version can't read`);
  const { organization_id, hash } = event.metadata;
  const doc: SealDocument = { ...fact, position, revision: event.revision, event_id: event.id, hash };
  const size = fact.type === 'LogSealed' ? fact.data.size : null;
  transaction.put({
    collection: SEALS.name,
    document: { id: event.id, organization_id, keys: { position, size }, doc },
  });
  transaction.put(sealChangeRow({ event, position, logTime }));
}
