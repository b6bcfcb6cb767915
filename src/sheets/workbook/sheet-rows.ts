import type { CellObject, WorkSheet } from '@e965/xlsx';
import { type Cell, damagedFile, displayText, MAX_ROW_CHARACTERS, type RawRow, rowTooLong } from '../cells/cell.ts';
import { dateCell, serialOf, showsDay } from './date-cell.ts';

/** Errors of formulas, which an ODS has as texts. */
const ODS_ERROR = /^(?:#(?:REF!|NAME\?|N\/A|VALUE!|DIV\/0!|NUM!|NULL!)|Err:\d{3})$/;

export interface SheetFormat {
  /** Days count from 1904, as in old workbooks of Macs. */
  date1904: boolean;
  isOds: boolean;
}

/** Yields the rows of a sheet that have cells. */
export function* readRows(sheet: WorkSheet, format: SheetFormat): Generator<RawRow> {
  const merges = new MergedCells(sheet);
  for (const [index, cellObjects] of (sheet['!data'] ?? []).entries()) {
    const { cells, computed } = cellsOf(cellObjects ?? [], format);
    if (cells.size === 0) continue;
    merges.fill(index, cells);
    const length = [...cells.values()].reduce((sum, cell) => sum + displayText(cell).length, 0);
    if (length > MAX_ROW_CHARACTERS) throw rowTooLong(index + 1);
    yield { row: index + 1, cells, computed };
  }
}

/** A cell that is merged downwards belongs to each of its rows that has other cells. Rows count from 0. */
class MergedCells {
  private readonly lastRows = new Map<string, number>();
  private readonly open = new Map<number, { cell: Cell; lastRow: number }>();

  constructor(sheet: WorkSheet) {
    for (const { s: first, e: last } of sheet['!merges'] ?? []) {
      if (last.r > first.r) this.lastRows.set(`${first.r},${first.c}`, last.r);
    }
  }

  /** Adds the cells that a row shares with rows above. */
  fill(row: number, cells: Map<number, Cell>): void {
    if (this.lastRows.size === 0) return;
    for (const [column, cell] of cells) {
      const lastRow = this.lastRows.get(`${row},${column}`);
      if (lastRow !== undefined) this.open.set(column, { cell, lastRow });
    }
    for (const [column, { cell, lastRow }] of this.open) {
      if (lastRow < row) this.open.delete(column);
      else if (!cells.has(column)) cells.set(column, cell);
    }
  }
}

function cellsOf(cellObjects: readonly (CellObject | undefined)[], format: SheetFormat) {
  const cells = new Map<number, Cell>();
  const computed = new Set<number>();
  for (const [column, cellObject] of cellObjects.entries()) {
    if (cellObject === undefined) continue;
    const cell = cellOf(cellObject, format);
    if (cell !== null) cells.set(column, cell);
    if (cellObject.f !== undefined) computed.add(column);
  }
  return { cells, computed };
}

function cellOf(cellObject: CellObject, format: SheetFormat): Cell | null {
  const { t: type, v: value, f: formula, w: shown } = cellObject;
  switch (type) {
    case 'z':
      return formula === undefined ? null : { kind: 'error', value: '=…' };
    case 's': {
      const text = String(value);
      if (text.trim() === '') return null;
      return formula !== undefined && ODS_ERROR.test(text)
        ? { kind: 'error', value: text }
        : { kind: 'text', value: text };
    }
    case 'b':
      return { kind: 'boolean', value: value === true };
    case 'e':
      return { kind: 'error', value: shown ?? '#ERROR' };
    case 'n':
      return numberCell(cellObject, format);
    case 'd':
      return value instanceof Date ? dateCell(serialOf(value), false) : damaged();
    default:
      return damaged();
  }
}

function numberCell({ v: value, w: shown, z: code = 'General' }: CellObject, { date1904, isOds }: SheetFormat): Cell {
  const cell = { kind: 'number' as const, value: Number(value) };
  if (!Number.isFinite(cell.value)) return damaged();
  if (showsDay(String(code))) return dateCell(cell.value, date1904);
  if (code === 'General' || shown === undefined || shown === displayText(cell)) return cell;
  // An ODS has times of day as such. They are read as texts, so that rows imported before are recognized.
  return isOds && /[hs]/i.test(String(code)) ? { kind: 'text', value: shown } : { ...cell, shown };
}

function damaged(): never {
  throw damagedFile();
}
