/** A text in a file. `text` is as long as its source, so `start` plus an offset in `text` is an offset in the file. */
export interface Prose {
  start: number;
  text: string;
}

/** A sentence. `start` is the offset of its first word in the file. */
export interface Sentence {
  start: number;
  text: string;
  words: number;
}

/** Matches the end of a sentence: `.`, `!` or `?`, unless a lower-case word other than "veritrail" follows. */
const SENTENCE_END = /[.!?]["'”’)\]*_]*(?=\s+(?:veritrail\b|(?![\s\p{Ll}]))|\s*$)/u;
/** The character that marks an interruption of a text, such as the border between two cells of a table. */
export const HARD_BREAK = '\f';

/** Matches other ends of a sentence: an empty line, and the start of a list item, a command option or a doc tag. */
const BLOCK_BREAK = /\f+|\n\s*\n|\n(?=[ \t]*(?:[-*•·] |\d+\. |@[a-z]|--?[a-z]))/;

/** Replaces every character with a space, but keeps line breaks, so offsets and line numbers stay the same. */
export function blankOut(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

/** Replaces the escapes of a string literal with text of the same length, so offsets stay the same. */
export function resolveEscapes(text: string): string {
  return text.replace(/\\n|\\(['"`$\\])/g, (code, character) => (code === '\\n' ? '\n\n' : ` ${character}`));
}

/** Splits a text into sentences. Code in backticks counts as one word. An HTML tag isn't counted. */
export function sentencesOf({ start, text }: Prose): Sentence[] {
  const plain = text
    .replace(/`[^`\n]+`/g, (code) => 'x'.repeat(code.length))
    .replace(/<\/?[a-z][^<>]*>/g, (tag) => HARD_BREAK.repeat(tag.length));
  return split(plain, BLOCK_BREAK).flatMap((block) =>
    split(plain.slice(block.from, block.to), SENTENCE_END)
      .map(({ from, to }) => ({ from: block.from + from, to: block.from + to }))
      .map(({ from, to }) => ({ from: from + /^\s*/.exec(plain.slice(from, to))![0].length, to }))
      .filter(({ from, to }) => to > from)
      .map(({ from, to }) => ({
        start: start + from,
        text: text.slice(from, to).trim().replace(/\s+/g, ' '),
        words: plain.slice(from, to).match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0,
      })),
  );
}

/** Splits a text after each match of the pattern. Returns the offsets of the pieces. */
function split(text: string, pattern: RegExp): { from: number; to: number }[] {
  const sentenceEnds = [...text.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map(
    ({ index, 0: match }) => index + match.length,
  );
  const starts = [0, ...sentenceEnds];
  return starts.map((from, index) => ({ from, to: starts[index + 1] ?? text.length }));
}
