import { upcast } from '../commands/upcast.ts';
import type { DocumentPut } from '../stores/read-store.ts';
import type { TrailEvent } from '../trail/event.ts';
import {
  adoptionKey,
  CHANGES,
  type ChangeDocument,
  changeId,
  fieldChanges,
  type NamedRecord,
  SEAL_ROW_INDEX,
} from './change-document.ts';
import { modelOfId } from './models.ts';
import type { ReadModel, RecordDocument } from './read-model.ts';

/** The rows of an event's line of change, by which it is found; the first of them stands for it where nothing is sought. */
interface ChangeRow {
  record: Pick<NamedRecord, 'id' | 'type'>;
  /** 0 for the first row of an event. */
  rowIndex: number;
}

/** What an event of a record changed: before and after are its states around it; `after` is null where it was not digested. */
export function recordChangeRows(
  event: TrailEvent,
  position: number,
  logTime: string,
  model: ReadModel | null,
  before: RecordDocument | null,
  after: RecordDocument | null,
): DocumentPut[] {
  const digested = after !== null && model !== null;
  // What could not be digested may have a shape that nobody here knows.
  const data = digested ? upcast(event) : event.data;
  const id = event.stream.slice(event.stream.indexOf('-') + 1);
  const named = after ?? before;
  const own: ChangeDetails = {
    record: { id, type: model?.family.type ?? 'UNKNOWN', name: named && model ? nameIn(model, named) : '' },
    revision: after?.revision ?? (model?.family.origin ? 2 : 1) + event.revision,
    effective_at: digested ? effectiveAt(model, event.type, data) : null,
    changes: digested ? fieldChanges(model, before, after) : [],
  };
  if (!digested) own.stale = true;
  const document = changeDocument(event, position, logTime, data, own);
  const [child] = (digested && model.childRecords?.(event.type, data, id)) || [];
  const first = rowPut(event, document, { record: document.record, rowIndex: 0 });
  if (child === undefined) return [first];
  const { type } = modelOfId(child.id)!.family;
  return [first, rowPut(event, document, { record: { id: adoptionKey(id), type }, rowIndex: 1 })];
}

/** A link's two rows, one for each of the records: `record` is the one it is found by, `linked` the other. */
export function linkChangeRows(
  event: TrailEvent,
  position: number,
  logTime: string,
  one: RecordDocument,
  two: RecordDocument,
  joined: boolean,
): { of: DocumentPut; back: DocumentPut } {
  const [a, b] = [namedOf(one), namedOf(two)];
  const row = (record: NamedRecord, linked: NamedRecord, rowIndex: number) => {
    const field = { field: 'linked', from: joined ? null : linked.id, to: joined ? linked.id : null };
    const own: ChangeDetails = { record, linked, revision: null, effective_at: null, changes: [field] };
    const document = changeDocument(event, position, logTime, upcast(event), own);
    return rowPut(event, document, { record, rowIndex });
  };
  // Evidence's own row comes first; those of the records it came with are its other sides.
  const first = event.stream.startsWith('link-') ? 0 : 1;
  return { of: row(a, b, first), back: row(b, a, 1) };
}

/** A link's event that was not digested, found by each of the records that its stream names. */
export function unknownLinkChangeRows(
  event: TrailEvent,
  position: number,
  logTime: string,
  ids: readonly string[],
  records: readonly (RecordDocument | null)[],
): DocumentPut[] {
  const named = ids.map((id, index): NamedRecord => {
    const record = records[index];
    return record ? namedOf(record) : { id, type: modelOfId(id)?.family.type ?? 'UNKNOWN', name: '' };
  });
  return named.map((record, rowIndex) => {
    const linked = named[1 - rowIndex];
    const own: ChangeDetails = { record, revision: null, effective_at: null, changes: [], stale: true };
    if (linked) own.linked = linked;
    const document = changeDocument(event, position, logTime, event.data, own);
    return rowPut(event, document, { record, rowIndex });
  });
}

/** What happened in the seal stream: about the organization, and found by nobody who does not ask for seals. */
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

/** What a line of change says beside what every event says. */
type ChangeDetails = Pick<ChangeDocument, 'record' | 'linked' | 'revision' | 'effective_at' | 'changes' | 'stale'>;

/** Written out member by member: this is made for every event of a rebuild, and spreading is many times slower. */
function changeDocument(
  event: TrailEvent,
  position: number,
  log_time: string,
  data: Record<string, unknown>,
  own: ChangeDetails,
): ChangeDocument {
  const { actor_id, token_id, client, recorded_at, hash } = event.metadata;
  const document: ChangeDocument = {
    position,
    log_time,
    event_type: event.type,
    record: own.record,
    revision: own.revision,
    recorded_at,
    effective_at: own.effective_at,
    actor_id,
    token_id,
    client,
    reason: typeof data.reason === 'string' ? data.reason : null,
    changes: own.changes,
    stream: event.stream,
    stream_revision: event.revision,
    event_id: event.id,
    hash,
  };
  if (own.linked) document.linked = own.linked;
  if (own.stale) document.stale = true;
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

/** The date that an event states itself. */
function effectiveAt(
  { effectiveDateFields: effectiveAt }: ReadModel,
  type: string,
  data: Record<string, unknown>,
): string | null {
  return (data[effectiveAt?.[type] ?? ''] ?? null) as string | null;
}

function namedOf(document: RecordDocument): NamedRecord {
  const model = modelOfId(document.id)!;
  return { id: document.id, type: model.family.type, name: nameIn(model, document) };
}

function nameIn(model: ReadModel, document: RecordDocument): string {
  return model.nameOf?.(document) ?? String((document as unknown as { name: string }).name);
}
