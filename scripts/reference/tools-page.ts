import { isDeepStrictEqual } from 'node:util';
import { ROLES } from '../../src/commands/organization/caller.ts';
import { PERMISSIONS } from '../../src/commands/organization/permissions.ts';
import { ACCESS_ENTRY_TYPES } from '../../src/identity/access-log/access-entry-types.ts';
import { PROMPT_LIST } from '../../src/mcp/prompts/prompts.ts';
import { RESOURCE_TEMPLATES, RESOURCES } from '../../src/mcp/protocol/resources.ts';
import { familyQueryOfType } from '../../src/queries/family-query.ts';
import { EVENT_TYPES } from '../../src/register/events.ts';
import { ERRORS, NOT_JSON_STATUS } from '../../src/tools/error-codes.ts';
import { fullSchema, type JsonSchema } from '../../src/tools/schema/json-schema.ts';
import { errorOutput, listOutput, type RecordSchemas, writeOutput } from '../../src/tools/schema/output.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { vendorTools } from '../../src/tools/vendor-tools.ts';
import type { ExampleRun } from '../../test/support/mcp/examples.ts';
import { illustrator, jsonText } from './illustrate.ts';
import {
  commonFields,
  inputTable,
  outputTable,
  type Property,
  propertiesOf,
  recordTable,
  SHARED_FIELDS,
  SHARED_FILTERS,
  SHARED_INPUTS,
  STAR,
  table,
  valueType,
} from './tables.ts';

/**
 * Returns the tools' reference for people: prose from `template`, the rest from the tools' definitions and from their
 * examples, which ran on the day `today`.
 */
export function toolsReference(
  template: string,
  tools: readonly Tool[],
  runs: readonly ExampleRun[],
  today: string,
): string {
  const illustrate = illustrator(today);
  const examples = new Map(
    showOnlyChanges(runs).map(({ tool, input, answer }) => [
      tool,
      { input: illustrate(input), answer: illustrate(answer) },
    ]),
  );
  const sectionOf = (tool: Tool) => toolSection(tool, examples.get(tool)!);
  const families = [...new Set(tools.flatMap(({ record }) => record ?? []))];
  const { record: kind, list, update } = vendorTools;
  const slots: Record<string, string> = {
    count: String(tools.length),
    index: toolIndex(tools),
    'shared-inputs': inputNoteTable(
      SHARED_INPUTS,
      [list!, update!].flatMap(({ input }) => propertiesOf(fullSchema(input))),
    ),
    'shared-filters': inputNoteTable(SHARED_FILTERS, filtersOf(list!), 'filter.'),
    'list-output': outputTable(fullSchema(listOutput(kind)), [kind.plural]),
    'write-output': outputTable(fullSchema(writeOutput(kind, true)), [kind.singular]),
    'record-fields': commonFields(kind),
    'error-output': outputTable(propertiesOf(fullSchema(errorOutput))[0]!.schema),
    errors: errorTable(),
    roles: roleTable(tools),
    prompts: promptTable(),
    resources: resourceTable(),
    'event-types': nameBlock(EVENT_TYPES),
    'access-event-types': nameBlock(ACCESS_ENTRY_TYPES),
    'register-tools': tools
      .filter(({ record }) => record === undefined)
      .map(sectionOf)
      .join('\n\n'),
    families: families.map((family) => familySection(family, tools, sectionOf)).join('\n\n'),
  };
  return template.replace(/\{\{([a-z-]+)\}\}/g, (_, slot: string) => {
    if (slots[slot] === undefined) throw new TypeError(`the template has an unknown slot: ${slot}`);
    return slots[slot];
  });
}

/** Cuts the records that an earlier example showed to their changed fields. */
function showOnlyChanges(runs: readonly ExampleRun[]): ExampleRun[] {
  const before = new Map<unknown, Record<string, unknown>>();
  return runs.map((run) => {
    const { record: kind, readOnly } = run.tool;
    if (kind === undefined || readOnly) return run;
    const record = run.answer[kind.singular] as Record<string, unknown>;
    const previous = before.get(record.id);
    before.set(record.id, record);
    if (previous === undefined) return run;
    const changes = Object.entries(record).filter(
      ([key, value]) => key === 'id' || !isDeepStrictEqual(previous[key], value),
    );
    return { ...run, answer: { ...run.answer, [kind.singular]: Object.fromEntries(changes) } };
  });
}

/** Longer descriptions are cut at their first colon in the index. */
const MAX_INDEX_CHARACTERS = 120;
const NAMES_OF_LINE = /(.{1,110})(?: |$)/g;

