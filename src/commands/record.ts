import { invalidField, Refusal } from './engine/refusal.ts';

/** Fields that every record has. Its family adds others. */
export interface CommonFields {
  owner_id: string | null;
  archived_at: string | null;
}

export interface OptionalReason {
  reason?: string;
}

/** Returns some members of an object, without absent ones. An event of changed details holds only what changed. */
export function pick<T extends object, K extends keyof T>(from: Partial<T>, fields: readonly K[]): Partial<Pick<T, K>> {
  return Object.fromEntries(fields.filter((f) => from[f] !== undefined).map((f) => [f, from[f]])) as Partial<
    Pick<T, K>
  >;
}

/** Returns an object without some of its members. */
export function omit<T extends object>(from: Partial<T>, fields: readonly string[]): Partial<T> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => !fields.includes(name))) as Partial<T>;
}

/** Returns the members that are neither null nor undefined. A record's first event holds no empty fields. */
export function omitEmpty<T extends object>(fields: T): Partial<T> {
  const filled: Partial<T> = {};
  for (const name of Object.keys(fields) as (keyof T)[]) {
    const value = fields[name];
    if (value !== null && value !== undefined) filled[name] = value;
  }
  return filled;
}

export function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

/** Returns `{ reason }`, or an empty object if there is no reason. */
export function withReason(reason: string | null | undefined): OptionalReason {
  return reason ? { reason } : {};
}

/** Returns an event's data without the caller's reason: the fields that it sets. */
export function withoutReason<Data extends OptionalReason>(data: Data): Omit<Data, 'reason'> {
  const { reason: _reason, ...fields } = data;
  return fields;
}

/** Returns the record. @throws Refusal if it is archived, so that it can't be written to */
export function refuseIfArchived<State extends CommonFields>(state: State): State {
  if (state.archived_at === null) return state;
  throw new Refusal(
    'invalid_transition',
    'This record is archived. Restore it with archiveRecords, then repeat the call.',
    {
      allowed: ['RESTORE'],
    },
  );
}

export function requireState<State>(state: State | null): State {
  if (state === null)
    throw new Refusal('not_found', 'This record does not exist here. List the records to find its id.');
  return state;
}

export function requireReason(reason: string | null | undefined, purpose: string): string {
  if (reason) return reason;
  throw invalidField('reason', `Give a reason: ${purpose}.`);
}
