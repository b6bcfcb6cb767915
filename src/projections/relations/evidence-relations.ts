import type { ReadModel } from '../read-models/read-model.ts';
import { evidenceLabel, isReplaced, NEWEST_EVIDENCE } from './replaced-evidence.ts';

/** EvidenceAdded also links the evidence to records. Those count it by its last valid day, and tell it their newest. */
export const evidenceRelations: Partial<ReadModel> = {
  linkedIds: (type, data) => (type === 'EvidenceAdded' ? ((data as { record_ids?: string[] }).record_ids ?? []) : []),
  derive: (evidence, relatedCounts) => ({
    replaced: typeof evidence.replaced_by === 'string' || isReplaced(evidence, relatedCounts),
  }),
  exposedLabels: (evidence) => [evidenceLabel(evidence)],
  countedLabels: [NEWEST_EVIDENCE],
};
