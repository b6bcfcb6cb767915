/**
 * No input meets a regular expression that backtracks without a bound. Each expression of `src` is run over long texts that
 * are built from it. Write a loop, or an expression whose parts can't match the same text in several ways.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { transformSync } from 'esbuild';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
/** A linear expression needs about 1 ms for so many characters, a quadratic one seconds. A text has at most 10,000. */
const LENGTH = 100_000;
/** A busy machine may make one run slow, but hardly three. */
const LIMIT_MS = 300;
const RUNS = 3;

const SERVER = 'a message of a database’s client library';
/** Quadratic expressions, with the longest text that they get. */
const BOUNDED: Readonly<Record<string, { length: number; why: string }>> = {
  '/\\/+$/': { length: 2_000, why: 'a setting of the operator' },
  '/^[^/?]*:\\/*[^/?]*@/': { length: 2_000, why: 'MAX_URI_LENGTH of redirects' },
  '/^(.+?)\\1+$/u': { length: 1_000, why: 'a password' },
  '/\\s*[([][^()[\\]]*[)\\]]\\s*$/': { length: 200, why: 'MAX_HEADING_CHARACTERS' },
  '/\\s+\\S*$/': { length: 200, why: 'MAX_NAME_LENGTH' },
  '/\\s+(?:am|on)$/i': { length: 200, why: 'MAX_HEADING_CHARACTERS' },
  '/[\\s,;:–-]+$/': { length: 200, why: 'the beginning of a line, cut to the length of a name' },
  '/"[^"]*"|\\\\.|[_*].|\\[[^\\]]*\\]/g': { length: 255, why: 'MAX_CODE_CHARACTERS of a number format' },
  '/Failed to connect|connection .* closed|Connection dropped|ECONNRESET|socket hang up/i': {
    length: 4_000,
    why: SERVER,
  },
  '/RST_STREAM.*internal client error/i': { length: 4_000, why: SERVER },
  '/<\\s*([^<>\\s]+@[^<>\\s]+)\\s*>$/': { length: 400, why: 'MAX_WORD_CHARACTERS' },
};

/** The number of expressions that are built of parts, by file. Review a new one by hand: no attack is built from it here. */
const BUILT: Readonly<Record<string, number>> = {
  'stores/unreadable-row.ts': 1,
  'commands/engine/forbidden-characters.ts': 1,
  'commands/engine/normalize.ts': 2,
  'identity/sign-in/common-passwords.ts': 1,
  'identity/tokens/token.ts': 1,
  'reports/formats/escape-html.ts': 1,
  'reports/formats/report-csv.ts': 2,
  // The names of a form's inputs. Each repetition takes a separator, and begins after one of a few words.
  'web/register/forms/refused-form.ts': 1,
  'web/texts/role-labels.ts': 1,
  // Anchored at both ends, with one repetition and a tail of fixed length.
  'queries/records/member-names.ts': 1,
};

interface Expression {
  source: string;
  flags: string;
  file: string;
}

/** A `/` begins an expression after these characters and words; after others it divides. */
const BEFORE_EXPRESSION = /(?:^|[=(,:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of))\s*$/;
const TOKEN =
  /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`|\/((?![*/])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[\n])+)\/([a-z]*)|[{}]|[^"'`/{}]+|\//gsy;