function toolIndex(tools: readonly Tool[]): string {
  const rows = tools.map((tool) => {
    const { name, description } = tool;
    const [sentence] = description.split(/(?<=[.;])\s(?![^(]*\))/);
    const short = sentence!.length > MAX_INDEX_CHARACTERS ? sentence!.split(':')[0] : sentence;
    return [`[\`${name}\`](#${name.toLowerCase()})`, lowestRole(tool), `${short!.replace(/[.;]$/, '')}.`];
  });
  return table(['tool', 'from role', 'for'], rows);
}

/** Notes on inputs that many tools take; the tools' own schemas don't have them. */
const INPUT_NOTES: Readonly<Record<string, string>> = {
  id: 'the record that the call is about',
  organization_id: 'may be omitted if an id names the record, or if you reach one organization only',
  reason: 'stored with the change, for auditors; see Status changes for those that need one',
  idempotency_key: 'a key of your own: a call repeated with it is done once',
  expected_revision: 'refuses the write if the record has another revision by now',
  fields: 'the names of the settable fields that an update applies; it ignores the others',
  cursor: 'the `next_cursor` of the page before, with the same inputs',
  as_of: 'a past moment to read: see The past',
  view: 'FULL has every field, COUNT only the number',
  order_by: '`direction` is ASC or DESC; each list names its fields',
  query:
    'each word must begin a word of the record’s texts; at most 100 different words, or pairs of letters of a script without spaces',
  ids: 'ids of the list’s records',
  linked_to: 'records linked with this one directly, or by evidence, audit or framework',
  missing:
    'records that have none of these; each list names its values; OWNER_GONE: the owner is not a member any more, or was none at `as_of`',
  include_archived: 'by default, archived records are left out',
};
/** Replaces schemas that differ from tool to tool. */
const GENERIC_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  id: { type: 'string' },
  ids: { type: 'array', items: { type: 'string' }, maxItems: 50 },
  missing: { type: 'array', items: { type: 'string' } },
  fields: { type: 'array', items: { type: 'string' } },
  order_by: { type: 'object', properties: { field: {}, direction: {} }, required: ['field'] },
};

/** Returns a table of inputs that many tools take, in the order of `names`. */
function inputNoteTable(names: readonly string[], properties: readonly Property[], prefix = ''): string {
  const rows = names.map((name) => {
    const { schema } = properties.find((property) => property.name === name)!;
    const { description, default: usual } = schema as { description?: string; default?: unknown };
    const note = [INPUT_NOTES[name] ?? description ?? '', usual === undefined ? '' : `\`${usual}\` by default`];
    return [
      `\`${prefix}${name}\``,
      valueType(GENERIC_SCHEMAS[name] ?? schema),
      note.filter((text) => text !== '').join('; '),
    ];
  });
  return table(['input', 'type', 'note'], rows);
}

function errorTable(): string {
  const rows = Object.entries(ERRORS).map(([code, { status, when }]) => {
    const also = code === 'invalid_input' ? ` (${NOT_JSON_STATUS} if the Content-Type is not JSON)` : '';
    return [`\`${code}\``, String(status), `${when}${also}`];
  });
  return table(['code', 'status', 'when'], rows);
}

/** Returns the table of permissions by role, each with the tools that need it. */
function roleTable(tools: readonly Tool[]): string {
  const rows = Object.entries(PERMISSIONS).map(([permission, { roles, writes, activity }]) => {
    const names = tools.filter((tool) => tool.permission === permission).map(({ name }) => `\`${name}\``);
    return [activity, names.join(', '), ...ROLES.map((role) => (roles.includes(role) ? '•' : '')), writes ? '' : '•'];
  });
  return table(['permission', 'tools', ...ROLES, 'read-only'], rows);
}

function promptTable(): string {
  const rows = PROMPT_LIST.map(({ name, description, arguments: inputs }) => {
    const names = inputs.map((input) => `\`${input.name}\`${'required' in input && input.required ? STAR : ''}`);
    return [`\`${name}\``, names.join(', '), description];
  });
  return table(['prompt', 'inputs', 'for'], rows);
}

function resourceTable(): string {
  const all = [
    ...RESOURCES.map(({ uri, description }) => [`\`${uri}\``, description]),
    ...RESOURCE_TEMPLATES.map(({ uriTemplate, description }) => [`\`${uriTemplate}\``, description]),
  ];
  return table(['resource', 'content'], all);
}

