import { type Cell, displayText, MAX_ROW_CHARACTERS, rowTooLong } from './cell.ts';

/** The cells that are merged downwards and whose last row has not been read yet. */
export class SharedCells {
  private readonly byColumn = new Map<number, { cell: Cell; lastRow: number; length: number }>();
  private length = 0;

  /** Adds a cell that is also that of the rows below, up to `lastRow`. */
  add(column: number, cell: Cell, lastRow: number): void {
    this.remove(column);
    const { length } = displayText(cell);
    this.byColumn.set(column, { cell, lastRow, length });
    this.length += length;
  }

  /** Adds the shared cells to those of a row. @throws Refusal if they are too long for a row */
  fill(row: number, cells: Map<number, Cell>): void {
    for (const [column, { cell, lastRow }] of this.byColumn) {
      if (lastRow < row) this.remove(column);
      else if (!cells.has(column)) cells.set(column, cell);
    }
    if (this.length > MAX_ROW_CHARACTERS) throw rowTooLong(row);
  }

  private remove(column: number): void {
    this.length -= this.byColumn.get(column)?.length ?? 0;
    this.byColumn.delete(column);
  }
}
