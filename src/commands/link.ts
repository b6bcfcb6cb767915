import { isDeepStrictEqual } from 'node:util';
import { CONTROL } from '../register/control.ts';
import { EVIDENCE } from '../register/evidence.ts';
import { linkablePrefixes } from '../register/families.ts';
import {
  type DirectedRelation,
  isSameRelation,
  LINK_EVENTS,
  type LinkEvent,
  RELATIONS,
  type Relation,
  sortedPair,
} from '../register/link.ts';
import type { TrailEvent } from '../trail/event.ts';
import { crosswalkAggregate, statedLink } from './crosswalk.ts';
import type { Aggregate, Decider, DecisionContext, Past } from './engine/decider.ts';
import { frameworkOfControl, idPrefix } from './engine/ids.ts';
import { Refusal } from './engine/refusal.ts';
import { upcast } from './engine/stream-state.ts';
import { recordAggregate } from './families.ts';
import { countingEvents, isOfCall } from './past.ts';
import { type OptionalReason, requireReason, withReason } from './record.ts';

const EVIDENCE_PREFIX = EVIDENCE.prefix;

/** A link between two records. Its stream is named after both ids, the lower one first. */
export interface LinkState {
  linked: boolean;
  /** Two linked controls have one, other linked records have none. */
  relation: DirectedRelation | null;
}

export type LinkCommand = { ids: readonly [string, string] } & OptionalReason &
  ({ type: 'Link'; relation?: DirectedRelation } | { type: 'Unlink' } | { type: 'Undo'; call_id: string });

const UNLINKED: LinkState = { linked: false, relation: null };
const LINKED: LinkState = { linked: true, relation: null };

export const LINK_STREAM_PREFIX = 'link-';

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

/**
 * Returns the link of two records. If one is evidence, its first event may hold the link's first state. If both are
 * controls, crosswalks of their frameworks set its state too.
 */
export function linkAggregate(a: string, b: string): Aggregate<LinkState, LinkCommand, LinkEvent> {
  const ids = sortedPair(a, b);
  const stream = `${LINK_STREAM_PREFIX}${ids.join('-')}`;
  if (ids.every(isControl)) {
    const aggregate = crosswalkAggregate(frameworkOfControl(a), frameworkOfControl(b));
    return { stream, decider: link, companion: { aggregate, stateIn: (crosswalk) => statedLink(crosswalk, ids) } };
  }
  const evidence = ids.find((id) => idPrefix(id) === EVIDENCE_PREFIX);
  if (evidence === undefined) return { stream, decider: link };
  const record = evidence === a ? b : a;
  const firstState = (state: { record_ids: readonly string[] }) => (state.record_ids.includes(record) ? LINKED : null);
  return { stream, decider: link, origin: { aggregate: recordAggregate(evidence), firstState } };
}

const isControl = (id: string): boolean => idPrefix(id) === CONTROL.prefix;

/**
 * Refuses a relation between other records than two controls, and two controls without one.
 * @param relation null if the input has none
 */
export function refuseUnfitRelation(from: string, to: string, relation: Relation | null, field: string): void {
  const areControls = [from, to].every(isControl);
  if (areControls === (relation !== null)) return;
  const message = areControls
    ? `Two controls are linked by a relation. Give one of ${RELATIONS.join(', ')}; from_id supports or partly covers to_id.`
    : 'Only two controls have a relation. Leave out relation.';
  throw new Refusal('invalid_input', message, { field, ...(areControls ? { allowed: RELATIONS } : {}) });
}

function decide(command: LinkCommand, state: LinkState | null, context: DecisionContext): LinkEvent[] {
  const { ids } = command;
  const { linked, relation } = state ?? UNLINKED;
  const reason = withReason(command.reason);
  switch (command.type) {
    case 'Link': {
      const { relation: to = null } = command;
      if (!linked) return [{ type: 'RecordsLinked', data: { ids, relation: to, ...reason } }];
      if (relation === null || to === null || isSameRelation(relation, to)) return [];
      return [{ type: 'LinkRelationChanged', data: { ids, from: relation, to, ...reason } }];
    }
    case 'Unlink':
      if (!linked) return [];
      requireReason(command.reason, 'why the records no longer belong together');
      return [{ type: 'RecordsUnlinked', data: { ids, relation, ...reason } }];
    case 'Undo': {
      const { before } = planLinkUndo(context.past!, state, command.call_id);
      if (before === null) return [];
      const directed = before.relation === null ? {} : { relation: before.relation };
      return decide({ type: before.linked ? 'Link' : 'Unlink', ids, ...directed, ...reason }, state, context);
    }
  }
}

/**
 * Plans the undo of a call on a link. The link goes back to `before`, or stays if that is null. It stays if a later change
 * set it: `isTouched`.
 */
export function planLinkUndo(
  past: Past,
  state: LinkState | null,
  callId: string,
): { before: LinkState | null; isTouched: boolean } {
  const { events } = past;
  const isOfIt = isOfCall(callId);
  const counting = countingEvents({ ...past, firstState: past.firstState ?? UNLINKED }, isOfIt);
  // The newest events don't count: the call wrote them, or they cancel each other.
  const newest = events.slice((counting.at(-1)?.revision ?? -1) + 1);
  if (!newest.some(isOfIt)) return { before: null, isTouched: true };
  // Else a crosswalk set the link since.
  const isUntouched = isDeepStrictEqual(state, storedLinkTransition(newest.at(-1)!).after);
  return { before: isUntouched ? storedLinkTransition(newest[0]!).before : null, isTouched: !isUntouched };
}

/** A link before and after an event. */
export interface LinkTransition {
  before: LinkState;
  after: LinkState;
}

/** The transition of the links that evidence is added with. */
export const EVIDENCE_LINKED: LinkTransition = { before: UNLINKED, after: LINKED };

/** Returns the transition that an event is. An event holds both states, so no earlier event is needed. */
export function linkTransition(event: LinkEvent): LinkTransition {
  switch (event.type) {
    case 'RecordsLinked':
      return { before: UNLINKED, after: linkedBy(event.data.relation) };
    case 'LinkRelationChanged':
      return { before: linkedBy(event.data.from), after: linkedBy(event.data.to) };
    case 'RecordsUnlinked':
      return { before: linkedBy(event.data.relation), after: UNLINKED };
  }
}

/** Erased data has no relation. */
const linkedBy = (relation: DirectedRelation | null | undefined): LinkState => ({
  linked: true,
  relation: relation ?? null,
});

/** Returns the transition of a stored event. @throws Error if this version doesn't know the event */
export function storedLinkTransition(event: TrailEvent): LinkTransition {
  if (!Object.hasOwn(LINK_EVENTS, event.type)) throw new Error(`${event.type} is not known to this version`);
  return linkTransition({ type: event.type, data: upcast(event) } as unknown as LinkEvent);
}

/** Returns the transition of a stored event; null if this version doesn't know the event. */
export function readLinkTransition(event: TrailEvent): LinkTransition | null {
  try {
    return storedLinkTransition(event);
  } catch {
    return null;
  }
}

const evolve = (_state: LinkState | null, event: LinkEvent): LinkState => linkTransition(event).after;

export const link: Decider<LinkState, LinkCommand, LinkEvent> = {
  events: LINK_EVENTS,
  decide,
  looksBack: ({ type }) => type === 'Undo',
  evolve,
};
