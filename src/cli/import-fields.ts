import type { z } from 'zod';
import { FAMILIES } from '../commands/families.ts';
import type { RowReader } from '../mcp/import-rows.ts';
import { publish } from '../mcp/publish.ts';
import type { Columns } from '../sheets/columns.ts';
import type { FieldValue, SheetField } from '../sheets/spellings.ts';
import { CommandError, UsageError } from './command.ts';

/** What columns of a sheet can fill, and how their cells become what the tools take. */
interface ImportFields {
  fields: SheetField[];
  /** Fields that hold several values: one cell has them all. */
  lists: ReadonlySet<string>;
  /** Fields that name a member by its account. */
  accounts: ReadonlySet<string>;
  /** Fields without which no row makes a record. */
  required: readonly string[];
}

/** The reader of a type by what people call it: vendors, vendor, VENDOR. @throws UsageError naming the types */
export function readerFor(readers: ReadonlyMap<string, RowReader>, type: string): RowReader {
  const wanted = type.trim().toLowerCase();
  for (const reader of readers.values()) {
    const { singular, plural } = FAMILIES[reader.type];
    if ([reader.type.toLowerCase(), singular, plural].includes(wanted)) return reader;
  }
  const types = [...readers.keys()].map((known) => FAMILIES[known as RowReader['type']].plural);
  throw new UsageError(`--type takes one of ${types.join(', ')}.`);
}

/**
 * The fields of a type. A column fills `id`, so that its rows change records, only when it is mapped to it: many
 * sheets have an ID of their own.
 */
export function importFields({ adds, updates }: RowReader, withId: boolean): ImportFields {
  const shape = { ...updates?.shape, ...adds?.shape } as Record<string, z.ZodType>;
  const lists = new Set<string>();
  const accounts = new Set<string>();
  const fields: SheetField[] = [];
  for (const [name, schema] of Object.entries(shape)) {
    if (name === 'id') continue;
    const published = publish(schema) as { type?: string; enum?: string[] };
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

/** Published as any text; what it takes tells it apart. */
function isAccount(schema: z.ZodType): boolean {
  return schema.safeParse('ME').success && !schema.safeParse('somebody').success;
}

/** What to say of columns that no field is filled from; null where there are none. */
export function unusedText({ fields }: ImportFields, { unused, headerOf }: Columns): string | null {
  if (unused.length === 0) return null;
  const free = fields.map(({ name }) => name).filter((name) => !headerOf.has(name));
  const still = free.length === 0 ? '' : ` Fields still free (--map FIELD=COLUMN): ${free.join(', ')}.`;
  return `Columns that fill no field: ${unused.join(', ')}.${still}`;
}

/** @throws CommandError where every row would be refused for want of a column */
export function requireColumns({ required }: ImportFields, headerOf: ReadonlyMap<string, string>): void {
  const missing = required.find((name) => !headerOf.has(name));
  if (missing === undefined) return;
  throw new CommandError(
    `No column fills ${missing}, which every row needs: map one, such as --map ${missing}=COLUMN.`,
  );
}

type PlainKind = Exclude<SheetField['kind'], 'enum'>;

/** Texts, dates and timestamps are published alike; what a field takes tells them apart. */
function kindOf({ type }: { type?: string }, schema: z.ZodType): PlainKind {
  if (type === 'boolean') return 'boolean';
  if (type === 'integer' || type === 'number') return 'number';
  const takes = (value: string) => schema.safeParse(value).success;
  if (!takes('2024-02-29') || takes('2024-02-30')) return 'text';
  return takes('2024-02-29T00:00:00Z') ? 'timestamp' : 'date';
}

/** A row of a sheet as the tools take it. */
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
