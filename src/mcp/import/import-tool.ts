import { z } from 'zod';
import { findSimilar } from '../../queries/records/similar-records.ts';
import * as field from '../schema/fields.ts';
import { importOutput } from '../schema/register-output.ts';
import { defineTool } from '../tools/tool.ts';
import type { ImportAnswer } from './import-answer.ts';
import { importRecords } from './import-records.ts';
import { ROW_READERS } from './import-rows.ts';

const MAX_ROWS = 200;

/** The only property that rows of all types can have. Some model APIs refuse an object without properties. */
const ROW_ID = { type: 'string', description: 'the record to change', hideDescription: true } as const;

/**
 * A raw row. Its type's schema reads it later: a schema here would drop properties such as `__proto__` silently, and
 * they must be refused.
 */
const rowSchema = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .meta({ type: 'object', properties: { id: ROW_ID }, additionalProperties: {} });

/** The tool that imports rows. They have the fields of the add and update tools. */
export const importTool = defineTool({
  name: 'importRecords',
  title: 'Import records',
  permission: 'changeRecords',
  description:
    'Add or change up to 200 records of one type at once. Rows have the fields of the add tool; with id, of the update tool (CONTROL: always). New vendors may be APPROVED with last_reviewed, risks ACCEPTED with accepted_until. If any row is wrong, nothing is written and errors say why. Repeating rows writes nothing twice. dry_run only checks.',
  input: z.strictObject({
    organization_id: field.organizationId(),
    type: z.enum([...ROW_READERS.keys()] as [string, ...string[]]),
    rows: z.array(rowSchema).min(1).max(MAX_ROWS),
    dry_run: z.boolean().default(false),
    ...field.writeFields,
  }),
  output: importOutput,
  example: {
    organization_id: '{organization}',
    type: 'VENDOR',
    rows: [
      { name: 'Alder Payroll', country: 'Finland', criticality: 'HIGH' },
      { name: 'Birch Couriers', status: 'OFFBOARDED' },
      { name: 'Cedar Catering', status: 'APPROVED', last_reviewed: '{today-200}', reviewed_by: 'J. Smith' },
    ],
    reason: 'From last year’s list',
  },
  rejectsInput: (answer) => (answer as ImportAnswer).rows.some(({ errors }) => errors !== undefined),
  run: ({ type, ...input }, context) => {
    const reader = ROW_READERS.get(type)!;
    if (!input.dry_run) return importRecords(context, reader, input);
    const snapshot = context.service.reader.snapshot();
    return importRecords(context, reader, input, {
      findSimilar: (id, fields) => findSimilar(snapshot, input.organization_id, { ...fields, id }),
    });
  },
});
