import { z } from 'zod';
import { invalidField, Refusal } from '../commands/engine/refusal.ts';
import { findSimilar } from '../queries/records/similar-records.ts';
import { findUnknownIds } from '../queries/records/unknown-ids.ts';
import { RECORD_PREFIXES } from '../register/families.ts';
import { FRAMEWORK } from '../register/framework.ts';
import { recordNamesFor } from '../tools/record-names.ts';
import * as field from '../tools/schema/fields.ts';
import { importOutput } from '../tools/schema/register-output.ts';
import { setFields } from '../tools/set/set-fields.ts';
import { MAX_SELECTED_RECORDS } from '../tools/set/set-input.ts';
import { defineTool, type ToolContext } from '../tools/tool.ts';
import { type UndoInput, undoCall } from '../tools/undo-call.ts';
import { importCrosswalk } from './crosswalk/import-crosswalk.ts';
import type { ImportAnswer } from './import-answer.ts';
import { importRecords } from './import-records.ts';
import { ROW_READERS } from './import-rows.ts';

const MAX_ROWS = 200;

/** The only property that rows of all types can have. Some model APIs refuse an object without properties. */
const ROW_ID = { type: 'string', description: 'the record to change', hideDescription: true } as const;
/** The properties of `set` and `filter` that are published, because all types have them. */
const NEW_OWNER = {
  type: 'string',
  description: 'and other fields of the update tool',
  hideDescription: true,
} as const;
const OWNERS = {
  type: 'array',
  items: { type: 'string' },
  description: 'and other filters of the list tool',
  hideDescription: true,
} as const;

/**
 * A raw object. Its type's schema reads it later: a schema here would drop properties such as `__proto__` silently, and
 * they must be refused.
 * @param properties the published ones
 */
const rawObject = (properties: object) =>
  z
    .custom<Record<string, unknown>>(
      (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      'must be an object',
    )
    .meta({ type: 'object', properties, additionalProperties: {} });

/** The type of rows that link pairs of controls, instead of adding or changing records. */
const CROSSWALK_TYPE = 'CROSSWALK';

const ROW_TYPES: readonly string[] = [...ROW_READERS.keys(), CROSSWALK_TYPE];
/** Frameworks have no rows, but owners, and an adoption can be undone. */
const TYPES = [...ROW_TYPES, FRAMEWORK.type];

const inputSchema = () =>
  z.strictObject({
    organization_id: field.impliedOrganizationId(),
    type: field.withoutDescription(z.enum(TYPES).optional().describe('required with rows')),
    rows: z
      .array(rawObject({ id: ROW_ID }))
      .min(1)
      .max(MAX_ROWS)
      .optional(),
    set: rawObject({ owner_id: NEW_OWNER }).optional(),
    ids: field.withoutDescription(
      field.idList(MAX_SELECTED_RECORDS, RECORD_PREFIXES).optional().describe('of one type, with set'),
    ),
    filter: rawObject({ owner_id: OWNERS }).optional(),
    undo: z.strictObject({ call_id: field.callId() }).optional(),
    ...field.bulkFields,
    ...field.writeFields,
  });

/** The tool that imports rows, and sets fields on many records. Both have the fields of the add and update tools. */
export const importTool = defineTool({
  name: 'importRecords',
  title: 'Import records',
  permission: 'changeRecords',
  destructive: true,
  description:
    "Add or change up to 200 records, such as a spreadsheet's rows: add tool fields; with id, update tool fields (CONTROL: always). New vendors may be APPROVED with last_reviewed, risks ACCEPTED with accepted_until. CROSSWALK rows link frameworks’ controls: from_control, to_control (numbers), relation. Or set fields on ids or a list filter; omit type to hand over all of one owner. undo takes back a call. If one is wrong, none is written.",
  input: inputSchema,
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
  load: () => 'BULK',
  rejectsInput: (answer) => (answer as ImportAnswer).rows.some(({ errors }) => errors !== undefined),
  run: (input, context) => {
    const { set, undo, ...rest } = input;
    if (set !== undefined && input.rows !== undefined) {
      throw invalidField('rows', 'Give either rows or set, not both.');
    }
    if (undo !== undefined) return undoAlone(context, { ...input, undo });
    return set === undefined ? importRows(input, context) : setFields(context, { ...rest, set });
  },
});

type ImportInput = z.infer<ReturnType<typeof inputSchema>>;

/** Undoes a call. @throws Refusal invalid_input for an input that undo doesn't take */
function undoAlone(context: ToolContext, input: ImportInput & Pick<UndoInput, 'undo'>): Promise<ImportAnswer> {
  for (const name of ['rows', 'set', 'ids', 'filter'] as const) {
    if (input[name] === undefined) continue;
    const message = `undo takes back what a call wrote. Leave out ${name}; type limits it to records of one type.`;
    throw invalidField(name, message);
  }
  const { organization_id, undo, type, reason, dry_run, selection, idempotency_key } = input;
  return undoCall(context, { organization_id, undo, type, reason, dry_run, selection, idempotency_key });
}

function importRows({ type, ...input }: ImportInput, context: ToolContext): Promise<ImportAnswer> {
  const { organization_id, rows, dry_run, selection, reason, idempotency_key } = input;
  for (const name of ['ids', 'filter'] as const) {
    if (input[name] === undefined) continue;
    throw invalidField(name, `${name} needs set: the fields to set on these records.`);
  }
  if (rows === undefined) {
    throw invalidField('rows', 'rows are required; or give set, with ids or a filter.');
  }
  if (type === undefined || !ROW_TYPES.includes(type)) {
    const message = `${type === undefined ? 'type is required' : `Rows have no type ${type}`}: give one of ${ROW_TYPES.join(', ')}.`;
    throw new Refusal('invalid_input', message, { field: 'type', allowed: ROW_TYPES });
  }
  const rowsInput = { organization_id, rows, dry_run, selection, reason, idempotency_key };
  if (type === CROSSWALK_TYPE) return importCrosswalk(context, { ...rowsInput, type });
  const reader = ROW_READERS.get(type)!;
  const { service } = context;
  const selected = { context, organizationId: organization_id, input: { ...input, type } };
  const snapshot = service.reader.snapshot();
  const names = recordNamesFor(context, organization_id, { scope: 'LIVE', input });
  // A dry run reads the streams, because no append would check its answer.
  const findUnknown = (ids: readonly string[]) => findUnknownIds(service.reader, organization_id, type, ids);
  return importRecords(context, reader, rowsInput, {
    selected,
    names,
    ...(dry_run ? {} : { findUnknown }),
    findSimilar: (id, fields) => findSimilar(snapshot, organization_id, { ...fields, id }),
  });
}
