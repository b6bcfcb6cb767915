import { isDeepStrictEqual } from 'node:util';
import { upcast } from '../../commands/engine/stream-state.ts';
import type { LinkState, LinkTransition } from '../../commands/link.ts';
import { relationOfRecord } from '../../register/link.ts';
import type { DocumentPut } from '../../stores/read-store.ts';
import type { TrailEvent } from '../../trail/event.ts';
import { isLinkStream, modelOfId, recordIdOf } from '../models.ts';
import { type ReadModel, type RecordDocument, revisionAfter } from '../read-models/read-model.ts';
import {
  adoptionKey,
  CHANGES,
  type ChangeDocument,
  changeId,
  changeRowId,
  type FieldChange,
  fieldsKey,
  type RecordReference,
  SEAL_ROW_INDEX,
  UNDO_ROW_INDEX,
  undoKey,
} from './change-document.ts';

/** An event with its position and log time in the organization's history. */
export interface PositionedEvent {
  event: TrailEvent;
  position: number;
  logTime: string;
}

/** A row of the change history. An event has one row for each record under which a filter must find it. */
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
  positioned: PositionedEvent,
  model: ReadModel | null,
  before: RecordDocument | null,
  after: RecordDocument | null,
): DocumentPut[] {
  const { event } = positioned;
  const isApplied = after !== null && model !== null;
  // The data of a parked event may have a shape that this version can't upcast.
  const data = isApplied ? upcast(event) : event.data;
  const id = recordIdOf(event.stream);
  const record = after ?? before;
  const details: ChangeDetails = {
    record: { id, type: model?.family.type ?? 'UNKNOWN', name: record && model ? model.nameOf(record) : '' },
    revision: after?.revision ?? (model === null ? event.revision + 1 : revisionAfter(model, event)),
    effective_at: isApplied ? effectiveAt(model, event, data) : null,
    changes: isApplied ? fieldChanges(model, before, after) : [],
  };
  if (!isApplied) details.stale = true;
  const document = changeDocument(positioned, data, details);
  const mainRow = rowPut(event, document, { record: document.record, rowIndex: 0 });
  // All controls of a framework are found by one row (see `adoptionKey`), so the first child is enough.
  const [child] = isApplied ? (model.childRecords?.(event.type, data, id) ?? []) : [];
  if (child === undefined) return [mainRow];
  const { type } = modelOfId(child.id)!.family;
  return [mainRow, rowPut(event, document, { record: { id: adoptionKey(id), type }, rowIndex: 1 })];
}

/** Returns the two rows of a link, one for each record. A filter on `record` finds the row; `linked` is the other record. */
export function linkChangeRows(
  positioned: PositionedEvent,
  from: RecordDocument,
  to: RecordDocument,
  transition: LinkTransition,
): { row: DocumentPut; reverseRow: DocumentPut } {
  const { event } = positioned;
  const [fromReference, toReference] = [referenceTo(from), referenceTo(to)];
  const rowOf = (record: RecordReference, linked: RecordReference, rowIndex: number) => {
    const changes = linkFieldChanges(transition, record.id, linked.id);
    const details: ChangeDetails = { record, linked, revision: null, effective_at: null, changes };
    const document = changeDocument(positioned, upcast(event), details);
    return rowPut(event, document, { record, rowIndex });
  };
  // If the event added evidence, row 0 is the evidence's own.
  const firstRowIndex = isLinkStream(event.stream) ? 0 : 1;
  return { row: rowOf(fromReference, toReference, firstRowIndex), reverseRow: rowOf(toReference, fromReference, 1) };
}

/** Returns the changes of a link as one of its records has them: the other record, and the relation to it. */
export function linkFieldChanges({ before, after }: LinkTransition, id: string, linkedId: string): FieldChange[] {
  const fieldsOf = ({ linked, relation }: LinkState) => ({
    linked: linked ? linkedId : null,
    relation: relation && relationOfRecord(id, relation),
  });
  return fieldDifferences(['linked', 'relation'], fieldsOf(before), fieldsOf(after));
}

/** Returns the rows of a parked link event, one for each record that its stream names. */
export function parkedLinkChangeRows(
  positioned: PositionedEvent,
  ids: readonly string[],
  records: readonly (RecordDocument | null)[],
): DocumentPut[] {
  const { event } = positioned;
  const references = ids.map((id, index): RecordReference => {
    const record = records[index];
    return record ? referenceTo(record) : { id, type: modelOfId(id)?.family.type ?? 'UNKNOWN', name: '' };
  });
  return references.map((record, rowIndex) => {
    const linked = references[1 - rowIndex];
    const details: ChangeDetails = { record, revision: null, effective_at: null, changes: [], stale: true };
    if (linked) details.linked = linked;
    const document = changeDocument(positioned, event.data, details);
    return rowPut(event, document, { record, rowIndex });
  });
}

/** Returns the row of a seal event. It names the organization as its record. Lists contain it only if event_types names its type. */
export function sealChangeRow(positioned: PositionedEvent): DocumentPut {
  const { event } = positioned;
  const { organization_id } = event.metadata;
  const record = { id: organization_id, type: 'ORGANIZATION', name: '' };
  const document = changeDocument(positioned, event.data, { record, revision: null, effective_at: null, changes: [] });
  return rowPut(event, document, { record: { id: event.stream, type: 'SEAL' }, rowIndex: SEAL_ROW_INDEX });
}

