import { isDeepStrictEqual } from 'node:util';
import { upcast } from '../commands/upcast.ts';
import type { CollectionSpec, StoredDocument } from '../stores/read-store.ts';
import type { TrailEvent } from '../trail/event.ts';
import type { ReadModel } from './read-model.ts';

export interface FieldChange {
  field: string;
  from: unknown;
  to: unknown;
}

/** One event as an auditor reads it. */
export interface ChangeDocument {
  position: number;
  log_time: string;
  event_type: string;
  record: { id: string; type: string; name: string };
  revision: number;
  recorded_at: string;
  effective_at: string | null;
  actor_id: string;
  token_id: string | null;
  client: { name: string; version: string } | null;
  reason: string | null;
  changes: FieldChange[];
  stream: string;
  event_id: string;
  hash: string;
  /** The event could not be digested: what it changed is not known here. */
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
    event_type: 'text',
    revision: 'number',
  },
  indexes: [
    { keys: ['position'], covers: ['log_time', 'record_type', 'actor_id', 'token_id', 'event_type'] },
    { keys: ['log_time'] },
    { keys: ['record_id', 'position'], covers: ['revision'] },
  ],
  searchable: false,
};

/** Ordinals in ids are padded so that ids sort as the log does. */
export function changeId(organizationId: string, ordinal: number): string {
  return `${organizationId}@${String(ordinal).padStart(15, '0')}`;
}

/** What an event changed: before and after are the record's states around it, both null where it was not digested. */
export function changeDocument(
  event: TrailEvent,
  ordinal: number,
  log_time: string,
  model: ReadModel | null,
  before: object | null,
  after: object | null,
): StoredDocument {
  const { organization_id, actor_id, token_id, client, recorded_at, hash } = event.metadata;
  // What could not be digested may have a shape that nobody here knows.
  const data = after === null ? event.data : upcast(event);
  const id = event.stream.slice(event.stream.indexOf('-') + 1);
  const named = after ?? before;
  const document: ChangeDocument = {
    position: ordinal,
    log_time,
    event_type: event.type,
    record: { id, type: model?.type ?? 'UNKNOWN', name: named && model ? model.nameOf(named) : '' },
    revision: event.revision + 1,
    recorded_at,
    effective_at: after === null ? null : (model?.effectiveAt?.(event.type, data) ?? null),
    actor_id,
    token_id,
    client,
    reason: typeof data.reason === 'string' ? data.reason : null,
    changes: after === null || model === null ? [] : fieldChanges(model, before, after),
    stream: event.stream,
    event_id: event.id,
    hash,
    ...(after === null ? { stale: true as const } : {}),
  };
  return {
    id: changeId(organization_id, ordinal),
    organization_id,
    keys: {
      position: ordinal,
      log_time,
      record_id: id,
      record_type: document.record.type,
      actor_id,
      token_id,
      event_type: event.type,
      revision: document.revision,
    },
    doc: document,
  };
}

function fieldChanges(model: ReadModel, before: object | null, after: object): FieldChange[] {
  const tracked = differences(model.tracked, before ?? {}, after);
  return tracked.flatMap((change) => (model.maps?.includes(change.field) ? entryChanges(change) : [change]));
}

function differences(fields: readonly string[], before: object, after: object): FieldChange[] {
  const changes: FieldChange[] = [];
  for (const field of fields) {
    const from = (before as Record<string, unknown>)[field] ?? null;
    const to = (after as Record<string, unknown>)[field] ?? null;
    if (from !== to && !isDeepStrictEqual(from, to)) changes.push({ field, from, to });
  }
  return changes;
}

/** A map's change entry by entry: `members.acc_…` from null to EDITOR. */
function entryChanges({ field, from, to }: FieldChange): FieldChange[] {
  const before = (from ?? {}) as object;
  const after = (to ?? {}) as object;
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return differences(keys, before, after).map((change) => ({ ...change, field: `${field}.${change.field}` }));
}
