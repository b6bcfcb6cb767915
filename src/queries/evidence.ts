import { familyQuery, passed } from './family.ts';
import { linkedRecords } from './links.ts';

/** Evidence is found by the records it is linked to; it has no list of its own. */
export const evidenceQuery = familyQuery('EVIDENCE', {
  filters: { expired: passed('ends') },
  alike: ['name'],
  summary: ['name', 'url', 'sha256', 'collected_at', 'valid_until', 'expired'],
  onDay: ({ valid_until }, today) => ({ expired: valid_until !== null && String(valid_until) < today }),
  beside: async (reader, organizationId, id, moment) => {
    const { documents, total } = await linkedRecords(reader, organizationId, id, moment, false, 'OTHERS');
    return { record_ids: documents.map((document) => document.id), record_count: total };
  },
});
