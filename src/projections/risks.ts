import { RATINGS, RISK_DETAILS, type RiskState, risk, scoresOf } from '../commands/risk.ts';
import { type ReadModel, textKey } from './read-model.ts';

/** Stands for "not due, not ending" where a filter on a date must leave a risk out. */
const FAR = '9999-12-31';

export const PRIORITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;

/** LOW 1–4, MEDIUM 5–9, HIGH 10–14, CRITICAL 15–25. */
export function priorityOf(score: number | null): (typeof PRIORITIES)[number] | null {
  if (score === null) return null;
  if (score >= 15) return 'CRITICAL';
  if (score >= 10) return 'HIGH';
  return score >= 5 ? 'MEDIUM' : 'LOW';
}

export const risks: ReadModel<RiskState> = {
  type: 'RISK',
  collection: 'risks',
  stream: 'risk',
  decider: risk,
  derive: (state) => {
    const scores = scoresOf(state);
    return { ...scores, priority: priorityOf(scores.score) };
  },
  nameOf: (state) => state.name,
  tracked: [...RISK_DETAILS, ...RATINGS, 'treatment', 'status', 'acceptance', 'owner_id', 'archived_at'],
  keyTypes: {
    name: 'text',
    reference_id: 'text',
    status: 'text',
    treatment: 'text',
    category: 'text',
    score: 'number',
    next_review_due: 'text',
    review_due: 'text',
    accepted_until: 'text',
  },
  keys: (risk) => ({
    name: textKey(risk.name),
    reference_id: textKey(risk.reference_id),
    status: risk.status,
    treatment: risk.treatment,
    category: textKey(risk.category),
    score: scoresOf(risk).score,
    next_review_due: risk.next_review_due,
    review_due: risk.status === 'CLOSED' ? FAR : (risk.next_review_due ?? FAR),
    accepted_until: risk.acceptance?.until ?? FAR,
  }),
  orders: ['score', 'name', 'next_review_due', 'created_at', 'updated_at'],
  lookups: ['reference_id'],
  narrowing: ['status'],
  filters: ['status', 'treatment', 'category', 'score', 'review_due', 'accepted_until'],
  texts: { short: ['name', 'reference_id'], long: ['description'] },
};
