import { displayText, type RawRow } from './cells/cell.ts';

/** The row of a sheet that names its columns. */
export interface Headings {
  /** Its place in the rows that were searched. The rows after it are the table. */
  index: number;
  /** The headings by column, each different from the others. */
  columns: ReadonlyMap<number, string>;
  /** The number of headings that name a field. */
  fieldCount: number;
}

type Texts = ReadonlyMap<number, string>;

/** A row with this share of the cells of the widest row may be the headings, if no row names a field. */
const MIN_WIDTH_SHARE = 0.6;
/** A single cell that names a field is chance, as in a title "Risks". */
const MIN_FIELDS = 2;

/**
 * Finds the row with the most headings that name fields. Two rows together may name the columns: "Inherent" above
 * "Likelihood" and "Impact". If no row names fields, the first wide one counts.
 * @param rows the first rows of a sheet, at least one
 * @param namesField returns true for a heading that names a field
 */
export function findHeadings(rows: readonly RawRow[], namesField: (heading: string) => boolean): Headings {
  const candidates = rows.flatMap((_, index) => candidatesAt(rows, index));
  const counted = candidates.map(({ index, columns }) => {
    const names = new Set([...columns.values()].filter(namesField));
    return { index, columns, fieldCount: names.size };
  });
  // The first of several that are equal: a row alone before one together with the row above.
  const best = counted.reduce((a, b) => (b.fieldCount > a.fieldCount ? b : a));
  const widest = Math.max(...rows.map(({ cells }) => cells.size));
  if (best.fieldCount >= MIN_FIELDS || (best.fieldCount === 1 && widest < MIN_FIELDS + 1)) return best;
  return counted.find(({ index }) => rows[index]!.cells.size >= widest * MIN_WIDTH_SHARE)!;
}

/** Returns the headings in a row that the caller has chosen. */
export function headingsAt(rows: readonly RawRow[], index: number, namesField: (heading: string) => boolean): Headings {
  const [single, double] = candidatesAt(rows, index).map(({ columns }) => ({
    index,
    columns,
    fieldCount: new Set([...columns.values()].filter(namesField)).size,
  }));
  return double !== undefined && double.fieldCount > single!.fieldCount ? double : single!;
}

/** Returns the headings of a row alone, and together with the row directly above it. */
function candidatesAt(rows: readonly RawRow[], index: number): { index: number; columns: Texts }[] {
  const row = rows[index]!;
  const above = rows[index - 1];
  const texts = textsOf(row);
  if (above === undefined || above.row !== row.row - 1) return [{ index, columns: distinct(texts, new Map()) }];
  const groups = textsOf(above);
  const single = { index, columns: distinct(texts, groups) };
  // Headings below their groups stand beside them too: "Impact" has no text above. Else it is a row of the table.
  if ([...texts.keys()].every((column) => groups.has(column))) return [single];
  const combined = new Map([...groups, ...texts].sort(([a], [b]) => a - b));
  return [single, { index, columns: distinct(combined, groups) }];
}

function textsOf({ cells }: RawRow): Texts {
  const texts = [...cells].map(([column, cell]) => [column, displayText(cell).trim().replace(/\s+/g, ' ')] as const);
  return new Map(texts.sort(([a], [b]) => a - b));
}

/** Tells equal headings apart: by the group above them, "Inherent Likelihood", or by numbers, "Risk" and "Risk (2)". */
function distinct(texts: Texts, groups: Texts): Texts {
  const counts = countTexts([...texts.values()]);
  const grouped = new Map(
    [...texts].map(([column, text]) => {
      const group = counts.get(text)! > 1 ? groupOf(column, groups) : undefined;
      return [column, group === undefined || group === text ? text : `${group} ${text}`];
    }),
  );
  const groupedCounts = countTexts([...grouped.values()]);
  const used = new Map<string, number>();
  return new Map(
    [...grouped].map(([column, groupedText]) => {
      const text = groupedCounts.get(groupedText) === 1 ? groupedText : texts.get(column)!;
      const number = (used.get(text) ?? 0) + 1;
      used.set(text, number);
      return [column, number === 1 ? text : `${text} (${number})`];
    }),
  );
}

/** Returns the group of a column: the text above it, or the nearest one to its left. */
function groupOf(column: number, groups: Texts): string | undefined {
  return [...groups].findLast(([groupColumn]) => groupColumn <= column)?.[1];
}

function countTexts(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
