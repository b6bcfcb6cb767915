import { hash as digestOf } from 'node:crypto';
import { applyStoredEvent, upcast } from '../../commands/engine/stream-state.ts';
import { recordAggregate } from '../../commands/families.ts';
import type { EventStore, ReadableEvent, StoredEvent, StorePosition } from '../../stores/event-store.ts';
import type { DocumentPut } from '../../stores/read-store.ts';
import { canonical } from '../../trail/canonical.ts';
import { type ChainFault, linkFault } from '../../trail/chain.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';
import { isPairStream, modelOfId, modelOfStream, recordIdOf } from '../models.ts';
import { ReplayedEntries } from '../read-models/map-entries.ts';
import { type ReadModel, type RecordDocument, revisionAfter } from '../read-models/read-model.ts';
import type { ChangeDocument } from './change-document.ts';
import type { PositionedEvent } from './change-rows.ts';
import { appliedRows, parkedRows } from './event-rows.ts';

export interface EventReader extends Pick<EventStore, 'compareStorePositions'> {
  readStream(stream: string, fromRevision: number, limit: number): Promise<StoredEvent[]>;
}

/** Limits how many events are read from the log. `allow` throws when nothing more may be read. */
export interface ReadAllowance {
  /** Returns how many of the requested events may be read now. @throws if none may */
  allow(requested: number): number;
  /** Counts what was read, and lets other calls have their turn. */
  recordRead(events: number): Promise<void>;
}

/** A change row: the keys by which it is found, and a digest of its document. */
export interface RecomputedRow {
  recordId: string;
  recordType: string;
  rowIndex: number;
  fields: string | null;
  digest: string;
}

/** The change rows of one event, made from the log. */
export interface RecomputedEvent {
  id: string;
  storePosition: StorePosition;
  recordedAt: string;
  /** True if the event's data were erased. Its rows can't be compared then. */
  isErased: boolean;
  rows: readonly RecomputedRow[];
}

/** The part of a stream that was read, from its first event on. */
export interface RecomputedStream {
  readonly stream: string;
  readonly events: readonly RecomputedEvent[];
  /** The first event that breaks the chain. No event after it is read. */
  readonly fault: ChainFault | null;
}

interface StreamReading extends RecomputedStream {
  readonly model: ReadModel | null;
  events: RecomputedEvent[];
  fault: ChainFault | null;
  hash: string | null;
  state: object | null;
  /** The record after each event that changed its name or whether it is archived. */
  versions: { storePosition: StorePosition; document: RecordDocument }[];
  document: RecordDocument | null;
  readonly entries: ReplayedEntries;
  /** Initial states, by id, of the records that this stream's events create, such as a framework's controls. */
  children: Map<string, object>;
  /** True once an event could not be applied. Later events of the stream aren't applied either. */
  isParked: boolean;
  isAtEnd: boolean;
}

/** The rows of an event: those that it has, and those that it has if it is parked. */
interface EventRows {
  rows: readonly DocumentPut[];
  parked: () => Promise<readonly DocumentPut[]>;
}

type OnEvent = (event: ReadableEvent, ...rows: [EventRows['rows'], EventRows['parked']]) => Promise<void>;

export const EVENTS_PER_READ = 200;

/**
 * Makes change rows from the log alone, with the projections' own code. It reads a stream from its first event on,
 * because an event's changes follow from all events before it. It keeps only a digest of each row, so `rowsOf` reads
 * the stream again.
 */
export class RecomputedChanges {
  private readonly streams = new Map<string, StreamReading>();

  constructor(
    private readonly events: EventReader,
    private readonly allowance: ReadAllowance,
    private readonly organizationId: string,
  ) {}

  /** The number of streams that were read. */
  get size(): number {
    return [...this.streams.values()].filter(({ events }) => events.length > 0).length;
  }

  /** Returns true if a stream was read, or is being read. */
  has(stream: string): boolean {
    return this.streams.has(stream);
  }

  /** Returns a stream, read at least up to a revision. */
  async upToRevision(stream: string, revision: number): Promise<RecomputedStream> {
    const reading = await this.streamOf(stream);
    while (reading.events.length <= revision && !isDone(reading)) {
      await this.read(reading, revision + 1 - reading.events.length);
    }
    return reading;
  }

