import { priorityOf, type RiskState, ratingsThatCount, risk, scoresOf } from '../commands/risk.ts';
import { filtered, filteredText, orderedText, seldom, worked } from './keys.ts';
import type { ReadModel } from './read-model.ts';
import { countOf, FAR } from './tally.ts';

export const risks: ReadModel<RiskState> = {
  family: risk,
  derive: (risk, tally) => {
    const scores = scoresOf(risk);
    return { ...scores, priority: priorityOf(scores.score), measure_count: countOf(tally, 'MEASURE') };
  },
  keys: {
    name: orderedText('name'),
    reference_id: orderedText('reference_id'),
    status: filtered('status'),
    treatment: filtered('treatment'),
    category: filteredText('category'),
    score: worked<RiskState>('number', (risk) => scoresOf(risk).score),
    // What the score is the product of: the matrix of risks is a count by the two.
    likelihood: seldom(worked<RiskState>('number', (risk) => ratingsThatCount(risk).likelihood)),
    impact: seldom(worked<RiskState>('number', (risk) => ratingsThatCount(risk).impact)),
    next_review_due: filtered('next_review_due'),
    review_due: worked<RiskState>('text', (risk) => (risk.status === 'CLOSED' ? FAR : (risk.next_review_due ?? FAR))),
    accepted_until: worked<RiskState>('text', (risk) => risk.acceptance?.until ?? FAR),
  },
  orders: ['score', 'name', 'next_review_due'],
  lookups: ['reference_id'],
  narrowing: ['status'],
  lacks: ['OWNER', 'SCORE', 'MEASURES', 'CONTROLS', 'EVIDENCE'],
  texts: { short: ['name', 'reference_id'], long: ['description'] },
};
