import { addDays } from './dates.ts';
import type { DecisionContext } from './decider.ts';
import { type CommandOf, type EventOf, recordFamily } from './family.ts';
import { judgeMove, type Moves, refuseMove } from './moves.ts';
import { because, isEmpty, pick, type Reasoned, type RecordFacts, requireReason } from './record.ts';
import { Refusal } from './refusal.ts';
import { forbidden, may } from './roles.ts';

export const RISK_STATUSES = ['OPEN', 'IN_TREATMENT', 'ACCEPTED', 'CLOSED'] as const;
export const TREATMENTS = ['MITIGATED', 'ACCEPTED', 'AVOIDED', 'TRANSFERRED'] as const;
export const DECISIONS = ['ACCEPT', 'REVOKE', 'CLOSE', 'REOPEN'] as const;

export type RiskStatus = (typeof RISK_STATUSES)[number];
export type Treatment = (typeof TREATMENTS)[number];

const RATINGS = ['inherent_likelihood', 'inherent_impact', 'residual_likelihood', 'residual_impact'] as const;

/** Each 1 to 5, or null where not assessed. */
export type RiskRatings = Record<(typeof RATINGS)[number], number | null>;

export interface RiskAcceptance {
  approver_id: string;
  recorded_by: string;
  accepted_at: string;
  until: string;
  reason: string;
}

const DETAILS = {
  reference_id: null as string | null,
  name: '',
  description: null as string | null,
  category: null as string | null,
  note: null as string | null,
  next_review_due: null as string | null,
};

const UNRATED: RiskRatings = {
  inherent_likelihood: null,
  inherent_impact: null,
  residual_likelihood: null,
  residual_impact: null,
};

const DECIDED = {
  ...UNRATED,
  last_assessed_at: null as string | null,
  treatment: null as Treatment | null,
  status: 'OPEN' as RiskStatus,
  acceptance: null as RiskAcceptance | null,
};

export type RiskState = typeof DETAILS & typeof DECIDED & RecordFacts;

type Own =
  | { type: 'RiskAssessed'; data: { ratings: Partial<RiskRatings>; assessed_at: string } & Reasoned }
  | { type: 'RiskTreatmentPlanned'; data: { treatment: Treatment | null } & Reasoned }
  | { type: 'RiskTreatmentStarted'; data: Reasoned }
  | { type: 'RiskTreatmentHalted'; data: Reasoned }
  | { type: 'RiskAccepted'; data: RiskAcceptance }
  | { type: 'RiskAcceptanceRevoked'; data: { cause: 'DECISION' | 'SCORE_RAISED' } & Reasoned }
  | { type: 'RiskClosed'; data: { reason: string } }
  | { type: 'RiskReopened'; data: { reason: string } };
export type RiskEvent = EventOf<'Risk', RiskState, typeof DETAILS, Own>;

type DecideRisk = {
  type: 'DecideRisk';
  decision: (typeof DECISIONS)[number];
  until?: string;
  approver_id?: string;
} & Reasoned;
export type RiskCommand = CommandOf<'Risk', RiskState, DecideRisk>;

/** Likelihood × impact, or null while half of the pair is missing. */
function scoreOf(likelihood: number | null, impact: number | null): number | null {
  return likelihood === null || impact === null ? null : likelihood * impact;
}

/** Likelihood and impact behind the score: the residual ones once both are assessed, else the inherent ones. */
export function ratingsThatCount(ratings: RiskRatings): { likelihood: number | null; impact: number | null } {
  const { residual_likelihood, residual_impact, inherent_likelihood, inherent_impact } = ratings;
  return scoreOf(residual_likelihood, residual_impact) === null
    ? { likelihood: inherent_likelihood, impact: inherent_impact }
    : { likelihood: residual_likelihood, impact: residual_impact };
}

/** The three scores of a risk: what counts is the residual one once assessed, else the inherent one. */
export function scoresOf(ratings: RiskRatings): Record<'inherent_score' | 'residual_score' | 'score', number | null> {
  const inherent_score = scoreOf(ratings.inherent_likelihood, ratings.inherent_impact);
  const residual_score = scoreOf(ratings.residual_likelihood, ratings.residual_impact);
  return { inherent_score, residual_score, score: residual_score ?? inherent_score };
}

