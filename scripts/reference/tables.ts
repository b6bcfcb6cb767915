import { fullSchema, type JsonSchema } from '../../src/tools/schema/json-schema.ts';
import type { RecordSchemas } from '../../src/tools/schema/output.ts';
import type { Tool } from '../../src/tools/tool.ts';

/** Inputs that many tools take. The page explains them once. */
export const SHARED_INPUTS = [
  'id',
  'organization_id',
  'reason',
  'idempotency_key',
  'expected_revision',
  'fields',
  'size',
  'cursor',
  'as_of',
  'view',
  'order_by',
];
export const SHARED_FILTERS = ['query', 'ids', 'owner_id', 'linked_to', 'missing', 'updated_since', 'include_archived'];
/** Fields of every record. */
export const SHARED_FIELDS = [
  'id',
  'organization_id',
  'owner_id',
  'owner',
  'created_at',
  'updated_at',
  'revision',
  'archived_at',
  'stale',
  'truncated',
];

/** Returns a Markdown table without its empty columns. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const isUsed = heads.map((_, column) => rows.some((row) => row[column] !== ''));
  const line = (cells: readonly string[]) =>
    `| ${cells
      .filter((_, column) => isUsed[column])
      .map((cell) => cell.replaceAll('|', '\\|'))
      .join(' | ')} |`;
  const rule = heads.map(() => '---');
  return [line(heads), line(rule), ...rows.map(line)].join('\n');
}

/** Returns a table of a family's fields, with the tools that set each. */
export function recordTable(record: RecordSchemas, tools: readonly Tool[]): string {
  const writes = tools.filter((tool) => tool.record === record && !tool.readOnly);
  const toolInputs = writes.map(({ name, input }) => ({ name, inputs: propertiesOf(fullSchema(input)) }));
  const rows = propertiesOf(fullSchema(record.full))
    .filter(({ name }) => !SHARED_FIELDS.includes(name))
    .map(({ name, schema }) => {
      const by = toolInputs.flatMap((tool) => {
        const input = tool.inputs.find((candidate) => candidate.name === name);
        return input ? [`${tool.name}${input.required ? STAR : ''}`] : [];
      });
      return [`\`${name}\``, valueType(schema), by.join(', '), noteOf(schema)];
    });
  return table(['field', 'type', 'set by', 'note'], rows);
}

/** Returns a table of the fields of every record. */
export function commonFields({ full }: RecordSchemas): string {
  const rows = propertiesOf(fullSchema(full))
    .filter(({ name }) => SHARED_FIELDS.includes(name))
    .map(({ name, required, schema }) => [
      `\`${name}\`${required ? '' : '?'}`,
      name === 'id' ? 'id' : valueType(schema),
      noteOf(schema),
    ]);
  return table(['field', 'type', 'note'], rows);
}

/** Returns a table of inputs with their defaults. */
export function inputTable(properties: readonly Property[], prefix = ''): string {
  const rows = properties.flatMap((property) => inputRows(property, prefix));
  return rows.length === 0 ? '' : table(['input', 'type', 'note'], rows);
}

function inputRows({ name, required, schema }: Property, prefix: string): string[][] {
  const path = `${prefix}${name}`;
  const inner = schema.type === 'array' ? (schema.items as JsonSchema) : schema;
  if (inner.type === 'object' && propertiesOf(inner).length > 0) {
    const deeper = `${path}${schema.type === 'array' ? '[]' : ''}.`;
    const bound =
      schema.type === 'array' ? [[`\`${path}\`${required ? STAR : ''}`, valueType(schema), noteOf(schema)]] : [];
    return [...bound, ...propertiesOf(inner).flatMap((property) => inputRows(property, deeper))];
  }
  return [[`\`${path}\`${required ? STAR : ''}`, valueType(schema), noteOf(schema)]];
}

function noteOf(schema: JsonSchema): string {
  const { description, default: usual } = schema as { description?: string; default?: unknown };
  const notes = [description ?? withoutNull(schema).description ?? ''];
  if (usual !== undefined) notes.push(`\`${usual}\` by default`);
  return notes.filter((note) => note !== '').join('; ');
}

/** Returns a table of an output's members, with those of its objects and lists, but without `explainedMembers`. */
export function outputTable(schema: JsonSchema, explainedMembers: readonly string[] = []): string {
  const rows = membersOf(schema)
    .filter(({ name }) => !explainedMembers.includes(name))
    .flatMap((property) => outputRows(property));
  return table(['answer', 'type', 'note'], rows);
}

function outputRows({ name, required, schema }: Property): string[][] {
  const row = [`\`${name}\`${required ? '' : '?'}`, valueType(schema), noteOf(schema)];
  const items = schema.type === 'array' ? (schema.items as JsonSchema) : {};
  const members = items.anyOf ? commonMembers(items.anyOf as JsonSchema[]) : propertiesOf(items);
  if (members.length === 0) return [row, ...membersWithNotes(name, schema)];
  if (items.anyOf) row[1] = 'list of complete records, as their families define them';
  else row[1] = 'list';
  return [row, ...members.map((member) => prefixed(`${name}[].`, member))];
}

/** Returns rows for the members of an object, if any of them has a note. */
function membersWithNotes(name: string, schema: JsonSchema): string[][] {
  const members = propertiesOf(schema).map((member) => prefixed(`${name}.`, member));
  return members.some(([, , note]) => note !== '') ? members : [];
}

function prefixed(prefix: string, { name, required, schema }: Property): string[] {
  return [`\`${prefix}${name}\`${required ? '' : '?'}`, valueType(schema), noteOf(schema)];
}

/** Returns the members of an object, or of all its variants. A member is required if every variant requires it. */
function membersOf(schema: JsonSchema): Property[] {
  if (!schema.anyOf) return propertiesOf(schema);
  const variants = (schema.anyOf as JsonSchema[]).map(propertiesOf);
  const names = new Set(variants.flatMap((properties) => properties.map(({ name }) => name)));
  return [...names].map((name) => {
    const matches = variants.flatMap((properties) => properties.filter((property) => property.name === name));
    return {
      ...matches[0]!,
      required: matches.length === variants.length && matches.every(({ required }) => required),
    };
  });
}

/** Returns the members that a record of any family has in addition to its fields. */
function commonMembers(variants: readonly JsonSchema[]): Property[] {
  const types = variants.map(({ properties }) => (properties as Record<string, JsonSchema>).type?.const);
  return propertiesOf(variants[0]!)
    .filter(({ name }) => ['type', 'links', 'evidence', 'history'].includes(name))
    .map((property) =>
      property.name === 'type' ? { ...property, schema: { type: 'string', enum: types } } : property,
    );
}

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
function withoutNull(schema: JsonSchema): JsonSchema {
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
