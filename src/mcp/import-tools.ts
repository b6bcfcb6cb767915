import { z } from 'zod';
import * as field from './fields.ts';
import { importRecords } from './import.ts';
import type { Imported } from './import-answer.ts';
import { rowReaders } from './import-rows.ts';
import { importOutput } from './register-output.ts';
import { type Service, tool } from './service.ts';
import type { Tool } from './tool.ts';

const MOST_ROWS = 200;

/** The one property that rows of all types may have. Some model APIs refuse an object without properties. */
const ROW_ID = { type: 'string', description: 'the record that the row changes', unsaid: true } as const;

/**
 * A row as it was given, to be read by its type: reading it here already would lose what no object should have been
 * given, such as `__proto__`, instead of refusing it.
 */
const row = z
  .custom<Record<string, unknown>>(
    (given) => typeof given === 'object' && given !== null && !Array.isArray(given),
    'must be an object',
  )
  .meta({ type: 'object', properties: { id: ROW_ID }, additionalProperties: {} });

/** The import of records by rows of what `families`, the tools that add and change records one by one, take. */
export function importTools(service: Service, families: readonly Tool[]): Tool[] {
  const readers = rowReaders(families);
  return [
    tool({
      name: 'importRecords',
      description:
        'Add or change up to 200 records of one type at once. Rows have the fields of the add tool; with id, of the update tool (CONTROL only so). If one is wrong nothing is written: see its errors. The same rows again write nothing twice. dry_run only judges.',
      input: z.strictObject({
        organization_id: field.organizationId(),
        type: z.enum([...readers.keys()] as [string, ...string[]]),
        rows: z.array(row).min(1).max(MOST_ROWS),
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
        ],
        reason: 'From the list of last year',
      },
      refuses: (answer) => (answer as Imported).rows.some(({ errors }) => errors !== undefined),
      run: ({ type, ...input }, { caller, progress, signal }) => {
        const tell =
          progress && ((done: number, total: number) => progress(done, total, `${done} of ${total} rows written`));
        return importRecords(service, caller, readers.get(type)!, input, { progress: tell, signal });
      },
    }),
  ];
}
