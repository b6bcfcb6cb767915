import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fullSchema, type JsonSchema } from '../../src/mcp/schema/json-schema.ts';
import { ALL_TOOLS } from '../../src/mcp/tools/all-tools.ts';
import { COLLECTIONS, PROJECTIONS_VERSION, READ_MODELS } from '../../src/projections/models.ts';
import { collectionsOf } from '../../src/projections/read-models/collections.ts';
import type { ReadModel } from '../../src/projections/read-models/read-model.ts';
import type { CollectionSpec, ViewColumn, ViewSpec } from '../../src/stores/read-store.ts';
import { COMMON_COLUMNS, KEY_NOTES, type Note, VIEW_COLUMNS } from './read-model-notes.ts';
import { noteOf, table } from './tables.ts';
import { propertiesOf, valueType } from './value-types.ts';

const TEMPLATE = fileURLToPath(new URL('./read-models.md', import.meta.url));
const PAGE = fileURLToPath(new URL('../../docs/read-models.md', import.meta.url));

/** Makes docs/read-models.md from today's definitions. */
export function makeReadModelsReference(): { page: string; path: string } {
  const slots: Record<string, string> = {
    version: String(PROJECTIONS_VERSION),
    index: viewIndex(),
    families: READ_MODELS.map(familySection).join('\n\n'),
    others: COLLECTIONS.filter(isOther).map(viewSection).join('\n\n'),
    internal: internalCollections(),
  };
  const page = readFileSync(TEMPLATE, 'utf8').replace(/\{\{([a-z-]+)\}\}/g, (_, slot: string) => {
    if (slots[slot] === undefined) throw new TypeError(`the template has an unknown slot: ${slot}`);
    return slots[slot];
  });
  return { page, path: PAGE };
}

function internalCollections(): string {
  const names = COLLECTIONS.filter(({ views }) => views === undefined).map(({ name }) => `\`${name}\``);
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

const familyCollections = new Set(READ_MODELS.flatMap(collectionsOf).map(({ name }) => name));
const isOther = ({ name, views }: CollectionSpec) => views !== undefined && !familyCollections.has(name);

function viewIndex(): string {
  const rows = COLLECTIONS.flatMap(({ name, views = [] }) =>
    views.map((view) => [`\`${view.name}\``, `\`${name}\``, VIEW_MEANINGS[view.name] ?? aboutFamily(view.name)]),
  );
  rows.push(['`progress`', '`_heads`', 'the progress of an organization’s read models']);
  return table(['view', 'collection', 'a row is'], rows);
}

const VIEW_MEANINGS: Readonly<Record<string, string>> = {
  changes: 'an event of the log, as in `listChanges`; those of seals are in `seals`',
  map_entries: 'a value of an entry of a map, such as the role of a member, between two positions',
  links: 'one side of a connection, current or past: by a link, as evidence, or because one record names the other',
  seals: 'an event of an organization’s seal stream',
  daily_figures: 'the figures at the end of a day on which one of them changed',
  parked: 'an event that these projections could not read',
};

function aboutFamily(view: string): string {
  const model = READ_MODELS.find(({ family }) => view === family.plural || view === `${family.plural}_history`)!;
  return view === model.family.plural
    ? `${article(model.family.singular)} as it is now`
    : `${article(model.family.singular)} as it was between two positions`;
}

const article = (noun: string) => (noun === 'evidence' ? noun : `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`);

/** Returns a family's section: its fields for both views, then keys and indexes. */
function familySection(model: ReadModel): string {
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

function viewSection(collection: CollectionSpec): string {
  const view = collection.views![0]!;
  return [
    `### ${collection.name}`,
    `View \`${view.name}\`: ${VIEW_MEANINGS[view.name]}.`,
    columnTable(view, VIEW_COLUMNS[view.name]!),
    keysAndIndexes(collection, view),
  ].join('\n\n');
}

/** Returns the notes that the tools' definitions have on a family's fields. */
function familyNotes(model: ReadModel): Readonly<Record<string, Note>> {
  const kinds = ALL_TOOLS.flatMap(({ record }) => record ?? []);
  const kind = kinds.find(({ type }) => type === model.family.type);
  if (kind === undefined) return VIEW_COLUMNS[model.family.plural]!;
  const fieldNotes = propertiesOf(fullSchema(kind.full)).map(({ name, schema }): [string, Note] => [
    name,
    [storedKind(schema), noteOf(schema)],
  ]);
  return Object.fromEntries(fieldNotes.filter(([name]) => COMMON_COLUMNS[name] === undefined));
}

/** Returns a field's type as it is stored, without members that depend on the day. */
const storedKind = (schema: JsonSchema) =>
  valueType(schema)
    .replace(/\bboolean\b/, 'truth value')
    .replace(', `expired`', '');

function columnTable(view: ViewSpec, notes: Readonly<Record<string, Note>>, organization = '_organization'): string {
  const rows = view.columns.map((column) => {
    const note = notes[column.name] ?? COMMON_COLUMNS[column.name];
    if (note === undefined) throw new TypeError(`${view.name}.${column.name}: has no note in read-model-notes.ts`);
    return [`\`${column.name}\``, note[0], inMongo(column, organization), note[1]];
  });
  return table(['column', 'type', 'in MongoDB', 'note'], rows);
}

/** Returns a column's place in a MongoDB document, or '' if it has the column's name. Only records have `_organization`. */
function inMongo(column: ViewColumn, organization: string): string {
  if ('rows' in column) return `rows of \`${column.rows.name}\``;
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
  const note = KEY_NOTES[`${view.name}.${key}`] ?? model?.keys[key]?.note ?? KEY_NOTES[key];
  if (note !== undefined) return note;
  if (!view.columns.some(({ name }) => name === key))
    throw new TypeError(`${view.name}: the key ${key} has no note in read-model-notes.ts`);
  // The key of a sample text shows how the key is derived from its field.
  const keyText = String(model?.keys[key]?.of({ [key]: SAMPLE_TEXT }) ?? SAMPLE_TEXT);
  if (keyText.includes('0015')) return 'the field, normalized, its numbers by their value';
  return keyText === SAMPLE_TEXT.toLowerCase() ? 'the field, normalized' : 'the field';
}

const SAMPLE_TEXT = 'A5';

/** Lists each index as its keys, without the organization at its beginning and the id at its end. */
function indexList({ indexes }: CollectionSpec): string {
  return indexes.map(({ keys }) => `(${keys.map((key) => `\`${key}\``).join(', ')})`).join(', ');
}
