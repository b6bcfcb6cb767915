import {
  anyValue,
  type DataOf,
  type EventOf,
  event,
  eventWithReason,
  list,
  nullable,
  number,
  object,
  optional,
  string,
} from './event-schema.ts';

/** The parts of its role's rights that a credential may use without a person. */
export const AUTONOMIES = ['ALL', 'DECISIONS_PROPOSED', 'PROPOSE_ONLY'] as const;
export type Autonomy = (typeof AUTONOMIES)[number];

/** Returns true for an autonomy that allows less than another one. */
export function isLess(autonomy: Autonomy, than: Autonomy): boolean {
  return AUTONOMIES.indexOf(autonomy) > AUTONOMIES.indexOf(than);
}

/** Returns the autonomy of two that allows less. */
export function lowerAutonomy(one: Autonomy, other: Autonomy): Autonomy {
  return isLess(one, other) ? one : other;
}

/** The states of a proposal in the log. That an open one has expired is a fact of the clock: see `proposalStateAt`. */
export const PROPOSAL_STATES = ['OPEN', 'APPROVED', 'CARRIED_OUT', 'DECLINED', 'WITHDRAWN'] as const;

const EFFECT = {
  /** The record, or the first record of a link. */
  record_id: string(),
  linked_id: optional(string()),
  /** The events that the call would append. */
  event_types: list(string()),
  changes: list(object({ field: string(), from: anyValue(), to: anyValue() })),
};

/** The effect of a proposal on one record or link. */
export type ProposedEffect = DataOf<typeof EFFECT>;

/** Returns the text that names an effect's record or link. It is the effect's stream without the kind of stream. */
export function effectKey({ record_id, linked_id }: Pick<ProposedEffect, 'record_id' | 'linked_id'>): string {
  return linked_id === undefined ? record_id : `${record_id}-${linked_id}`;
}

/** Returns the key of the effect on a stream. */
export const streamKey = (stream: string): string => stream.slice(stream.indexOf('-') + 1);

/** A field that a proposal would change. Each value is as the history has it. */
export type ProposedChange = ProposedEffect['changes'][number];

/** The input of a call. Each tool has its own. */
const INPUT = anyValue<Readonly<Record<string, unknown>>>();

const REFUSED = { record_id: optional(string()), code: string(), message: string() };

const MADE = {
  proposed_by: string(),
  /** The program that made the call, as it names itself. */
  client: nullable(string()),
  tool: string(),
  /** The call's input: ids in place of names, defaults filled in, without its reason and key. */
  input: INPUT,
  effects: list(object(EFFECT)),
  /** The newest position of the organization's history that the effects were computed at. */
  position: number(),
  expires_at: string(),
  reason: optional(string()),
};

const APPROVED = {
  approved_by: string(),
  /** The streams that the person approved: those of all effects, or of some. The call writes to no others. */
  streams: list(string()),
  /** The call that carries it out. The earliest approvals lack it. */
  call_id: optional(string()),
  reason: optional(string()),
};

export const PROPOSAL_EVENTS = {
  ProposalMade: event(MADE, {
    ...MADE,
    /** The proposals that come first, because they would add records that this one names. */
    depends_on: optional(list(string())),
  }),
  ProposalApproved: event(APPROVED, {
    ...APPROVED,
    /** The input that the person approved in place of the proposed one. The reason is then that of the call. */
    input: optional(INPUT),
    /** The effects that the person saw, if they differ from the proposed ones. */
    effects: optional(list(object(EFFECT))),
  }),
  ProposalDeclined: event({ declined_by: string(), reason: string() }),
  ProposalWithdrawn: eventWithReason({ withdrawn_by: string() }),
  ProposalCarriedOut: event({ call_id: string(), done: number(), refused: list(object(REFUSED)) }),
};

export type ProposalEvent = EventOf<typeof PROPOSAL_EVENTS>;
export type RefusedEffect = DataOf<typeof REFUSED>;