export const PRIORITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** LOW 1–4, MEDIUM 5–9, HIGH 10–14, CRITICAL 15–25. */
export function priorityOf(score: number | null): Priority | null {
  if (score === null) return null;
  if (score >= 15) return 'CRITICAL';
  if (score >= 10) return 'HIGH';
  return score >= 5 ? 'MEDIUM' : 'LOW';
}

function add(risk: RiskState, reason: string | undefined, context: DecisionContext): Partial<RiskState> {
  refuseResidualAboveInherent(risk);
  if (risk.status === 'ACCEPTED') {
    const allowed = ['OPEN', 'IN_TREATMENT', 'CLOSED'];
    refuseMove('status', 'A new risk', 'ACCEPTED', allowed, 'Add it, then call decideRisk.');
  }
  if (risk.status === 'CLOSED') requireReason(reason, 'why the risk is closed');
  return RATINGS.some((rating) => risk[rating] !== null) ? { last_assessed_at: context.now } : {};
}

function update(
  state: RiskState,
  changed: Partial<RiskState>,
  why: string | undefined,
  context: DecisionContext,
): Own[] {
  const reason = because(why);
  const events: Own[] = [];
  if (changed.treatment !== undefined) {
    events.push({ type: 'RiskTreatmentPlanned', data: { treatment: changed.treatment, ...reason } });
  }
  if (changed.status) {
    judgeMove(MOVES, state.status, changed.status, why);
    events.push({
      type: changed.status === 'IN_TREATMENT' ? 'RiskTreatmentStarted' : 'RiskTreatmentHalted',
      data: reason,
    });
  }
  return [...events, ...assess(state, pick(changed, RATINGS), reason, context)];
}

/** What updateRisk may move; the rest is decided. */
const MOVES: Moves<RiskStatus> = {
  field: 'status',
  to: { OPEN: ['IN_TREATMENT'], IN_TREATMENT: ['OPEN'], ACCEPTED: [], CLOSED: [] },
  hint: 'decideRisk accepts, revokes, closes and reopens.',
};

/** New ratings; a score that rises takes an acceptance away in the same write. */
function assess(state: RiskState, ratings: Partial<RiskRatings>, reason: Reasoned, context: DecisionContext): Own[] {
  if (isEmpty(ratings)) return [];
  const next = { ...state, ...ratings };
  refuseResidualAboveInherent(next);
  const events: Own[] = [{ type: 'RiskAssessed', data: { ratings, assessed_at: context.now, ...reason } }];
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

function decide(command: DecideRisk, state: RiskState, context: DecisionContext): Own[] {
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

/** In this order for readers: stores give members in one of their own. */
function accepted({ approver_id, recorded_by, accepted_at, until, reason }: RiskAcceptance): RiskAcceptance {
  return { approver_id, recorded_by, accepted_at, until, reason };
}

function acceptance(command: DecideRisk, context: DecisionContext): RiskAcceptance {
  if (!may(context.role, 'decideRisk ACCEPT')) throw forbidden('decideRisk ACCEPT', context.role);
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

function evolve(risk: RiskState, event: Own): RiskState {
  switch (event.type) {
    case 'RiskAssessed':
      return { ...risk, ...event.data.ratings, ...assessedAt(event.data) };
    case 'RiskTreatmentPlanned':
      return { ...risk, treatment: event.data.treatment };
    case 'RiskTreatmentStarted':
      return { ...risk, status: 'IN_TREATMENT' };
    case 'RiskTreatmentHalted':
      return { ...risk, status: 'OPEN' };
    case 'RiskAccepted':
      return { ...risk, status: 'ACCEPTED', treatment: 'ACCEPTED', acceptance: accepted(event.data) };
    case 'RiskAcceptanceRevoked':
    case 'RiskReopened':
      return { ...risk, status: 'OPEN', acceptance: null };
    case 'RiskClosed':
      return { ...risk, status: 'CLOSED', acceptance: null };
  }
}

/** Taking ratings away is no assessment. */
function assessedAt({ ratings, assessed_at }: Extract<Own, { type: 'RiskAssessed' }>['data']) {
  return Object.values(ratings).some((rating) => rating !== null) ? { last_assessed_at: assessed_at } : {};
}

export const risk = recordFamily(
  { type: 'RISK', title: 'Risk', singular: 'risk', plural: 'risks', prefix: 'rsk' },
  { details: DETAILS, decided: DECIDED, untold: ['last_assessed_at'], add, update, decide, evolve },
);
