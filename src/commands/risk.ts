import { isDeepStrictEqual } from 'node:util';
import {
  PRIORITIES,
  PRIORITY_SCORES,
  type Priority,
  RISK,
  type RiskAcceptance,
  type RiskRatings,
  type RiskRow,
  type RiskState,
  type RiskStatus,
} from '../register/risk.ts';
import { type CommandOf, defineFamily, type SpecificEventOf } from './define-family.ts';
import { addDays, dateOf, MAX_DATE } from './engine/dates.ts';
import type { DecisionContext } from './engine/decider.ts';
import { invalidField, Refusal } from './engine/refusal.ts';
import { type ImportOrigin, toImportOrigin } from './import-origin.ts';
import { forbiddenAs, roleAllows } from './organization/permissions.ts';
import { isEmpty, type OptionalReason, pick, requireReason, withReason } from './record.ts';

type SpecificEvent = SpecificEventOf<typeof RISK>;

export const DECISIONS = ['ACCEPT', 'REVOKE', 'CLOSE', 'REOPEN'] as const;

const RATINGS = ['inherent_likelihood', 'inherent_impact', 'residual_likelihood', 'residual_impact'] as const;

type RiskAcceptanceImported = Extract<SpecificEvent, { type: 'RiskAcceptanceImported' }>;

type RiskAccepted = Extract<SpecificEvent, { type: 'RiskAccepted' }>;
type DecideRisk = {
  type: 'DecideRisk';
  decision: (typeof DECISIONS)[number];
  until?: string;
  approver_id?: string;
} & OptionalReason;
export type RiskCommand = CommandOf<typeof RISK, RiskState, DecideRisk>;

function scoreOf(likelihood: number | null, impact: number | null): number | null {
  return likelihood === null || impact === null ? null : likelihood * impact;
}

/** Returns the ratings behind `score`: the residual ones once both are assessed, else the inherent ones. */
function effectiveRatings(ratings: RiskRatings): { likelihood: number | null; impact: number | null } {
  const { residual_likelihood, residual_impact, inherent_likelihood, inherent_impact } = ratings;
  return scoreOf(residual_likelihood, residual_impact) === null
    ? { likelihood: inherent_likelihood, impact: inherent_impact }
    : { likelihood: residual_likelihood, impact: residual_impact };
}

/** Returns the scores of a risk. `score` is the residual one once assessed, else the inherent one. */
export function scoresOf(ratings: RiskRatings): Record<'inherent_score' | 'residual_score' | 'score', number | null> {
  const inherent_score = scoreOf(ratings.inherent_likelihood, ratings.inherent_impact);
  const residual_score = scoreOf(ratings.residual_likelihood, ratings.residual_impact);
  return { inherent_score, residual_score, score: residual_score ?? inherent_score };
}

/** Returns the priority of a score, null for none. */
export function priorityOf(score: number | null): Priority | null {
  if (score === null) return null;
  return PRIORITIES.find((priority) => score <= PRIORITY_SCORES[priority][1])!;
}

function add(risk: RiskState, reason: string | undefined): void {
  refuseResidualAboveInherent(risk);
  if (risk.status === 'CLOSED') requireReason(reason, 'why the risk is closed');
}

function update(
  state: RiskState,
  changed: Partial<RiskState>,
  reason: string | undefined,
  context: DecisionContext,
): SpecificEvent[] {
  const optionalReason = withReason(reason);
  const events: SpecificEvent[] = [];
  if (changed.treatment !== undefined) {
    events.push({ type: 'RiskTreatmentPlanned', data: { treatment: changed.treatment, ...optionalReason } });
  }
  if (changed.status) {
    events.push({
      type: changed.status === 'IN_TREATMENT' ? 'RiskTreatmentStarted' : 'RiskTreatmentHalted',
      data: optionalReason,
    });
  }
  const { last_assessed_at } = changed;
  const ratings = pick(changed, RATINGS);
  // A file can state later when a risk was assessed, with the same result.
  const assessed = last_assessed_at && isEmpty(ratings) ? pick(state, RATINGS) : ratings;
  return [...events, ...assess(state, assessed, optionalReason, last_assessed_at ?? context.now)];
}

