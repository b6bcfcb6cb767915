import { z } from 'zod';
import type { Refusal } from '../commands/engine/refusal.ts';
import { omitEmpty } from '../commands/record.ts';
import type { FamilyName } from '../register/families.ts';
import type { FamilyDescription } from '../register/family-description.ts';
import { fieldSources } from '../register/field-sources.ts';
import { FAMILY_TOOLS } from '../tools/all-family-tools.ts';
import type { FamilyTools } from '../tools/family-tools.ts';
import { isBlank } from '../tools/schema/client-values.ts';
import { pastDecisionFields, timesOfPastStates } from '../tools/schema/family-schema.ts';
import { InputParser, type InputProblem } from '../tools/schema/input-parser.ts';
import type { RecordWord } from '../tools/schema/record-words.ts';
import type { Tool } from '../tools/tool.ts';
import { strayDecisionError } from './past-decisions.ts';

/*
 * A row of an import takes the fields of the family's add or update tool, without those that apply to the whole call. A
 * new record's row can also describe a past decision, and any row the time of a state, such as that of a closure.
 */

export interface RowError {
  /** Empty if the error is about the whole row. */
  field: string;
  message: string;
  hint?: string | undefined;
}

/** A row's fields, or its first errors and the number of further ones. With `id` the row changes that record. */
export type ParsedRow = { fields: Record<string, unknown>; id?: string } | { errors: RowError[]; moreErrors: number };

export interface RowReader {
  type: FamilyName;
  /** Parses rows without `id`; null if rows can't add records of this type. */
  addParser: InputParser<z.ZodObject> | null;
  /** Parses rows with `id`; null if records of this type never change. */
  updateParser: InputParser<z.ZodObject> | null;
  /** @param maxErrors errors to describe; the others are only counted */
  read(row: Readonly<Record<string, unknown>>, maxErrors: number): ParsedRow;
  /** Returns the words that a row has in place of ids of records. */
  recordWords(row: Readonly<Record<string, unknown>>): RecordWord[];
}

/** A row reader for each importable type, built from the tools that add and update its records. */
export const ROW_READERS: ReadonlyMap<string, RowReader> = new Map(
  FAMILY_TOOLS.filter(({ family }) => family.importable).map((tools) => [tools.family.type, rowReader(tools)]),
);

function rowReader({ family, add, update }: FamilyTools): RowReader {
  const type = family.type as FamilyName;
  const sources = fieldSources(family);
  const times = timesOfPastStates(family);
  const addParser = add
    ? new InputParser(() => rowSchema(family, add, { ...pastDecisionFields(family), ...times }), sources)
    : null;
  const updateParser = update ? new InputParser(() => rowSchema(family, update, times), sources) : null;
  const hasIdIn = ({ id }: Readonly<Record<string, unknown>>) => id !== undefined && !isBlank(id);
  return {
    type,
    addParser,
    updateParser,
    recordWords(row) {
      const parser = hasIdIn(row) ? updateParser : addParser;
      return parser?.recordWords(row) ?? [];
    },
    read(row, maxErrors) {
      const hasId = hasIdIn(row);
      const parser = hasId ? updateParser : addParser;
      if (parser === null) return { errors: [{ field: 'id', message: idMessage(type, hasId) }], moreErrors: 0 };
      const result = parser.tryParse(hasId ? row : withoutId(row), maxErrors);
      if ('problems' in result) {
        const { problems, total } = result;
        return { errors: problems.map(rowError), moreErrors: total - problems.length };
      }
      const { id, ...fields } = result.data as { id?: string };
      if (id !== undefined) return { fields, id };
      // For a new record, an empty cell means the same as a missing column.
      const newFields = omitEmpty(fields);
      const error = strayDecisionError(family, newFields);
      return error === null ? { fields: newFields } : { errors: [error], moreErrors: 0 };
    },
  };
}

/** Returns the schema of a row: the tool's inputs that are fields of its family. Others are about a call. */
function rowSchema(
  { fields: described }: FamilyDescription,
  tool: Tool<z.ZodObject>,
  furtherFields: z.ZodRawShape = {},
): z.ZodObject {
  const fields = Object.entries(tool.input.shape).filter(([name]) => name === 'id' || name in described);
  return z.strictObject({ ...Object.fromEntries(fields), ...furtherFields });
}

/** Returns why a row can’t change a record. */
export function neverChanges(type: FamilyName): string {
  return `differs from the record, and records of type ${type} never change: archive this one and add another`;
}

function idMessage(type: FamilyName, hasId: boolean): string {
  return hasId
    ? `must be empty, because records of type ${type} never change: archive this one and add another`
    : `is required: rows of type ${type} can only change existing records`;
}

/** Returns a row without its id. In a sheet with an id column, the id of a new record is empty. */
function withoutId({ id: _id, ...row }: Readonly<Record<string, unknown>>): object {
  return row;
}

/** Rows that need a reason get the import's: a row has no such field. */
const REASON_HINT = 'Give one reason for the whole import, outside its rows.';

/** Turns a problem into a row's error. The hint is computed only when it is read. */
export function rowError({ field, message, candidates, hint }: InputProblem): RowError {
  const meant = candidates?.map(({ id, name }) => `${name} (${id})`).join('; ');
  return {
    field,
    message,
    get hint() {
      return field === 'reason' ? REASON_HINT : (meant ?? hint?.() ?? undefined);
    },
  };
}

/** Converts a refusal to the row's errors: one for each of its issues, or one for the whole refusal. */
export function toRowErrors({ message, more }: Refusal): RowError[] {
  const { field = '', issues = [], hint = field === 'reason' ? REASON_HINT : undefined } = more;
  const errors: RowError[] = issues.length > 0 ? issues.map((issue) => ({ ...issue })) : [{ field, message }];
  const matchingError = errors.find((error) => error.field === field);
  if (hint !== undefined && matchingError !== undefined) matchingError.hint = hint;
  return errors;
}
