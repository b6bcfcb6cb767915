import { type ObligationState, obligation, unmetUntil } from '../commands/obligation.ts';
import { filtered, filteredText, ordered, worked } from './keys.ts';
import type { ReadModel } from './read-model.ts';
import { FAR } from './tally.ts';
import { titleOf } from './text.ts';

export const obligations: ReadModel<ObligationState> = {
  family: obligation,
  nameOf: ({ requirement }) => titleOf(requirement),
  keys: {
    status: filtered('status'),
    area: filteredText('area'),
    source: filteredText('source'),
    regulator: filteredText('regulator'),
    due_date: ordered('due_date'),
    unmet_until: worked<ObligationState>('text', (obligation) => unmetUntil(obligation) ?? FAR),
  },
  orders: ['due_date', 'area'],
  narrowing: ['status'],
  lacks: ['OWNER', 'MEASURES', 'CONTROLS', 'RISKS', 'EVIDENCE'],
  effectiveAt: { ObligationAssessed: 'last_review_date' },
  texts: { short: ['area', 'source', 'regulator'], long: ['requirement'] },
};
