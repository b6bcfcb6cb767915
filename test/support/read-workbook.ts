/** Reads workbooks that the service writes, with the project's own reader. */
import type { Cell } from '../../src/sheets/cells/cell.ts';
import { openWorkbook } from '../../src/sheets/open-workbook.ts';

export interface SheetRead {
  name: string;
  /** By their numbers, and cells by their columns. A blank row is missing, a blank cell undefined. */
  rows: (Cell | undefined)[][];
}

export async function readWorkbook(file: string): Promise<SheetRead[]> {
  const workbook = await openWorkbook(file);
  const read: SheetRead[] = [];
  for (const [index, { name }] of workbook.sheets.entries()) {
    const rows: SheetRead['rows'] = [];
    for await (const { row, cells } of (await workbook.open(index)).rows) {
      rows[row - 1] = Array.from({ length: Math.max(...cells.keys()) + 1 }, (_, column) => cells.get(column));
    }
    read.push({ name, rows });
  }
  workbook.close();
  return read;
}
