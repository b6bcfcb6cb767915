import { type NonconformityState, nonconformity } from '../commands/nonconformity.ts';
import { filtered, ordered, orderedText, worked } from './keys.ts';
import type { ReadModel } from './read-model.ts';
import { FAR } from './tally.ts';
import { titleOf } from './text.ts';

export const nonconformities: ReadModel<NonconformityState> = {
  family: nonconformity,
  nameOf: ({ reference_id, description }) => titleOf(reference_id ? `${reference_id}: ${description}` : description),
  keys: {
    reference_id: orderedText('reference_id'),
    status: filtered('status'),
    open: worked<NonconformityState>('number', ({ status }) => (status === 'CLOSED' ? 0 : 1)),
    severity: filtered('severity'),
    audit_id: filtered('audit_id'),
    date_identified: ordered('date_identified'),
    due_date: ordered('due_date'),
    open_until: worked<NonconformityState>('text', ({ status, due_date }) =>
      status === 'CLOSED' ? FAR : (due_date ?? FAR),
    ),
  },
  orders: ['due_date', 'date_identified'],
  lookups: ['reference_id'],
  narrowing: ['status', 'open', 'audit_id'],
  lacks: ['OWNER', 'MEASURES', 'CONTROLS', 'RISKS', 'EVIDENCE', 'ROOT_CAUSE'],
  texts: { short: ['reference_id'], long: ['description', 'root_cause', 'corrective_action'] },
};
