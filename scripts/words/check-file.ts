import { readFileSync } from 'node:fs';
import { blankOut, HARD_BREAK, type Prose, sentencesOf } from './prose.ts';
import { readSource } from './read-source.ts';

/** A place in a file. Lines and columns count from 1. */
interface Place {
  file: string;
  line: number;
  column: number;
}
/** A text to change: the name, or its first words. */
export type Finding = Place & { text: string; advice: string };
/** A name that a file exports, where the file declares it. */
export type ExportedName = Place & { name: string };

/** `words` and `names` say what an exported name should say instead. In `terms`, a refused word is clear. */
interface Vocabulary {
  words: Record<string, string>;
  names: Record<string, string>;
  /** Words that must not begin a comment. */
  beginnings: string[];
  terms: string[];
}

const VOCABULARY = JSON.parse(readFileSync(new URL('vocabulary.json', import.meta.url), 'utf8')) as Vocabulary;
/** A sentence may have this many words. Aim at 25. */
const MAX_SENTENCE_WORDS = 30;
const MAX_QUOTED_WORDS = 6;
const DECLARATION =
  /^export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:const|let|var|function\s*\*?|class|interface|type|enum)\s+([A-Za-z_$][\w$]*)/gm;
/** `export const { a, b: c } = …` and `export { a as b };`, but not `export { a } from …`, which names another file's. */
const EXPORT_LIST = /^export\s+(?:type\s+|const\s+)?\{([^}]*)\}(?!\s*from\b)/gm;
/** A name in such a list. A name after `as` or `:` is the exported one. */
const LISTED_NAME = /(?:[\w$]+\s*(?:\bas\b|:)\s*)?(?:type\s+)?([A-Za-z_$][\w$]*)\s*(?:=[^,]*)?(?:,|$)/g;
/** Code of other languages in a string: SQL, and blocks in braces such as CSS. */
const OTHER_LANGUAGE =
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|PRAGMA|ALTER|DROP|FROM|WHERE|JOIN|UNION|AND|OR|ORDER)\b|[{};]\s*\n\s*[\w.#}]/;

/** Returns everything in a file that docs/glossary.md forbids. `file` is its path from the project's root. */
export function checkFile(file: string, source: string): { findings: Finding[]; exports: ExportedName[] } {
  const { remarks, names } = file.endsWith('.md')
    ? { remarks: checkMarkdown(source), names: [] }
    : checkSource(file, source);
  const findings = remarks
    .sort((one, other) => one.offset - other.offset)
    .map(({ offset, text, advice }) => ({ file, ...placeOf(source, offset), text, advice }));
  return { findings, exports: names.map(({ name, offset }) => ({ name, file, ...placeOf(source, offset) })) };
}

/** Finds names that several files export: a search for one would find the others. An index.ts exports other files' names. */
export function findDuplicates(exports: readonly ExportedName[]): Finding[] {
  const first = new Map<string, ExportedName>();
  return exports.flatMap((exported) => {
    if (exported.file.endsWith('/index.ts')) return [];
    const earlier = first.get(exported.name);
    if (earlier === undefined) first.set(exported.name, exported);
    if (earlier === undefined || earlier.file === exported.file) return [];
    const { name, ...place } = exported;
    return [{ ...place, text: name, advice: `${earlier.file} exports another "${name}": rename one of them` }];
  });
}

interface Remark {
  /** The offset in the file. */
  offset: number;
  text: string;
  advice: string;
}

function checkSource(file: string, source: string): { remarks: Remark[]; names: { name: string; offset: number }[] } {
  const { comments, strings, jsxTexts, code } = readSource(source, { jsx: file.endsWith('x') });
  const names = exportedNames(code);
  const remarks = [
    ...names.flatMap(({ name, offset }) => checkName(name, offset)),
    ...comments.flatMap((comment) => [...checkBeginnings(comment), ...checkSentences(comment)]),
    ...strings.filter(({ text }) => !OTHER_LANGUAGE.test(text)).flatMap(checkSentences),
    ...jsxTexts.flatMap(checkSentences),
  ];
  return { remarks, names };
}

function exportedNames(code: string): { name: string; offset: number }[] {
  const declared = [...code.matchAll(DECLARATION)].map((match) => ({
    name: match[1]!,
    offset: match.index + match[0].length - match[1]!.length,
  }));
  const listed = [...code.matchAll(EXPORT_LIST)].flatMap((list) => {
    const begin = list.index + list[0].indexOf('{') + 1;
    return [...list[1]!.matchAll(LISTED_NAME)].map((match) => ({
      name: match[1]!,
      offset: begin + match.index + match[0].lastIndexOf(match[1]!),
    }));
  });
  return [...declared, ...listed];
}

function checkName(name: string, offset: number): Remark[] {
  const advice = Object.hasOwn(VOCABULARY.names, name) ? VOCABULARY.names[name] : undefined;
  if (advice !== undefined)
    return [{ offset, text: name, advice: `the exported name "${name}" is unclear: say ${advice}` }];
  return wordsInName(withoutTerms(name)).flatMap((part) => {
    const instead = Object.hasOwn(VOCABULARY.words, part) ? VOCABULARY.words[part] : undefined;
    return instead === undefined
      ? []
      : [{ offset, text: name, advice: `"${part}" in the exported name "${name}": say ${instead}` }];
  });
}

/** Returns the name's words without those of a term. */
function withoutTerms(name: string): string {
  const words = wordsInName(name).join(' ');
  return VOCABULARY.terms.reduce((remaining, term) => remaining.replaceAll(term, ''), words).replaceAll(' ', '_');
}

/** Returns a name's words in lower case: `readHTTPBody` and `READ_HTTP_BODY` are read, http and body. */
export function wordsInName(name: string): string[] {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1$3_$2')
    .toLowerCase()
    .split(/[_$]+/)
    .filter((part) => part !== '');
}

/** Checks the first word of a comment, and of each paragraph in it. */
function checkBeginnings({ start, text }: Prose): Remark[] {
  // "Of course" may begin a comment.
  return [...text.matchAll(/(?:^|\n[ \t]*\n)\s*([A-Za-z]+)(?! course\b)/g)].flatMap((match) => {
    const word = match[1]!;
    if (!VOCABULARY.beginnings.includes(word.toLowerCase())) return [];
    const begin = match.index + match[0].length - word.length;
    return [
      {
        offset: start + begin,
        text: firstWords(text.slice(begin)),
        advice: `a comment begins with "${word}": say what the thing does ("Returns …", "Refuses …") or is ("The key under which …")`,
      },
    ];
  });
}

function checkSentences(prose: Prose): Remark[] {
  return sentencesOf(prose)
    .filter(({ words }) => words > MAX_SENTENCE_WORDS)
    .map(({ start, text, words }) => ({
      offset: start,
      text: firstWords(text),
      advice: `a sentence of ${words} words: at most ${MAX_SENTENCE_WORDS}, make two or three`,
    }));
}

function checkMarkdown(source: string): Remark[] {
  const text = source
    .replace(/^(```|~~~)[\s\S]*?^\1/gm, blankOut)
    .replace(/<!--[\s\S]*?-->/g, blankOut)
    // Each cell of a table and each heading is a text of its own.
    .replace(/^\s*\|.*$/gm, (row) => row.replace(/(?<!\\)\|/g, HARD_BREAK))
    .replace(/^#+ .*\n/gm, (heading) => `${HARD_BREAK}${heading.slice(1, -1)}${HARD_BREAK}`)
    .replace(/\]\([^)\s]*\)/g, (link) => `]${' '.repeat(link.length - 1)}`);
  return checkSentences({ start: 0, text });
}

function firstWords(text: string): string {
  return text.trim().split(/\s+/).slice(0, MAX_QUOTED_WORDS).join(' ');
}

function placeOf(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}
