import { isDeepStrictEqual } from 'node:util';
import type { ChangeDocument, FieldChange } from '../../projections/history/change-document.ts';
import type { ChainFault } from '../../trail/chain.ts';
import type { FaultySeal } from './check-seals.ts';

/**
 * A difference between the list of changes and the log.
 *
 * - `ALTERED`, `BROKEN_LINK`, `OUT_OF_ORDER`: the event's chain in the log is broken.
 * - `NOT_IN_LOG`: the log has no such event there.
 * - `DIFFERS`: the change differs from its event; `differs` names the fields.
 * - `HIDDEN`: the log has an event that the list leaves out.
 * - `ADDED`: the list shows a change without an event.
 * - `MISPLACED`: the change is not at its event's position.
 * - `SEAL`: a seal of these changes, or the newest one, is wrong; `seal_fault` says why, and which positions are in
 *   question.
 */
export interface ChangeFault {
  why: ChainFault['why'] | 'NOT_IN_LOG' | 'DIFFERS' | 'HIDDEN' | 'ADDED' | 'MISPLACED' | 'SEAL';
  /** Null if the event's position is unknown. */
  position: string | null;
  stream?: string;
  revision?: number;
  event_id?: string;
  differs?: string[];
  /** As the offline check names it. Absent for the newest seal of other changes. */
  seal_fault?: { why: FaultySeal['why']; from: string; until: string };
}

export const SEAL_FAULTS = [
  'MALFORMED',
  'KEY',
  'SIGNATURE',
  'PREVIOUS_SEAL',
  'SIZE',
  'ROOT',
  'NOT_IN_LOG',
] as const satisfies readonly FaultySeal['why'][];

export const CHANGE_FAULTS = [
  'ALTERED',
  'BROKEN_LINK',
  'OUT_OF_ORDER',
  'NOT_IN_LOG',
  'DIFFERS',
  'HIDDEN',
  'ADDED',
  'MISPLACED',
  'SEAL',
] as const satisfies readonly ChangeFault['why'][];

/** Faults after which a verification stops. Its cursor continues from there. */
export const MAX_FAULTS = 10;

/** Members of a change whose own members are compared one by one. */
const NESTED = new Set(['record', 'linked', 'client']);

/** Returns the fields in which a change differs from its event, such as `actor_id`, `record.name`, `changes.status`. */
export function differences(stored: ChangeDocument, recomputed: ChangeDocument): string[] {
  const [storedFields, recomputedFields] = [stored, recomputed] as unknown as [
    Record<string, unknown>,
    Record<string, unknown>,
  ];
  const names = new Set([...Object.keys(storedFields), ...Object.keys(recomputedFields)]);
  // Position and log time are not part of an event.
  for (const name of ['position', 'log_time']) names.delete(name);
  const differing = [...names].filter((name) => !isDeepStrictEqual(storedFields[name], recomputedFields[name]));
  return differing.flatMap((name) => {
    if (name === 'changes') return fieldDifferences(stored.changes, recomputed.changes);
    const [a, b] = [storedFields[name], recomputedFields[name]];
    if (!NESTED.has(name) || !isObject(a) || !isObject(b)) return [name];
    return Object.keys({ ...a, ...b }).flatMap((member) => (a[member] === b[member] ? [] : [`${name}.${member}`]));
  });
}

function fieldDifferences(stored: unknown, recomputed: readonly FieldChange[]): string[] {
  if (!Array.isArray(stored)) return ['changes'];
  const byField = (changes: readonly FieldChange[]) =>
    new Map(changes.map((change) => [String(change?.field), change]));
  const [storedChanges, recomputedChanges] = [byField(stored), byField(recomputed)];
  const fields = [...new Set([...storedChanges.keys(), ...recomputedChanges.keys()])];
  const differing = fields.filter(
    (field) => !isDeepStrictEqual(storedChanges.get(field), recomputedChanges.get(field)),
  );
  return differing.length === 0 ? ['changes'] : differing.map((field) => `changes.${field}`);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
