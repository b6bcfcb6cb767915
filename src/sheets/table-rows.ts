import { type Cell, displayText, type RawRow } from './cells/cell.ts';

export interface SheetRow {
  /** The number in a spreadsheet program: the first row is 1, and blank rows count. */
  row: number;
  /** Cells by heading, without blank ones. */
  cells: ReadonlyMap<string, Cell>;
  /** Headings of cells that are results of formulas. */
  computed: ReadonlySet<string>;
  /** A reason not to trust the whole row: a clause that follows "row 7". */
  problem?: string;
  /** The row isn't part of the table: a note, or the headings again. A clause that follows "row 7". */
  aside?: string;
}

/** A table with fewer headings may have rows of one cell. */
const MIN_HEADINGS_FOR_NOTES = 3;
/** Words that begin a note or a sum under a table. */
const NOTE = /^(?:notes?|legend|key|source|total|sum|prepared by|approved by|last update[d]?)\b|^\*/i;

/** Turns the rows below the headings into rows of the table. */
export class TableRows {
  private previousRow: number;
  private readonly width: number;
  private isInNotes = false;

  constructor(
    private readonly columns: ReadonlyMap<number, string>,
    headingRow: RawRow,
  ) {
    this.previousRow = headingRow.row;
    this.width = headingRow.width ?? Number.POSITIVE_INFINITY;
  }

  /** Returns the row, or nothing if it is blank below the headings. */
  read(raw: RawRow): SheetRow[] {
    const cells = new Map<string, Cell>();
    const computed = new Set<string>();
    for (const [column, header] of this.columns) {
      const cell = raw.cells.get(column);
      if (cell) cells.set(header, cell);
      if (raw.computed?.has(column)) computed.add(header);
    }
    const problem = raw.problem ?? this.overflow(raw);
    const follows = raw.row === this.previousRow + 1;
    this.previousRow = raw.row;
    if (cells.size === 0 && problem === undefined) return [];
    const aside = problem === undefined ? this.asideOf(cells, follows) : undefined;
    return [{ row: raw.row, cells, computed, ...(problem ? { problem } : {}), ...(aside ? { aside } : {}) }];
  }

  /** Reports a row with more cells than the headings: a text has the delimiter in it, and later values are in wrong columns. */
  private overflow({ cells }: RawRow): string | undefined {
    if (Math.max(...cells.keys()) < this.width) return undefined;
    return 'has more cells than the header. Put texts that contain the delimiter in quotation marks';
  }

  /** Returns why a row isn't part of the table. Notes stand alone in a row, under a blank one or with a word such as "Note". */
  private asideOf(cells: ReadonlyMap<string, Cell>, follows: boolean): string | undefined {
    const texts = [...cells].map(([header, cell]) => [header, displayText(cell).trim()] as const);
    if (texts.length > 1 && texts.every(([header, text]) => header === text)) return 'repeats the headings';
    if (this.columns.size < MIN_HEADINGS_FOR_NOTES) return undefined;
    const isNote = texts.length === 1 && (!follows || NOTE.test(texts[0]![1]));
    const continuesNotes = this.isInNotes && follows && texts.length < MIN_HEADINGS_FOR_NOTES;
    this.isInNotes = isNote || continuesNotes;
    return this.isInNotes ? 'looks like a note, not like a row of the table' : undefined;
  }
}
