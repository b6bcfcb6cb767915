/** Checks of names and sentences: the script of `npm run words`. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkFile, findDuplicates, wordsInName } from '../../scripts/words/check-file.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const words = (count: number) => Array.from({ length: count }, (_, index) => `W${index}`).join(' ');

/** Returns the findings in a text as `line:column text`. */
function check(source: string, file = 'src/a.ts'): string[] {
  return checkFile(file, source).findings.map(({ line, column, text }) => `${line}:${column} ${text}`);
}

const names = suite('exported names');

names('names are split into words', () => {
  assert.equal(wordsInName('readHTTPBody2'), ['read', 'http', 'body2']);
  assert.equal(wordsInName('MAX_REPORT_ROWS'), ['max', 'report', 'rows']);
});

for (const [source, expected] of [
  ['export const keptRows = 1;', '1:14 keptRows'],
  ['export async function* rowsKept() {}', '1:24 rowsKept'],
  ['export default abstract class KEPT_ROWS {}', '1:31 KEPT_ROWS'],
  ['export interface Kept {}', '1:18 Kept'],
  ['const b = 1;\nexport { a, b as shown, c };', '2:18 shown'],
  ['export const { a, b: told = 1 } = c;', '1:22 told'],
  ['export const FULL = 7;', '1:14 FULL'],
]) {
  names(`an exported name is refused: ${source}`, () => {
    assert.equal(check(source!), [expected]);
  });
}

for (const source of [
  'const kept = 1;',
  'export const keptSeal = 1, skeptic = 2;',
  'export class NotFound {}',
  "export { kept } from './b.ts';",
  '// export const kept = 1;',
  '`\nexport const kept = 1;\n`;',
  'export const isFull = true;',
]) {
  names(`an exported name is accepted: ${source}`, () => {
    assert.equal(check(source), []);
  });
}

names('a refused name comes with the word to use instead', () => {
  const [finding] = checkFile('src/a.ts', 'export const ordinalOf = 1;').findings;
  assert.is(finding!.advice, '"ordinal" in the exported name "ordinalOf": say position');
});

names('a name that two files export is refused', () => {
  const { exports } = checkFile('src/a.ts', 'export const a = 1;\nexport function b(): void;\nexport function b() {}');
  const otherExports = checkFile('src/b.ts', "export { a } from './a.ts';\n\nexport type b = 1;").exports;
  assert.equal(findDuplicates([...exports, ...otherExports]), [
    { file: 'src/b.ts', line: 3, column: 13, text: 'b', advice: 'src/a.ts exports another "b": rename one of them' },
  ]);
  assert.equal(findDuplicates([...exports, { name: 'b', file: 'src/index.ts', line: 1, column: 1 }]), []);
});

const beginnings = suite('beginnings of comments');

for (const source of [
  '/** What it is. */',
  'f();  // whether it is',
  '/**\n * Whose rows.\n */',
  '/* How it goes. */',
  '/** Of a row. */',
  '/**\n * Returns it.\n *\n * Who reads it.\n */',
  '// Returns it.\n//\n// Who reads it.',
]) {
  beginnings(`a comment is refused: ${JSON.stringify(source)}`, () => {
    assert.is(check(source).length, 1);
  });
}

for (const source of [
  '/** Returns what it is. */',
  '/**\n * Returns\n * what it is.\n */',
  '// Returns\n// what it is.',
  '/** Offset of it. */',
  '/** Of course it is. */',
  "const a = '// What it is.';",
  'const a = /[/]/.test(b) ? 1 : /"/; // Reads it.',
  'const a = `$' + '{b /* Reads it. */} // What it is.`;',
  'const a = b / c; const d = "/* What";',
]) {
  beginnings(`a comment is accepted: ${JSON.stringify(source)}`, () => {
    assert.equal(check(source), []);
  });
}

const sentences = suite('sentences');

