import { before, equal, familyQuery, isPast } from './family-query.ts';

export const nonconformityQuery = familyQuery('NONCONFORMITY', {
  filters: {
    status: equal('status'),
    open: (open: boolean) => [{ key: 'open', op: 'eq', value: Number(open) }],
    severity: equal('severity'),
    audit_id: equal('audit_id'),
    due_before: before('due_date'),
    overdue: isPast('open_until'),
  },
  similarityKeys: ['reference_id'],
  summary: ['reference_id', 'severity', 'description', 'status', 'due_date', 'overdue'],
  summaryTextLimits: { description: 160 },
  dayFacts: ({ status, due_date }, today) => ({
    overdue: status !== 'CLOSED' && due_date !== null && String(due_date) < today,
  }),
});
