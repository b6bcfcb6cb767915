/*
 * Writes the files of a new family of records, its part of the contract, and its lines in the two lists of families:
 *
 *     npm run new-family -- Asset assets ast
 *
 * The family compiles and works at once, with a name, a description, a category and an owner. CONTRIBUTING.md says what to
 * do next.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FAMILY_DESCRIPTIONS } from '../src/register/families.ts';

const [title = '', plural = '', prefix = ''] = process.argv.slice(2);
if (!/^[A-Z][a-z]+$/.test(title) || !/^[a-z]+$/.test(plural) || !/^[a-z]{3}$/.test(prefix)) {
  fail(
    'Usage: npm run new-family -- Title plural prefix, such as Asset assets ast. The prefix of ids has three letters.',
  );
}
const singular = title.toLowerCase();
const type = title.toUpperCase();
const taken = FAMILY_DESCRIPTIONS.find((family) => family.prefix === prefix || family.singular === singular);
if (taken !== undefined) fail(`${taken.title} has this name or prefix already. Choose another.`);

create(
  `src/register/${singular}.ts`,
  `import { addedMembers, correctedMembers, undoneEvent } from './event-members.ts';
import { type EventOf, event, eventWithReason, nullable, string } from './event-schema.ts';
import type { Described } from './family-description.ts';
import { type Fields, OWNER_FIELD, type StateOf } from './field.ts';
import type { FamilyFigures } from './figure.ts';

const FIELDS = {
  name: { kind: 'name', label: '${title}', required: true, search: 'SHORT', lookalike: true },
  description: { kind: 'text', label: 'Description', search: 'LONG' },
  category: { kind: 'name', label: 'Category', filter: true },
  owner_id: OWNER_FIELD,
} as const satisfies Fields;

export type ${title}State = StateOf<typeof FIELDS>;

export const ${type}_EVENTS = {
  ${title}Added: eventWithReason(addedMembers(FIELDS)),
  ${title}DetailsChanged: eventWithReason({ changes: correctedMembers(FIELDS) }),
  ${title}OwnerAssigned: eventWithReason({ owner_id: nullable(string()) }),
  ${title}Archived: event({ archived_at: string(), reason: string() }),
  ${title}Restored: event({ reason: string() }),
  ${title}Undone: undoneEvent(FIELDS),
};

export type ${title}Event = EventOf<typeof ${type}_EVENTS>;

const FIGURES = {
  group: '${capitalized(plural)}',
  groupBy: [],
  total: { label: 'All ${plural}', meaning: '${plural}' },
  listed: [],
} as const satisfies FamilyFigures<typeof FIELDS>;

export const ${type} = {
  type: '${type}',
  title: '${title}',
  singular: '${singular}',
  plural: '${plural}',
  prefix: '${prefix}',
  fields: FIELDS,
  events: ${type}_EVENTS,
  commands: { add: 'Add${title}', update: 'Update${title}' },
  commonEvents: {
    added: '${title}Added',
    detailsChanged: '${title}DetailsChanged',
    ownerAssigned: '${title}OwnerAssigned',
    archived: '${title}Archived',
    restored: '${title}Restored',
    undone: '${title}Undone',
  },
  orders: ['name'],
  missing: ['OWNER', 'EVIDENCE'],
  summary: ['name', 'category', 'owner_id'],
  importable: true,
  aboutFile: 'Each ${singular} with its category and owner.',
  figures: FIGURES,
  tools: {
    list: {
      name: 'list${capitalized(plural)}',
      title: 'List ${plural}',
      description: 'List ${plural} by name. Without an owner: filter.missing OWNER.',
      example: { filter: { category: ['Example'] } },
    },
    add: {
      name: 'add${title}',
      title: 'Add a record to ${plural}',
      description: 'Add a record to ${plural}. For its proof, use addEvidence.',
      example: { name: 'First ${singular}', category: 'Example', owner_id: 'ME' },
    },
    update: {
      name: 'update${title}',
      title: 'Change a record of ${plural}',
      idempotent: true,
      description: 'Correct a record of ${plural}, or assign its owner.',
      example: { description: 'The first one', reason: 'Described' },
    },
  },
} as const satisfies Described<typeof FIELDS, typeof ${type}_EVENTS>;
`,
);
create(
  `src/commands/${singular}.ts`,
  `import { ${type} } from '../register/${singular}.ts';
import { defineFamily } from './define-family.ts';

export const ${singular} = defineFamily(${type}, {});
`,
);
create(
  `src/register/headings/${singular}.json`,
  `{
  "en": { "name": ["${singular} name"], "owner_id": ["${singular} owner"] }
}
`,
);
create(
  `test/fixtures/families/${singular}.json`,
  `{
  "importType": "${type}",
  "tools": {
    "list${capitalized(plural)}": { "filters": "category", "orders": "name created_at updated_at" },
    "add${title}": { "properties": "name description category", "required": "name" },
    "update${title}": { "properties": "name description category", "required": "id", "repeatable": true }
  }
}
`,
);
change('src/register/families.ts', [
  [/\n\n\/\*\* Every family/, `\nimport { ${type} } from './${singular}.ts';$&`],
  [/(const LIST = \[[^\]]*)\]/, `$1, ${type}]`],
]);
change('src/commands/families.ts', [
  [/\n\n\/\*\* The rules of every family/, `\nimport { ${singular} } from './${singular}.ts';$&`],
  [/(FAMILIES: [^{]*\{[^}]*)\}/, `$1  ${type}: ${singular},\n}`],
]);
console.log('Next: npm run format, then "Add a family of records" in CONTRIBUTING.md.');

function create(path: string, text: string): void {
  if (existsSync(absolute(path))) fail(`${path} exists already.`);
  writeFileSync(absolute(path), text);
  console.log(`written: ${path}`);
}

function change(path: string, replacements: readonly (readonly [RegExp, string])[]): void {
  let text = readFileSync(absolute(path), 'utf8');
  for (const [pattern, replacement] of replacements) {
    if (!pattern.test(text)) fail(`${path} has another form than expected. Add ${type} there by hand.`);
    text = text.replace(pattern, replacement);
  }
  writeFileSync(absolute(path), text);
  console.log(`changed: ${path}`);
}

function absolute(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
