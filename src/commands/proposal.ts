import { familyOfPrefix } from '../register/families.ts';
import type { FamilyDescription } from '../register/family-description.ts';
import {
  effectKey,
  PROPOSAL_EVENTS,
  type PROPOSAL_STATES,
  type ProposalEvent,
  type ProposedEffect,
  type RefusedEffect,
  streamKey,
} from '../register/proposal.ts';
import { MAX_DATE } from './engine/dates.ts';
import { type Aggregate, type Decider, type DecisionContext, stateBefore } from './engine/decider.ts';
import { idPrefix } from './engine/ids.ts';
import { Refusal } from './engine/refusal.ts';
import { type OptionalReason, requireState, withReason } from './record.ts';

export const PROPOSAL_DAYS = 30;

/** Bytes of a proposal's input and effects. An append of every store takes 1 MB. */
export const MAX_PROPOSAL_BYTES = 700_000;

export interface ProposalState {
  state: (typeof PROPOSAL_STATES)[number];
  proposed_by: string;
  client: string | null;
  tool: string;
  input: Readonly<Record<string, unknown>>;
  effects: readonly ProposedEffect[];
  position: number;
  expires_at: string;
  reason: string | null;
  /** The proposals that come first. */
  depends_on: readonly string[];
  /** The account that approved, declined or withdrew it, and its reason; null while it is open. */
  decided_by: string | null;
  decision_reason: string | null;
  /** The streams that the approved call may write to. */
  approved_streams: readonly string[];
  /** The input and the effects that the person approved; null for those that were proposed. */
  approved_input: ProposalState['input'] | null;
  approved_effects: readonly ProposedEffect[] | null;
  /** The call that carries it out, the number of records that it wrote, and those that were refused. */
  call_id: string | null;
  done: number | null;
  refused: readonly RefusedEffect[];
  archived_at: null;
  owner_id: null;
}

type MadeData = Extract<ProposalEvent, { type: 'ProposalMade' }>['data'];
type ApprovedData = Extract<ProposalEvent, { type: 'ProposalApproved' }>['data'];

type MakeProposal = Omit<MadeData, 'proposed_by' | 'expires_at'> & {
  type: 'MakeProposal';
  /** The latest time at which it ends. */
  expires_by?: string;
};

export type ProposalCommand =
  | MakeProposal
  | ({ type: 'ApproveProposal' } & Omit<ApprovedData, 'approved_by'>)
  | { type: 'DeclineProposal'; reason: string }
  | ({ type: 'WithdrawProposal' } & OptionalReason)
  | { type: 'CarryOutProposal'; call_id: string; done: number; refused: readonly RefusedEffect[] };

export const PROPOSAL_STREAM_PREFIX = 'proposal-';

/** Returns a proposal's stream with its decider. */
export function proposalAggregate(id: string): Aggregate<ProposalState, ProposalCommand, ProposalEvent> {
  return { stream: `${PROPOSAL_STREAM_PREFIX}${id}`, decider: proposal };
}

/** Returns a proposal's state at a time. An open one expires by the clock: no event records it. */
export function proposalStateAt({ state, expires_at }: Pick<ProposalState, 'state' | 'expires_at'>, now: string) {
  return state === 'OPEN' && expires_at < now ? 'EXPIRED' : state;
}

function decide(command: ProposalCommand, current: ProposalState | null, context: DecisionContext): ProposalEvent[] {
  const { actor_id, now } = context;
  if (command.type === 'MakeProposal') return current === null ? [made(command, context)] : [];
  const state = requireState(current);
  if (command.type === 'CarryOutProposal') return carriedOut(command, state);
  requireOpen(state, now);
  switch (command.type) {
    case 'ApproveProposal':
      return [approved(command, context)];
    case 'DeclineProposal':
      return [{ type: 'ProposalDeclined', data: { declined_by: actor_id, reason: command.reason } }];
    case 'WithdrawProposal':
      requireProposer(state, actor_id);
      return [{ type: 'ProposalWithdrawn', data: { withdrawn_by: actor_id, ...withReason(command.reason) } }];
  }
}

function made(
  { type: _type, reason, expires_by = MAX_DATE, ...data }: ProposalCommand & { type: 'MakeProposal' },
  { actor_id, now }: DecisionContext,
): ProposalEvent {
  requireSize(data);
  const latest = new Date(Date.parse(now) + PROPOSAL_DAYS * 86_400_000).toISOString();
  const expires_at = expires_by < latest ? expires_by : latest;
  return { type: 'ProposalMade', data: { proposed_by: actor_id, ...data, expires_at, ...withReason(reason) } };
}

