import { fullSchema, type JsonSchema } from '../../src/tools/schema/json-schema.ts';
import type { RecordSchemas } from '../../src/tools/schema/output.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { type Property, propertiesOf, STAR, valueType, withoutNull } from './value-types.ts';

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

export function noteOf(schema: JsonSchema): string {
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
