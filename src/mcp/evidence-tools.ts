import { z } from 'zod';
import { evidenceQuery } from '../queries/evidence.ts';
import { FAMILY_QUERIES } from '../queries/family-queries.ts';
import * as field from './schema/fields.ts';
import { addTool, type FamilyTools, toolFamily } from './tools/family-tools.ts';

const LINKABLE_PREFIXES = Object.keys(FAMILY_QUERIES).filter((prefix) => prefix !== evidenceQuery.prefix);

const evidence = toolFamily({
  query: evidenceQuery,
  required: {
    name: field.name(),
    record_ids: field.idList(20, LINKABLE_PREFIXES),
  },
  settable: {
    description: field.clearable(field.text()),
    url: field.clearable(field.url()),
    text: field.clearable(field.longText()),
    sha256: field.clearable(field.sha256Digest()),
    collected_at: field.clearable(field.timestamp()),
    valid_until: field.clearable(field.date()),
    owner_id: field.clearable(field.account()),
  },
  derived: {
    record_ids: z.array(z.string()).describe('the 100 newest linked records'),
    record_count: z.int().optional().describe('the number of all linked records; absent while pending'),
    expired: z.boolean().describe('valid_until is past; evidence_count still counts it'),
  },
  descriptions: {
    add: 'Add evidence to 1-20 records: url, text (up to 20,000 characters) or sha256. It never changes: archive it and add it again. To read it: getRecords include EVIDENCE. To link more: linkRecords.',
  },
  examples: {
    add: {
      name: 'Restore test',
      record_ids: ['{measure}', '{control}'],
      text: 'Restored the ledger of last Friday in 40 minutes.',
      collected_at: '{today-2}',
      valid_until: '{today+363}',
    },
  },
});

/** The tool that adds evidence. Evidence never changes, and getRecords reads it. */
export const evidenceTools: FamilyTools = { record: evidence.record, add: addTool('addEvidence', evidence) };