/** Returns the literals of JavaScript. Within templates, only the code in braces is read. */
function literalsIn(code: string): Omit<Expression, 'file'>[] {
  const found: Omit<Expression, 'file'>[] = [];
  /** Depth of braces in each template that is open. */
  const templates: number[] = [];
  let at = 0;
  const skipTemplateText = () => {
    const text = /(?:\\.|\$(?!\{)|[^`\\$])*(`|\$\{)/sy;
    text.lastIndex = at;
    const match = text.exec(code)!;
    at = text.lastIndex;
    if (match[1] === '`') templates.pop();
  };
  while (at < code.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(code);
    if (match === null) throw new Error(`not understood: ${code.slice(at, at + 100)}`);
    const [token, source, flags] = match;
    if (source !== undefined && !BEFORE_EXPRESSION.test(code.slice(Math.max(0, at - 20), at))) {
      at += 1;
      continue;
    }
    at += token.length;
    if (source !== undefined) found.push({ source, flags: flags! });
    if (token === '`') {
      templates.push(0);
      skipTemplateText();
    } else if (token === '{' && templates.length > 0) templates[templates.length - 1]! += 1;
    else if (token === '}' && templates.length > 0) {
      if (templates.at(-1) === 0) skipTemplateText();
      else templates[templates.length - 1]! -= 1;
    }
  }
  return found;
}

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(?:tsx?|js)$/.test(path));

const codeOf = (file: string): string =>
  transformSync(readFileSync(join(SRC, file), 'utf8'), {
    loader: file.endsWith('x') ? 'tsx' : 'ts',
    jsx: 'automatic',
    target: 'esnext',
    minifyWhitespace: true,
    legalComments: 'none',
  }).code;

const codes = new Map(sources.map((file) => [file, codeOf(file)]));
const repeats = ({ source }: Pick<Expression, 'source'>) => /[*+]|\{\d+,/.test(source);
const literals = [...codes].flatMap(([file, code]) => literalsIn(code).map((literal) => ({ ...literal, file })));

/** Characters of many kinds, for expressions that no matching text could be built of. */
const CHARACTERS = [...'a0 \n\t-_/\\"\'<>()[]{}.,:;=#*|&%', '\u00e9', '\u0301', '\u3000', '\u200b'];

/** Returns short texts that an expression matches, or nearly matches. */
function samplesOf({ source, flags }: Omit<Expression, 'file'>): string[] {
  // fast-check takes minutes for a class that leaves out a range.
  if (source.includes('[^\\0-')) return [];
  const plain = source.replaceAll(/\(\?<?[!=](?:\\.|\[(?:\\.|[^\]\\])*\]|[^()\\[])*\)/g, '');
  try {
    const matching = fc.stringMatching(new RegExp(plain, flags.replaceAll(/[gyi]/g, '')), { size: '-1' });
    return fc.sample(matching, { seed: 39, numRuns: 4 }).map((text) => text.slice(0, 40));
  } catch {
    return [source.replaceAll(/\\[a-zA-Z]|[\\()[\]{}?*+|^$]/g, '').slice(0, 40)];
  }
}

/** Yields long texts: one part of a matching text is repeated, and the end doesn't match. */
function* attacks(expression: Omit<Expression, 'file'>, length: number): Generator<string> {
  const seen = new Set<string>();
  for (const sample of ['', ...samplesOf(expression)]) {
    const parts = [...sample].flatMap((character, index) => [
      [sample.slice(0, index), character],
      [sample.slice(0, index), sample.slice(index, index + 2)],
      ['', sample.slice(0, index + 1)],
    ]);
    const all = sample === '' ? CHARACTERS.map((character) => ['', character]) : parts;
    for (const [start, part] of all as [string, string][]) {
      if (seen.has(`${start} ${part}`)) continue;
      seen.add(`${start} ${part}`);
      const body = part.repeat(Math.ceil(length / part.length)).slice(0, length);
      yield `${start}${body}\u0000`;
      yield `${start}${body}${sample.slice(start.length + part.length)}! a`;
      yield `${start}${body} ${sample || part}`;
    }
  }
}

const context = vm.createContext({ text: '', expression: /x/ });
const run = new vm.Script('text.replace(expression, "")');

/** Returns true if an expression runs over a text within the limit. */
function isQuick(expression: RegExp, text: string): boolean {
  Object.assign(context, { text, expression });
  for (let n = 0; n < RUNS; n++) {
    try {
      run.runInContext(context, { timeout: LIMIT_MS });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    }
  }
  return false;
}

/** Returns a text over which an expression is slow, cut; undefined if none was found. */
function slowText(expression: Omit<Expression, 'file'>, length = LENGTH): string | undefined {
  const compiled = new RegExp(expression.source, expression.flags);
  for (const text of attacks(expression, length))
    if (!isQuick(compiled, text)) return JSON.stringify(text.slice(0, 60));
  return undefined;
}

const test = suite('regular expressions');

test('attacks find expressions that backtrack', () => {
  for (const { source, flags } of [/\d+(?!.*\d)/s, /(a+)+$/, /^(\w+\s?)*$/, /\s+$/, /"(?:a|"")*b/, /<!--.*-->/g]) {
    assert.ok(slowText({ source, flags }), source);
  }
  for (const { source, flags } of [/\d+/g, /^[a-z]+-\d+$/, /^(?:[^\S\n]*(?:#[^\n]*)?\n)*x/]) {
    assert.is(slowText({ source, flags }), undefined, source);
  }
});

test('every expression of src is quick over long texts, or has a short bound', () => {
  assert.ok(literals.length > 250, `${literals.length} literals`);
  const distinct = new Map(literals.map((one) => [`/${one.source}/${one.flags}`, one]));
  const slow = [...distinct].flatMap(([text, expression]) => {
    if (!repeats(expression)) return [];
    const example = slowText(expression, BOUNDED[text]?.length);
    return example === undefined ? [] : [`${text} in ${expression.file}: ${example}`];
  });
  assert.equal(slow, []);
  for (const text of Object.keys(BOUNDED)) assert.ok(distinct.has(text), `${text} is gone: remove it from BOUNDED`);
});

test('every expression that is built of parts is listed', () => {
  const counts = [...codes].map(([file, code]) => [file, code.split('new RegExp(').length - 1] as const);
  assert.equal(Object.fromEntries(counts.filter(([, count]) => count > 0)), BUILT);
});

test.run();
