/** Characters that Markdown could read as markup. */
const MARKUP = /[\\`*[\]<>|&~@]/g;
/** An underscore at the edge of a word begins or ends emphasis. Inside a word it doesn't. */
const EDGE_UNDERSCORE = /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** Escapes a text of the register for Markdown and puts it on one line. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(MARKUP, '\\$&')
    .replace(EDGE_UNDERSCORE, '\\_')
    .replaceAll('://', '\\://')
    .replace(/\bwww\./gi, (match) => `${match.slice(0, -1)}\\.`);
}
