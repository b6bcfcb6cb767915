import { type VendorState, vendor } from '../commands/vendor.ts';
import {
  computed,
  coveredByPrimaryIndexOnly,
  filtered,
  filteredNumber,
  filteredText,
  ordered,
  orderedText,
} from './read-models/key-builders.ts';
import type { ReadModel } from './read-models/read-model.ts';
import { MAX_DATE, MIN_DATE } from './relations/related-counts.ts';

export const vendors: ReadModel<VendorState> = {
  family: vendor,
  keys: {
    name: orderedText('name'),
    status: filtered('status'),
    criticality: filtered('criticality'),
    category: filteredText('category'),
    country: filteredText('country'),
    processes_personal_data: filteredNumber('processes_personal_data'),
    contract_until: coveredByPrimaryIndexOnly(ordered('contract_until')),
    last_reviewed: ordered('last_reviewed'),
    reviewed_or_never: computed<VendorState>('text', (vendor) => vendor.last_reviewed ?? MIN_DATE),
    next_review_due: ordered('next_review_due'),
    review_due: computed<VendorState>('text', (vendor) => vendor.next_review_due ?? MAX_DATE),
  },
  orders: ['name', 'last_reviewed', 'next_review_due'],
  narrowingKeys: ['status'],
  missingOptions: ['OWNER', 'MEASURES', 'RISKS', 'EVIDENCE'],
  searchFields: { short: ['name'], long: ['description'] },
  effectiveDateFields: { VendorReviewed: 'reviewed_at', VendorAdded: 'last_reviewed' },
};
