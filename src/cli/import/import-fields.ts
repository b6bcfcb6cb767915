import type { z } from 'zod';
import { FAMILIES } from '../../commands/families.ts';
import { ROW_READERS, type RowReader } from '../../mcp/import/import-rows.ts';
import type { Field } from '../../register/field.ts';
import type { FieldValue, SheetField } from '../../sheets/cells/read-cell.ts';
import type { MatchedColumns } from '../../sheets/match-columns.ts';
import { CommandError, UsageError } from '../command.ts';

/** The fields that columns of a sheet can fill. */
interface ImportFields {
  fields: SheetField[];
  /** Fields that hold several values in one cell. */
  listFields: ReadonlySet<string>;
  /** Fields that take a member's account id. */
  accountFields: ReadonlySet<string>;
  /** Fields that every row must have. */
  required: readonly string[];
}

/** The types of rows as people write them, such as "vendors". */
export const IMPORTABLE_TYPES = [...ROW_READERS.values()].map(({ type }) => FAMILIES[type].plural);

/** Returns the reader of a type written as vendors, vendor or VENDOR. @throws UsageError with the valid types */
export function readerFor(type: string): RowReader {
  const typeName = type.trim().toLowerCase();
  for (const reader of ROW_READERS.values()) {
    const { singular, plural } = FAMILIES[reader.type];
    if ([reader.type.toLowerCase(), singular, plural].includes(typeName)) return reader;
  }
  throw new UsageError(`--type takes one of ${IMPORTABLE_TYPES.join(', ')}.`);
}

/** Checks a text option with the schema of the tools. @throws UsageError with the option's name */
export function textOption(option: string, schema: z.ZodType<string>, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const result = schema.safeParse(text);
  if (result.success) return result.data;
  throw new UsageError(`${option} ${result.error.issues[0]!.message}.`);
}

/**
 * Returns the fields of a type. `id` is one of them only if a column is mapped to it, because many sheets have another
 * ID. Rows with an id change records.
 */
export function importFields({ type, addSchema, updateSchema }: RowReader, withId: boolean): ImportFields {
  const names = Object.keys({ ...updateSchema?.shape, ...addSchema?.shape }).filter((name) => name !== 'id');
  const namedFields = names.map((name) => [name, FAMILIES[type].fields[name]!] as const);
  const namesOf = (has: (field: Field) => unknown) =>
    namedFields.filter(([, field]) => has(field)).map(([name]) => name);
  const needed = addSchema === null ? ['id'] : namesOf(({ required }) => required);
  return {
    fields: [...(withId ? [{ name: 'id', kind: 'text' } as const] : []), ...namedFields.map(sheetField)],
    listFields: new Set(namesOf(({ kind }) => kind === 'ids')),
    accountFields: new Set(namesOf(({ kind }) => kind === 'account')),
    required: withId ? ['id'] : needed,
  };
}

function sheetField([name, field]: readonly [string, Field]): SheetField {
  switch (field.kind) {
    case 'enum':
      return { name, kind: 'enum', values: field.values };
    case 'boolean':
    case 'date':
      return { name, kind: field.kind };
    case 'time':
      return { name, kind: 'timestamp' };
    case 'rating':
      return { name, kind: 'number' };
    default:
      return { name, kind: 'text' };
  }
}

/** Returns a message about columns that fill no field, or null. */
export function unusedColumnsText({ fields }: ImportFields, { unused, headerOf }: MatchedColumns): string | null {
  if (unused.length === 0) return null;
  const free = fields.map(({ name }) => name).filter((name) => !headerOf.has(name));
  const nextStep = free.length === 0 ? '' : ` Map them with --map FIELD=COLUMN to one of ${free.join(', ')}.`;
  return `Ignored columns: ${unused.join(', ')}.${nextStep}`;
}

/** @throws CommandError if a column is missing that every row needs */
export function requireColumns({ required }: ImportFields, headerOf: ReadonlyMap<string, string>): void {
  const missingField = required.find((name) => !headerOf.has(name));
  if (missingField === undefined) return;
  throw new CommandError(
    `No column fills ${missingField}, which every row needs. Map one with --map ${missingField}=COLUMN.`,
  );
}

/** Returns a row of a sheet as input of importRecords. */
export function asRow(
  values: Readonly<Record<string, FieldValue>>,
  listFields: ReadonlySet<string>,
): Record<string, unknown> {
  const entries = Object.entries(values).map(([name, value]) => {
    return [
      name,
      listFields.has(name)
        ? String(value)
            .split(/[\s,;]+/)
            .filter(Boolean)
        : value,
    ];
  });
  return Object.fromEntries(entries);
}
