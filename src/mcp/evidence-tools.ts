import { z } from 'zod';
import { evidenceQuery } from '../queries/evidence.ts';
import { FAMILY_QUERIES } from '../queries/families.ts';
import type { ToolService } from './define-tool.ts';
import { addTool } from './family-tools.ts';
import * as field from './fields.ts';
import type { Tool } from './tool.ts';

export function evidenceTools(service: ToolService): Tool[] {
  const kinds = Object.keys(FAMILY_QUERIES).filter((kind) => kind !== evidenceQuery.prefix);
  return [
    addTool(service, {
      query: evidenceQuery,
      required: {
        name: field.name(),
        record_ids: field.idList(20, kinds),
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
        record_ids: z.array(z.string()).describe('what it is linked to: the newest 100'),
        record_count: z.int().optional().describe('how many those are in all; absent while pending'),
        expired: z.boolean().describe('valid_until is past; it counts as evidence all the same'),
      },
      descriptions: {
        add: 'Attach new evidence to 1-20 records: url, text (to 20,000 characters) or sha256. Never changed: archive it and add anew. Read: getRecords include EVIDENCE. Link to more: linkRecords.',
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
    }),
  ];
}
