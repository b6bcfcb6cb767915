import { z } from 'zod';
import type { Refusal } from '../../commands/engine/refusal.ts';
import { FAMILIES, type FamilyName } from '../../commands/families.ts';
import { omitEmpty } from '../../commands/record.ts';
import { type InputProblem, tryInput } from '../schema/input.ts';
import { isBlank } from '../schema/unused-values.ts';
import type { Tool } from '../tools/tool.ts';

/*
 * A row of an import takes the fields of the family's add or update tool, without those that apply to the whole call.
 */

/** Fields of the tools that rows don't have. They apply to the whole call, or make no sense in an import. */
const FIELDS_OF_CALL = ['organization_id', 'reason', 'idempotency_key', 'expected_revision', 'fields'];

/** Types that can be imported, in the order in which clients see them. */
const IMPORTABLE_TYPES = ['RISK', 'VENDOR', 'MEASURE', 'OBLIGATION', 'NONCONFORMITY', 'AUDIT', 'EVIDENCE', 'CONTROL'];

export interface RowError {
  /** Empty if the error is about the whole row. */
  field: string;
  message: string;
  hint?: string | undefined;
}

/** A row's fields, or its first errors and the number of further ones. With `id` the row changes that record. */
export type ParsedRow = { fields: Record<string, unknown>; id?: string } | { errors: RowError[]; moreErrors: number };

/** Reads the rows of one type. */
export interface RowReader {
  type: FamilyName;
  /** The schema of rows without `id`; null if the type takes none. */
  addSchema: z.ZodObject | null;
  /** The schema of rows with `id`; null if records of this type never change. */
  updateSchema: z.ZodObject | null;
  /** @param maxErrors errors to describe; the others are only counted */
  read(row: Readonly<Record<string, unknown>>, maxErrors: number): ParsedRow;
}

/** Returns a row reader for each importable type, built from the tools that add and update its records. */
export function rowReaders(tools: readonly Tool[]): ReadonlyMap<string, RowReader> {
  const readers = new Map<string, RowReader>();
  for (const type of IMPORTABLE_TYPES) {
    const family = FAMILIES[type as FamilyName];
    if (family === undefined) continue;
    const shapeOf = (verb: string) => rowShape(tools.find(({ name }) => name === `${verb}${family.title}`));
    readers.set(type, rowReader(type as FamilyName, shapeOf('add'), shapeOf('update')));
  }
  return readers;
}

function rowShape(tool: Tool | undefined): z.ZodObject | null {
  if (tool === undefined) return null;
  const { shape } = tool.input as unknown as z.ZodObject;
  return z.strictObject(Object.fromEntries(Object.entries(shape).filter(([name]) => !FIELDS_OF_CALL.includes(name))));
}

function rowReader(type: FamilyName, addSchema: z.ZodObject | null, updateSchema: z.ZodObject | null): RowReader {
  return {
    type,
    addSchema,
    updateSchema,
    read(row, maxErrors) {
      const hasId = row.id !== undefined && !isBlank(row.id);
      const schema = hasId ? updateSchema : addSchema;
      if (schema === null) return { errors: [{ field: 'id', message: idMessage(type, hasId) }], moreErrors: 0 };
      const result = tryInput(schema, hasId ? row : withoutId(row), maxErrors);
      if ('problems' in result) {
        const { problems, total } = result;
        return { errors: problems.map(rowError), moreErrors: total - problems.length };
      }
      const { id, ...fields } = result.data as { id?: string };
      // For a new record, an empty cell means the same as a missing column.
      return id === undefined ? { fields: omitEmpty(fields) } : { fields, id };
    },
  };
}

function idMessage(type: FamilyName, hasId: boolean): string {
  return hasId
    ? `must be left out: records of type ${type} never change; archive this one and add another`
    : `is required: rows of type ${type} can only change existing records`;
}

/** Returns a row without its empty id, as a sheet with an id column has for new records. */
function withoutId({ id: _id, ...row }: Readonly<Record<string, unknown>>): object {
  return row;
}

/** Turns a problem into a row's error. The hint is computed only when it is read. */
function rowError({ field, message, hint }: InputProblem): RowError {
  return {
    field,
    message,
    get hint() {
      return hint?.() ?? undefined;
    },
  };
}

/** Returns the errors that a refusal means for a row, one for each problem it names. */
export function rowErrorsOf({ message, more }: Refusal): RowError[] {
  const { field = '', issues = [], hint } = more;
  const errors: RowError[] = issues.length > 0 ? issues.map((issue) => ({ ...issue })) : [{ field, message }];
  const matching = errors.find((error) => error.field === field);
  if (hint !== undefined && matching !== undefined) matching.hint = hint;
  return errors;
}
