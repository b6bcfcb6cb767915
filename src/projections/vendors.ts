import { VENDOR_DETAILS, type VendorState, vendor } from '../commands/vendor.ts';
import { type ReadModel, textKey } from './read-model.ts';

/** Stands for "never" where a filter on a date takes in what has none. */
const NEVER = '0001-01-01';
/** Stands for "not due" where a filter on a date must leave a vendor out. */
const FAR = '9999-12-31';

export const vendors: ReadModel<VendorState> = {
  type: 'VENDOR',
  collection: 'vendors',
  stream: 'vendor',
  decider: vendor,
  derive: () => ({}),
  nameOf: (state) => state.name,
  tracked: [...VENDOR_DETAILS, 'last_reviewed', 'status', 'review', 'owner_id', 'archived_at'],
  keyTypes: {
    name: 'text',
    status: 'text',
    criticality: 'text',
    category: 'text',
    country: 'text',
    processes_personal_data: 'number',
    last_reviewed: 'text',
    reviewed_or_never: 'text',
    next_review_due: 'text',
    review_due: 'text',
  },
  keys: (vendor) => ({
    name: textKey(vendor.name),
    status: vendor.status,
    criticality: vendor.criticality,
    category: textKey(vendor.category),
    country: textKey(vendor.country),
    processes_personal_data: vendor.processes_personal_data === null ? null : Number(vendor.processes_personal_data),
    last_reviewed: vendor.last_reviewed,
    reviewed_or_never: vendor.last_reviewed ?? NEVER,
    next_review_due: vendor.next_review_due,
    review_due: vendor.next_review_due ?? FAR,
  }),
  orders: ['name', 'last_reviewed', 'next_review_due', 'created_at', 'updated_at'],
  narrowing: ['status'],
  filters: [
    'status',
    'criticality',
    'category',
    'country',
    'processes_personal_data',
    'reviewed_or_never',
    'review_due',
  ],
  texts: { short: ['name'], long: ['description'] },
  effectiveAt: (type, data) => (type === 'VendorReviewed' ? String(data.reviewed_at) : null),
};
