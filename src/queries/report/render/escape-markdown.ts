/** What could be taken for markup rather than for data. */
const MARKUP = /[\\`*[\]<>|&~@]/g;
/** Within a word a line below is none; at its edge it begins or ends what is printed otherwise. */
const EDGE = /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** A text of the register's as Markdown shows it literally, on one line. */
export function escaped(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(MARKUP, '\\$&')
    .replace(EDGE, '\\_')
    .replaceAll('://', '\\://')
    .replace(/\bwww\./gi, (match) => `${match.slice(0, -1)}\\.`);
}
