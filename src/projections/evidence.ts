import { type EvidenceState, evidence } from '../commands/evidence.ts';
import { computed, ordered, orderedText } from './read-models/key-builders.ts';
import type { ReadModel } from './read-models/read-model.ts';
import { EVIDENCE_UNTIL, MAX_DATE } from './relations/related-counts.ts';

export const evidences: ReadModel<EvidenceState> = {
  family: evidence,
  keys: {
    name: orderedText('name'),
    collected_at: ordered('collected_at'),
    ends: computed<EvidenceState>('text', ({ valid_until }) => valid_until ?? MAX_DATE),
  },
  orders: ['name', 'collected_at'],
  missingOptions: [],
  effectiveDateFields: { EvidenceAdded: 'collected_at' },
  searchFields: { short: ['name'], long: ['description'] },
  linkedIds: (type, data) => (type === 'EvidenceAdded' ? ((data as { record_ids?: string[] }).record_ids ?? []) : []),
  exposedLabels: ({ valid_until }) => [`${EVIDENCE_UNTIL}${valid_until ?? MAX_DATE}`],
};
