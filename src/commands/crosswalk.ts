import { CROSSWALK_EVENTS, type CrosswalkEvent, type CrosswalkPair, relationOfPair } from '../register/crosswalk.ts';
import { type DirectedRelation, isSameRelation, sortedPair } from '../register/link.ts';
import type { TrailEvent } from '../trail/event.ts';
import type { Aggregate, Decider } from './engine/decider.ts';
import { Refusal } from './engine/refusal.ts';
import { upcast } from './engine/stream-state.ts';
import { type OptionalReason, withReason } from './record.ts';

/** Pairs of one event. It must fit into one append of every store, and a pair takes about 120 bytes. */
export const MAX_CROSSWALK_PAIRS = 5_000;

export const CROSSWALK_STREAM_PREFIX = 'crosswalk-';

/** The pairs that the imports of one pair of frameworks stated. */
export interface CrosswalkState {
  /** Stream revision of the newest import. */
  revision: number;
  /** By `pairKey`: the relation that was stated last, and the revision of the import that stated it. */
  pairs: ReadonlyMap<string, { relation: DirectedRelation; revision: number }>;
}

export type CrosswalkCommand = {
  type: 'ImportCrosswalk';
  framework_ids: readonly [string, string];
  pairs: readonly CrosswalkPair[];
  /** By `pairKey`: pairs to state again, though an earlier import has. Its undo took them back. */
  restated?: readonly string[];
  /** By `pairKey`: the relations of the pairs that are linked now. They say what the import changes, and decide nothing. */
  linked?: ReadonlyMap<string, DirectedRelation>;
} & OptionalReason;

/** A link that an import sets. `before` is null for controls that aren't linked. */
export interface StatedLink {
  ids: readonly [string, string];
  before: DirectedRelation | null;
  after: DirectedRelation;
}

/** A pair compared with the earlier imports of its frameworks. */
export type PairChange = 'NEW' | 'CHANGED' | 'UNCHANGED';

/** Returns the crosswalk of two frameworks. Its stream is named after both ids, the lower one first. */
export function crosswalkAggregate(a: string, b: string): Aggregate<CrosswalkState, CrosswalkCommand, CrosswalkEvent> {
  return { stream: `${CROSSWALK_STREAM_PREFIX}${sortedPair(a, b).join('-')}`, decider: crosswalk };
}

/** Returns a text that is the same for a pair of controls in either direction. */
export function pairKey({ from_id, to_id }: Pick<CrosswalkPair, 'from_id' | 'to_id'>): string {
  return sortedPair(from_id, to_id).join('-');
}

/** Returns the link that the imports stated last for two controls, and the import's revision. Null if none did. */
export function statedLink({ pairs }: CrosswalkState, [from_id, to_id]: readonly [string, string]) {
  const stated = pairs.get(pairKey({ from_id, to_id }));
  if (stated === undefined) return null;
  return { state: { linked: true, relation: stated.relation }, revision: stated.revision };
}

/** Returns the links that an import sets, by the state to which it leads. */
export function linksOfImport({ linked }: CrosswalkCommand, { pairs, revision }: CrosswalkState): StatedLink[] {
  const stated = [...pairs].filter(([, pair]) => pair.revision === revision);
  return stated.map(([key, { relation }]) => {
    const ids = key.split('-') as [string, string];
    return { ids, before: linked?.get(key) ?? null, after: relation };
  });
}

/** Returns true for a link that has another relation now. */
export function isOtherwiseLinked({ before, after }: StatedLink): boolean {
  return before !== null && !isSameRelation(before, after);
}

/**
 * Compares a pair with the earlier imports, not with the link as it is today. So the same import again changes nothing,
 * even if somebody has unlinked the pair since. Only an undo of the import takes its statement back: see `restated`.
 */
export function pairChange(state: CrosswalkState | null, pair: CrosswalkPair): PairChange {
  const stated = state?.pairs.get(pairKey(pair));
  if (stated === undefined) return 'NEW';
  return isSameRelation(stated.relation, relationOfPair(pair)) ? 'UNCHANGED' : 'CHANGED';
}

/** Appends one event with the new and changed pairs. A later import never ends the pairs of an earlier one. */
function decide(command: CrosswalkCommand, state: CrosswalkState | null): CrosswalkEvent[] {
  const { framework_ids, pairs, restated, reason } = command;
  const again = new Set(restated);
  const unique = [...new Map(pairs.map((pair) => [pairKey(pair), pair])).values()];
  const changed = unique.filter((pair) => again.has(pairKey(pair)) || pairChange(state, pair) !== 'UNCHANGED');
  if (changed.length === 0) return [];
  if (changed.length > MAX_CROSSWALK_PAIRS) {
    const message = `The crosswalk has ${changed.length} pairs, and the limit is ${MAX_CROSSWALK_PAIRS}. Split it.`;
    throw new Refusal('too_large', message, { field: 'rows' });
  }
  return [
    { type: 'CrosswalkImported', data: { framework_ids, pairs: changed.map(normalized), ...withReason(reason) } },
  ];
}

/** Returns a pair with the lower id first if it has no direction. */
function normalized({ from_id, to_id, relation }: CrosswalkPair): CrosswalkPair {
  const [from, to] = relation === 'EQUIVALENT' ? sortedPair(from_id, to_id) : [from_id, to_id];
  return { from_id: from, to_id: to, relation };
}

function evolve(state: CrosswalkState | null, event: CrosswalkEvent): CrosswalkState {
  const revision = state === null ? 0 : state.revision + 1;
  const pairs = new Map(state?.pairs);
  for (const pair of event.data.pairs) pairs.set(pairKey(pair), { relation: relationOfPair(pair), revision });
  return { revision, pairs };
}

const crosswalk: Decider<CrosswalkState, CrosswalkCommand, CrosswalkEvent> = {
  events: CROSSWALK_EVENTS,
  decide,
  evolve,
};

/** Returns the data of a stored event. @throws Error if this version can't read it, or it was erased */
export function storedCrosswalk(event: TrailEvent): CrosswalkEvent['data'] {
  if (!Object.hasOwn(CROSSWALK_EVENTS, event.type)) throw new Error(`${event.type} is not known to this version`);
  const data = upcast(event) as CrosswalkEvent['data'];
  if (data.pairs === undefined) throw new Error(`the data of ${event.type} was erased`);
  return data;
}

/** Returns the data of a stored event; null if this version can't read it. */
export function readCrosswalk(event: TrailEvent): CrosswalkEvent['data'] | null {
  try {
    return storedCrosswalk(event);
  } catch {
    return null;
  }
}

/** Returns the ids of the controls in these pairs. */
export function controlsOfPairs(pairs: readonly CrosswalkPair[]): string[] {
  return [...new Set(pairs.flatMap(({ from_id, to_id }) => [from_id, to_id]))];
}
