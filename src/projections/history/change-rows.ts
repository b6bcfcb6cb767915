import { upcast } from '../../commands/engine/upcast.ts';
import type { DocumentPut } from '../../stores/read-store.ts';
import type { TrailEvent } from '../../trail/event.ts';
import { modelOfId } from '../models.ts';
import type { ReadModel, RecordDocument } from '../read-models/read-model.ts';
import {
  adoptionKey,
  CHANGES,
  type ChangeDocument,
  changeId,
  fieldChanges,
  type RecordReference,
  SEAL_ROW_INDEX,
} from './change-document.ts';

/** One row of a change: the record by which it is found, and its index. An event may have several rows. */
interface ChangeRow {
  record: Pick<RecordReference, 'id' | 'type'>;
  /** 0 for the main row of an event, which is listed when no filter names a record. */
  rowIndex: number;
}

/**
 * Returns the rows of a record's event. `before` and `after` are the record before and after the event; `after` is null
 * if the event is parked.
 */
export function recordChangeRows(
  event: TrailEvent,
  position: number,
  logTime: string,
  model: ReadModel | null,
  before: RecordDocument | null,
  after: RecordDocument | null,
): DocumentPut[] {
  const isApplied = after !== null && model !== null;
  // The data of a parked event may have a shape that this version can't upcast.
  const data = isApplied ? upcast(event) : event.data;
  const id = event.stream.slice(event.stream.indexOf('-') + 1);
  const record = after ?? before;
  const details: ChangeDetails = {
    record: { id, type: model?.family.type ?? 'UNKNOWN', name: record && model ? nameIn(model, record) : '' },
    revision: after?.revision ?? (model?.family.origin ? 2 : 1) + event.revision,
    effective_at: isApplied ? effectiveAt(model, event.type, data) : null,
    changes: isApplied ? fieldChanges(model, before, after) : [],
  };
  if (!isApplied) details.stale = true;
  const document = changeDocument(event, position, logTime, data, details);
  // All children share the row under `adoptionKey`, so the first one is enough.
  const [child] = (isApplied && model.childRecords?.(event.type, data, id)) || [];
  const first = rowPut(event, document, { record: document.record, rowIndex: 0 });
  if (child === undefined) return [first];
  const { type } = modelOfId(child.id)!.family;
  return [first, rowPut(event, document, { record: { id: adoptionKey(id), type }, rowIndex: 1 })];
}

/**
 * Returns a link's two rows, one for each record: `record` is the one by which the row is found, `linked` the other.
 */
export function linkChangeRows(
  event: TrailEvent,
  position: number,
  logTime: string,
  one: RecordDocument,
  two: RecordDocument,
  joined: boolean,
): { of: DocumentPut; back: DocumentPut } {
  const [a, b] = [namedOf(one), namedOf(two)];
  const row = (record: RecordReference, linked: RecordReference, rowIndex: number) => {
    const field = { field: 'linked', from: joined ? null : linked.id, to: joined ? linked.id : null };
    const details: ChangeDetails = { record, linked, revision: null, effective_at: null, changes: [field] };
    const document = changeDocument(event, position, logTime, upcast(event), details);
    return rowPut(event, document, { record, rowIndex });
  };
  // The event that added evidence has a main row already, so its links have index 1.
  const first = event.stream.startsWith('link-') ? 0 : 1;
  return { of: row(a, b, first), back: row(b, a, 1) };
}

/** Returns the rows of a parked link event, one for each record that its stream names. */
export function unknownLinkChangeRows(
  event: TrailEvent,
  position: number,
  logTime: string,
  ids: readonly string[],
  records: readonly (RecordDocument | null)[],
): DocumentPut[] {
  const references = ids.map((id, index): RecordReference => {
    const record = records[index];
    return record ? namedOf(record) : { id, type: modelOfId(id)?.family.type ?? 'UNKNOWN', name: '' };
  });
  return references.map((record, rowIndex) => {
    const linked = references[1 - rowIndex];
    const details: ChangeDetails = { record, revision: null, effective_at: null, changes: [], stale: true };
    if (linked) details.linked = linked;
    const document = changeDocument(event, position, logTime, event.data, details);
    return rowPut(event, document, { record, rowIndex });
  });
}

/** Returns the row of a seal event. It is about the organization, and only filters for seal events find it. */
export function sealChangeRow(event: TrailEvent, position: number, logTime: string): DocumentPut {
  const { organization_id } = event.metadata;
  const record = { id: organization_id, type: 'ORGANIZATION', name: '' };
  const document = changeDocument(event, position, logTime, event.data, {
    record,
    revision: null,
    effective_at: null,
    changes: [],
  });
  return rowPut(event, document, { record: { id: event.stream, type: 'SEAL' }, rowIndex: SEAL_ROW_INDEX });
}

/** The fields of a change that don't follow from the event alone. */
type ChangeDetails = Pick<ChangeDocument, 'record' | 'linked' | 'revision' | 'effective_at' | 'changes' | 'stale'>;

/** Sets each field by itself: a rebuild does this for every event, and object spread is many times slower. */
function changeDocument(
  event: TrailEvent,
  position: number,
  log_time: string,
  data: Record<string, unknown>,
  details: ChangeDetails,
): ChangeDocument {
  const { actor_id, token_id, client, recorded_at, hash } = event.metadata;
  const document: ChangeDocument = {
    position,
    log_time,
    event_type: event.type,
    record: details.record,
    revision: details.revision,
    recorded_at,
    effective_at: details.effective_at,
    actor_id,
    token_id,
    client,
    reason: typeof data.reason === 'string' ? data.reason : null,
    changes: details.changes,
    stream: event.stream,
    stream_revision: event.revision,
    event_id: event.id,
    hash,
  };
  if (details.linked) document.linked = details.linked;
  if (details.stale) document.stale = true;
  return document;
}

function rowPut(event: TrailEvent, document: ChangeDocument, { record, rowIndex }: ChangeRow): DocumentPut {
  const { organization_id } = event.metadata;
  const { position, log_time, actor_id, token_id, event_type, revision } = document;
  const id = changeId(organization_id, position);
  return {
    collection: CHANGES.name,
    document: {
      id: rowIndex <= 0 ? id : `${id}~${record.id}`,
      organization_id,
      keys: {
        position,
        log_time,
        record_id: record.id,
        record_type: record.type,
        actor_id,
        token_id,
        event_type,
        revision: rowIndex === 0 ? revision : null,
        row_index: rowIndex,
      },
      doc: document,
    },
  };
}

/** Returns the date that the event itself states, such as reviewed_at. */
function effectiveAt(
  { effectiveDateFields: effectiveAt }: ReadModel,
  type: string,
  data: Record<string, unknown>,
): string | null {
  return (data[effectiveAt?.[type] ?? ''] ?? null) as string | null;
}

function namedOf(document: RecordDocument): RecordReference {
  const model = modelOfId(document.id)!;
  return { id: document.id, type: model.family.type, name: nameIn(model, document) };
}

function nameIn(model: ReadModel, document: RecordDocument): string {
  return model.nameOf?.(document) ?? String((document as unknown as { name: string }).name);
}
