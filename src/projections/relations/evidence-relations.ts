import { MAX_DATE } from '../../commands/engine/dates.ts';
import type { ReadModel } from '../read-models/read-model.ts';
import { EVIDENCE_UNTIL } from './related-counts.ts';

/** Evidence begins with its links, and records count how long theirs is valid. */
export const evidenceRelations: Pick<ReadModel, 'linkedIds' | 'exposedLabels'> = {
  linkedIds: (type, data) => (type === 'EvidenceAdded' ? ((data as { record_ids?: string[] }).record_ids ?? []) : []),
  exposedLabels: ({ valid_until }) => [`${EVIDENCE_UNTIL}${valid_until ?? MAX_DATE}`],
};