for (const [source, place] of [
  [`/** ${words(31)}. */`, '1:5'],
  [`/** Returns it. ${words(31)}. */`, '1:17'],
  [`/**\n * Returns it.\n * ${words(20)}\n * ${words(11)}.\n */`, '3:4'],
  [`// ${words(20)}\n// ${words(11)}.`, '1:4'],
  [`const a = '${words(31)}';`, '1:12'],
  [`const a = '${words(20)} ' +\n  '${words(11)}';`, '1:12'],
  [`const a = \`\${b} is. \${b} ${words(30)}\`;`, '1:21'],
  [`const a = \`\${f('${words(31)}')}\`;`, '1:17'],
  [`const a = '${words(2)}.\\n${words(31)}';`, '1:20'],
]) {
  sentences(`a long sentence is refused: ${source!.slice(0, 40)}`, () => {
    assert.equal(
      check(source!).map((finding) => finding.split(' ')[0]),
      [place],
    );
  });
}

for (const source of [
  `/** ${words(30)}. */`,
  `/** ${words(20)}. ${words(20)}. */`,
  `/** ${words(20)}. veritrail ${words(20)}. */`,
  `/** ${words(28)} \`a b c d e f\` end. */`,
  `/** Returns one of:\n *\n * - ${words(20)}\n * - ${words(20)}\n */`,
  `/** Returns it: ${words(20)}\n * @throws Refusal ${words(20)}\n */`,
  `/**\n * Runs:\n *\n *     ${words(40)}\n */`,
  `const a = 'SELECT ${words(40)}';`,
  `const a = f('${words(20)}', '${words(20)}');`,
  `const a = 'Usage:\\n  --one ${words(20)}\\n  --two ${words(20)}';`,
]) {
  sentences(`a sentence is accepted: ${source.slice(0, 40)}`, () => {
    assert.equal(check(source), []);
  });
}

sentences('a sentence in JSX includes inline elements and expressions', () => {
  const page = (text: string) =>
    `const Page = () => <div a="b" {...c}>\n  {d && <p>${text}</p>}\n</div>;\n// Reads it.`;
  assert.equal(check(page(`${words(15)} <b>it's {e}</b>${words(13)}`), 'src/a.tsx'), []);
  assert.equal(check(page(`It is. ${words(15)} <b>it's {e}</b> ${words(14)}`), 'src/a.tsx'), [
    '2:19 W0 W1 W2 W3 W4 W5',
  ]);
  assert.equal(check(page(`${words(20)}<br />${words(20)}</p><p>${words(20)}`), 'src/a.tsx'), []);
});

sentences('sentences in Markdown are read without code and cell by cell', () => {
  assert.equal(check(`# A\n\nIt is. ${words(31)}.\n`, 'README.md'), ['3:8 W0 W1 W2 W3 W4 W5']);
  assert.equal(check(`| a | ${words(31)} |\n`, 'README.md'), ['1:7 W0 W1 W2 W3 W4 W5']);
  assert.equal(check(`| ${words(20)} | ${words(20)} |\n| --- | --- |\n`, 'README.md'), []);
  assert.equal(check(`# ${words(20)}\n${words(20)}:\n\`\`\`\n${words(40)}\n\`\`\`\n`, 'README.md'), []);
  assert.equal(check(`- ${words(20)}\n- ${words(20)}\n1. ${words(20)}\n`, 'README.md'), []);
});

const command = suite('npm run words');

command('npm run words reads the files under the given paths', () => {
  const script = `${ROOT}/scripts/check-words.ts`;
  const run = (...places: string[]) =>
    spawnSync(process.execPath, ['--import', 'tsx', script, ...places], { cwd: ROOT, encoding: 'utf8' });
  const result = run('scripts/words/', 'test/project/words.test.ts');
  assert.match(result.stdout, /^\d+ files, 0 findings\n$/);
  assert.is(result.status, 0);
  assert.is(run('no/such/folder').status, 1);
});

for (const suiteOfWords of [names, beginnings, sentences, command]) suiteOfWords.run();