function approved(
  { type: _type, reason, ...data }: ProposalCommand & { type: 'ApproveProposal' },
  { actor_id }: DecisionContext,
): ProposalEvent {
  requireSize(data);
  return { type: 'ProposalApproved', data: { approved_by: actor_id, ...data, ...withReason(reason) } };
}

/** @throws Refusal too_large for more than an event can hold */
function requireSize({ input, effects }: Pick<ApprovedData, 'input' | 'effects'>): void {
  const size = Buffer.byteLength(JSON.stringify([input ?? null, effects ?? []]));
  if (size <= MAX_PROPOSAL_BYTES) return;
  const message = `A proposal holds at most ${MAX_PROPOSAL_BYTES / 1000} KB, and this call has ${Math.ceil(size / 1000)}. Split it.`;
  throw new Refusal('too_large', message);
}

/** A repeat, such as one after a crash, changes nothing. */
function carriedOut(
  { call_id, done, refused }: ProposalCommand & { type: 'CarryOutProposal' },
  { state }: ProposalState,
): ProposalEvent[] {
  if (state === 'CARRIED_OUT') return [];
  if (state !== 'APPROVED') throw new Refusal('invalid_transition', 'Only an approved proposal is carried out.');
  return [{ type: 'ProposalCarriedOut', data: { call_id, done, refused } }];
}

/** @throws Refusal invalid_transition if somebody decided on the proposal, or it expired */
export function requireOpen(state: ProposalState, now: string): void {
  const shown = proposalStateAt(state, now);
  if (shown === 'OPEN') return;
  throw new Refusal('invalid_transition', `This proposal is ${STATE_WORDS[shown]}. Only an open one can be decided.`);
}

type ApprovedParts = Pick<ProposalState, 'effects' | 'approved_effects' | 'approved_streams'>;

/** Returns the effects of an approved proposal that its person left out. The pairs of a crosswalk go together. */
export function effectsLeftOut({ effects, approved_effects, approved_streams }: ApprovedParts): ProposedEffect[] {
  const keys = new Set(approved_streams.map(streamKey));
  const isPair = ({ event_types }: ProposedEffect) => event_types.includes('CrosswalkImported');
  return (approved_effects ?? effects).filter((effect) => !isPair(effect) && !keys.has(effectKey(effect)));
}

/** Returns true for an effect that adds its record. */
export function isAddition({ record_id, event_types }: ProposedEffect): boolean {
  const family: FamilyDescription | undefined = familyOfPrefix(idPrefix(record_id) ?? '');
  return family?.commonEvents.added !== undefined && event_types[0] === family.commonEvents.added;
}

/** The states of a proposal as people read them. */
export const STATE_WORDS = {
  OPEN: 'open',
  APPROVED: 'approved',
  CARRIED_OUT: 'approved and done',
  DECLINED: 'declined',
  WITHDRAWN: 'withdrawn',
  EXPIRED: 'expired',
} as const;

function requireProposer({ proposed_by }: ProposalState, actor: string): void {
  if (actor === proposed_by || actor === 'SYSTEM') return;
  throw new Refusal('forbidden', 'Only the account that made a proposal withdraws it. Others decline it.');
}

function evolve(current: ProposalState | null, event: ProposalEvent): ProposalState {
  if (event.type === 'ProposalMade') {
    return {
      ...event.data,
      state: 'OPEN',
      reason: event.data.reason ?? null,
      depends_on: event.data.depends_on ?? [],
      decided_by: null,
      decision_reason: null,
      approved_streams: [],
      approved_input: null,
      approved_effects: null,
      call_id: null,
      done: null,
      refused: [],
      archived_at: null,
      owner_id: null,
    };
  }
  const state = stateBefore(event, current);
  const decided = (to: ProposalState['state'], decided_by: string, reason: string | undefined) => ({
    ...state,
    state: to,
    decided_by,
    decision_reason: reason ?? null,
  });
  switch (event.type) {
    case 'ProposalApproved':
      return {
        ...decided('APPROVED', event.data.approved_by, event.data.reason),
        approved_streams: event.data.streams,
        approved_input: event.data.input ?? null,
        approved_effects: event.data.effects ?? null,
        call_id: event.data.call_id ?? null,
      };
    case 'ProposalDeclined':
      return decided('DECLINED', event.data.declined_by, event.data.reason);
    case 'ProposalWithdrawn':
      return decided('WITHDRAWN', event.data.withdrawn_by, event.data.reason);
    case 'ProposalCarriedOut':
      return { ...state, state: 'CARRIED_OUT', ...event.data };
  }
}

export const proposal: Decider<ProposalState, ProposalCommand, ProposalEvent> = {
  events: PROPOSAL_EVENTS,
  decide,
  evolve,
};
