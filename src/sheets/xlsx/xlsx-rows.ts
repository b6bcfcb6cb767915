import { type Cell, damagedFile, MAX_ROW_CHARACTERS, type RawRow, type RawSheet, rowTooLong } from '../cells/cell.ts';
import { type Attributes, readXml, type XmlListener } from '../zip/xml.ts';
import { dateCell } from './xlsx-dates.ts';
import { StringItem, unescapeText } from './xlsx-strings.ts';

/** The last column of a sheet is XFD. */
const MAX_COLUMNS = 16_384;

/** Data of the workbook that a sheet's cells refer to. */
export interface SheetContext {
  strings: readonly string[];
  /** True for each cell format that shows a number as a day. */
  dated: readonly boolean[];
  date1904: boolean;
}

/** Yields the rows of a worksheet part (ECMA-376 part 1, 18.3.1) as its bytes arrive. */
export async function* readSheetRows(bytes: AsyncIterable<Uint8Array>, context: SheetContext): RawSheet['rows'] {
  const listener = new RowListener(context);
  for await (const _ of readXml(bytes, listener)) yield* listener.take();
  yield* listener.take();
}

class RowListener implements XmlListener {
  readonly #context: SheetContext;
  readonly #inline = new StringItem();
  #completeRows: RawRow[] = [];
  #row = 0;
  #column = -1;
  #length = 0;
  #cells: Map<number, Cell> | null = null;
  #computed = new Set<number>();
  /** The attributes of the cell that is being read. */
  #cell: Attributes | null = null;
  #value = '';
  #inValue = false;
  #formula = false;

  constructor(context: SheetContext) {
    this.#context = context;
  }

  /** Returns the rows completed since the last call. */
  take(): RawRow[] {
    const rows = this.#completeRows;
    this.#completeRows = [];
    return rows;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'row') this.#beginRow(attributes);
    else if (this.#cells === null) return;
    else if (name === 'c') this.#beginCell(attributes);
    else if (this.#cell === null) return;
    else if (name === 'v') this.#inValue = true;
    else if (name === 'f') this.#formula = true;
    else this.#inline.open(name);
  }

  text(text: string): void {
    if (this.#cell === null) return;
    if (this.#inValue) this.#value += text;
    else this.#inline.text(text);
    if (this.#length + this.#value.length + this.#inline.length > MAX_ROW_CHARACTERS) throw rowTooLong(this.#row);
  }

  close(name: string): void {
    if (name === 'row') this.#endRow();
    else if (this.#cell === null) return;
    else if (name === 'c') this.#endCell(this.#cell);
    else if (name === 'v') this.#inValue = false;
    else this.#inline.close(name);
  }

  #beginRow({ r }: Attributes): void {
    const row = r === undefined ? this.#row + 1 : Number(r);
    if (!Number.isInteger(row) || row <= this.#row) throw damagedFile();
    this.#row = row;
    this.#column = -1;
    this.#length = 0;
    this.#cells = new Map();
    this.#computed = new Set();
  }

  #endRow(): void {
    if (this.#cells !== null && this.#cells.size > 0) {
      this.#completeRows.push({ row: this.#row, cells: this.#cells, computed: this.#computed });
    }
    this.#cells = null;
  }

  #beginCell(attributes: Attributes): void {
    this.#column = attributes.r === undefined ? this.#column + 1 : columnOf(attributes.r);
    if (this.#column >= MAX_COLUMNS) throw damagedFile();
    this.#cell = attributes;
    this.#value = '';
    this.#formula = false;
    this.#inline.clear();
  }

  #endCell(attributes: Attributes): void {
    const cell = this.#cellOf(attributes);
    if (cell && !(cell.kind === 'text' && cell.value.trim() === '')) this.#cells!.set(this.#column, cell);
    if (this.#formula) this.#computed.add(this.#column);
    this.#length += this.#value.length + this.#inline.length;
    this.#cell = null;
  }

  /** Returns the cell by its type (ECMA-376 part 1, 18.18.11), or nothing for a cell with only a format. */
  #cellOf({ t = 'n', s = '0' }: Attributes): Cell | undefined {
    if (t === 'inlineStr') return { kind: 'text', value: this.#inline.value };
    const value = this.#value;
    if (value === '') return this.#formula && t === 'n' ? { kind: 'error', value: '=…' } : undefined;
    switch (t) {
      case 's':
        return { kind: 'text', value: this.#context.strings[Number(value)] ?? refuse() };
      case 'str':
        return { kind: 'text', value: unescapeText(value) };
      case 'd':
        return { kind: 'text', value };
      case 'b':
        return { kind: 'boolean', value: value === '1' || value === 'true' };
      case 'e':
        return { kind: 'error', value };
      case 'n': {
        const number = Number(value);
        if (!Number.isFinite(number)) return refuse();
        const { dated, date1904 } = this.#context;
        return dated[Number(s)] ? dateCell(number, date1904) : { kind: 'number', value: number };
      }
      default:
        return refuse();
    }
  }
}

/** Returns the column, from 0, of a reference such as `B7`. */
export function columnOf(reference: string): number {
  const letters = /^([A-Z]{1,3})\d+$/.exec(reference)?.[1] ?? refuse();
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function refuse(): never {
  throw damagedFile();
}
