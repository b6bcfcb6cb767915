import { isDeepStrictEqual } from 'node:util';
import { ROLES } from '../../src/commands/caller.ts';
import { EVENT_TYPES } from '../../src/commands/event-types.ts';
import { deedOf, RULES, type Rule, WEB_DEEDS } from '../../src/commands/roles.ts';
import { fullSchema, type JsonSchema } from '../../src/mcp/json-schema.ts';
import { errorOutput, listOutput, type RecordKind, writeOutput } from '../../src/mcp/output.ts';
import { PROMPT_LIST } from '../../src/mcp/prompts.ts';
import { RESOURCE_TEMPLATES, RESOURCES } from '../../src/mcp/resources.ts';
import { ERRORS, NOT_JSON } from '../../src/mcp/status.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { ACCESS_ENTRY_TYPES } from '../../src/queries/access-log-row.ts';
import type { Ran } from '../../test/support/examples.ts';
import { illustrator, jsonText } from './shown.ts';
import {
  commonFields,
  inputTable,
  outputTable,
  recordTable,
  SHARED_FIELDS,
  SHARED_FILTERS,
  SHARED_INPUTS,
  table,
} from './tables.ts';
import { kindOf, type Property, propertiesOf, STAR } from './types.ts';

/**
 * The reference of the tools, for people: prose from `template`, everything else from the tools' definitions and from
 * their examples as they were run on `today`.
 */
export function toolsReference(template: string, tools: readonly Tool[], ran: readonly Ran[], today: string): string {
  const illustrate = illustrator(today);
  const examples = new Map(
    newsOf(ran).map(({ tool, input, answer }) => [tool, { input: illustrate(input), answer: illustrate(answer) }]),
  );
  const sectionOf = (tool: Tool) => toolSection(tool, examples.get(tool)!);
  const kinds = [...new Set(tools.flatMap(({ record }) => record ?? []))];
  const list = tools.find((tool) => tool.record && tool.readOnly)!;
  const kind = list.record!;
  const update = tools.find(({ name }) => name.startsWith('update'))!;
  const slots: Record<string, string> = {
    count: String(tools.length),
    index: index(tools),
    'shared-inputs': shared(
      SHARED_INPUTS,
      [list, update].flatMap(({ input }) => propertiesOf(fullSchema(input))),
    ),
    'shared-filters': shared(SHARED_FILTERS, filtersOf(list), 'filter.'),
    'list-output': outputTable(fullSchema(listOutput(kind)), [kind.plural]),
    'write-output': outputTable(fullSchema(writeOutput(kind, true)), [kind.singular]),
    'record-fields': commonFields(kind),
    'error-output': outputTable(propertiesOf(fullSchema(errorOutput))[0]!.schema),
    errors: errors(),
    roles: roles(),
    prompts: prompts(),
    resources: resources(),
    'event-types': names(EVENT_TYPES),
    'access-event-types': names(ACCESS_ENTRY_TYPES),
    'register-tools': tools
      .filter(({ record }) => record === undefined)
      .map(sectionOf)
      .join('\n\n'),
    families: kinds.map((one) => family(one, tools, sectionOf)).join('\n\n'),
  };
  return template.replace(/\{\{([a-z-]+)\}\}/g, (_, slot: string) => {
    if (slots[slot] === undefined) throw new TypeError(`the template has an unknown slot: ${slot}`);
    return slots[slot];
  });
}

/** Examples with records that were shown before cut to what has changed. */
function newsOf(ran: readonly Ran[]): Ran[] {
  const before = new Map<unknown, Record<string, unknown>>();
  return ran.map((one) => {
    const { record: kind, readOnly } = one.tool;
    if (kind === undefined || readOnly) return one;
    const record = one.answer[kind.singular] as Record<string, unknown>;
    const known = before.get(record.id);
    before.set(record.id, record);
    if (known === undefined) return one;
    const news = Object.entries(record).filter(([key, value]) => key === 'id' || !isDeepStrictEqual(known[key], value));
    return { ...one, answer: { ...one.answer, [kind.singular]: Object.fromEntries(news) } };
  });
}

/** A description of the index is cut to its beginning where it is longer. */
const INDEX_LINE = 120;

