import type { z } from 'zod';
import { FAMILIES } from '../../commands/families.ts';
import { ROW_READERS, type RowReader } from '../../mcp/import/import-rows.ts';
import { publishedSchema } from '../../mcp/schema/json-schema.ts';
import type { FieldValue, SheetField } from '../../sheets/cells/read-cell.ts';
import type { MatchedColumns } from '../../sheets/match-columns.ts';
import { CommandError, UsageError } from '../command.ts';

/** The fields that columns of a sheet can fill. */
interface ImportFields {
  fields: SheetField[];
  /** Fields with several values, which are in one cell. */
  lists: ReadonlySet<string>;
  /** Fields that take a member's account id. */
  accounts: ReadonlySet<string>;
  /** Fields that every row must have. */
  required: readonly string[];
}

/** Returns the reader of a type written as vendors, vendor or VENDOR. @throws UsageError with the valid types */
export function readerFor(type: string): RowReader {
  const typeName = type.trim().toLowerCase();
  for (const reader of ROW_READERS.values()) {
    const { singular, plural } = FAMILIES[reader.type];
    if ([reader.type.toLowerCase(), singular, plural].includes(typeName)) return reader;
  }
  const types = [...ROW_READERS.keys()].map((type) => FAMILIES[type as RowReader['type']].plural);
  throw new UsageError(`--type takes one of ${types.join(', ')}.`);
}

/**
 * Returns the fields of a type. `id` is one of them only if a column is mapped to it, because many sheets have another
 * ID. Rows with an id change records.
 */
export function importFields({ addSchema: adds, updateSchema: updates }: RowReader, withId: boolean): ImportFields {
  const shape = { ...updates?.shape, ...adds?.shape } as Record<string, z.ZodType>;
  const lists = new Set<string>();
  const accounts = new Set<string>();
  const fields: SheetField[] = [];
  for (const [name, schema] of Object.entries(shape)) {
    if (name === 'id') continue;
    const published = publishedSchema(schema) as { type?: string; enum?: string[] };
    if (published.type === 'array') lists.add(name);
    if (isAccount(schema)) accounts.add(name);
    fields.push(
      published.enum ? { name, kind: 'enum', values: published.enum } : { name, kind: kindOf(published, schema) },
    );
  }
  if (withId) fields.unshift({ name: 'id', kind: 'text' });
  const needed = adds === null ? ['id'] : fields.map(({ name }) => name).filter((name) => !isOptional(adds, name));
  return { fields, lists, accounts, required: withId ? ['id'] : needed };
}

function isOptional({ shape }: z.ZodObject, name: string): boolean {
  return (shape[name] as z.ZodType | undefined)?.safeParse(undefined).success ?? true;
}

/** The JSON schema says only "text". An account field accepts ME, but not any text. */
function isAccount(schema: z.ZodType): boolean {
  return schema.safeParse('ME').success && !schema.safeParse('somebody').success;
}

/** Returns a message about columns that fill no field, or null. */
export function unusedText({ fields }: ImportFields, { unused, headerOf }: MatchedColumns): string | null {
  if (unused.length === 0) return null;
  const free = fields.map(({ name }) => name).filter((name) => !headerOf.has(name));
  const next = free.length === 0 ? '' : ` Map them with --map FIELD=COLUMN to one of ${free.join(', ')}.`;
  return `Ignored columns: ${unused.join(', ')}.${next}`;
}

/** @throws CommandError if a column is missing that every row needs */
export function requireColumns({ required }: ImportFields, headerOf: ReadonlyMap<string, string>): void {
  const missing = required.find((name) => !headerOf.has(name));
  if (missing === undefined) return;
  throw new CommandError(`No column fills ${missing}, which every row needs. Map one with --map ${missing}=COLUMN.`);
}

type PlainKind = Exclude<SheetField['kind'], 'enum'>;

/** The JSON schema says "text" for dates and timestamps too. They differ in the values that they accept. */
function kindOf({ type }: { type?: string }, schema: z.ZodType): PlainKind {
  if (type === 'boolean') return 'boolean';
  if (type === 'integer' || type === 'number') return 'number';
  const takes = (value: string) => schema.safeParse(value).success;
  if (!takes('2024-02-29') || takes('2024-02-30')) return 'text';
  return takes('2024-02-29T00:00:00Z') ? 'timestamp' : 'date';
}

/** Returns a row of a sheet as input of importRecords. */
export function asRow(
  values: Readonly<Record<string, FieldValue>>,
  lists: ReadonlySet<string>,
): Record<string, unknown> {
  const entries = Object.entries(values).map(([name, value]) => {
    return [
      name,
      lists.has(name)
        ? String(value)
            .split(/[\s,;]+/)
            .filter(Boolean)
        : value,
    ];
  });
  return Object.fromEntries(entries);
}
