import { z } from 'zod';
import { FAMILIES, type FamilyName } from '../commands/families.ts';
import { given } from '../commands/record.ts';
import type { Refusal } from '../commands/refusal.ts';
import { type Problem, tryInput } from './input.ts';
import { isBlank } from './left-out.ts';
import type { Tool } from './tool.ts';

/*
 * A row of an import is what the family's own tools take: its shapes are theirs, without what is said once for the
 * whole call.
 */

/** Said once for all rows, or not said of rows at all. */
const NOT_IN_ROWS = ['organization_id', 'reason', 'idempotency_key', 'expected_revision', 'fields'];

/** In the order in which they are published. */
const IMPORTED = ['RISK', 'VENDOR', 'MEASURE', 'OBLIGATION', 'NONCONFORMITY', 'AUDIT', 'EVIDENCE', 'CONTROL'];

export interface RowError {
  /** Empty where the row as a whole is wrong. */
  field: string;
  message: string;
  hint?: string | undefined;
}

/** A row as its tool would take it; else its first errors, and how many more there are. `id` names the record it changes; without one it becomes a record. */
export type ReadRow = { fields: Record<string, unknown>; id?: string } | { errors: RowError[]; untold: number };

/** How the rows of one type are read. */
export interface RowReader {
  type: FamilyName;
  /** What a row without `id` may hold; null where such rows are refused. */
  adds: z.ZodObject | null;
  /** What a row with `id` may hold; null where records of the type are never changed. */
  updates: z.ZodObject | null;
  /** @param most errors that are described; the others are counted */
  read(row: Readonly<Record<string, unknown>>, most: number): ReadRow;
}

/** A reader of rows for each type that can be imported, made of the tools that add and change its records. */
export function rowReaders(tools: readonly Tool[]): ReadonlyMap<string, RowReader> {
  const readers = new Map<string, RowReader>();
  for (const type of IMPORTED) {
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
  return z.strictObject(Object.fromEntries(Object.entries(shape).filter(([name]) => !NOT_IN_ROWS.includes(name))));
}

function rowReader(type: FamilyName, adds: z.ZodObject | null, updates: z.ZodObject | null): RowReader {
  return {
    type,
    adds,
    updates,
    read(row, most) {
      const hasId = row.id !== undefined && !isBlank(row.id);
      const shape = hasId ? updates : adds;
      if (shape === null) return { errors: [{ field: 'id', message: wrongKind(type, hasId) }], untold: 0 };
      const result = tryInput(shape, hasId ? row : withoutId(row), most);
      if ('problems' in result) {
        const { problems, total } = result;
        return { errors: problems.map(rowError), untold: total - problems.length };
      }
      const { id, ...fields } = result.data as { id?: string };
      // To begin a record with, an empty cell says no more than a column that is not there.
      return id === undefined ? { fields: given(fields) } : { fields, id };
    },
  };
}

function wrongKind(type: FamilyName, hasId: boolean): string {
  return hasId
    ? `is not taken: ${type} is never changed; archive the record and add another`
    : `is required: rows of ${type} change records that are there`;
}

/** Returns a row without its empty id: the column is there, and this row has nothing in it. */
function withoutId({ id: _id, ...row }: Readonly<Record<string, unknown>>): object {
  return row;
}

/** A row's problem as an error, whose hint is worked out when it is read. */
function rowError({ field, message, hint }: Problem): RowError {
  return {
    field,
    message,
    get hint() {
      return hint?.() ?? undefined;
    },
  };
}

/** What a refusal says of a row: every problem that it names. */
export function errorsOf({ message, more }: Refusal): RowError[] {
  const { field = '', issues = [], hint } = more;
  const errors: RowError[] = issues.length > 0 ? issues.map((issue) => ({ ...issue })) : [{ field, message }];
  const told = errors.find((error) => error.field === field);
  if (hint !== undefined && told !== undefined) told.hint = hint;
  return errors;
}