function index(tools: readonly Tool[]): string {
  const rows = tools.map((tool) => {
    const { name, description } = tool;
    const [sentence] = description.split(/(?<=[.;])\s(?![^(]*\))/);
    const short = sentence!.length > INDEX_LINE ? sentence!.split(':')[0] : sentence;
    return [`[\`${name}\`](#${name.toLowerCase()})`, leastOf(tool), `${short!.replace(/[.;]$/, '')}.`];
  });
  return table(['tool', 'from role', 'for'], rows);
}

/** What a tool's own schema does not say of inputs that many take. */
const NOTES: Readonly<Record<string, string>> = {
  id: 'the record that the call is about',
  organization_id: 'may be left out where an id names the record',
  reason: 'why: kept with the change, for auditors; some moves need one',
  idempotency_key: 'a key of your own: repeated with it, a call does nothing twice',
  expected_revision: 'refuses the write if the record has another one by now',
  fields: 'the names of the settable fields that an update applies; it ignores the others',
  cursor: 'the `next_cursor` of the page before, with the same inputs',
  as_of: 'the moment to answer about: see The past',
  view: 'FULL has every field, COUNT the number alone',
  order_by: '`direction` is ASC or DESC; each list names its fields',
  query: 'every word has to begin a word of the record’s texts; at most 100 different words',
  ids: 'of the list’s own records',
  linked_to: 'those one step away: by a link, or as evidence, audit or framework',
  missing: 'those that lack all that are named; each list says what can be',
  include_archived: 'archived records are left out otherwise',
};
/** What differs from tool to tool. */
const KINDS: Readonly<Record<string, JsonSchema>> = {
  id: { type: 'string' },
  ids: { type: 'array', items: { type: 'string' }, maxItems: 50 },
  missing: { type: 'array', items: { type: 'string' } },
  fields: { type: 'array', items: { type: 'string' } },
  order_by: { type: 'object', properties: { field: {}, direction: {} }, required: ['field'] },
};

/** Inputs that many tools take, in the order in which they are named. */
function shared(names: readonly string[], properties: readonly Property[], prefix = ''): string {
  const rows = names.map((name) => {
    const { schema } = properties.find((property) => property.name === name)!;
    const { description, default: usual } = schema as { description?: string; default?: unknown };
    const note = [NOTES[name] ?? description ?? '', usual === undefined ? '' : `\`${usual}\` unless given`];
    return [`\`${prefix}${name}\``, kindOf(KINDS[name] ?? schema), note.filter((text) => text !== '').join('; ')];
  });
  return table(['input', 'what it is', 'note'], rows);
}

function errors(): string {
  const rows = Object.entries(ERRORS).map(([code, { status, when }]) => {
    const also = code === 'invalid_input' ? ` (${NOT_JSON}: the Content-Type is not JSON’s)` : '';
    return [`\`${code}\``, String(status), `${when}${also}`];
  });
  return table(['code', 'status', 'when'], rows);
}

/** Who may what, as the table says that everything asks. */
function roles(): string {
  const rows = Object.entries(RULES).map(([deed, { roles, writes, about }]: [string, Rule]) => {
    const name = about !== undefined && WEB_DEEDS.includes(deed) ? about : `\`${deed}\``;
    return [name, ...ROLES.map((role) => (roles.includes(role) ? '•' : '')), writes ? '' : '•'];
  });
  return table(['what', ...ROLES, 'only reads'], rows);
}

function prompts(): string {
  const rows = PROMPT_LIST.map(({ name, description, arguments: given }) => {
    const names = given.map((one) => `\`${one.name}\`${'required' in one && one.required ? STAR : ''}`);
    return [`\`${name}\``, names.join(', '), description];
  });
  return table(['prompt', 'given', 'for'], rows);
}

function resources(): string {
  const all = [
    ...RESOURCES.map(({ uri, description }) => [`\`${uri}\``, description]),
    ...RESOURCE_TEMPLATES.map(({ uriTemplate, description }) => [`\`${uriTemplate}\``, description]),
  ];
  return table(['resource', 'what it is'], all);
}

