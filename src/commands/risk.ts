import { addDays } from './dates.ts';
import type { Decider, DecisionContext } from './decider.ts';
import {
  because,
  decideArchive,
  given,
  isEmpty,
  pick,
  type Reasoned,
  type RecordCommand,
  type RecordEvent,
  type RecordFacts,
  refuseIfArchived,
  refuseIfKnown,
  refuseMove,
  requireReason,
  requireState,
  whatChanges,
} from './record.ts';
import { Refusal } from './refusal.ts';

export const RISK_STATUSES = ['OPEN', 'IN_TREATMENT', 'ACCEPTED', 'CLOSED'] as const;
export const TREATMENTS = ['MITIGATED', 'ACCEPTED', 'AVOIDED', 'TRANSFERRED'] as const;
export const DECISIONS = ['ACCEPT', 'REVOKE', 'CLOSE', 'REOPEN'] as const;

export type RiskStatus = (typeof RISK_STATUSES)[number];
export type Treatment = (typeof TREATMENTS)[number];

/** What is corrected rather than decided. */
export const RISK_DETAILS = ['reference_id', 'name', 'description', 'category', 'note', 'next_review_due'] as const;
export const RATINGS = ['inherent_likelihood', 'inherent_impact', 'residual_likelihood', 'residual_impact'] as const;

export interface RiskDetails {
  reference_id: string | null;
  name: string;
  description: string | null;
  category: string | null;
  note: string | null;
  next_review_due: string | null;
}

/** Each 1 to 5, or null where not assessed. */
export type RiskRatings = Record<(typeof RATINGS)[number], number | null>;

export interface RiskAcceptance {
  approver_id: string;
  recorded_by: string;
  accepted_at: string;
  until: string;
  reason: string;
}

export interface RiskState extends RiskDetails, RiskRatings, RecordFacts {
  last_assessed_at: string | null;
  treatment: Treatment | null;
  status: RiskStatus;
  acceptance: RiskAcceptance | null;
}

export type RiskEvent =
  | RecordEvent<'Risk'>
  | { type: 'RiskAdded'; data: Partial<Omit<RiskState, 'acceptance' | 'archived_at'>> & { name: string } & Reasoned }
  | { type: 'RiskDetailsChanged'; data: { changes: Partial<RiskDetails> } & Reasoned }
  | { type: 'RiskAssessed'; data: { ratings: Partial<RiskRatings>; assessed_at: string } & Reasoned }
  | { type: 'RiskTreatmentPlanned'; data: { treatment: Treatment | null } & Reasoned }
  | { type: 'RiskTreatmentStarted'; data: Reasoned }
  | { type: 'RiskTreatmentHalted'; data: Reasoned }
  | { type: 'RiskAccepted'; data: RiskAcceptance }
  | { type: 'RiskAcceptanceRevoked'; data: { cause: 'DECISION' | 'SCORE_RAISED' } & Reasoned }
  | { type: 'RiskClosed'; data: { reason: string } }
  | { type: 'RiskReopened'; data: { reason: string } };

export type RiskCommand =
  | RecordCommand
  | ({ type: 'AddRisk'; fields: Partial<RiskState> & { name: string } } & Reasoned)
  | ({ type: 'UpdateRisk'; changes: Partial<RiskState> } & Reasoned)
  | ({ type: 'DecideRisk'; decision: (typeof DECISIONS)[number]; until?: string; approver_id?: string } & Reasoned);

const UNKNOWN: RiskState = {
  name: '',
  reference_id: null,
  description: null,
  category: null,
  note: null,
  next_review_due: null,
  inherent_likelihood: null,
  inherent_impact: null,
  residual_likelihood: null,
  residual_impact: null,
  last_assessed_at: null,
  treatment: null,
  status: 'OPEN',
  acceptance: null,
  owner_id: null,
  archived_at: null,
};

/** Likelihood × impact, or null while half of the pair is missing. */
export function scoreOf(likelihood: number | null, impact: number | null): number | null {
  return likelihood === null || impact === null ? null : likelihood * impact;
}

