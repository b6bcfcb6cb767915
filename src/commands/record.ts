import { isDeepStrictEqual } from 'node:util';
import type { DecisionContext, DomainEvent } from './decider.ts';
import { Refusal } from './refusal.ts';

/** What every record of the register has beside its family's own fields. */
export interface RecordFacts {
  owner_id: string | null;
  archived_at: string | null;
}

export interface Reasoned {
  reason?: string;
}

/** Facts that every family has, in the family's own words. */
export type RecordEvent<Title extends string, State, Details> =
  | { type: `${Title}Added`; data: Partial<State> & Reasoned }
  | { type: `${Title}DetailsChanged`; data: { changes: Partial<Details> } & Reasoned }
  | { type: `${Title}OwnerAssigned`; data: { owner_id: string | null } & Reasoned }
  | { type: `${Title}Archived`; data: { archived_at: string; reason: string } }
  | { type: `${Title}Restored`; data: { reason: string } };

/** Commands that every family has. */
export type RecordCommand = { type: 'Archive' | 'Restore'; reason: string };

/** The members of `changes` that differ from what is; null clears. */
export function whatChanges<T extends object>(state: T, changes: Partial<T>): Partial<T> {
  const entries = Object.entries(changes).filter(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(state[field as keyof T] ?? null, value),
  );
  return Object.fromEntries(entries) as Partial<T>;
}

/** Picks some members, absent ones left out: a details event carries just what changed. */
export function pick<T extends object, K extends keyof T>(from: Partial<T>, fields: readonly K[]): Partial<Pick<T, K>> {
  return Object.fromEntries(fields.filter((f) => from[f] !== undefined).map((f) => [f, from[f]])) as Partial<
    Pick<T, K>
  >;
}

/** Members that say something: what is null or absent needs no place in an event that begins a record. */
export function given<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  ) as Partial<T>;
}

export function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

/** `{reason}` where one was given. */
export function because(reason: string | null | undefined): Reasoned {
  return reason ? { reason } : {};
}

export function decideArchive(
  family: string,
  command: RecordCommand,
  state: RecordFacts,
  context: DecisionContext,
): DomainEvent[] {
  const archived = state.archived_at !== null;
  if (command.type === 'Archive') {
    if (archived) return [];
    return [{ type: `${family}Archived`, data: { archived_at: context.now, reason: command.reason } }];
  }
  return archived ? [{ type: `${family}Restored`, data: { reason: command.reason } }] : [];
}

/** An archived record takes no writes until it is restored. */
export function refuseIfArchived(state: RecordFacts): void {
  if (state.archived_at === null) return;
  throw new Refusal('invalid_transition', 'This record is archived: restore it with archiveRecords, then repeat.', {
    allowed: ['RESTORE'],
  });
}

export function requireState<State>(state: State | null): State {
  if (state === null) throw new Refusal('not_found', 'There is no such record here: list the records to find its id.');
  return state;
}

/** An id is drawn for one record only: what is there already is never begun again. */
export function refuseIfKnown(state: object | null): void {
  if (state === null) return;
  throw new Refusal('conflict', 'There is such a record already: read it, or add another one.');
}

export function requireReason(reason: string | null | undefined, why: string): string {
  if (reason) return reason;
  throw new Refusal('invalid_input', `Give a reason: ${why}.`, { field: 'reason' });
}

/** A time that has to have come. */
export function refuseFuture(field: string, timestamp: string, context: DecisionContext): void {
  if (timestamp <= context.now) return;
  throw new Refusal('invalid_input', `${field} is in the future: give a time up to now (${context.now}).`, { field });
}