/** Returns a family's section: its fields and its tools. */
function familySection(record: RecordSchemas, tools: readonly Tool[], sectionOf: (tool: Tool) => string): string {
  const { plural, prefix } = record;
  const familyTools = tools.filter((tool) => tool.record === record);
  return [
    `## ${plural[0]!.toUpperCase()}${plural.slice(1)}`,
    `Ids are \`${prefix}_…\`. Fields, in addition to those of every record:`,
    recordTable(record, tools),
    ...familyTools.map(sectionOf),
  ].join('\n\n');
}

/** Returns the lowest role that may call the tool. */
function lowestRole({ permission }: Tool): string {
  return PERMISSIONS[permission].roles[0]!;
}

function toolSection(tool: Tool, { input, answer }: { input: unknown; answer: unknown }): string {
  const repetition = tool.idempotent ? ' The same call again changes nothing more.' : '';
  return [
    `### ${tool.name}`,
    `${tool.description}`,
    ...inputSection(tool),
    ...outputSection(tool),
    `Shown to people as “${tool.title}”. For ${lowestRole(tool)} and above.${repetition} Example:`,
    `\`\`\`json\n${jsonText(input)}\n\`\`\``,
    'Answer:',
    `\`\`\`json\n${jsonText(answer)}\n\`\`\``,
  ].join('\n\n');
}

const filtersOf = (tool: Tool): Property[] => {
  const filter = propertiesOf(fullSchema(tool.input)).find(({ name }) => name === 'filter');
  return filter ? propertiesOf(filter.schema) : [];
};
const marked = ({ name, required }: Property) => `\`${name}\`${required ? STAR : ''}`;

/** Describes a tool's inputs: a table of its specific ones, and the names of those that are explained elsewhere. */
function inputSection(tool: Tool): string[] {
  const all = propertiesOf(fullSchema(tool.input));
  const isList = tool.record !== undefined && tool.readOnly;
  const fields = tool.record && !isList ? propertiesOf(fullSchema(tool.record.full)).map(({ name }) => name) : [];
  const isField = ({ name }: Property) =>
    fields.includes(name) && (name === 'owner_id' || !SHARED_FIELDS.includes(name));
  const shared = all.filter(({ name }) => SHARED_INPUTS.includes(name));
  const ownProperties = all.filter((property) => !SHARED_INPUTS.includes(property.name) && !isField(property));
  const flat = isList
    ? inputTable(
        filtersOf(tool).filter(({ name }) => !SHARED_FILTERS.includes(name)),
        'filter.',
      )
    : inputTable(ownProperties);
  const orders = isList ? [orderText(all, tool)] : [];
  const above = all.some(isField) ? ['the fields above that list this tool'] : [];
  const also = [...above, ...(isList ? ['the filters of all lists'] : []), ...shared.map(marked)];
  return [flat, ...orders, also.length > 0 ? `${flat ? 'Also takes' : 'Takes'} ${also.join(', ')}.` : ''].filter(
    (text) => text !== '',
  );
}

/** Lists the order fields of a list, and the values of its filter `missing`. */
function orderText(inputs: readonly Property[], tool: Tool): string {
  const order = inputs.find(({ name }) => name === 'order_by')!.schema;
  const fields = propertiesOf(order).find(({ name }) => name === 'field')!.schema.enum as string[];
  const missing = filtersOf(tool).find(({ name }) => name === 'missing')!.schema.items as { enum: string[] };
  const names = (values: readonly string[]) => values.map((value) => `\`${value}\``).join(', ');
  const [usual, ...others] = fields;
  return `Ordered by \`${usual}\`, or on request by ${names(others)}. \`filter.missing\` takes ${names(missing.enum)}.`;
}

function outputSection({ record, readOnly, output }: Tool): string[] {
  if (record === undefined) return [outputTable(fullSchema(output))];
  if (!readOnly) {
    const commonMembers = propertiesOf(fullSchema(writeOutput(record, true))).map(({ name }) => name);
    const hasMore = propertiesOf(fullSchema(output)).some(({ name }) => !commonMembers.includes(name));
    const text = `Returns the complete \`${record.singular}\`, and what every write returns`;
    return hasMore ? [`${text}. Also:`, outputTable(fullSchema(output), commonMembers)] : [`${text}.`];
  }
  const fields = familyQueryOfType(record.type).summary.map((name) => `\`${name}\``);
  return [`Returns \`${record.plural}\`; a SUMMARY has \`id\`, ${fields.join(', ')}, \`owner\`.`];
}

/** Returns a block with the names, as many on a line as fit. */
function nameBlock(all: readonly string[]): string {
  return `\`\`\`text\n${all.join(' ').replaceAll(NAMES_OF_LINE, '$1\n')}\`\`\``;
}
