import { type ObligationState, overdueAfter } from '../commands/obligation.ts';
import { before, equal, equalText, familyQuery, isPast } from './family-query.ts';

export const obligationQuery = familyQuery('OBLIGATION', {
  filters: {
    status: equal('status'),
    area: equalText('area'),
    source: equalText('source'),
    regulator: equalText('regulator'),
    due_before: before('due_date'),
    due_after: (date: string) => [{ key: 'due_date', op: 'range', gt: date }],
    overdue: isPast('unmet_until'),
  },
  similarityKeys: [],
  summary: ['requirement', 'area', 'status', 'due_date', 'overdue'],
  summaryTextLimits: { requirement: 160 },
  dayFacts: (obligation, today) => {
    const until = overdueAfter(obligation as unknown as ObligationState);
    return { overdue: until !== null && until < today };
  },
});
