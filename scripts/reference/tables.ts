import { fullSchema, type JsonSchema } from '../../src/mcp/json-schema.ts';
import type { RecordKind } from '../../src/mcp/output.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { kindOf, type Property, propertiesOf, STAR, withoutNull } from './types.ts';

/** Inputs that many tools take: the page says once what they are. */
export const SHARED_INPUTS = [
  ...['id', 'organization_id', 'reason', 'idempotency_key', 'expected_revision', 'fields'],
  ...['size', 'cursor', 'as_of', 'view', 'order_by'],
];
export const SHARED_FILTERS = ['query', 'ids', 'owner_id', 'linked_to', 'missing', 'updated_since', 'include_archived'];
/** What every record has. */
export const SHARED_FIELDS = [
  ...['id', 'organization_id', 'owner_id', 'owner', 'created_at', 'updated_at'],
  ...['revision', 'archived_at', 'stale', 'truncated'],
];

/** A table in Markdown; a column that says nothing is left out. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const said = heads.map((_, column) => rows.some((row) => row[column] !== ''));
  const line = (cells: readonly string[]) =>
    `| ${cells
      .filter((_, column) => said[column])
      .map((cell) => cell.replaceAll('|', '\\|'))
      .join(' | ')} |`;
  const rule = heads.map(() => '---');
  return [line(heads), line(rule), ...rows.map(line)].join('\n');
}

/** A family's fields: what each is, which tools give it, what else is to be said. */
export function recordTable(record: RecordKind, tools: readonly Tool[]): string {
  const writes = tools.filter((tool) => tool.record === record && !tool.readOnly);
  const given = writes.map(({ name, input }) => ({ name, inputs: propertiesOf(fullSchema(input)) }));
  const rows = propertiesOf(fullSchema(record.full))
    .filter(({ name }) => !SHARED_FIELDS.includes(name))
    .map(({ name, schema }) => {
      const by = given.flatMap((tool) => {
        const input = tool.inputs.find((one) => one.name === name);
        return input ? [`${tool.name}${input.required ? STAR : ''}`] : [];
      });
      return [`\`${name}\``, kindOf(schema), by.join(', '), noteOf(schema)];
    });
  return table(['field', 'what it is', 'given by', 'note'], rows);
}

/** What every record has, whatever its family. */
export function commonFields({ full }: RecordKind): string {
  const rows = propertiesOf(fullSchema(full))
    .filter(({ name }) => SHARED_FIELDS.includes(name))
    .map(({ name, required, schema }) => [
      `\`${name}\`${required ? '' : '?'}`,
      name === 'id' ? 'id' : kindOf(schema),
      noteOf(schema),
    ]);
  return table(['field', 'what it is', 'note'], rows);
}

/** Inputs as rows, each with its default. */
export function inputTable(properties: readonly Property[], prefix = ''): string {
  const rows = properties.flatMap((property) => inputRows(property, prefix));
  return rows.length === 0 ? '' : table(['input', 'what it is', 'note'], rows);
}

function inputRows({ name, required, schema }: Property, prefix: string): string[][] {
  const path = `${prefix}${name}`;
  const inner = schema.type === 'array' ? (schema.items as JsonSchema) : schema;
  if (inner.type === 'object' && propertiesOf(inner).length > 0) {
    const deeper = `${path}${schema.type === 'array' ? '[]' : ''}.`;
    const bound =
      schema.type === 'array' ? [[`\`${path}\`${required ? STAR : ''}`, kindOf(schema), noteOf(schema)]] : [];
    return [...bound, ...propertiesOf(inner).flatMap((property) => inputRows(property, deeper))];
  }
  return [[`\`${path}\`${required ? STAR : ''}`, kindOf(schema), noteOf(schema)]];
}

export function noteOf(schema: JsonSchema): string {
  const { description, default: usual } = schema as { description?: string; default?: unknown };
  const notes = [description ?? withoutNull(schema).description ?? ''];
  if (usual !== undefined) notes.push(`\`${usual}\` unless given`);
  return notes.filter((note) => note !== '').join('; ');
}

/** An output's members as rows; of its lists of objects, and of objects with notes, theirs too. `known` is said elsewhere. */
export function outputTable(schema: JsonSchema, known: readonly string[] = []): string {
  const rows = membersOf(schema)
    .filter(({ name }) => !known.includes(name))
    .flatMap((property) => outputRows(property));
  return table(['answer', 'what it is', 'note'], rows);
}

function outputRows({ name, required, schema }: Property): string[][] {
  const own = [`\`${name}\`${required ? '' : '?'}`, kindOf(schema), noteOf(schema)];
  const items = schema.type === 'array' ? (schema.items as JsonSchema) : {};
  const members = items.anyOf ? besideRecords(items.anyOf as JsonSchema[]) : propertiesOf(items);
  if (members.length === 0) return [own, ...notedMembers(name, schema)];
  if (items.anyOf) own[1] = 'list of records, each whole as its family has it';
  else own[1] = 'list';
  return [own, ...members.map((member) => prefixed(`${name}[].`, member))];
}

/** The members of an object that is no list, where something is to be said of them. */
function notedMembers(name: string, schema: JsonSchema): string[][] {
  const members = propertiesOf(schema).map((member) => prefixed(`${name}.`, member));
  return members.some(([, , note]) => note !== '') ? members : [];
}

function prefixed(prefix: string, { name, required, schema }: Property): string[] {
  return [`\`${prefix}${name}\`${required ? '' : '?'}`, kindOf(schema), noteOf(schema)];
}

/** The members of an object, or of all the objects that it may be. */
function membersOf(schema: JsonSchema): Property[] {
  if (!schema.anyOf) return propertiesOf(schema);
  const variants = (schema.anyOf as JsonSchema[]).map(propertiesOf);
  const names = new Set(variants.flatMap((properties) => properties.map(({ name }) => name)));
  return [...names].map((name) => {
    const found = variants.flatMap((properties) => properties.filter((property) => property.name === name));
    return { ...found[0]!, required: found.length === variants.length && found.every(({ required }) => required) };
  });
}

/** Of records of any family, what is beside their own fields: it is the same for all. */
function besideRecords(variants: readonly JsonSchema[]): Property[] {
  const types = variants.map(({ properties }) => (properties as Record<string, JsonSchema>).type?.const);
  return propertiesOf(variants[0]!)
    .filter(({ name }) => ['type', 'links', 'evidence', 'history'].includes(name))
    .map((property) =>
      property.name === 'type' ? { ...property, schema: { type: 'string', enum: types } } : property,
    );
}
