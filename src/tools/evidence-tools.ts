import { z } from 'zod';
import { EVIDENCE } from '../register/evidence.ts';
import { type FamilyTools, familyTools } from './family-tools.ts';
import { replaceEvidence } from './replace-evidence.ts';
import * as field from './schema/fields.ts';

/** The tool that adds evidence. Only its owner changes: see importRecords. getRecords reads it. */
export const evidenceTools: FamilyTools = familyTools(
  EVIDENCE,
  {
    record_ids: z.array(z.string()).describe('the 100 newest linked records'),
    record_count: z.int().optional().describe('the number of all linked records; absent while pending'),
  },
  {
    fields: () => ({
      replaces: field.recordId(EVIDENCE.prefix).optional().describe('evidence to archive; its links pass on'),
    }),
    run: ({ replaces, ...input }, context, add) =>
      replaces === undefined ? add(input) : replaceEvidence(context, { ...input, replaces: String(replaces) }, add),
  },
);
