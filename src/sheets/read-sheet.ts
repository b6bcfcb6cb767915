import { displayText, fileRefusal, MAX_ROW_CHARACTERS, type RawRow, type RawSheet } from './cells/cell.ts';
import { findHeadings, type Headings, headingsAt } from './find-headings.ts';
import { type SheetRow, TableRows } from './table-rows.ts';
import type { OpenWorkbook, Workbook } from './workbook.ts';
import { columnName } from './xlsx/sheet-xml.ts';

export interface Sheet {
  /** The name of a workbook's sheet; empty for a CSV. */
  name: string;
  /** The row that names the columns; 0 without one. */
  headingRow: number;
  /** The texts of that row. Columns without a heading are left out. */
  headers: readonly string[];
  /** The first rows of the table, which `rows` has too. */
  sample: readonly SheetRow[];
  /** Sentences about guesses: the sheet, the row of the headings, the encoding. */
  notices: readonly string[];
  /** The rows below the headings that are not blank. Can be read once. @throws Refusal if reading fails */
  rows: AsyncIterable<SheetRow>;
  /** The share of the file that has been read, 0 to 1. */
  progress(): number;
  /** Closes the file. Reading the rows to the end, or leaving the loop, closes it too. */
  close(): void;
}

export interface SheetOptions {
  /**
   * The name of a workbook's sheet. By default the visible one whose headings name the most fields, or if none names a
   * field, the one with the most filled cells.
   */
  sheet?: string | undefined;
  /** Prefers the sheet with the most filled cells under such headings: beside a long table, a list of terms names fields too. */
  prefersLong?: boolean;
  /** The number of the row that names the columns; 0 for columns A, B and so on. By default the one that names the most fields. */
  headingRow?: number | undefined;
  /** The encoding of a CSV. By default UTF-8, else windows-1252. */
  encoding?: string | undefined;
  /** Returns true for a heading that names a field. Without it, the first row that is not blank has the headings. */
  namesField?: ((heading: string) => boolean) | undefined;
}

const SEARCHED_ROWS = 40;
/** Rows of a table that show what its columns contain. */
const SAMPLE_ROWS = 200;
/** Limits the memory of the first rows, in characters. */
const MAX_BUFFERED_CHARACTERS = 8 * MAX_ROW_CHARACTERS;
const MAX_SEARCHED_SHEETS = 30;
/** Stands for the row of headings that a sheet doesn't have. */
const NO_HEADINGS: RawRow = { row: 0, cells: new Map() };

/** A sheet, open, with its first rows and the headings in them. */
interface FoundTable {
  index: number;
  raw: RawSheet;
  first: RawRow[];
  headings: Headings;
}

/**
 * Opens a spreadsheet and finds its table. Rows are streamed. A CSV is never in memory as a whole, a workbook only in the
 * process that reads it.
 * @param openWorkbook in a process of its own, for a file that somebody chose
 * @throws Refusal invalid_input for a missing file, sheet or heading row
 */
export async function readSheet(openWorkbook: OpenWorkbook, path: string, options: SheetOptions = {}): Promise<Sheet> {
  const workbook = await openWorkbook(path, options.encoding);
  try {
    const indexes = sheetsToSearch(workbook, options.sheet);
    const found = await findTable(workbook, indexes, options);
    const { raw, first, headings, index } = found;
    const row = first[headings.index] ?? NO_HEADINGS;
    const table = new TableRows(headings.columns, row);
    const sample = first.slice(headings.index + 1).flatMap((row) => table.read(row));
    const { name } = workbook.sheets[index]!;
    return {
      name,
      headingRow: row.row,
      headers: [...headings.columns.values()],
      sample,
      notices: noticesOf(workbook, found, options),
      rows: tableRows(sample, raw, table),
      progress: raw.progress,
      close: raw.close,
    };
  } catch (error) {
    workbook.close();
    throw error;
  }
}

/** Returns the sheets among which the table is searched: the named one, else the visible ones. */
function sheetsToSearch({ sheets }: Workbook, name: string | undefined): number[] {
  const indexes = [...sheets.keys()];
  if (name === undefined) {
    const visible = indexes.filter((index) => sheets[index]!.visible);
    return (visible.length > 0 ? visible : indexes).slice(0, MAX_SEARCHED_SHEETS);
  }
  const names = sheets.map((sheet) => sheet.name);
  if (names.every((text) => text === '')) throw fileRefusal('A CSV has no sheets. Leave the name of the sheet out.');
  const index = names.findIndex((text) => text.trim().toLowerCase() === name.trim().toLowerCase());
  if (index === -1) throw fileRefusal(`The workbook has no sheet "${name}". Give one of ${names.join(', ')}.`, names);
  return [index];
}

/**
 * Opens the sheet whose headings name the most fields, or that has the most cells under them; the first of several that are
 * equal. If none names a field, as in an unknown language, it is the one whose first rows have the most cells: notes beside a
 * table are shorter or narrower.
 */
