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

/** A field that a proposal would change. Each value is as the history has it. */
export type ProposedChange = ProposedEffect['changes'][number];

/** The input of a call. Each tool has its own. */
const INPUT = anyValue<Readonly<Record<string, unknown>>>();

const REFUSED = { record_id: optional(string()), code: string(), message: string() };

export const PROPOSAL_EVENTS = {
  ProposalMade: eventWithReason({
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
  }),
  ProposalApproved: eventWithReason({
    approved_by: string(),
    /** The streams that the person saw the call write to. It writes to no others. */
    streams: list(string()),
    /** The call that carries it out. The earliest approvals lack it. */
    call_id: optional(string()),
  }),
  ProposalDeclined: event({ declined_by: string(), reason: string() }),
  ProposalWithdrawn: eventWithReason({ withdrawn_by: string() }),
  ProposalCarriedOut: event({ call_id: string(), done: number(), refused: list(object(REFUSED)) }),
};

export type ProposalEvent = EventOf<typeof PROPOSAL_EVENTS>;
export type RefusedEffect = DataOf<typeof REFUSED>;
