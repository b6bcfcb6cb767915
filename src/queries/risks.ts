import type { Priority } from '../commands/risk.ts';
import { before, equal, equalText, familyQuery, isPast } from './family-query.ts';

/** The scores of each priority. A score is likelihood (1–5) times impact (1–5). */
const SCORES: Record<Priority, readonly number[]> = {
  LOW: [1, 2, 3, 4],
  MEDIUM: [5, 6, 8, 9],
  HIGH: [10, 12],
  CRITICAL: [15, 16, 20, 25],
};

export const riskQuery = familyQuery('RISK', {
  defaultOrder: { field: 'score', direction: 'DESC' },
  filters: {
    status: equal('status'),
    priority: (priorities: Priority[]) => [
      { key: 'score', op: 'in', values: priorities.flatMap((p) => SCORES[p] ?? []) },
    ],
    treatment: equal('treatment'),
    category: equalText('category'),
    min_score: (score: number) => [{ key: 'score', op: 'range', gte: score }],
    max_score: (score: number) => [{ key: 'score', op: 'range', lte: score }],
    acceptance_expired: isPast('accepted_until'),
    acceptance_until_before: before('accepted_until'),
    due_before: before('next_review_due'),
    overdue: isPast('review_due'),
  },
  similarityKeys: ['name', 'reference_id'],
  summary: ['reference_id', 'name', 'status', 'score', 'priority', 'treatment'],
  dayFacts: (risk, today) => {
    const acceptance = risk.acceptance as { until: string } | null;
    return acceptance === null ? {} : { acceptance: { ...acceptance, expired: acceptance.until < today } };
  },
});
