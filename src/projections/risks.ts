import { effectiveRatings, priorityOf, type RiskState, risk, scoresOf } from '../commands/risk.ts';
import {
  computed,
  coveredByPrimaryIndexOnly,
  filtered,
  filteredText,
  orderedText,
} from './read-models/key-builders.ts';
import type { ReadModel } from './read-models/read-model.ts';
import { MAX_DATE, relatedCount } from './relations/related-counts.ts';

export const risks: ReadModel<RiskState> = {
  family: risk,
  derive: (risk, relatedCounts) => {
    const scores = scoresOf(risk);
    return { ...scores, priority: priorityOf(scores.score), measure_count: relatedCount(relatedCounts, 'MEASURE') };
  },
  keys: {
    name: orderedText('name'),
    reference_id: orderedText('reference_id'),
    status: filtered('status'),
    treatment: filtered('treatment'),
    category: filteredText('category'),
    score: computed<RiskState>('number', (risk) => scoresOf(risk).score),
    // The factors of the score. The risk matrix counts by both.
    likelihood: coveredByPrimaryIndexOnly(computed<RiskState>('number', (risk) => effectiveRatings(risk).likelihood)),
    impact: coveredByPrimaryIndexOnly(computed<RiskState>('number', (risk) => effectiveRatings(risk).impact)),
    next_review_due: filtered('next_review_due'),
    review_due: computed<RiskState>('text', (risk) =>
      risk.status === 'CLOSED' ? MAX_DATE : (risk.next_review_due ?? MAX_DATE),
    ),
    accepted_until: computed<RiskState>('text', (risk) => risk.acceptance?.until ?? MAX_DATE),
  },
  orders: ['score', 'name', 'next_review_due'],
  lookupKeys: ['reference_id'],
  narrowingKeys: ['status'],
  missingOptions: ['OWNER', 'SCORE', 'MEASURES', 'CONTROLS', 'EVIDENCE'],
  searchFields: { short: ['name', 'reference_id'], long: ['description'] },
};
