/** Possible delimiters. If two fit equally well, the earlier wins, because texts may have commas. */
const DELIMITERS = ['\t', ';', '|', ','] as const;
/** The first line of files that tell Excel their delimiter. */
const DECLARED_DELIMITER = /^\s*"?sep=([\t;,|])"?\s*$/i;
const MAX_LINES = 50;

/**
 * Returns the delimiter of a CSV that begins with `start`: the one that the most lines have equally often. A title above
 * the table has few or none, and commas within texts differ from line to line.
 */
export function delimiterOf(start: string): string {
  const lines = linesOf(start);
  const declared = DECLARED_DELIMITER.exec(lines[0] ?? '')?.[1];
  if (declared !== undefined) return declared;
  const unquoted = lines.map((line) => line.replace(/"[^"]*"/g, ''));
  const fits = DELIMITERS.map((delimiter) => ({ delimiter, ...fitOf(delimiter, unquoted) }));
  // A bar may stand in a text of a table with one column.
  const possible = fits.filter(({ delimiter, lines: count }) => delimiter !== '|' || count * 2 > lines.length);
  const best = possible.reduce((a, b) => (b.lines > a.lines || (b.lines === a.lines && b.count > a.count) ? b : a));
  return best.lines === 0 ? ',' : best.delimiter;
}

/** Returns the most common number of delimiters in a line, and the number of lines that have it. */
function fitOf(delimiter: string, lines: readonly string[]): { lines: number; count: number } {
  const linesByCount = new Map<number, number>();
  for (const line of lines) {
    const count = line.split(delimiter).length - 1;
    if (count > 0) linesByCount.set(count, (linesByCount.get(count) ?? 0) + 1);
  }
  let best = { lines: 0, count: 0 };
  for (const [count, lineCount] of linesByCount) {
    if (lineCount > best.lines || (lineCount === best.lines && count > best.count)) best = { lines: lineCount, count };
  }
  return best;
}

/** Splits a text into lines that aren't blank. Line breaks within quotes belong to a line. */
function linesOf(text: string): string[] {
  const lines: string[] = [];
  let isQuoted = false;
  let from = 0;
  for (let index = 0; index <= text.length && lines.length < MAX_LINES; index++) {
    const character = text[index];
    if (character === '"') isQuoted = !isQuoted;
    const isEnd = character === undefined || (!isQuoted && (character === '\n' || character === '\r'));
    if (!isEnd) continue;
    const line = text.slice(from, index);
    if (line.trim() !== '') lines.push(line);
    from = index + 1;
  }
  return lines;
}