/** Changes ratings. A higher score revokes the acceptance in the same write. */
function assess(
  state: RiskState,
  ratings: Partial<RiskRatings>,
  optionalReason: OptionalReason,
  assessed_at: string,
): SpecificEvent[] {
  if (isEmpty(ratings)) return [];
  const next = { ...state, ...ratings };
  refuseResidualAboveInherent(next);
  const events: SpecificEvent[] = [{ type: 'RiskAssessed', data: { ratings, assessed_at, ...optionalReason } }];
  if (endsAcceptance(state, ratings)) {
    events.push({ type: 'RiskAcceptanceRevoked', data: { cause: 'SCORE_RAISED', ...optionalReason } });
  }
  return events;
}

/** Returns true if these ratings raise the score of an accepted risk. Its acceptance is about the lower one. */
function endsAcceptance(state: RiskState, ratings: Partial<RiskRatings>): boolean {
  const isScoreRaised = (scoresOf({ ...state, ...ratings }).score ?? 0) > (scoresOf(state).score ?? 0);
  return isScoreRaised && state.status === 'ACCEPTED';
}

function consequence(state: RiskState, changed: Partial<RiskState>): string {
  return endsAcceptance(state, pick(changed, RATINGS)) ? ' The higher score ends the acceptance of this risk.' : '';
}

function refuseResidualAboveInherent(risk: RiskRatings): void {
  const { inherent_score, residual_score } = scoresOf(risk);
  if (inherent_score === null || residual_score === null || residual_score <= inherent_score) return;
  throw invalidField(
    'residual_likelihood',
    `The residual score (${residual_score}) is above the inherent score (${inherent_score}). Correct one of them.`,
  );
}

export const DECISIONS_FROM: Record<RiskStatus, readonly (typeof DECISIONS)[number][]> = {
  OPEN: ['ACCEPT', 'CLOSE'],
  IN_TREATMENT: ['ACCEPT', 'CLOSE'],
  // Accepting again renews the acceptance.
  ACCEPTED: ['ACCEPT', 'REVOKE', 'CLOSE'],
  CLOSED: ['REOPEN'],
};

function decide(command: DecideRisk, state: RiskState, context: DecisionContext): SpecificEvent[] {
  const allowed = DECISIONS_FROM[state.status];
  if (!allowed.includes(command.decision)) {
    throw new Refusal(
      'invalid_transition',
      `${command.decision} is not possible for a risk that is ${state.status}. Choose one of ${allowed.join(', ')}.`,
      { field: 'decision', allowed },
    );
  }
  switch (command.decision) {
    case 'ACCEPT':
      return accept(state, requireAcceptance(command, context));
    case 'REVOKE':
      requireReason(command.reason, 'why the risk is no longer accepted');
      return [{ type: 'RiskAcceptanceRevoked', data: { cause: 'DECISION', ...withReason(command.reason) } }];
    case 'CLOSE':
      return [{ type: 'RiskClosed', data: { reason: requireReason(command.reason, 'why the risk is closed') } }];
    case 'REOPEN':
      return [{ type: 'RiskReopened', data: { reason: requireReason(command.reason, 'why the risk is open again') } }];
  }
}

/** Applies an acceptance. @param imported where it comes from; null if it was decided here */
function withAcceptance(risk: RiskState, data: RiskAcceptance, imported: ImportOrigin | null): RiskState {
  const { approver_id, recorded_by, accepted_at, until, reason } = data;
  // A fixed order of members for readers. Stores may return them in another.
  const acceptance = { approver_id, recorded_by, accepted_at, until, reason };
  return { ...risk, status: 'ACCEPTED', treatment: 'ACCEPTED', acceptance, imported };
}

function requireAcceptance(command: DecideRisk, context: DecisionContext): RiskAccepted['data'] {
  requireAcceptPermission(context, 'decision');
  const { until } = command;
  const latestDate = latestAcceptanceDate(context);
  const untilAdvice = `until, a date after ${context.today} and not after ${latestDate}`;
  const purpose = 'why the risk is accepted';
  const reason = requireReason(command.reason, until === undefined ? `${purpose}. Give also ${untilAdvice}` : purpose);
  if (until === undefined || until <= context.today || until > latestDate) {
    throw invalidField('until', `Give ${untilAdvice}.`);
  }
  return {
    approver_id: command.approver_id ?? context.actor_id,
    recorded_by: context.actor_id,
    accepted_at: context.now,
    until,
    reason,
  };
}

/** Accepts a risk, or renews its acceptance. The same decision again changes nothing. */
function accept({ acceptance, imported }: RiskState, data: RiskAccepted['data']): SpecificEvent[] {
  const decided = ({ approver_id, until, reason }: RiskAcceptance) => [approver_id, until, reason];
  const isSame = acceptance !== null && imported === null && isDeepStrictEqual(decided(acceptance), decided(data));
  return isSame ? [] : [{ type: 'RiskAccepted', data }];
}

