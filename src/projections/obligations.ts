import { type ObligationState, obligation, overdueAfter } from '../commands/obligation.ts';
import { computed, filtered, filteredText, ordered } from './read-models/key-builders.ts';
import type { ReadModel } from './read-models/read-model.ts';
import { titleOf } from './read-models/search-text.ts';
import { MAX_DATE } from './relations/related-counts.ts';

export const obligations: ReadModel<ObligationState> = {
  family: obligation,
  nameOf: ({ requirement }) => titleOf(requirement),
  keys: {
    status: filtered('status'),
    area: filteredText('area'),
    source: filteredText('source'),
    regulator: filteredText('regulator'),
    due_date: ordered('due_date'),
    unmet_until: computed<ObligationState>('text', (obligation) => overdueAfter(obligation) ?? MAX_DATE),
  },
  orders: ['due_date', 'area'],
  narrowingKeys: ['status'],
  missingOptions: ['OWNER', 'MEASURES', 'CONTROLS', 'RISKS', 'EVIDENCE'],
  effectiveDateFields: { ObligationAssessed: 'last_review_date' },
  searchFields: { short: ['area', 'source', 'regulator'], long: ['requirement'] },
};
