import { evolveBy } from '../commands/stream.ts';
import type { StoredEvent } from '../stores/event-store.ts';
import type { Checkpoint, Commit, ReadModels } from '../stores/read-store.ts';
import { CHANGES, changeDocument } from './changes.ts';
import { modelOfStream, PARKED } from './models.ts';
import {
  currentDocument,
  historyOf,
  inheritWords,
  type ReadModel,
  type RecordDocument,
  versionDocument,
} from './read-model.ts';

type Put = Commit['puts'][number];

/** Records as the last commit left them, so that a busy record is not read again for every event. */
export interface RecordCache {
  get(id: string): RecordDocument | undefined;
  set(id: string, document: RecordDocument): unknown;
}

/**
 * Folds a batch of one organization's events, in log order, into the documents they lead to: of each record its newest
 * state and every version, of each event its line of change, and the checkpoint after them. Writes nothing.
 */
export async function foldBatch(
  models: Pick<ReadModels, 'get'>,
  cache: RecordCache,
  from: Checkpoint,
  events: readonly StoredEvent[],
): Promise<Commit> {
  const batch = new Batch(from, await recordsBefore(models, cache, events));
  for (const event of events) batch.apply(event);
  for (const [id, document] of batch.records) if (document !== null) cache.set(id, document);
  return batch.commit();
}

/** The records that a batch touches, as they are before it; null where there is none. */
async function recordsBefore(
  models: Pick<ReadModels, 'get'>,
  cache: RecordCache,
  events: readonly StoredEvent[],
): Promise<Map<string, RecordDocument | null>> {
  const records = new Map<string, RecordDocument | null>();
  const absent = new Map<string, string[]>();
  for (const event of events) {
    const id = recordId(event);
    const model = modelOfStream(event.stream);
    if (model === null || records.has(id)) continue;
    const cached = cache.get(id);
    records.set(id, cached ?? null);
    // A stream's first event begins a record: there is nothing to read.
    if (cached === undefined && event.revision > 0) {
      absent.set(model.collection, [...(absent.get(model.collection) ?? []), id]);
    }
  }
  for (const [collection, ids] of absent) {
    for (const { id, doc } of await models.get(collection, ids)) records.set(id, doc as unknown as RecordDocument);
  }
  return records;
}

function recordId(event: StoredEvent): string {
  return event.stream.slice(event.stream.indexOf('-') + 1);
}

class Batch {
  /** By collection and id: a version that a later event of the batch ended counts in its last form only. */
  private readonly puts = new Map<string, Put>();
  private readonly touched = new Map<string, ReadModel>();
  private ordinal: number;
  private logTime: string;
  private parked: number;
  private position: Checkpoint['position'];

  constructor(
    private readonly from: Checkpoint,
    readonly records: Map<string, RecordDocument | null>,
  ) {
    this.ordinal = from.ordinal;
    this.logTime = from.log_time;
    this.parked = from.parked;
    this.position = from.position;
  }

  apply(event: StoredEvent): void {
    this.ordinal += 1;
    this.position = event.position;
    const { recorded_at } = event.metadata;
    if (recorded_at > this.logTime) this.logTime = recorded_at;
    const model = modelOfStream(event.stream);
    const before = this.records.get(recordId(event)) ?? null;
    try {
      this.take(event, model, before);
    } catch (error) {
      this.park(event, model, before, error);
    }
  }

  /** @throws Error when the event, or any document that it leads to, cannot be made: nothing of it is put then */
  private take(event: StoredEvent, model: ReadModel | null, before: RecordDocument | null): void {
    if (model === null) throw new Error('no read model takes events of this stream');
    const after = this.digest(event, model, before);
    const change = changeDocument(event, this.ordinal, this.logTime, model, before, after);
    this.keep(model, before, after);
    this.put(CHANGES.name, change);
  }

  private digest(event: StoredEvent, model: ReadModel, before: RecordDocument | null): RecordDocument {
    if (before?.stale) throw new Error('an earlier event of this record could not be digested');
    if ((before?.revision ?? 0) !== event.revision) throw new Error('the event before it was not digested');
    const state = evolveBy(model.decider, before, event);
    const { organization_id, recorded_at } = event.metadata;
    return {
      ...state,
      ...model.derive(state),
      owner_id: (state as Partial<RecordDocument>).owner_id ?? null,
      archived_at: (state as Partial<RecordDocument>).archived_at ?? null,
      id: recordId(event),
      organization_id,
      created_at: before?.created_at ?? recorded_at,
      updated_at: recorded_at,
      revision: event.revision + 1,
      position: this.ordinal,
    };
  }

  /** Sets an event aside, and with it all later ones of the same record, which is marked stale. */
  private park(event: StoredEvent, model: ReadModel | null, before: RecordDocument | null, error: unknown): void {
    this.parked += 1;
    const { organization_id } = event.metadata;
    const doc = {
      position: this.ordinal,
      event_id: event.id,
      event_type: event.type,
      stream: event.stream,
      error: error instanceof Error ? error.message : String(error),
    };
    this.put(PARKED.name, { id: event.id, organization_id, keys: { position: this.ordinal }, doc });
    this.put(CHANGES.name, changeDocument(event, this.ordinal, this.logTime, model, before, null));
    if (before === null || before.stale || model === null) return;
    this.keep(model, before, { ...before, stale: true, position: this.ordinal });
  }

  /** The new version begins where the old one ends. */
  private keep(model: ReadModel, before: RecordDocument | null, after: RecordDocument): void {
    const history = historyOf(model.collection);
    const ended = before && versionDocument(model, before, after.position);
    if (before !== null) inheritWords(model, before, after);
    const begun = versionDocument(model, after);
    if (ended !== null) this.put(history, ended);
    this.put(history, begun);
    this.records.set(after.id, after);
    this.touched.set(after.id, model);
  }

  private put(collection: string, document: Put['document']): void {
    this.puts.set(putKey(collection, document.id), { collection, document });
  }

  commit(): Commit {
    for (const [id, model] of this.touched) {
      this.put(model.collection, currentDocument(model, this.records.get(id)!));
    }
    const { ordinal, logTime: log_time, parked, position } = this;
    return {
      checkpoint: { ...this.from, n: this.from.n + 1, position, ordinal, log_time, parked },
      puts: [...this.puts.values()],
    };
  }
}

/** What tells one document from another across collections. */
export function putKey(collection: string, id: string): string {
  return `${collection}/${id}`;
}
