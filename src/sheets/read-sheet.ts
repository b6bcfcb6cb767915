import { open } from 'node:fs/promises';
import { type Cell, displayText, fileRefusal, type RawSheet } from './cell.ts';
import { openCsv } from './open-csv.ts';
import { openXlsx } from './open-xlsx.ts';

export interface SheetRow {
  /** As a spreadsheet program counts: the header is 1 where it is the first row, blank rows count. */
  row: number;
  /** By header; blank cells are left out. */
  cells: ReadonlyMap<string, Cell>;
  /** Why the row as a whole cannot be trusted: a clause that follows "row 7". */
  problem?: string;
}

export interface Sheet {
  /** The texts of the first row that is not blank, from left to right. Columns without one are left out. */
  headers: readonly string[];
  /** The rows below it that are not blank, once. @throws Refusal where the file cannot be read further */
  rows: AsyncIterable<SheetRow>;
  /** The share of the file that has been read, 0 to 1. */
  progress(): number;
  /** Lets go of the file; needed only where the rows were not read, to their end or until the loop was left. */
  close(): void;
}

/**
 * Opens a table in a CSV (comma, semicolon or tab; UTF-8 or UTF-16) or XLSX file, told apart by their content. The rows
 * stream: of any number of them, one chunk of the file is held at a time, beside the shared texts of a workbook.
 * @param options.sheet of a workbook, by name; the first visible one unless given
 * @throws Refusal invalid_input where there is no such file or sheet, no header, or two equal headers
 */
export async function readSheet(path: string, options: { sheet?: string } = {}): Promise<Sheet> {
  const raw = await openRaw(path, options.sheet);
  try {
    const first = await raw.rows.next();
    if (first.done) throw fileRefusal('The sheet is empty: give one whose first row names its columns.');
    const columns = headersOf(first.value.cells);
    return {
      headers: [...columns.values()],
      rows: namedRows(raw, columns),
      progress: raw.progress,
      close: raw.close,
    };
  } catch (error) {
    raw.close();
    throw error;
  }
}

async function openRaw(path: string, sheet: string | undefined): Promise<RawSheet> {
  const { start, size } = await inspect(path).catch(() => {
    throw fileRefusal('The file cannot be read: check its name and that you may read it.');
  });
  if (start.startsWith('504b0304')) return await openXlsx(path, sheet);
  if (start.startsWith('d0cf11e0')) {
    throw fileRefusal(
      'This is a workbook with a password or of the old .xls kind: save it as .xlsx without a password.',
    );
  }
  if (sheet !== undefined) throw fileRefusal('A CSV has no sheets: leave the name of the sheet out.');
  return openCsv(path, size);
}

/** The size in bytes, and the first four in hexadecimal: they tell a zip, and the container of older workbooks. */
async function inspect(path: string): Promise<{ start: string; size: number }> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return { start: buffer.toString('hex', 0, bytesRead), size: (await file.stat()).size };
  } finally {
    await file.close();
  }
}

/** Headers by column. @throws Refusal for two that are equal: which one is meant cannot be said */
function headersOf(cells: ReadonlyMap<number, Cell>): ReadonlyMap<number, string> {
  const columns = new Map<number, string>();
  const seen = new Set<string>();
  for (const [column, cell] of [...cells].sort(([a], [b]) => a - b)) {
    const header = displayText(cell).trim().replace(/\s+/g, ' ');
    if (seen.has(header)) throw fileRefusal(`Two columns are called "${header}": rename one of them.`);
    seen.add(header);
    columns.set(column, header);
  }
  return columns;
}

async function* namedRows(raw: RawSheet, columns: ReadonlyMap<number, string>): AsyncGenerator<SheetRow> {
  try {
    for await (const { row, cells, problem } of raw.rows) {
      const named = new Map<string, Cell>();
      for (const [column, header] of columns) {
        const cell = cells.get(column);
        if (cell) named.set(header, cell);
      }
      if (named.size > 0 || problem !== undefined) yield { row, cells: named, ...(problem ? { problem } : {}) };
    }
  } finally {
    raw.close();
  }
}
