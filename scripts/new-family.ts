/*
 * Writes the files of a new family of records, and its lines in the two lists of families:
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

/** The templates describe assets. Each of their words stands for one of the new family. */
const WORDS: Readonly<Record<string, string>> = {
  Assets: capitalized(plural),
  assets: plural,
  Asset: title,
  asset: singular,
  ASSET: type,
  ast: prefix,
};
for (const [template, path] of Object.entries({
  'register.ts': `src/register/${singular}.ts`,
  'commands.ts': `src/commands/${singular}.ts`,
  'headings.json': `src/register/headings/${singular}.json`,
  'contract.json': `test/fixtures/families/${singular}.json`,
  'stories.json': `src/demo/data/${plural}.json`,
})) {
  const text = readFileSync(absolute(`scripts/new-family/${template}.template`), 'utf8');
  create(
    path,
    text.replace(/Assets?|assets?|ASSET|\bast\b/g, (word) => WORDS[word]!),
  );
}
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