  /** Returns a stream, read at least up to a store position. */
  async upToPosition(stream: string, storePosition: StorePosition): Promise<RecomputedStream> {
    const reading = await this.streamOf(stream);
    const isBehind = () => {
      const last = reading.events.at(-1);
      return last === undefined || this.events.compareStorePositions(last.storePosition, storePosition) < 0;
    };
    while (!isDone(reading) && isBehind()) await this.read(reading, EVENTS_PER_READ);
    return reading;
  }

  /**
   * Returns an event's change rows in full, in two forms: as this version applies the event, and as if it were
   * parked. Null if the event doesn't exist or the chain breaks before or at it.
   */
  async rowsOf(
    stream: string,
    revision: number,
  ): Promise<{ applied: readonly DocumentPut[]; parked: readonly DocumentPut[] } | null> {
    const reading = await this.newReading(stream);
    let rows: { applied: readonly DocumentPut[]; parked: readonly DocumentPut[] } | null = null;
    while (reading.events.length <= revision && !isDone(reading)) {
      await this.read(reading, revision + 1 - reading.events.length, async (event, applied, parked) => {
        if (event.revision === revision) rows = { applied, parked: await parked() };
      });
    }
    return rows;
  }

  private async streamOf(stream: string): Promise<StreamReading> {
    const reading = this.streams.get(stream) ?? (await this.newReading(stream));
    this.streams.set(stream, reading);
    return reading;
  }

  private async newReading(stream: string): Promise<StreamReading> {
    const model = isPairStream(stream) ? null : modelOfStream(stream);
    const initialFields = { fault: null, hash: null, state: null, document: null };
    const initialProgress = { events: [], versions: [], isParked: false, isAtEnd: false };
    const maps = { entries: new ReplayedEntries(model), children: new Map() };
    const reading: StreamReading = { ...initialFields, ...initialProgress, ...maps, stream, model };
    const origin = model?.family.origin ? recordAggregate(recordIdOf(stream)).origin : undefined;
    if (origin === undefined) return reading;
    // A control begins with its framework's first event.
    const parent = (await this.upToRevision(origin.aggregate.stream, 0)) as StreamReading;
    const first = parent.children.get(recordIdOf(stream));
    if (first === undefined) return reading;
    reading.state = first;
    reading.document = { ...first, id: recordIdOf(stream), revision: 1 } as RecordDocument;
    reading.versions.push({ storePosition: parent.events[0]!.storePosition, document: reading.document });
    return reading;
  }

  private async read(reading: StreamReading, maxEvents: number, onEvent?: OnEvent): Promise<void> {
    const limit = this.allowance.allow(Math.min(maxEvents, EVENTS_PER_READ));
    const page = await this.events.readStream(reading.stream, reading.events.length, limit);
    // Another organization's stream is treated as missing.
    const events = page.filter(({ metadata }) => metadata.organization_id === this.organizationId);
    await this.allowance.recordRead(events.length);
    if (events.length < limit) reading.isAtEnd = true;
    for (const event of events) {
      const { stream, revision, id, metadata } = event;
      const checked = checkedEvent(event, reading.events.length, reading.hash);
      if ('why' in checked) {
        reading.fault = { stream, revision, event_id: id, why: checked.why };
        return;
      }
      const { rows, parked } = await this.apply(reading, checked);
      await onEvent?.(checked, rows, parked);
      reading.hash = metadata.hash;
      reading.events.push(toRecomputedEvent(checked, rows));
    }
  }

  private async apply(reading: StreamReading, event: ReadableEvent): Promise<EventRows> {
    const { model } = reading;
    const positioned = withoutPosition(event);
    const readRecord = (id: string) => this.recordAt(id, event.storePosition);
    reading.state = reading.entries.select(reading.state, event);
    reading.document = reading.entries.select(reading.document, event);
    const before = await this.asProjected(reading, event.storePosition);
    const after = model && !reading.isParked ? await this.evolve(reading, model, event) : null;
    if (after === null) reading.isParked = true;
    else {
      const children = model?.childRecords?.(event.type, upcast(event), recordIdOf(event.stream)) ?? [];
      for (const { id, state } of children) reading.children.set(id, state);
    }
    const parked = () => parkedRows(positioned, readRecord, { model, before });
    return { rows: (await appliedRows(positioned, readRecord, { model, before, after })) ?? (await parked()), parked };
  }

