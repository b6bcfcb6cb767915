import { commonEvents, commonEventTypes } from './common-events.ts';
import { addedMembers } from './event-members.ts';
import { event, eventWithDates, eventWithReason, optional, string } from './event-schema.ts';
import type { Described, KeyFilters } from './family-description.ts';
import { type Fields, OWNER_FIELD, type StateOf } from './field.ts';
import { type FamilyFigures, startsAfter } from './figure.ts';

/** TEXT: its text is in the register. URL: it is at an address. FILE: the register has only a file's digest. */
export const EVIDENCE_KINDS = ['TEXT', 'URL', 'FILE'] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

const FIELDS = {
  name: { kind: 'name', label: 'Evidence', required: true, setBy: 'ADD', search: 'SHORT', lookalike: true },
  description: { kind: 'text', label: 'Description', setBy: 'ADD', search: 'LONG' },
  url: { kind: 'url', label: 'Address', setBy: 'ADD' },
  text: { kind: 'longText', label: 'Text', setBy: 'ADD' },
  sha256: { kind: 'sha256', label: 'SHA-256', setBy: 'ADD' },
  collected_at: { kind: 'time', label: 'Collected', setBy: 'ADD', isPastFact: true },
  valid_until: { kind: 'date', label: 'Valid until', setBy: 'ADD' },
  // The records that it was added with. Those links begin with the evidence's first event.
  record_ids: { kind: 'ids', label: 'Evidence of', exceptPrefix: 'evd', maxItems: 20, required: true, setBy: 'ADD' },
  owner_id: OWNER_FIELD,
  kind: {
    kind: 'enum',
    label: 'Kind',
    note: 'TEXT: it has a text; URL: only an address, or an address and a digest; FILE: only a digest',
    values: EVIDENCE_KINDS,
    labels: { TEXT: 'Text', URL: 'Address', FILE: 'File' },
    required: true,
    derived: true,
    source: 'follows from text, url and sha256',
    filter: true,
  },
  replaces: {
    kind: 'id',
    prefix: 'evd',
    label: 'Replaces',
    note: 'evidence that was archived when this was added in its place',
    setBy: 'COMMAND',
    source: 'is set by addEvidence',
  },
  replaced_by: {
    kind: 'id',
    prefix: 'evd',
    label: 'Replaced by',
    note: 'evidence that was added in the place of this. Null once it is restored',
    setBy: 'COMMAND',
    source: 'is set by addEvidence with replaces',
  },
  replaced: {
    kind: 'boolean',
    label: 'Replaced by newer evidence',
    note: 'replaced_by is set, or a record of it has evidence that was collected on a later day and is valid longer',
    derived: true,
    source: 'follows from newer evidence of the same records',
  },
  expired: {
    kind: 'past',
    label: 'Expired',
    note: 'valid_until is past; evidence_count still counts it, valid_evidence_count does not',
    key: 'ends',
    filter: true,
  },
} as const satisfies Fields;

export type EvidenceState = StateOf<typeof FIELDS>;

export const EVIDENCE_EVENTS = {
  EvidenceAdded: eventWithDates(eventWithReason(addedMembers(FIELDS))),
  ...commonEvents('Evidence', FIELDS),
  EvidenceArchived: event({ archived_at: string(), replaced_by: optional(string()), reason: string() }),
};

/** Stored keys that the family's rules compute. */
const KEYS = ['ends', 'renewal_due'] as const;

const FILTERS = {
  valid_until_before: {
    kind: 'date',
    label: 'Valid until before',
    test: 'BEFORE',
    key: 'ends',
    about: ['valid_until'],
  },
} as const satisfies KeyFilters<typeof FIELDS, typeof KEYS>;

const FIGURES = {
  group: 'Evidence',
  groupBy: [],
  total: { label: 'All evidence', meaning: 'pieces of evidence' },
  listed: [
    [
      {
        name: 'evidence_expired',
        label: 'Expired',
        meaning: 'pieces of evidence whose validity ended before today',
        days: startsAfter('ends'),
      },
    ],
  ],
  unlisted: [{ name: 'evidence_expiring_in_30_days', days: { key: 'renewal_due', from: -30, until: 1 } }],
} as const satisfies FamilyFigures<typeof FIELDS, typeof KEYS>;

export const EVIDENCE = {
  type: 'EVIDENCE',
  title: 'Evidence',
  singular: 'evidence',
  plural: 'evidence',
  prefix: 'evd',
  fields: FIELDS,
  events: EVIDENCE_EVENTS,
  // Only the owner can change.
  commands: { add: 'AddEvidence', update: 'UpdateEvidence' },
  commonEvents: { ...commonEventTypes('Evidence'), added: 'EvidenceAdded' },
  computedKeys: KEYS,
  orders: ['name', 'collected_at'],
  filters: FILTERS,
  missing: ['OWNER', 'OWNER_GONE'],
  summary: ['name', 'url', 'sha256', 'collected_at', 'valid_until', 'expired'],
  links: 'EVERY_FAMILY',
  effectiveDates: { EvidenceAdded: 'collected_at' },
  dueItems: [
    {
      name: 'EVIDENCE_ENDS',
      label: 'Evidence expiring',
      overdueLabel: 'Evidence expired',
      meaning: 'pieces of evidence that expire and are not replaced by newer ones',
      request: 'Collect new evidence.',
      date: 'valid_until',
      key: 'renewal_due',
    },
  ],
  importable: true,
  aboutFile: 'Each piece of evidence with its text or address, its dates, and the records that it is attached to.',
  figures: FIGURES,
  tools: {
    add: {
      name: 'addEvidence',
      title: 'Add evidence',
      description:
        'Attach evidence (a document, report, link) to 1-20 records: url, text (up to 20,000 characters) or sha256. It never changes: archive it, add again. To list: getReport EVIDENCE.',
      example: {
        name: 'Restore test',
        record_ids: ['{measure}', '{control}'],
        text: 'Restored the ledger of last Friday in 40 minutes.',
        collected_at: '{today-2}',
        valid_until: '{today+363}',
      },
    },
  },
} as const satisfies Described<typeof FIELDS, typeof EVIDENCE_EVENTS, typeof KEYS, typeof FILTERS>;
