import { MAX_DATE } from '../../commands/engine/dates.ts';
import type { ReadModel } from '../read-models/read-model.ts';
import { EVIDENCE_UNTIL } from './related-counts.ts';

/** EvidenceAdded also links the evidence to records. Those count it by its last valid day. */
export const evidenceRelations: Pick<ReadModel, 'linkedIds' | 'exposedLabels'> = {
  linkedIds: (type, data) => (type === 'EvidenceAdded' ? ((data as { record_ids?: string[] }).record_ids ?? []) : []),
  exposedLabels: ({ valid_until }) => [`${EVIDENCE_UNTIL}${valid_until ?? MAX_DATE}`],
};