  private async evolve(reading: StreamReading, model: ReadModel, event: ReadableEvent): Promise<RecordDocument | null> {
    try {
      reading.state = applyStoredEvent(model.family, reading.state, event);
    } catch {
      return null;
    }
    reading.entries.keep(reading.state, event);
    const id = recordIdOf(event.stream);
    const revision = revisionAfter(model, event);
    const document = { owner_id: null, archived_at: null, ...reading.state, id, revision } as RecordDocument;
    const last = reading.document;
    reading.document = document;
    if (last === null || last.archived_at !== document.archived_at || model.nameOf(last) !== model.nameOf(document)) {
      reading.versions.push({ storePosition: event.storePosition, document });
    }
    return this.asProjected(reading, event.storePosition);
  }

  /** Returns a record as read models have it: a control of an archived framework is archived with it. */
  private async asProjected(
    { model, document, stream }: StreamReading,
    storePosition: StorePosition,
  ): Promise<RecordDocument | null> {
    const parent = model?.stateOf && recordAggregate(recordIdOf(stream)).origin?.aggregate.stream;
    if (document === null || !parent) return document;
    const framework = await this.recordAt(recordIdOf(parent), storePosition);
    const labels = framework?.archived_at ? (modelOfStream(parent)?.exposedLabelsWhenArchived?.(framework) ?? []) : [];
    const relatedCounts = Object.fromEntries(labels.map((label) => [label, 1]));
    return { ...document, ...model!.derive?.(document, relatedCounts), revision: document.revision };
  }

  /** Returns a record as it was before a store position, for its name; null if it didn't exist. */
  private async recordAt(id: string, storePosition: StorePosition): Promise<RecordDocument | null> {
    const model = modelOfId(id);
    if (model === null) return null;
    const { versions } = (await this.upToPosition(`${model.family.singular}-${id}`, storePosition)) as StreamReading;
    const isBefore = (version: { storePosition: StorePosition }) =>
      this.events.compareStorePositions(version.storePosition, storePosition) < 0;
    return versions.findLast(isBefore)?.document ?? null;
  }
}

/**
 * Returns an event that follows its stream's last one, or why it doesn't. A row that can't be read is not what was
 * appended.
 */
export function checkedEvent(
  event: StoredEvent,
  revision: number,
  previous: string | null,
): ReadableEvent | Pick<ChainFault, 'why'> {
  if (event.data === null) return { why: 'ALTERED' };
  const why = linkFault(nodeCrypto, event, revision, previous);
  return why === null ? event : { why };
}

/**
 * Wraps a stored event for the functions that make change rows. Position and log time are placeholders, because a
 * stream doesn't contain them. `rowDigest` ignores both.
 */
export function withoutPosition(event: ReadableEvent): PositionedEvent {
  return { event, position: 0, logTime: '' };
}

/** Returns the digest of a change row. Leaves out position and log time, which an event doesn't contain. */
export function rowDigest(document: ChangeDocument): string {
  const { position: _position, log_time: _time, ...row } = document;
  return digestOf('sha256', canonical(row), 'base64');
}

/** Returns an event with the digests of its rows. */
export function toRecomputedEvent(
  { id, storePosition, metadata }: ReadableEvent,
  rows: readonly DocumentPut[],
): RecomputedEvent {
  const { recorded_at: recordedAt, salt } = metadata;
  return { id, storePosition, recordedAt, isErased: salt === '', rows: rows.map(toRecomputedRow) };
}

/** Returns a row's keys with a digest of its document. */
export function toRecomputedRow({ document: { keys, doc } }: DocumentPut): RecomputedRow {
  const { record_id, record_type, row_index, fields = null } = keys;
  const digest = rowDigest(doc as ChangeDocument);
  return {
    recordId: String(record_id),
    recordType: String(record_type),
    rowIndex: Number(row_index),
    fields: fields as string | null,
    digest,
  };
}

const isDone = ({ isAtEnd, fault }: StreamReading): boolean => isAtEnd || fault !== null;
