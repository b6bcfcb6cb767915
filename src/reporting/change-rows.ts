import type { ChangeDocument, FieldChange } from '../projections/history/change-document.ts';
import type { RowChange } from '../stores/reporting-store.ts';
import { toCell } from './cells.ts';

/** Returns the row of an event. */
export function changePut(organization_id: string, change: ChangeDocument): RowChange {
  const { record, linked, client, effective_at } = change;
  return {
    put: {
      organization_id,
      position: change.position,
      log_time: change.log_time,
      event_type: change.event_type,
      record_id: record.id,
      record_type: record.type,
      record_name: record.name,
      linked_id: linked?.id ?? null,
      linked_type: linked?.type ?? null,
      linked_name: linked?.name ?? null,
      revision: change.revision,
      recorded_at: change.recorded_at,
      effective_on: toCell('DATE', effective_at),
      effective_at: toCell('TIMESTAMP', effective_at),
      actor_id: change.actor_id,
      client_name: client?.name ?? null,
      client_version: client?.version ?? null,
      reason: change.reason,
      event_id: change.event_id,
      stale: change.stale ?? false,
    },
  };
}

/** Begins the changes of access tokens. Nothing about them is in the reporting database. */
const TOKEN_FIELD = 'tokens.';

/** Returns a row for each field that an event changed. */
export function changeFieldPuts(organization_id: string, { position, changes }: ChangeDocument): RowChange[] {
  const shown = changes.filter(({ field }: FieldChange) => !field.startsWith(TOKEN_FIELD));
  return shown.map(({ field, from, to }) => ({
    put: { organization_id, position, field, from_value: toCell('TEXT', from), to_value: toCell('TEXT', to) },
  }));
}

/** Returns a row for each record that a change names. */
export function changeRecordPuts(organization_id: string, { position, record, linked }: ChangeDocument): RowChange[] {
  const records = linked === undefined ? [record] : [record, linked];
  return records.map(({ id, type }) => ({ put: { organization_id, position, record_id: id, record_type: type } }));
}
