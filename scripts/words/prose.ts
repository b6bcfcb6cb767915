/** A text in a file. `text` has one character for each of the source's, so an offset in it plus `start` is a place. */
export interface Prose {
  start: number;
  text: string;
}

/** A sentence, where its first word stands in the file. */
export interface Sentence {
  start: number;
  text: string;
  words: number;
}

/** Ends a sentence: a full stop, question or exclamation mark that no small letter follows, but for our own name. */
const SENTENCE_END = /[.!?]["'”’)\]*_]*(?=\s+(?:veritrail\b|(?![\s\p{Ll}]))|\s*$)/u;
/** Stands where a text is interrupted, such as between two cells of a table. */
export const HARD_BREAK = '\f';

/** Ends a sentence too: an empty line, the next item of a list, the next option of a help text, the next tag of a doc comment. */
const BREAK = /\f+|\n\s*\n|\n(?=[ \t]*(?:[-*•·] |\d+\. |@[a-z]|--?[a-z]))/;

/** Returns as many spaces as the text is long. Lines stay lines. */
export function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

/** Replaces escapes of a string literal. The length stays, so places stay true. */
export function resolveEscapes(text: string): string {
  return text.replace(/\\n|\\(['"`$\\])/g, (code, character) => (code === '\\n' ? '\n\n' : ` ${character}`));
}

/** Splits a text into its sentences. Code in backticks counts as one word, an HTML tag as none. */
export function sentencesOf({ start, text }: Prose): Sentence[] {
  const plain = text
    .replace(/`[^`\n]+`/g, (code) => 'x'.repeat(code.length))
    .replace(/<\/?[a-z][^<>]*>/g, (tag) => HARD_BREAK.repeat(tag.length));
  return split(plain, BREAK).flatMap((block) =>
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

/** Returns the pieces of a text between matches. A match belongs to the piece before it. */
function split(text: string, pattern: RegExp): { from: number; to: number }[] {
  const ends = [...text.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map(
    ({ index, 0: end }) => index + end.length,
  );
  const starts = [0, ...ends];
  return starts.map((from, index) => ({ from, to: starts[index + 1] ?? text.length }));
}
