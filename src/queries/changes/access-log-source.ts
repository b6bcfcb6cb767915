import { invalidField } from '../../commands/engine/refusal.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import type { ChangesInput } from './changes-input.ts';

/** The record type by which listChanges selects the access log. */
export const ACCESS_RECORD_TYPE = 'ACCESS';

/** The access log, as listChanges reads it. Identity implements it. */
export interface AccessLogSource {
  /** Lists entries, newest first. @throws Refusal */
  list(caller: Caller, input: ChangesInput): Promise<object>;
  /** Returns true for a type of access-log entry, also by an earlier name. */
  hasType(eventType: string): boolean;
}

/** Returns true if a filter asks for the access log. @throws Refusal if it asks for records too */
export function isAccessLogRequest(filter: ChangesInput['filter']): boolean {
  const types = filter?.record_types ?? [];
  if (!types.includes(ACCESS_RECORD_TYPE)) return false;
  if (types.every((type) => type === ACCESS_RECORD_TYPE)) return true;
  throw invalidField(
    'filter.record_types',
    'The access log is separate from the changes of records. Call listChanges for ACCESS alone.',
  );
}