async function findTable(workbook: Workbook, indexes: readonly number[], options: SheetOptions): Promise<FoundTable> {
  let best: { index: number; rank: number; cellCount: number } | undefined;
  for (const index of indexes) {
    const table = await openTable(workbook, index, options);
    if (table === null) continue;
    if (indexes.length === 1) return table;
    await table.raw.rows.return();
    const rank = options.prefersLong ? namedCells(table, options) : table.headings.fieldCount;
    const cellCount = table.first.reduce((sum, { cells }) => sum + cells.size, 0);
    const isFuller = best?.rank === 0 && cellCount > best.cellCount;
    if (best === undefined || rank > best.rank || (rank === 0 && isFuller)) best = { index, rank, cellCount };
  }
  const table = best && (await openTable(workbook, best.index, options));
  if (!table) throw fileRefusal('The sheet is empty. Give one with a row that names its columns.');
  return table;
}

/** Returns the number of filled cells under headings that name fields, in the first rows. */
function namedCells({ first, headings }: FoundTable, { namesField = () => false }: SheetOptions): number {
  const named = [...headings.columns].flatMap(([column, heading]) => (namesField(heading) ? column : []));
  const rows = first.slice(headings.index + 1);
  return rows.reduce((sum, { cells }) => sum + named.filter((column) => cells.has(column)).length, 0);
}

/** Opens a sheet and reads its first rows. Returns null for an empty one. */
async function openTable(workbook: Workbook, index: number, options: SheetOptions): Promise<FoundTable | null> {
  const raw = await workbook.open(index);
  const first: RawRow[] = [];
  const { headingRow, namesField } = options;
  const isSearched = () => first.length < SEARCHED_ROWS || first.at(-1)!.row < (headingRow ?? 0);
  await readInto(first, raw, isSearched);
  if (first.length === 0) return null;
  const headings = chooseHeadings(first, headingRow, namesField);
  await readInto(first, raw, () => first.length - headings.index <= SAMPLE_ROWS);
  return { index, raw, first, headings };
}

async function readInto(rows: RawRow[], raw: RawSheet, isWanted: () => boolean): Promise<void> {
  let characters = rows.reduce((sum, row) => sum + lengthOf(row), 0);
  while (isWanted() && (characters < MAX_BUFFERED_CHARACTERS || rows.length === 0)) {
    const next = await raw.rows.next();
    if (next.done) return;
    rows.push(next.value);
    characters += lengthOf(next.value);
  }
}

function lengthOf({ cells }: RawRow): number {
  return [...cells.values()].reduce((sum, cell) => sum + displayText(cell).length, 0);
}

function chooseHeadings(
  first: readonly RawRow[],
  headingRow: number | undefined,
  namesField: SheetOptions['namesField'] = () => false,
): Headings {
  const searched = first.slice(0, SEARCHED_ROWS);
  if (headingRow === 0) {
    const width = 1 + Math.max(...first.flatMap(({ cells }) => [...cells.keys()]));
    const columns = new Map(Array.from({ length: width }, (_, column) => [column, columnName(column)]));
    return { index: -1, columns, fieldCount: 0 };
  }
  if (headingRow !== undefined) {
    const index = first.findIndex(({ row }) => row === headingRow);
    if (index === -1) throw fileRefusal(`Row ${headingRow} is blank. Give the number of the row with the headings.`);
    return headingsAt(first, index, namesField);
  }
  return findHeadings(searched, namesField);
}

/** Tells what was chosen, and why. */
function noticesOf(workbook: Workbook, { index, first, headings }: FoundTable, options: SheetOptions): string[] {
  const { name } = workbook.sheets[index]!;
  const { row } = first[headings.index] ?? NO_HEADINGS;
  const others = workbook.sheets.filter((sheet) => sheet.visible && sheet.name !== name).map((sheet) => sheet.name);
  const notices = workbook.notice === undefined ? [] : [workbook.notice];
  if (options.sheet === undefined && others.length > 0) {
    const why =
      headings.fieldCount > 0
        ? options.prefersLong
          ? 'it has the most filled cells under headings that name fields'
          : 'its headings name the most fields'
        : 'no sheet has a heading that names a field, and it has the most filled cells';
    notices.push(
      `Sheet "${name}" was read, because ${why}. The others are ${others.join(', ')}; choose one with --sheet.`,
    );
  }
  if (options.headingRow !== undefined || options.namesField === undefined) return notices;
  if (headings.fieldCount === 0) {
    notices.push(
      `No row names fields, so row ${row} was taken for the headings. Give another with --header-row, or 0 if there is none.`,
    );
  } else if (row > 1) {
    notices.push(`Row ${row} has the headings, because it names the most fields. Give another with --header-row.`);
  }
  return notices;
}

async function* tableRows(
  sample: readonly SheetRow[],
  raw: RawSheet,
  table: TableRows,
): AsyncGenerator<SheetRow, void, undefined> {
  try {
    yield* sample;
    for await (const row of raw.rows) yield* table.read(row);
  } finally {
    raw.close();
  }
}
