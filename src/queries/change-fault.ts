import { isDeepStrictEqual } from 'node:util';
import type { ChangeDocument, FieldChange } from '../projections/change-document.ts';
import type { ChainFault } from '../trail/chain.ts';

/**
 * Something that the list of changes and the log do not agree on.
 *
 * - `ALTERED`, `BROKEN_LINK`, `OUT_OF_ORDER`: the event's chain in the log does not hold.
 * - `NOT_IN_LOG`: the log has no such event there.
 * - `DIFFERS`: the change shows something else than its event says; `differs` names what.
 * - `HIDDEN`: the log has an event that the list leaves out.
 * - `ADDED`: the list shows what no event leads to.
 * - `MISPLACED`: the change does not stand at its place in the log.
 * - `SEAL`: the newest seal is not the log's, or not signed by its key.
 */
export interface ChangeFault {
  why: ChainFault['why'] | 'NOT_IN_LOG' | 'DIFFERS' | 'HIDDEN' | 'ADDED' | 'MISPLACED' | 'SEAL';
  /** Null where an event stands at no known place. */
  position: string | null;
  stream?: string;
  revision?: number;
  event_id?: string;
  differs?: string[];
}

export const CHANGE_FAULTS = [
  ...['ALTERED', 'BROKEN_LINK', 'OUT_OF_ORDER'],
  ...['NOT_IN_LOG', 'DIFFERS', 'HIDDEN', 'ADDED', 'MISPLACED', 'SEAL'],
] as ChangeFault['why'][];

/** A verification ends with so many faults; its cursor goes on from there. */
export const MAX_FAULTS = 10;

/** Members of a change that are told one by one. */
const NESTED = new Set(['record', 'linked', 'client']);

/** Returns the members in which a change differs from what its event says: `actor_id`, `record.name`, `changes.status`. */
export function differences(shown: ChangeDocument, recomputed: ChangeDocument): string[] {
  const [one, two] = [shown, recomputed] as unknown as Record<string, unknown>[];
  const names = new Set([...Object.keys(one!), ...Object.keys(two!)]);
  // Its place is no part of an event.
  for (const place of ['position', 'log_time']) names.delete(place);
  const differing = [...names].filter((name) => !isDeepStrictEqual(one![name], two![name]));
  return differing.flatMap((name) => {
    if (name === 'changes') return fieldDifferences(shown.changes, recomputed.changes);
    if (!NESTED.has(name) || !isObject(one![name]) || !isObject(two![name])) return [name];
    const [a, b] = [one![name], two![name]];
    return Object.keys({ ...a, ...b }).flatMap((member) => (a[member] === b[member] ? [] : [`${name}.${member}`]));
  });
}

function fieldDifferences(shown: unknown, recomputed: readonly FieldChange[]): string[] {
  if (!Array.isArray(shown)) return ['changes'];
  const byField = (changes: readonly FieldChange[]) =>
    new Map(changes.map((change) => [String(change?.field), change]));
  const [one, two] = [byField(shown), byField(recomputed)];
  const fields = [...new Set([...one.keys(), ...two.keys()])];
  const differing = fields.filter((field) => !isDeepStrictEqual(one.get(field), two.get(field)));
  return differing.length === 0 ? ['changes'] : differing.map((field) => `changes.${field}`);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
