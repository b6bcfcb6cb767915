import { EVIDENCE } from '../register/evidence.ts';
import { linkablePrefixes } from '../register/families.ts';
import { LINK_EVENTS, type LinkEvent } from '../register/link.ts';
import type { Aggregate, Decider, DecisionContext } from './engine/decider.ts';
import { idPrefix } from './engine/ids.ts';
import { Refusal } from './engine/refusal.ts';
import { recordAggregate } from './families.ts';
import { type OptionalReason, withReason } from './record.ts';

const EVIDENCE_PREFIX = EVIDENCE.prefix;

/** A link between two records, without direction. Its stream is named after both ids, the lower one first. */
export interface LinkState {
  linked: boolean;
}

export type LinkCommand = { type: 'Link' | 'Unlink'; ids: readonly [string, string] } & OptionalReason;

export const LINK_STREAM_PREFIX = 'link-';

/** Returns two ids in the order in which their link's stream has them. */
export function sortedPair(a: string, b: string): readonly [string, string] {
  return a < b ? [a, b] : [b, a];
}

/** Refuses a link that isn't allowed between two records. @throws Refusal invalid_input on `field`, with allowed prefixes */
export function refuseUnlinkable(from: string, to: string, field = 'links'): void {
  const allowed = linkablePrefixes(idPrefix(from) ?? '');
  if (from !== to && allowed.includes(idPrefix(to) ?? '')) return;
  const kinds = allowed.map((kind) => `${kind}_…`);
  const problem = `${from} cannot be linked with ${from === to ? 'itself' : to}`;
  throw new Refusal('invalid_input', `${problem}. Give an id such as ${kinds.join(', ')}.`, {
    field,
    allowed: kinds,
  });
}

/** Returns the link of two records. If one is evidence, its first event may hold the link's first state. */
export function linkAggregate(a: string, b: string): Aggregate<LinkState, LinkCommand, LinkEvent> {
  const ids = sortedPair(a, b);
  const stream = `${LINK_STREAM_PREFIX}${ids.join('-')}`;
  const evidence = ids.find((id) => idPrefix(id) === EVIDENCE_PREFIX);
  if (evidence === undefined) return { stream, decider: link };
  const record = evidence === a ? b : a;
  const firstState = (state: { record_ids: readonly string[] }) =>
    state.record_ids.includes(record) ? { linked: true } : null;
  return { stream, decider: link, origin: { aggregate: recordAggregate(evidence), firstState } };
}

function decide(command: LinkCommand, state: LinkState | null, _context: DecisionContext): LinkEvent[] {
  const { ids, reason } = command;
  const isLinked = state?.linked ?? false;
  switch (command.type) {
    case 'Link':
      return isLinked ? [] : [{ type: 'RecordsLinked', data: { ids, ...withReason(reason) } }];
    case 'Unlink':
      return isLinked ? [{ type: 'RecordsUnlinked', data: { ids, ...withReason(reason) } }] : [];
  }
}

function evolve(_state: LinkState | null, event: LinkEvent): LinkState {
  switch (event.type) {
    case 'RecordsLinked':
      return { linked: true };
    case 'RecordsUnlinked':
      return { linked: false };
  }
}

export const link: Decider<LinkState, LinkCommand, LinkEvent> = { events: LINK_EVENTS, decide, evolve };
