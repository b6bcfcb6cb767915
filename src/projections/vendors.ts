import { type VendorState, vendor } from '../commands/vendor.ts';
import { filtered, filteredNumber, filteredText, ordered, orderedText, seldom, worked } from './keys.ts';
import type { ReadModel } from './read-model.ts';
import { FAR, NEVER } from './tally.ts';

export const vendors: ReadModel<VendorState> = {
  family: vendor,
  keys: {
    name: orderedText('name'),
    status: filtered('status'),
    criticality: filtered('criticality'),
    category: filteredText('category'),
    country: filteredText('country'),
    processes_personal_data: filteredNumber('processes_personal_data'),
    contract_until: seldom(ordered('contract_until')),
    last_reviewed: ordered('last_reviewed'),
    reviewed_or_never: worked<VendorState>('text', (vendor) => vendor.last_reviewed ?? NEVER),
    next_review_due: ordered('next_review_due'),
    review_due: worked<VendorState>('text', (vendor) => vendor.next_review_due ?? FAR),
  },
  orders: ['name', 'last_reviewed', 'next_review_due'],
  narrowing: ['status'],
  lacks: ['OWNER', 'MEASURES', 'RISKS', 'EVIDENCE'],
  texts: { short: ['name'], long: ['description'] },
  effectiveAt: { VendorReviewed: 'reviewed_at', VendorAdded: 'last_reviewed' },
};
