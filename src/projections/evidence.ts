import { type EvidenceState, evidence } from '../commands/evidence.ts';
import { ordered, orderedText, worked } from './keys.ts';
import type { ReadModel } from './read-model.ts';
import { EVIDENCE_UNTIL, FAR } from './tally.ts';

export const evidences: ReadModel<EvidenceState> = {
  family: evidence,
  keys: {
    name: orderedText('name'),
    collected_at: ordered('collected_at'),
    ends: worked<EvidenceState>('text', ({ valid_until }) => valid_until ?? FAR),
  },
  orders: ['name', 'collected_at'],
  lacks: [],
  effectiveAt: { EvidenceAdded: 'collected_at' },
  texts: { short: ['name'], long: ['description'] },
  links: (type, data) => (type === 'EvidenceAdded' ? ((data as { record_ids?: string[] }).record_ids ?? []) : []),
  labels: ({ valid_until }) => [`${EVIDENCE_UNTIL}${valid_until ?? FAR}`],
};
