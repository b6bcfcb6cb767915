import { commonEvents, commonEventTypes } from './common-events.ts';
import { addedMembers, correctedMembers, objectMembers, restoredMembers } from './event-members.ts';
import { type EventOf, event, eventWithDates, eventWithReason, string } from './event-schema.ts';
import type { Described, KeyFilters } from './family-description.ts';
import { type Fields, IMPORTED_FIELD, OWNER_FIELD, REVIEW_INTERVAL_FIELD, type StateOf, stateField } from './field.ts';
import { countByState, type FamilyFigures, isIn, startsAfter } from './figure.ts';

export const CRITICALITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export const OUTCOMES = ['APPROVED', 'CONDITIONAL', 'REJECTED'] as const;
/** Statuses that updateVendor sets. The others are outcomes of reviews. */
export const OUT_OF_SERVICE = ['SUSPENDED', 'OFFBOARDED'] as const;
export const VENDOR_STATUSES = ['PENDING_REVIEW', ...OUTCOMES, ...OUT_OF_SERVICE] as const;

const STATUSES_IN_USE = VENDOR_STATUSES.filter((status) => status !== 'OFFBOARDED');

const FIELDS = {
  name: { kind: 'name', label: 'Vendor', required: true, search: 'SHORT', lookalike: 'COMPANY' },
  description: { kind: 'text', label: 'Service', note: 'the service it provides', search: 'LONG' },
  website_url: { kind: 'url', label: 'Website', detail: true },
  category: { kind: 'name', label: 'Category', filter: true },
  country: { kind: 'name', label: 'Country', filter: true },
  criticality: { kind: 'enum', label: 'Criticality', changesNeedReason: true, values: CRITICALITIES, filter: true },
  data_shared: { kind: 'text', label: 'Data shared', detail: true },
  processes_personal_data: { kind: 'boolean', label: 'Personal data', filter: true },
  contract_until: { kind: 'date', label: 'Contract until' },
  next_review_due: { kind: 'date', label: 'Next review' },
  review_interval_months: { ...REVIEW_INTERVAL_FIELD, hiddenInAdds: true },
  owner_id: OWNER_FIELD,
  last_reviewed: {
    kind: 'time',
    label: 'Reviewed',
    setBy: 'ADD',
    source: 'is set by reviewVendor',
    isPastFact: true,
    timeOf: { fields: ['review'] },
    hiddenInAdds: true,
  },
  status: stateField(VENDOR_STATUSES, 'PENDING_REVIEW'),
  review: {
    kind: 'object',
    label: 'Review',
    note: 'the newest review',
    setBy: 'COMMAND',
    source: 'is set by reviewVendor',
    fields: {
      outcome: { kind: 'enum', label: 'Review outcome', values: OUTCOMES, required: true, detail: true },
      findings: { kind: 'text', label: 'Findings', detail: true },
      conditions: { kind: 'text', label: 'Conditions' },
      reviewed_by: {
        kind: 'account',
        label: 'Reviewed by',
        note: 'null if imported and by nobody with an account',
        detail: true,
      },
      reviewed_at: { kind: 'time', label: 'Reviewed', note: 'null if imported without a date' },
    },
  },
  imported: { ...IMPORTED_FIELD, label: 'Imported review', note: 'where an imported review comes from' },
} as const satisfies Fields;

/** A past review, besides `status` and `last_reviewed`. */
const PAST_REVIEW_FIELDS = {
  reviewed_by: { kind: 'person', label: 'Reviewed by' },
  findings: { kind: 'text', label: 'Findings' },
  conditions: { kind: 'text', label: 'Conditions' },
} as const satisfies Fields;

export type VendorState = StateOf<typeof FIELDS>;
export type VendorReview = NonNullable<VendorState['review']>;
export type VendorRow = Partial<VendorState & StateOf<typeof PAST_REVIEW_FIELDS>>;

export const VENDOR_EVENTS = {
  VendorAdded: eventWithDates(eventWithReason(addedMembers(FIELDS))),
  VendorDetailsChanged: eventWithReason({ changes: correctedMembers(FIELDS) }),
  VendorReviewed: eventWithDates(
    eventWithReason({
      ...objectMembers(FIELDS.review.fields),
      reviewed_by: string(),
      reviewed_at: string(),
      next_review_due: string(),
    }),
  ),
  VendorReviewImported: eventWithDates(
    eventWithReason({
      ...objectMembers(FIELDS.review.fields),
      ...objectMembers(FIELDS.imported.fields),
    }),
  ),
  VendorReviewWithdrawn: event({ event_id: string(), fields: restoredMembers(FIELDS), reason: string() }),
  VendorSuspended: event({ reason: string() }),
  VendorOffboarded: event({ reason: string() }),
  ...commonEvents('Vendor', FIELDS),
};

export type VendorEvent = EventOf<typeof VENDOR_EVENTS>;

/** Stored keys that the family's rules compute. */
const KEYS = ['reviewed_or_never', 'review_due'] as const;

const FILTERS = {
  reviewed_before: { kind: 'time', test: 'BEFORE', key: 'reviewed_or_never', about: ['last_reviewed'] },
  never_reviewed: { kind: 'boolean', test: 'NEVER', key: 'reviewed_or_never', about: ['last_reviewed'] },
  review_due_before: { kind: 'date', test: 'BEFORE', key: 'review_due', about: ['next_review_due'] },
  review_overdue: { kind: 'boolean', test: 'PAST', key: 'review_due', about: ['next_review_due'] },
  contract_until_before: { kind: 'date', label: 'Contract ends before', test: 'BEFORE', key: 'contract_until' },
} as const satisfies KeyFilters<typeof FIELDS, typeof KEYS>;

