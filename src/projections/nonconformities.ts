import { type NonconformityState, nonconformity } from '../commands/nonconformity.ts';
import { computed, filtered, ordered, orderedText } from './read-models/key-builders.ts';
import type { ReadModel } from './read-models/read-model.ts';
import { titleOf } from './read-models/search-text.ts';
import { MAX_DATE } from './relations/related-counts.ts';

export const nonconformities: ReadModel<NonconformityState> = {
  family: nonconformity,
  nameOf: ({ reference_id, description }) => titleOf(reference_id ? `${reference_id}: ${description}` : description),
  keys: {
    reference_id: orderedText('reference_id'),
    status: filtered('status'),
    open: computed<NonconformityState>('number', ({ status }) => (status === 'CLOSED' ? 0 : 1)),
    severity: filtered('severity'),
    audit_id: filtered('audit_id'),
    date_identified: ordered('date_identified'),
    due_date: ordered('due_date'),
    open_until: computed<NonconformityState>('text', ({ status, due_date }) =>
      status === 'CLOSED' ? MAX_DATE : (due_date ?? MAX_DATE),
    ),
  },
  orders: ['due_date', 'date_identified'],
  lookupKeys: ['reference_id'],
  narrowingKeys: ['status', 'open', 'audit_id'],
  missingOptions: ['OWNER', 'MEASURES', 'CONTROLS', 'RISKS', 'EVIDENCE', 'ROOT_CAUSE'],
  searchFields: { short: ['reference_id'], long: ['description', 'root_cause', 'corrective_action'] },
};