/** The three scores of a risk: what counts is the residual one once assessed, else the inherent one. */
export function scoresOf(ratings: RiskRatings): Record<'inherent_score' | 'residual_score' | 'score', number | null> {
  const inherent_score = scoreOf(ratings.inherent_likelihood, ratings.inherent_impact);
  const residual_score = scoreOf(ratings.residual_likelihood, ratings.residual_impact);
  return { inherent_score, residual_score, score: residual_score ?? inherent_score };
}

function decide(command: RiskCommand, state: RiskState | null, context: DecisionContext): RiskEvent[] {
  switch (command.type) {
    case 'AddRisk':
      refuseIfKnown(state);
      return add(command, context);
    case 'UpdateRisk':
      return update(command, requireState(state), context);
    case 'DecideRisk':
      return decideRisk(command, requireState(state), context);
    case 'Archive':
    case 'Restore':
      return decideArchive('Risk', command, requireState(state), context);
  }
}

function add(command: Extract<RiskCommand, { type: 'AddRisk' }>, context: DecisionContext): RiskEvent[] {
  const { fields } = command;
  const risk = { ...UNKNOWN, ...fields };
  refuseResidualAboveInherent(risk);
  if (fields.status === 'ACCEPTED') {
    refuseMove('A new risk', 'ACCEPTED', ['OPEN', 'IN_TREATMENT', 'CLOSED'], 'Add it, then call decideRisk.');
  }
  if (fields.status === 'CLOSED') requireReason(command.reason, 'why the risk is closed');
  const assessed = RATINGS.some((rating) => risk[rating] !== null) ? { last_assessed_at: context.now } : {};
  return [
    { type: 'RiskAdded', data: { ...given(fields), name: fields.name, ...assessed, ...because(command.reason) } },
  ];
}

function update(
  command: Extract<RiskCommand, { type: 'UpdateRisk' }>,
  state: RiskState,
  context: DecisionContext,
): RiskEvent[] {
  refuseIfArchived(state);
  const changed = whatChanges(state, command.changes);
  const reason = because(command.reason);
  const events: RiskEvent[] = [];
  const changes = pick(changed, RISK_DETAILS);
  if (!isEmpty(changes)) events.push({ type: 'RiskDetailsChanged', data: { changes, ...reason } });
  if (changed.owner_id !== undefined) {
    events.push({ type: 'RiskOwnerAssigned', data: { owner_id: changed.owner_id, ...reason } });
  }
  if (changed.treatment !== undefined) {
    events.push({ type: 'RiskTreatmentPlanned', data: { treatment: changed.treatment, ...reason } });
  }
  if (changed.status) events.push(moveTreatment(state.status, changed.status, reason));
  return [...events, ...assess(state, pick(changed, RATINGS), reason, context)];
}

function moveTreatment(from: RiskStatus, to: RiskStatus, data: Reasoned): RiskEvent {
  if (from === 'OPEN' && to === 'IN_TREATMENT') return { type: 'RiskTreatmentStarted', data };
  if (from === 'IN_TREATMENT' && to === 'OPEN') return { type: 'RiskTreatmentHalted', data };
  const allowed = from === 'OPEN' ? ['IN_TREATMENT'] : from === 'IN_TREATMENT' ? ['OPEN'] : [];
  return refuseMove(from, to, allowed, 'decideRisk accepts, revokes, closes and reopens.');
}

/** New ratings; a score that rises takes an acceptance away in the same write. */
function assess(
  state: RiskState,
  ratings: Partial<RiskRatings>,
  reason: Reasoned,
  context: DecisionContext,
): RiskEvent[] {
  if (isEmpty(ratings)) return [];
  const next = { ...state, ...ratings };
  refuseResidualAboveInherent(next);
  const events: RiskEvent[] = [{ type: 'RiskAssessed', data: { ratings, assessed_at: context.now, ...reason } }];
  const raised = (scoresOf(next).score ?? 0) > (scoresOf(state).score ?? 0);
  if (raised && state.status === 'ACCEPTED') {
    events.push({ type: 'RiskAcceptanceRevoked', data: { cause: 'SCORE_RAISED', ...reason } });
  }
  return events;
}

