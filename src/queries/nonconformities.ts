import { before, equal, familyQuery, passed } from './family.ts';

export const nonconformityQuery = familyQuery('NONCONFORMITY', {
  filters: {
    status: equal('status'),
    open: (open: boolean) => [{ key: 'open', op: 'eq', value: Number(open) }],
    severity: equal('severity'),
    audit_id: equal('audit_id'),
    due_before: before('due_date'),
    overdue: passed('open_until'),
  },
  alike: ['reference_id'],
  summary: ['reference_id', 'severity', 'description', 'status', 'due_date', 'overdue'],
  shortened: { description: 160 },
  onDay: ({ status, due_date }, today) => ({
    overdue: status !== 'CLOSED' && due_date !== null && String(due_date) < today,
  }),
});
