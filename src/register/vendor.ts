import {
  boolean,
  changesOf,
  type DataOf,
  type EventOf,
  event,
  nullable,
  optional,
  string,
  withoutNulls,
} from './event-schema.ts';

export const CRITICALITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export const OUTCOMES = ['APPROVED', 'CONDITIONAL', 'REJECTED'] as const;
/** Statuses that updateVendor sets. The others are outcomes of reviews. */
export const OUT_OF_SERVICE = ['SUSPENDED', 'OFFBOARDED'] as const;
export const VENDOR_STATUSES = ['PENDING_REVIEW', ...OUTCOMES, ...OUT_OF_SERVICE] as const;

export type VendorStatus = (typeof VENDOR_STATUSES)[number];

const DETAILS = {
  name: string(),
  description: nullable(string()),
  website_url: nullable(string()),
  category: nullable(string()),
  country: nullable(string()),
  criticality: nullable(string<(typeof CRITICALITIES)[number]>()),
  data_shared: nullable(string()),
  processes_personal_data: nullable(boolean()),
  contract_until: nullable(string()),
  next_review_due: nullable(string()),
};

const REVIEW = {
  outcome: string<(typeof OUTCOMES)[number]>(),
  findings: nullable(string()),
  conditions: nullable(string()),
  reviewed_by: string(),
  reviewed_at: string(),
};
export type VendorReview = DataOf<typeof REVIEW>;

export const VENDOR_EVENTS = {
  VendorAdded: event({
    ...withoutNulls(DETAILS),
    owner_id: optional(string()),
    status: optional(string<VendorStatus>()),
    last_reviewed: optional(string()),
    reason: optional(string()),
  }),
  VendorDetailsChanged: event({ changes: changesOf(DETAILS), reason: optional(string()) }),
  VendorOwnerAssigned: event({ owner_id: nullable(string()), reason: optional(string()) }),
  VendorReviewed: event({ ...REVIEW, next_review_due: string(), reason: optional(string()) }),
  VendorSuspended: event({ reason: string() }),
  VendorOffboarded: event({ reason: string() }),
  VendorArchived: event({ archived_at: string(), reason: string() }),
  VendorRestored: event({ reason: string() }),
};

export type VendorEvent = EventOf<typeof VENDOR_EVENTS>;