const NOT_OFFBOARDED = isIn('status', STATUSES_IN_USE);

const FIGURES = {
  group: 'Vendors',
  groupBy: ['status', 'criticality'],
  total: { label: 'All vendors', meaning: 'vendors, including offboarded ones' },
  listed: [
    countByState('vendors', 'status', VENDOR_STATUSES),
    [
      {
        name: 'vendors_active',
        label: 'Not offboarded',
        meaning: 'vendors that are not OFFBOARDED',
        where: [NOT_OFFBOARDED],
      },
      {
        name: 'vendors_high_or_critical',
        label: 'Not offboarded, high or critical',
        meaning: 'vendors not offboarded, with criticality HIGH or CRITICAL',
        where: [NOT_OFFBOARDED, isIn('criticality', ['HIGH', 'CRITICAL'])],
      },
      {
        name: 'vendors_review_overdue',
        label: 'Review overdue',
        meaning: 'vendors not offboarded whose next review was due before today',
        where: [NOT_OFFBOARDED],
        days: startsAfter('review_due'),
      },
      {
        name: 'vendors_never_reviewed',
        label: 'Never reviewed',
        meaning: 'vendors not offboarded that were never reviewed',
        where: [NOT_OFFBOARDED, { key: 'last_reviewed', op: 'empty' }],
      },
    ],
  ],
} as const satisfies FamilyFigures<typeof FIELDS, typeof KEYS>;

export const VENDOR = {
  type: 'VENDOR',
  title: 'Vendor',
  singular: 'vendor',
  plural: 'vendors',
  prefix: 'vnd',
  fields: FIELDS,
  events: VENDOR_EVENTS,
  commands: { add: 'AddVendor', update: 'UpdateVendor', withdraw: 'WithdrawReview' },
  commonEvents: {
    ...commonEventTypes('Vendor'),
    added: 'VendorAdded',
    detailsChanged: 'VendorDetailsChanged',
    withdrawn: 'VendorReviewWithdrawn',
  },
  workflow: {
    field: 'status',
    finished: ['OFFBOARDED'],
    transitions: OUT_OF_SERVICE,
    hint: 'APPROVED, CONDITIONAL and REJECTED are outcomes of reviewVendor.',
    first: { states: ['PENDING_REVIEW', ...OUT_OF_SERVICE], hint: 'Add it, then call reviewVendor.' },
  },
  computedKeys: KEYS,
  orders: ['name', 'last_reviewed', 'next_review_due'],
  leadingIndexKeys: ['status'],
  filters: FILTERS,
  filtersLeaveOut: { field: 'status', value: 'OFFBOARDED' },
  missing: ['OWNER', 'OWNER_GONE', 'MEASURES', 'RISKS', 'EVIDENCE'],
  summary: ['name', 'status', 'criticality', 'last_reviewed', 'next_review_due'],
  effectiveDates: { VendorReviewed: 'reviewed_at', VendorReviewImported: 'reviewed_at', VendorAdded: 'last_reviewed' },
  dueItems: [
    {
      name: 'VENDOR_REVIEW',
      label: 'Vendor reviews',
      meaning: 'next reviews of vendors that are not OFFBOARDED',
      request: 'Review the vendor.',
      date: 'next_review_due',
      filter: { status: STATUSES_IN_USE },
    },
    {
      name: 'VENDOR_CONTRACT_ENDS',
      label: 'Vendor contracts ending',
      overdueLabel: 'Vendor contracts ended',
      meaning: 'contract end dates of vendors that are not OFFBOARDED',
      request: 'Renew the contract, or leave the vendor.',
      date: 'contract_until',
      filter: { status: STATUSES_IN_USE },
    },
  ],
  importable: true,
  withdrawal: { noun: 'review', of: ['VendorReviewed', 'VendorReviewImported'], tool: 'reviewVendor' },
  pastDecision: { states: OUTCOMES, fields: PAST_REVIEW_FIELDS },
  aboutFile: 'Each vendor with its criticality, contract, personal data and last review.',
  figures: FIGURES,
  decisions: { REVIEW: ['VendorReviewed', 'VendorReviewImported', 'VendorReviewWithdrawn'] },
  tools: {
    list: {
      name: 'listVendors',
      title: 'List vendors',
      description:
        'List vendors (suppliers, companies), their contracts and reviews, by name. Not reviewed for a year, or never: filter.reviewed_before.',
      example: { filter: { reviewed_before: '{today-365}', criticality: ['HIGH', 'CRITICAL'] } },
    },
    add: {
      name: 'addVendor',
      title: 'Add a vendor',
      description:
        'Add a vendor (new supplier, processor), PENDING_REVIEW by default; SUSPENDED, OFFBOARDED need reason. Review outcomes: reviewVendor.',
      example: {
        name: 'Nimbus Hosting',
        description: 'Hosts our backups',
        country: 'Ireland',
        criticality: 'HIGH',
        processes_personal_data: true,
        last_reviewed: '{today-400}',
        owner_id: 'ME',
      },
    },
    update: {
      name: 'updateVendor',
      title: 'Change a vendor',
      idempotent: true,
      description: 'Change a vendor, such as to SUSPENDED, OFFBOARDED. Review outcomes: reviewVendor.',
      example: { contract_until: '{today+300}', website_url: 'https://nimbus.example', reason: 'Contract renewed' },
    },
  },
} as const satisfies Described<typeof FIELDS, typeof VENDOR_EVENTS, typeof KEYS, typeof FILTERS>;
