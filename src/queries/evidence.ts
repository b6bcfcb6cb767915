import { familyQuery, isPast } from './family-query.ts';
import { linkedRecords } from './records/record-links.ts';

/** Evidence is read through the records it is linked to. It has no list tool. */
export const evidenceQuery = familyQuery('EVIDENCE', {
  filters: { expired: isPast('ends') },
  similarityKeys: ['name'],
  summary: ['name', 'url', 'sha256', 'collected_at', 'valid_until', 'expired'],
  dayFacts: ({ valid_until }, today) => ({ expired: valid_until !== null && String(valid_until) < today }),
  extraFields: async (context, id) => {
    const { documents, total } = await linkedRecords(context, id, 'OTHERS');
    return { record_ids: documents.map((document) => document.id), record_count: total };
  },
});