/** A family: its fields, and its tools. */
function family(record: RecordKind, tools: readonly Tool[], sectionOf: (tool: Tool) => string): string {
  const { plural, prefix } = record;
  const own = tools.filter((tool) => tool.record === record);
  return [
    `## ${plural[0]!.toUpperCase()}${plural.slice(1)}`,
    `Ids are \`${prefix}_…\`. Beside what every record has:`,
    recordTable(record, tools),
    ...own.map(sectionOf),
  ].join('\n\n');
}

/** The least role that may call it. */
function leastOf({ name }: Tool): string {
  return RULES[deedOf(name)].roles[0]!;
}

function toolSection(tool: Tool, { input, answer }: { input: unknown; answer: unknown }): string {
  return [
    `### ${tool.name}`,
    `${tool.description}`,
    ...inputs(tool),
    ...outputs(tool),
    `From ${leastOf(tool)} on. For example`,
    `\`\`\`json\n${jsonText(input)}\n\`\`\``,
    'answers',
    `\`\`\`json\n${jsonText(answer)}\n\`\`\``,
  ].join('\n\n');
}

const filtersOf = (tool: Tool): Property[] => {
  const filter = propertiesOf(fullSchema(tool.input)).find(({ name }) => name === 'filter');
  return filter ? propertiesOf(filter.schema) : [];
};
const marked = ({ name, required }: Property) => `\`${name}\`${required ? STAR : ''}`;

/** A tool's inputs: a table of its own ones, and the names of those that are explained elsewhere. */
function inputs(tool: Tool): string[] {
  const all = propertiesOf(fullSchema(tool.input));
  const isList = tool.record !== undefined && tool.readOnly;
  const fields = tool.record && !isList ? propertiesOf(fullSchema(tool.record.full)).map(({ name }) => name) : [];
  const isField = ({ name }: Property) =>
    fields.includes(name) && (name === 'owner_id' || !SHARED_FIELDS.includes(name));
  const shared = all.filter(({ name }) => SHARED_INPUTS.includes(name));
  const own = all.filter((property) => !SHARED_INPUTS.includes(property.name) && !isField(property));
  const flat = isList
    ? inputTable(
        filtersOf(tool).filter(({ name }) => !SHARED_FILTERS.includes(name)),
        'filter.',
      )
    : inputTable(own);
  const orders = isList ? [choices(all, tool)] : [];
  const above = all.some(isField) ? ['the fields above that name it'] : [];
  const also = [...above, ...(isList ? ['the filters that all lists have'] : []), ...shared.map(marked)];
  return [flat, ...orders, also.length > 0 ? `${flat ? 'Also takes' : 'Takes'} ${also.join(', ')}.` : ''].filter(
    (text) => text !== '',
  );
}

/** What a list can be ordered by, and what its records can lack. */
function choices(inputs: readonly Property[], tool: Tool): string {
  const order = inputs.find(({ name }) => name === 'order_by')!.schema;
  const fields = propertiesOf(order).find(({ name }) => name === 'field')!.schema.enum as string[];
  const missing = filtersOf(tool).find(({ name }) => name === 'missing')!.schema.items as { enum: string[] };
  const names = (values: readonly string[]) => values.map((value) => `\`${value}\``).join(', ');
  const [usual, ...others] = fields;
  return `Ordered by \`${usual}\`, or as told by ${names(others)}. \`filter.missing\` takes ${names(missing.enum)}.`;
}

function outputs({ record, readOnly, output }: Tool): string[] {
  if (record === undefined) return [outputTable(fullSchema(output))];
  if (!readOnly) {
    const ofAll = propertiesOf(fullSchema(writeOutput(record, true))).map(({ name }) => name);
    const hasMore = propertiesOf(fullSchema(output)).some(({ name }) => !ofAll.includes(name));
    const said = `Answers \`${record.singular}\`, whole, and what every write answers`;
    return hasMore ? [`${said}. Also:`, outputTable(fullSchema(output), ofAll)] : [`${said}.`];
  }
  const summary = propertiesOf(fullSchema(record.summary)).map(({ name }) => name);
  const shown = summary.filter((name) => !SHARED_FIELDS.includes(name)).map((name) => `\`${name}\``);
  return [`Answers \`${record.plural}\`; a SUMMARY has \`id\`, ${shown.join(', ')}, \`owner\`.`];
}

const names = (all: readonly string[]): string => `${all.map((name) => `\`${name}\``).join(', ')}.`;
