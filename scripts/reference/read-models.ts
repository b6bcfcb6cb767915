import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fullSchema, type JsonSchema } from '../../src/mcp/json-schema.ts';
import type { Service } from '../../src/mcp/service.ts';
import { allTools } from '../../src/mcp/tools.ts';
import { collectionsOf } from '../../src/projections/collections.ts';
import { COLLECTIONS, PROJECTIONS_VERSION, READ_MODELS } from '../../src/projections/models.ts';
import type { ReadModel } from '../../src/projections/read-model.ts';
import type { CollectionSpec, ViewColumn, ViewSpec } from '../../src/stores/read-store.ts';
import { COLUMNS, KEYS, type Note, OWN } from './read-model-notes.ts';
import { noteOf, table } from './tables.ts';
import { kindOf, propertiesOf } from './types.ts';

const TEMPLATE = fileURLToPath(new URL('./read-models.md', import.meta.url));
const PAGE = fileURLToPath(new URL('../../docs/read-models.md', import.meta.url));

/** The document about the read models as it has to be now. */
export function makeReadModelsReference(): { page: string; path: string } {
  const slots: Record<string, string> = {
    version: String(PROJECTIONS_VERSION),
    index: index(),
    families: READ_MODELS.map(family).join('\n\n'),
    others: COLLECTIONS.filter(isOther).map(other).join('\n\n'),
    internal: COLLECTIONS.filter(({ views }) => views === undefined)
      .map(({ name }) => `\`${name}\``)
      .join(' and '),
  };
  const page = readFileSync(TEMPLATE, 'utf8').replace(/\{\{([a-z-]+)\}\}/g, (_, slot: string) => {
    if (slots[slot] === undefined) throw new TypeError(`the template has an unknown slot: ${slot}`);
    return slots[slot];
  });
  return { page, path: PAGE };
}

const ofFamilies = new Set(READ_MODELS.flatMap(collectionsOf).map(({ name }) => name));
const isOther = ({ name, views }: CollectionSpec) => views !== undefined && !ofFamilies.has(name);

function index(): string {
  const rows = COLLECTIONS.flatMap(({ name, views = [] }) =>
    views.map((view) => [`\`${view.name}\``, `\`${name}\``, ABOUT[view.name] ?? aboutFamily(view.name)]),
  );
  rows.push(['`progress`', '`_heads`', 'how far each organization’s read models are']);
  return table(['view', 'collection', 'a row is'], rows);
}

const ABOUT: Readonly<Record<string, string>> = {
  changes: 'an event of the log, as `listChanges` tells it; those of seals are in `seals`',
  links: 'one side of two records that are or were joined: by a link, as evidence, or because one names the other',
  seals: 'an event of an organization’s seal stream',
  parked: 'an event that these projections could not read',
};

function aboutFamily(view: string): string {
  const model = READ_MODELS.find(({ family }) => view === family.plural || view === `${family.plural}_history`)!;
  return view === model.family.plural
    ? `${article(model.family.singular)} as it is now`
    : `${article(model.family.singular)} as it was between two positions`;
}

const article = (noun: string) => (noun === 'evidence' ? noun : `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`);

/** A family: its fields once for both views, then its keys and indexes. */
function family(model: ReadModel): string {
  const [current, history] = collectionsOf(model) as [CollectionSpec, CollectionSpec];
  const { plural } = model.family;
  const [view] = current.views!;
  return [
    `### ${plural}`,
    `Views \`${plural}\` and \`${history.name}\`; the second has \`from_position\` and \`until_position\` as well.`,
    columnTable(view!, familyNotes(model), 'organization_id'),
    keysAndIndexes(current, view!, model),
    `\`${history.name}\` has these keys, and \`record_id\`, \`from_position\`, \`until_position\`: ${indexList(history)}.`,
  ].join('\n\n');
}

function other(collection: CollectionSpec): string {
  const view = collection.views![0]!;
  return [
    `### ${collection.name}`,
    `View \`${view.name}\`: ${ABOUT[view.name]}.`,
    columnTable(view, OWN[view.name]!),
    keysAndIndexes(collection, view),
  ].join('\n\n');
}

/** What the tools' definitions say of a family's fields. */
function familyNotes(model: ReadModel): Readonly<Record<string, Note>> {
  const kinds = allTools({} as Service).flatMap(({ record }) => record ?? []);
  const kind = kinds.find(({ type }) => type === model.family.type);
  if (kind === undefined) return OWN[model.family.plural]!;
  const said = propertiesOf(fullSchema(kind.full)).map(({ name, schema }): [string, Note] => [
    name,
    [storedKind(schema), noteOf(schema)],
  ]);
  return Object.fromEntries(said.filter(([name]) => COLUMNS[name] === undefined));
}

/** A field's kind as it is stored: without what depends on the day. How SQL shows it is said above. */
const storedKind = (schema: JsonSchema) =>
  kindOf(schema)
    .replace(/\bboolean\b/, 'truth value')
    .replace(', `expired`', '');

function columnTable(view: ViewSpec, notes: Readonly<Record<string, Note>>, organization = '_organization'): string {
  const rows = view.columns.map((column) => {
    const note = notes[column.name] ?? COLUMNS[column.name];
    if (note === undefined) throw new TypeError(`${view.name}.${column.name}: nothing says what it means`);
    return [`\`${column.name}\``, note[0], inMongo(column, organization), note[1]];
  });
  return table(['column', 'what it is', 'in MongoDB', 'note'], rows);
}

/** Where a column is in a MongoDB document, if not under its own name; documents of records alone have the organization. */
function inMongo(column: ViewColumn, organization: string): string {
  if (!('field' in column)) return `\`_keys.${column.key}\``;
  const field = column.field === 'organization_id' ? organization : column.field;
  return field === column.name ? '' : `\`${field}\``;
}

function keysAndIndexes(collection: CollectionSpec, view: ViewSpec, model?: ReadModel): string {
  const { keys } = collection;
  if (Object.keys(keys).length === 0) return 'It has no keys.';
  const rows = Object.entries(keys).map(([key, type]) => [`\`${key}\``, type, keyNote(key, view, model)]);
  const indexes = collection.indexes.length === 0 ? 'No index but by id.' : `Indexes: ${indexList(collection)}.`;
  return `${table(['key', 'type', 'value'], rows)}\n\n${indexes}`;
}

function keyNote(key: string, view: ViewSpec, model?: ReadModel): string {
  const note = KEYS[`${view.name}.${key}`] ?? KEYS[key];
  if (note !== undefined) return note;
  if (!view.columns.some(({ name }) => name === key)) throw new TypeError(`${view.name}: what the key ${key} is`);
  // How a key is made of its field shows in what it makes of a text.
  const made = String(model?.keys[key]?.of({ [key]: PROBE }) ?? PROBE);
  if (made.includes('0015')) return 'the field, folded, its numbers by their value';
  return made === PROBE.toLowerCase() ? 'the field, folded' : 'the field';
}

const PROBE = 'A5';

/** Each index as its keys in their order, between the organization and the id. */
function indexList({ indexes }: CollectionSpec): string {
  return indexes.map(({ keys }) => `(${keys.map((key) => `\`${key}\``).join(', ')})`).join(', ');
}
