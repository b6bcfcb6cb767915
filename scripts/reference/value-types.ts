import type { JsonSchema } from '../../src/tools/schema/json-schema.ts';

/** A property of a schema as a row of a table. */
export interface Property {
  name: string;
  required: boolean;
  schema: JsonSchema;
}

/** Marks a required input. It is escaped, because Markdown would read two bare ones as emphasis. */
export const STAR = '\\*';

const NUMBER = new Intl.NumberFormat('en');
/** An id with more possible prefixes is shown as "any record's id". */
const MAX_LISTED_PREFIXES = 3;

/** Returns the properties of an object's schema. */
export function propertiesOf(schema: JsonSchema): Property[] {
  const required = (schema.required ?? []) as string[];
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(([name, property]) => ({
    name,
    required: required.includes(name),
    schema: property,
  }));
}

/** Returns true if null is one of the schema's values. */
function isNullable(schema: JsonSchema): boolean {
  const { type, anyOf } = schema as { type?: unknown; anyOf?: JsonSchema[] };
  return (
    (Array.isArray(type) && type.includes('null')) || (anyOf ?? []).some((alternative) => alternative.type === 'null')
  );
}

/** Returns the schema without null as a value. */
export function withoutNull(schema: JsonSchema): JsonSchema {
  const { anyOf, type, ...rest } = schema as { type?: unknown; anyOf?: JsonSchema[] };
  if (Array.isArray(type)) return { ...rest, type: type.find((name) => name !== 'null') };
  const alternatives = anyOf?.filter((alternative) => alternative.type !== 'null');
  return alternatives?.length === 1 ? { ...alternatives[0], ...rest } : schema;
}

/** Describes a value's type in a few words, with "or null" if it may be null. */
export function valueType(schema: JsonSchema): string {
  return `${typeOf(schema)}${isNullable(schema) ? ' or null' : ''}`;
}

/** Describes the type of a value that is not null: its type, limits and choices. */
function typeOf(nullableSchema: JsonSchema): string {
  const schema = withoutNull(nullableSchema);
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum) return (schema.enum as string[]).map((value) => `\`${value}\``).join(', ');
  switch (schema.type) {
    case 'string':
      return textType(schema);
    case 'integer':
      return range('whole number', schema.minimum, schema.maximum);
    case 'array':
      return listType(schema);
    case 'object':
      return objectType(schema);
    case undefined:
      return schema.title === 'time or date' ? 'time or date' : 'any value';
    default:
      return String(schema.type);
  }
}

function textType({ title, format, pattern, maxLength }: JsonSchema): string {
  if (title === 'id' || title === 'id or name') return idType(String(pattern));
  if (title === 'member') return '`ME`, `acc_…` or a name';
  if (title === 'account') return '`ME` or `acc_…`';
  if (title === 'actor') return '`ME`, `SYSTEM`, `acc_…` or `tok_…`';
  if (title === 'SHA-256') return '64 hexadecimal digits';
  if (title === 'time' || format === 'date-time') return 'time';
  if (format === 'date') return 'date';
  const kind = format === 'uri' ? 'web address' : 'text';
  return maxLength === undefined ? kind : `${kind}, ≤ ${NUMBER.format(Number(maxLength))}`;
}

function idType(pattern: string): string {
  const prefixes = [...pattern.matchAll(/([a-z]{3})_/g)].map((match) => `\`${match[1]}_…\``);
  if (prefixes.length > MAX_LISTED_PREFIXES) return 'any record’s id';
  return prefixes.join(' or ');
}

function range(kind: string, minimum: unknown, maximum: unknown): string {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${NUMBER.format(Number(maximum))}`;
  return minimum === undefined ? kind : `${kind} from ${minimum}`;
}

function listType({ items, maxItems }: JsonSchema): string {
  const most = maxItems === undefined || (items as JsonSchema).enum ? '' : ` (≤ ${maxItems})`;
  return `list${most} of ${typeOf(items as JsonSchema)}`;
}

function objectType(schema: JsonSchema): string {
  const members = propertiesOf(schema).map(({ name, required }) => `\`${name}\`${required ? '' : '?'}`);
  return members.length === 0 ? 'object' : `{ ${members.join(', ')} }`;
}
