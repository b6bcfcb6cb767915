import {
  type Cell,
  damagedFile,
  displayText,
  MAX_ROW_CHARACTERS,
  type RawRow,
  type RawSheet,
  rowTooLong,
} from '../cells/cell.ts';
import { SharedCells } from '../cells/shared-cells.ts';
import { type Attributes, readXml, type XmlListener } from '../zip/xml.ts';

/** Columns of the widest sheet that LibreOffice writes. */
const MAX_COLUMNS = 16_384;
/** Equal rows that are repeated. LibreOffice repeats blank rows to the end of the sheet, and these are left out. */
const MAX_REPEATED_ROWS = 1_000;

/** Yields the rows of the table at `index` in a content part, as its bytes arrive. */
export async function* readTableRows(bytes: AsyncIterable<Uint8Array>, index: number): RawSheet['rows'] {
  const listener = new TableListener(index);
  for await (const _ of readXml(bytes, listener)) {
    yield* listener.take();
    if (listener.isComplete) return;
  }
  yield* listener.take();
}

interface OpenCell {
  attributes: Attributes;
  paragraphs: string[];
}

class TableListener implements XmlListener {
  isComplete = false;
  #completeRows: RawRow[] = [];
  #tables = -1;
  #depth = 0;
  #row = 0;
  #rowRepeats = 1;
  #column = 0;
  #length = 0;
  #cells: Map<number, Cell> | null = null;
  #computed = new Set<number>();
  #cell: OpenCell | null = null;
  #annotations = 0;
  readonly #shared = new SharedCells();

  constructor(private readonly index: number) {}

  /** Returns the rows completed since the last call. */
  take(): RawRow[] {
    const rows = this.#completeRows;
    this.#completeRows = [];
    return rows;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'table') {
      if (this.#depth++ === 0) this.#tables++;
    } else if (this.#tables !== this.index || this.#depth !== 1) return;
    else if (name === 'table-row') this.#beginRow(attributes);
    else if (this.#cells === null) return;
    else if (name === 'table-cell' || name === 'covered-table-cell') this.#cell = { attributes, paragraphs: [] };
    else if (name === 'annotation') this.#annotations++;
    else if (this.#cell !== null && this.#annotations === 0) this.#beginText(this.#cell.paragraphs, name, attributes);
  }

  text(text: string): void {
    const paragraphs = this.#cell?.paragraphs;
    if (paragraphs === undefined || paragraphs.length === 0 || this.#annotations > 0) return;
    this.#append(paragraphs, text);
  }

  close(name: string): void {
    if (name === 'table') {
      this.#depth--;
      if (this.#depth === 0 && this.#tables === this.index) this.isComplete = true;
    } else if (this.#tables !== this.index || this.#depth !== 1) return;
    else if (name === 'annotation') this.#annotations--;
    else if (name === 'table-row') this.#endRow();
    else if ((name === 'table-cell' || name === 'covered-table-cell') && this.#cell !== null) this.#endCell(this.#cell);
  }

  #beginText(paragraphs: string[], name: string, attributes: Attributes): void {
    if (name === 'p') paragraphs.push('');
    if (paragraphs.length === 0) return;
    if (name === 's') this.#append(paragraphs, ' '.repeat(Math.min(Number(attributes['text:c'] ?? 1) || 1, 1_000)));
    if (name === 'tab') this.#append(paragraphs, '\t');
    if (name === 'line-break') this.#append(paragraphs, '\n');
  }

  #append(paragraphs: string[], text: string): void {
    paragraphs[paragraphs.length - 1] += text;
    this.#length += text.length;
    if (this.#length > MAX_ROW_CHARACTERS) throw rowTooLong(this.#row + 1);
  }

  #beginRow(attributes: Attributes): void {
    this.#rowRepeats = countOf(attributes['table:number-rows-repeated']);
    this.#column = 0;
    this.#length = 0;
    this.#cells = new Map();
    this.#computed = new Set();
  }

  #endRow(): void {
    const cells = this.#cells!;
    const firstRow = this.#row + 1;
    this.#row += this.#rowRepeats;
    this.#cells = null;
    if (cells.size === 0) return;
    this.#shared.fill(firstRow, cells);
    if (this.#rowRepeats > MAX_REPEATED_ROWS) throw damagedFile();
    for (let row = firstRow; row <= this.#row; row++) {
      this.#completeRows.push({ row, cells, computed: this.#computed });
    }
  }

  #endCell({ attributes, paragraphs }: OpenCell): void {
    const column = this.#column;
    const repeats = countOf(attributes['table:number-columns-repeated']);
    this.#column += repeats;
    this.#cell = null;
    const cell = cellOf(attributes, paragraphs.join('\n'));
    if (cell === null) return;
    if (this.#column > MAX_COLUMNS) throw damagedFile();
    this.#length += displayText(cell).length * (repeats - 1);
    if (this.#length > MAX_ROW_CHARACTERS) throw rowTooLong(this.#row + 1);
    for (let at = column; at < this.#column; at++) {
      this.#cells!.set(at, cell);
      if (attributes['table:formula'] !== undefined) this.#computed.add(at);
    }
    const rows = countOf(attributes['table:number-rows-spanned']);
    if (rows > 1) this.#shared.add(column, cell, this.#row + rows);
  }
}

function countOf(attribute: string | undefined): number {
  const count = Number(attribute ?? 1);
  if (!Number.isInteger(count) || count < 1) throw damagedFile();
  return count;
}

/** Returns the cell by its type (part 3, 19.385), or null for one with only a format. */
function cellOf(attributes: Attributes, text: string): Cell | null {
  const number = Number(attributes['office:value']);
  switch (attributes['office:value-type']) {
    case 'float':
    case 'percentage':
    case 'currency':
      if (!Number.isFinite(number)) throw damagedFile();
      return { kind: 'number', value: number };
    case 'date':
      return dateCellOf(attributes['office:date-value'] ?? '');
    case 'boolean':
      return { kind: 'boolean', value: attributes['office:boolean-value'] === 'true' };
    default: {
      const value = attributes['office:string-value'] ?? text;
      if (value.trim() === '') return null;
      return attributes['table:formula'] !== undefined && /^(?:#|Err:)/.test(value)
        ? { kind: 'error', value }
        : { kind: 'text', value };
    }
  }
}

function dateCellOf(value: string): Cell {
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2}))?/.exec(value) ?? [];
  if (day === undefined) throw damagedFile();
  if (time === undefined || time === '00:00:00') return { kind: 'date', value: day };
  return { kind: 'timestamp', value: `${day}T${time}.000Z` };
}
