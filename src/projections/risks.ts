import { priorityOf, type RiskState, risk, scoresOf } from '../commands/risk.ts';
import { filtered, filteredText, orderedText, worked } from './keys.ts';
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