/** @param field the input that asks for the acceptance */
function requireAcceptPermission({ role, memberRole }: DecisionContext, field: string): void {
  if (roleAllows(role, 'acceptRisks')) return;
  const { code, message } = forbiddenAs('acceptRisks', role, memberRole);
  throw new Refusal(code, message, { field });
}

/** Returns the last day until which a risk may be accepted today. */
function latestAcceptanceDate({ today, maxAcceptanceDays }: DecisionContext): string {
  return addDays(today, maxAcceptanceDays);
}

/** Returns an imported acceptance. It may have ended: then it counts as expired from the start. */
function importAcceptance(row: RiskRow, origin: ImportOrigin, reason: string | undefined, context: DecisionContext) {
  requireAcceptPermission(context, 'status');
  const { accepted_by: approver_id = null, accepted_at = null, accepted_until: until, acceptance_reason } = row;
  const latestDate = latestAcceptanceDate(context);
  if (!until || until > latestDate) {
    throw invalidField('accepted_until', `ACCEPTED needs accepted_until, a date not after ${latestDate}.`);
  }
  if (accepted_at && until < dateOf(accepted_at)) {
    const message = 'The acceptance cannot end before it was given. Correct accepted_at or accepted_until.';
    throw invalidField('accepted_until', message);
  }
  const acceptedFor = acceptance_reason ?? reason;
  if (!acceptedFor) {
    throw invalidField('acceptance_reason', 'Give acceptance_reason: why the risk was accepted.');
  }
  const event: RiskAcceptanceImported = {
    type: 'RiskAcceptanceImported',
    data: { approver_id, recorded_by: context.actor_id, accepted_at, until, reason: acceptedFor, ...origin },
  };
  return { event, describedBy: ['status', ...Object.keys(RISK.pastDecision.fields)] };
}

function evolve(risk: RiskState, event: SpecificEvent): RiskState {
  switch (event.type) {
    case 'RiskAssessed':
      return { ...risk, ...event.data.ratings, ...lastAssessedAt(event.data) };
    case 'RiskTreatmentPlanned':
      return { ...risk, treatment: event.data.treatment };
    case 'RiskTreatmentStarted':
      return { ...risk, status: 'IN_TREATMENT' };
    case 'RiskTreatmentHalted':
      return { ...risk, status: 'OPEN' };
    case 'RiskAccepted':
      return withAcceptance(risk, event.data, null);
    case 'RiskAcceptanceImported':
      return withAcceptance(risk, event.data, toImportOrigin(event.data));
    case 'RiskAcceptanceRevoked':
    case 'RiskReopened':
      return { ...risk, status: 'OPEN', acceptance: null, imported: null };
    case 'RiskClosed':
      return { ...risk, status: 'CLOSED', acceptance: null, imported: null };
  }
}

/** Returns the time of an assessment. Clearing ratings is not an assessment. */
function lastAssessedAt({ ratings, assessed_at }: Extract<SpecificEvent, { type: 'RiskAssessed' }>['data']) {
  return Object.values(ratings).some((rating) => rating !== null) ? { last_assessed_at: assessed_at } : {};
}

export const risk = defineFamily(RISK, {
  add,
  update,
  consequence,
  importDecision: importAcceptance,
  decide,
  evolve,
  facts: (risk) => {
    const scores = scoresOf(risk);
    return { ...scores, priority: priorityOf(scores.score) };
  },
  keys: {
    // The factors of the score. The risk matrix counts by both.
    likelihood: {
      type: 'number',
      // The likelihood that `score` uses.
      of: (risk) => effectiveRatings(risk).likelihood,
      isPrimaryOnly: true,
    },
    impact: {
      type: 'number',
      // The impact that `score` uses.
      of: (risk) => effectiveRatings(risk).impact,
      isPrimaryOnly: true,
    },
    review_due: {
      type: 'text',
      // `next_review_due`; `9999-12-31` if none is due.
      of: ({ status, next_review_due }) => (status === 'CLOSED' ? MAX_DATE : (next_review_due ?? MAX_DATE)),
    },
    accepted_until: {
      type: 'text',
      // End of its acceptance; `9999-12-31` if not accepted.
      of: ({ acceptance }) => acceptance?.until ?? MAX_DATE,
    },
  },
});