/** Returns the row by which a call's change of a stream finds the event that undoes it; none for another event. */
export function undoRows({ event }: PositionedEvent, [mainRow]: readonly DocumentPut[]): DocumentPut[] {
  const { causation_id } = event.metadata;
  if (causation_id === null || mainRow === undefined) return [];
  const record = { id: undoKey(causation_id, event.stream), type: 'CALL' };
  return [rowPut(event, mainRow.document.doc as ChangeDocument, { record, rowIndex: UNDO_ROW_INDEX })];
}

/** The fields of a change that don't follow from the event alone. */
type ChangeDetails = Pick<ChangeDocument, 'record' | 'linked' | 'revision' | 'effective_at' | 'changes' | 'stale'>;

/** Returns an event's document. Lists the fields one by one. A rebuild calls this for every event, and object spread is many times slower. */
export function changeDocument(
  { event, position, logTime }: PositionedEvent,
  data: Record<string, unknown>,
  details: ChangeDetails,
): ChangeDocument {
  const { actor_id, token_id, client, command_id, correlation_id, recorded_at, hash } = event.metadata;
  const document: ChangeDocument = {
    position,
    log_time: logTime,
    event_type: event.type,
    record: details.record,
    revision: details.revision,
    // An unreadable row may not show its time.
    recorded_at: recorded_at || logTime,
    effective_at: details.effective_at,
    actor_id,
    token_id,
    client,
    call_id: correlation_id,
    reason: typeof data.reason === 'string' ? data.reason : null,
    changes: details.changes,
    stream: event.stream,
    stream_revision: event.revision,
    event_id: event.id,
    hash,
  };
  if (details.linked) document.linked = details.linked;
  if (command_id !== correlation_id) document.is_item = true;
  if (details.stale) document.stale = true;
  return document;
}

/** Returns the row under which a filter finds an event by a record. */
export function rowPut(event: TrailEvent, document: ChangeDocument, { record, rowIndex }: ChangeRow): DocumentPut {
  const { organization_id } = event.metadata;
  const { position, log_time, actor_id, token_id, call_id, event_type, revision } = document;
  const id = changeId(organization_id, position);
  return {
    collection: CHANGES.name,
    document: {
      id: changeRowId(id, { recordId: record.id, rowIndex }),
      organization_id,
      keys: {
        position,
        log_time,
        record_id: record.id,
        record_type: record.type,
        actor_id,
        token_id,
        call_id,
        event_type,
        revision: rowIndex === 0 ? revision : null,
        row_index: rowIndex,
        fields: fieldsKey(document.changes),
      },
      doc: document,
    },
  };
}

/** Returns the date that the event itself states, such as reviewed_at. */
function effectiveAt(
  { effectiveDateFields, statedTimeFields }: ReadModel,
  { type, metadata }: Pick<TrailEvent, 'type' | 'metadata'>,
  data: Record<string, unknown>,
): string | null {
  const stated = data[statedTimeFields?.[type] ?? ''];
  const date = stated === metadata.recorded_at ? undefined : stated;
  return (date ?? data[effectiveDateFields?.[type] ?? ''] ?? null) as string | null;
}

/** Returns a record as rows name it. */
export function referenceTo(document: RecordDocument): RecordReference {
  const model = modelOfId(document.id)!;
  return { id: document.id, type: model.family.type, name: model.nameOf(document) };
}

/** Returns the changes of entries of maps. */
export function mapChanges({ mapFields = [] }: ReadModel, before: object | null, after: object): FieldChange[] {
  return mapFields.flatMap((field) => entryChanges(field, before ?? {}, after));
}

function fieldChanges(model: ReadModel, before: object | null, after: object): FieldChange[] {
  const { mapFields, family } = model;
  if (mapFields === undefined) return fieldDifferences(family.historyFields, before ?? {}, after);
  return family.historyFields.flatMap((field) =>
    mapFields.includes(field)
      ? entryChanges(field, before ?? {}, after)
      : fieldDifferences([field], before ?? {}, after),
  );
}

/** Returns these fields' changes from one state to another. An absent value is null. */
export function fieldDifferences(fields: readonly string[], before: object, after: object): FieldChange[] {
  const changes: FieldChange[] = [];
  for (const field of fields) {
    const from = (before as Record<string, unknown>)[field] ?? null;
    const to = (after as Record<string, unknown>)[field] ?? null;
    if (from !== to && !isDeepStrictEqual(from, to)) changes.push({ field, from, to });
  }
  return changes;
}

/** Returns one change per entry of a map: `members.acc_…` from null to EDITOR. */
function entryChanges(field: string, before: object, after: object): FieldChange[] {
  const from = ((before as Record<string, unknown>)[field] ?? {}) as object;
  const to = ((after as Record<string, unknown>)[field] ?? {}) as object;
  // Most events leave a map as it was.
  if (from === to) return [];
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return fieldDifferences(keys, from, to).map((change) => ({ ...change, field: `${field}.${change.field}` }));
}
