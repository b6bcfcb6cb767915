import type { CollectionSpec } from '../../stores/read-store.ts';

export interface FieldChange {
  field: string;
  from: unknown;
  to: unknown;
}

export interface RecordReference {
  id: string;
  type: string;
  name: string;
}

/** One event as the change history shows it. */
export interface ChangeDocument {
  position: number;
  log_time: string;
  event_type: string;
  record: RecordReference;
  /** The other record, if the event links two records. */
  linked?: RecordReference;
  /** The record's revision after the event; null for links, which don't change revisions. */
  revision: number | null;
  recorded_at: string;
  effective_at: string | null;
  actor_id: string;
  token_id: string | null;
  client: { name: string; version: string } | null;
  /** The call that wrote the event: its `correlation_id`. */
  call_id: string;
  reason: string | null;
  changes: FieldChange[];
  stream: string;
  stream_revision: number;
  event_id: string;
  hash: string;
  /** The event is that of one item of a call on many, such as a row of an import. */
  is_item?: true;
  /** The event is parked, so what it changed is unknown. */
  stale?: true;
}

export const CHANGES: CollectionSpec = {
  name: 'changes',
  keys: {
    position: 'number',
    log_time: 'text',
    record_id: 'text',
    record_type: 'text',
    actor_id: 'text',
    token_id: 'text',
    call_id: 'text',
    event_type: 'text',
    revision: 'number',
    row_index: 'number',
    fields: 'text',
  },
  indexes: [
    {
      keys: ['position'],
      covers: ['row_index', 'log_time', 'record_type', 'actor_id', 'token_id', 'event_type', 'fields'],
    },
    { keys: ['log_time'] },
    { keys: ['record_id', 'position'], covers: ['revision', 'row_index'], lookup: true },
    { keys: ['call_id', 'position'], covers: ['revision', 'row_index'], lookup: true },
  ],
  searchable: false,
  members: [
    'position',
    'log_time',
    'event_type',
    'record',
    'revision',
    'recorded_at',
    'effective_at',
    'actor_id',
    'token_id',
    'client',
    'call_id',
    'reason',
    'changes',
    'stream',
    'stream_revision',
    'event_id',
    'hash',
  ],
};

/**
 * Returns the key by which changes of a field are found: the names of the changed fields, with a space around each. An entry
 * of a map, such as `members.acc_…`, counts as the map. Null without changes.
 */
export function fieldsKey(changes: readonly FieldChange[]): string | null {
  const names = new Set(changes.map(({ field }) => field.split('.', 1)[0]!));
  return names.size === 0 ? null : ` ${[...names].join(' ')} `;
}

/**
 * The `row_index` of events in the seal stream, instead of 0. Lists contain them only if a filter names their types.
 */
export const SEAL_ROW_INDEX = -1;

/** The record id under which the changes of each control find the adoption of its framework. */
export function adoptionKey(frameworkId: string): string {
  return `adoption:${frameworkId}`;
}

/** The `row_index` of the row by which a change finds its undo. No list contains it. */
export const UNDO_ROW_INDEX = -2;

/** Returns the record id under which the undo of a call on a stream is found. */
export function undoKey(callId: string, stream: string): string {
  return `undo:${callId}:${stream}`;
}

/** Returns the id of a change's row. Main rows and seal rows have the change's id. A further row adds its record's. */
export function changeRowId(id: string, { recordId, rowIndex }: { recordId: string; rowIndex: number }): string {
  return rowIndex === 0 || rowIndex === SEAL_ROW_INDEX ? id : `${id}~${recordId}`;
}

/** Returns the id of a change. Its position is padded, so that ids sort in log order. */
export function changeId(organizationId: string, position: number): string {
  return `${organizationId}@${String(position).padStart(15, '0')}`;
}
