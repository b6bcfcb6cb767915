import { open } from 'node:fs/promises';
import { type Cell, displayText, fileRefusal, type RawSheet } from './cells/cell.ts';
import { openCsv } from './open-csv.ts';
import { openXlsx } from './xlsx/open-xlsx.ts';

export interface SheetRow {
  /** The number in a spreadsheet program: a header in the first row is 1, and blank rows count. */
  row: number;
  /** Cells by header, without blank ones. */
  cells: ReadonlyMap<string, Cell>;
  /** A reason not to trust the whole row: a clause that follows "row 7". */
  problem?: string;
}

export interface Sheet {
  /** The texts of the first row that is not blank. Columns without a header are left out. */
  headers: readonly string[];
  /** The rows below the header that are not blank. Can be read once. @throws Refusal if reading fails */
  rows: AsyncIterable<SheetRow>;
  /** The share of the file that has been read, 0 to 1. */
  progress(): number;
  /** Closes the file. Reading the rows to the end, or leaving the loop, closes it too. */
  close(): void;
}

/**
 * Opens a CSV (comma, semicolon or tab; UTF-8 or UTF-16) or XLSX file, recognized by its content. Rows are streamed: only
 * one chunk of the file and the shared texts of a workbook are in memory.
 * @param options.sheet name of a workbook's sheet; by default the first visible one
 * @throws Refusal invalid_input for a missing file, sheet or header, and for two equal headers
 */
export async function readSheet(path: string, options: { sheet?: string } = {}): Promise<Sheet> {
  const raw = await openRaw(path, options.sheet);
  try {
    const first = await raw.rows.next();
    if (first.done) throw fileRefusal('The sheet is empty. Give one whose first row names its columns.');
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
    throw fileRefusal('The file can’t be read. Check its name and your permissions.');
  });
  if (start.startsWith('504b0304')) return await openXlsx(path, sheet);
  if (start.startsWith('d0cf11e0')) {
    throw fileRefusal('The workbook has a password, or the old .xls format. Save it as .xlsx without a password.');
  }
  if (sheet !== undefined) throw fileRefusal('A CSV has no sheets. Leave the name of the sheet out.');
  return openCsv(path, size);
}

/** Returns the file's size and its first four bytes in hexadecimal, which identify a zip file and an old workbook. */
async function inspect(path: string): Promise<{ start: string; size: number }> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return { start: buffer.toString('hex', 0, bytesRead), size: (await file.stat()).size };
  } finally {
    await file.close();
  }
}

/** Returns the headers by column. @throws Refusal for two equal headers */
function headersOf(cells: ReadonlyMap<number, Cell>): ReadonlyMap<number, string> {
  const columns = new Map<number, string>();
  const seen = new Set<string>();
  for (const [column, cell] of [...cells].sort(([a], [b]) => a - b)) {
    const header = displayText(cell).trim().replace(/\s+/g, ' ');
    if (seen.has(header)) throw fileRefusal(`Two columns are called "${header}". Rename one of them.`);
    seen.add(header);
    columns.set(column, header);
  }
  return columns;
}

async function* namedRows(raw: RawSheet, columns: ReadonlyMap<number, string>): AsyncGenerator<SheetRow> {
  try {
    for await (const { row, cells, problem } of raw.rows) {
      const cellsByHeader = new Map<string, Cell>();
      for (const [column, header] of columns) {
        const cell = cells.get(column);
        if (cell) cellsByHeader.set(header, cell);
      }
      if (cellsByHeader.size > 0 || problem !== undefined)
        yield { row, cells: cellsByHeader, ...(problem ? { problem } : {}) };
    }
  } finally {
    raw.close();
  }
}