function refuseResidualAboveInherent(risk: RiskRatings): void {
  const { inherent_score, residual_score } = scoresOf(risk);
  if (inherent_score === null || residual_score === null || residual_score <= inherent_score) return;
  throw new Refusal(
    'invalid_input',
    `The residual score (${residual_score}) cannot be above the inherent one (${inherent_score}): correct either.`,
    { field: 'residual_likelihood' },
  );
}

/** Which decisions each status allows. */
const DECISIONS_FROM: Record<RiskStatus, readonly (typeof DECISIONS)[number][]> = {
  OPEN: ['ACCEPT', 'CLOSE'],
  IN_TREATMENT: ['ACCEPT', 'CLOSE'],
  ACCEPTED: ['REVOKE', 'CLOSE'],
  CLOSED: ['REOPEN'],
};

function decideRisk(
  command: Extract<RiskCommand, { type: 'DecideRisk' }>,
  state: RiskState,
  context: DecisionContext,
): RiskEvent[] {
  refuseIfArchived(state);
  const allowed = DECISIONS_FROM[state.status];
  if (!allowed.includes(command.decision)) {
    throw new Refusal(
      'invalid_transition',
      `A risk that is ${state.status} does not take ${command.decision}: choose one of ${allowed.join(', ')}.`,
      { field: 'decision', allowed },
    );
  }
  switch (command.decision) {
    case 'ACCEPT':
      return [{ type: 'RiskAccepted', data: acceptance(command, context) }];
    case 'REVOKE':
      return [{ type: 'RiskAcceptanceRevoked', data: { cause: 'DECISION', ...because(command.reason) } }];
    case 'CLOSE':
      return [{ type: 'RiskClosed', data: { reason: requireReason(command.reason, 'why the risk is closed') } }];
    case 'REOPEN':
      return [{ type: 'RiskReopened', data: { reason: requireReason(command.reason, 'why the risk is open again') } }];
  }
}

function acceptance(command: Extract<RiskCommand, { type: 'DecideRisk' }>, context: DecisionContext): RiskAcceptance {
  if (context.role !== 'ADMIN' && context.role !== 'OWNER') {
    throw new Refusal('forbidden', 'Only an ADMIN or OWNER records the acceptance of a risk: ask one to do it.');
  }
  const reason = requireReason(command.reason, 'why the risk is accepted');
  const last = addDays(context.today, context.maxAcceptanceDays);
  if (command.until === undefined || command.until <= context.today || command.until > last) {
    throw new Refusal('invalid_input', `Give until, a date after ${context.today} and not after ${last}.`, {
      field: 'until',
    });
  }
  return {
    approver_id: command.approver_id ?? context.actor_id,
    recorded_by: context.actor_id,
    accepted_at: context.now,
    until: command.until,
    reason,
  };
}

function evolve(state: RiskState | null, event: RiskEvent): RiskState {
  if (event.type === 'RiskAdded') {
    const { reason: _reason, ...fields } = event.data;
    return { ...UNKNOWN, ...fields };
  }
  const risk = requireState(state);
  switch (event.type) {
    case 'RiskDetailsChanged':
      return { ...risk, ...event.data.changes };
    case 'RiskOwnerAssigned':
      return { ...risk, owner_id: event.data.owner_id };
    case 'RiskAssessed':
      return { ...risk, ...event.data.ratings, last_assessed_at: event.data.assessed_at };
    case 'RiskTreatmentPlanned':
      return { ...risk, treatment: event.data.treatment };
    case 'RiskTreatmentStarted':
      return { ...risk, status: 'IN_TREATMENT' };
    case 'RiskTreatmentHalted':
      return { ...risk, status: 'OPEN' };
    case 'RiskAccepted':
      return { ...risk, status: 'ACCEPTED', treatment: 'ACCEPTED', acceptance: event.data };
    case 'RiskAcceptanceRevoked':
    case 'RiskReopened':
      return { ...risk, status: 'OPEN', acceptance: null };
    case 'RiskClosed':
      return { ...risk, status: 'CLOSED', acceptance: null };
    case 'RiskArchived':
      return { ...risk, archived_at: event.data.archived_at };
    case 'RiskRestored':
      return { ...risk, archived_at: null };
  }
}

export const risk: Decider<RiskState, RiskCommand, RiskEvent> = { decide, evolve };
