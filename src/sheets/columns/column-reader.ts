import { type Cell, displayText } from '../cells/cell.ts';
import type { DateOrder } from '../cells/cell-dates.ts';
import { foldLetters } from '../cells/fold.ts';
import {
  type CellOptions,
  type FieldValue,
  foldWord,
  isPlaceholder,
  readCell,
  type SheetField,
} from '../cells/read-cell.ts';
import { rivalWords } from '../cells/scale-words.ts';
import type { Sheet } from '../read-sheet.ts';
import type { SheetRow } from '../table-rows.ts';
import { isAmbiguousDate, provenDateOrder } from './date-order.ts';
import { type ColumnChoices, type MatchedColumns, matchColumns } from './match-columns.ts';

export interface ReadingChoices extends ColumnChoices {
  /** The order of day and month in all columns. */
  dateOrder?: DateOrder | undefined;
  /** By field: the caller's own words for its values, by `foldWord`. */
  words?: ReadonlyMap<string, ReadonlyMap<string, string>> | undefined;
}

/** A row as values of fields, with an error for each cell that has none. */
export interface RowReading {
  values: Record<string, FieldValue>;
  errors: { field: string; message: string; hint?: string }[];
  /** Words that aren't written like the values that were read. */
  words: { field: string; word: string; value: string }[];
  /** The number of cells such as "n/a" that were read as empty. */
  placeholders: number;
  /** The values that an earlier version read from cells that are read in another way now, or asked about. */
  former: Record<string, FieldValue>;
}

/** A column whose cells mostly have no value of its field is not used. Fewer cells don't show what it contains. */
const MIN_CELLS_TO_JUDGE = 3;
const MIN_SHARE_OF_VALUES = 0.5;
/** A column with this share of numbers holds no names. */
const MIN_SHARE_OF_NUMBERS = 0.8;
const NUMBER = /^[-+]?\d[\d.,\s]*%?$/;
const MAX_WORD_CHARACTERS = 60;

/** Reads the rows of a sheet as values of fields. It decides once which column fills which field, and how. */
export class ColumnReader {
  readonly columns: MatchedColumns;
  /** Sentences about columns that were left out or read in a particular way. */
  readonly notices: string[] = [];
  private readonly options = new Map<string, CellOptions>();

  /** @throws Refusal if the columns don't match */
  constructor(
    sheet: Pick<Sheet, 'headers' | 'sample'>,
    private readonly fields: readonly SheetField[],
    private readonly choices: ReadingChoices = {},
  ) {
    const rows = sheet.sample.filter(({ aside, problem }) => aside === undefined && problem === undefined);
    const cellsOf = (header: string) => rows.flatMap((row) => row.cells.get(header) ?? []);
    const matched = matchColumns(sheet.headers, fields, choices, (field, header) =>
      this.canName(field, header, cellsOf(header)),
    );
    const headerOf = new Map(matched.headerOf);
    const rejected: string[] = [];
    for (const field of fields) {
      const header = headerOf.get(field.name);
      if (header === undefined) continue;
      const cells = cellsOf(header);
      this.options.set(field.name, this.optionsOf(field, header, cells));
      if (choices.map?.has(field.name) || this.hasValues(field, header, cells)) continue;
      headerOf.delete(field.name);
      rejected.push(header);
    }
    const unused = sheet.headers.filter((header) => matched.unused.includes(header) || rejected.includes(header));
    this.columns = { headerOf, unused };
    const texts = matched.unused.filter((header) => hasTexts(cellsOf(header)));
    if (unused.length > 0) this.judgeFallbacks(headerOf, texts);
  }

  /** Reads a row. Fields without a column, or with an empty cell, are left out. */
  read({ cells }: Pick<SheetRow, 'cells'>): RowReading {
    const reading: RowReading = { values: {}, errors: [], words: [], placeholders: 0, former: {} };
    for (const field of this.fields) {
      const header = this.columns.headerOf.get(field.name);
      const cell = header === undefined ? undefined : cells.get(header);
      if (cell === undefined) continue;
      this.readInto(reading, cell, field);
    }
    return reading;
  }

  private readInto(reading: RowReading, cell: Cell, field: SheetField): void {
    const { name, kind } = field;
    const parsed = readCell(cell, field, this.options.get(name));
    const former = this.formerValue(cell, field);
    if (former !== undefined) reading.former[name] = former;
    if ('error' in parsed) reading.errors.push({ field: name, message: parsed.error, ...wordHint(cell, field) });
    else if (parsed.value === undefined) reading.placeholders++;
    else {
      reading.values[name] = parsed.value;
      const isScale = kind === 'enum' || kind === 'rating';
      if (isScale) reading.words.push(...wordReadings(name, cell, String(parsed.value)));
    }
  }

  /** Returns the value that an earlier version read, if it read such a cell in another way. */
  private formerValue(cell: Cell, field: SheetField): FieldValue | undefined {
    const { rivals, ...options } = this.options.get(field.name) ?? {};
    const text = displayText(cell);
    const isReadAnew = (field.isOneLine && text.trim().includes('\n')) || rivals?.has(foldLetters(text));
    if (!isReadAnew) return undefined;
    const former = readCell(cell, { ...field, isOneLine: false }, options);
    return 'value' in former ? former.value : undefined;
  }

  /** Returns false for a column of numbers, such as scores, if the field is what names a record. Tells it. */
  private canName({ name, kind, required }: SheetField, header: string, cells: readonly Cell[]): boolean {
    if (!required || kind !== 'text' || cells.length === 0) return true;
    const numbers = cells.filter((cell) => cell.kind === 'number' || NUMBER.test(displayText(cell).trim()));
    if (numbers.length < cells.length * MIN_SHARE_OF_NUMBERS) return true;
    this.notices.push(
      `Column "${header}" was not used for ${name}, because its cells are numbers. ` +
        `To use it all the same, give --map ${name}="${header}".`,
    );
    return false;
  }

  /** Tells which column fills two fields. It fills only its own if another column of texts could be the right one. */
  private judgeFallbacks(headerOf: Map<string, string>, texts: readonly string[]): void {
    for (const { name, fallback } of this.fields) {
      const header = headerOf.get(name);
      if (fallback === undefined || header === undefined || header !== headerOf.get(fallback)) continue;
      if (this.choices.map?.has(name)) continue;
      if (texts.length > 0) headerOf.delete(name);
      this.notices.push(
        texts.length > 0
          ? `No heading means ${name}. Give its column with --map, such as --map ${name}="${texts[0]}" or ` +
              `--map ${name}="${header}".`
          : `Column "${header}" fills ${name} too, because no heading means ${name}. ` +
              `If another column has it, give --map ${name}="…".`,
      );
    }
  }

  private optionsOf(field: SheetField, header: string, cells: readonly Cell[]): CellOptions {
    const words = this.choices.words?.get(field.name);
    const isDate = field.kind === 'date' || field.kind === 'timestamp';
    const proven = isDate && this.choices.dateOrder === undefined ? provenDateOrder(cells) : null;
    if (proven !== null && cells.some(isAmbiguousDate)) {
      const order = proven.order === 'dmy' ? 'day' : 'month';
      this.notices.push(`Dates in "${header}" were read with the ${order} first, as in ${proven.proof}.`);
    }
    return {
      ...{ dateOrder: this.choices.dateOrder, provenOrder: proven?.order, words },
      ...(field.kind === 'rating' ? { rivals: this.rivalsOf(cells, words) } : {}),
    };
  }

  private rivalsOf(cells: readonly Cell[], words: CellOptions['words']): ReadonlySet<string> {
    return rivalWords(cells.map(displayText).filter((word) => !words?.has(foldWord(word))));
  }

  /** Returns true if a column's cells have values of the field. Tells if not. */
  private hasValues(field: SheetField, header: string, cells: readonly Cell[]): boolean {
    if (field.kind === 'text' || field.kind === 'url') return true;
    const judged = cells.filter((cell) => cell.kind !== 'error' && !isPlaceholder(cell, field));
    if (judged.length < MIN_CELLS_TO_JUDGE) return true;
    // A word or a date that could mean two values is asked about.
    const options = { ...this.options.get(field.name), rivals: undefined };
    const wrong = judged.filter((cell) => 'error' in readCell(cell, field, options));
    const surelyWrong = wrong.filter((cell) => !isAmbiguousDate(cell));
    if (judged.length - surelyWrong.length >= judged.length * MIN_SHARE_OF_VALUES) return true;
    const example = displayText(surelyWrong[0]!).trim().replace(/\s+/g, ' ').slice(0, 40);
    this.notices.push(
      `Column "${header}" was not used for ${field.name}, because cells such as "${example}" aren’t values of it. ` +
        `To use it all the same, give --map ${field.name}="${header}".`,
    );
    return false;
  }
}

/** Returns the reading of a cell's word, unless it is written like the value, or as a number with or without words. */
function wordReadings(field: string, cell: Cell, value: string): RowReading['words'] {
  const word = displayText(cell).trim().slice(0, MAX_WORD_CHARACTERS);
  const isWrittenLike = foldLetters(word) === foldLetters(value) || /^\d+(?:\.0+)?\b/.test(word);
  return isWrittenLike ? [] : [{ field, word, value }];
}

/** Returns true if a column has texts: neither numbers, nor dates, nor yes and no. */
export function hasTexts(cells: readonly Cell[]): boolean {
  const filled = cells.filter((cell) => !isPlaceholder(cell, { kind: 'text' }));
  const isText = (cell: Cell) =>
    cell.kind === 'text' &&
    /\p{L}{2}/u.test(cell.value) &&
    (['date', 'boolean'] as const).every((kind) => 'error' in readCell(cell, { name: '', kind }));
  return filled.length > 0 && filled.filter(isText).length >= filled.length * MIN_SHARE_OF_VALUES;
}

/** Returns a hint at the option that gives a word its meaning, or leaves its cells empty. */
function wordHint(cell: Cell, { name, kind }: SheetField): { hint?: string } {
  const word = displayText(cell).trim();
  const isWord = cell.kind === 'text' && /^[^"\n]*\p{L}[^"\n]*$/u.test(word) && word.length <= MAX_WORD_CHARACTERS;
  if (!isWord) return {};
  if (['enum', 'boolean', 'rating'].includes(kind)) return { hint: `--value "${name}:${word}=…" says what it means` };
  return ['date', 'timestamp', 'months'].includes(kind) ? { hint: `--value "${name}:${word}=" leaves it empty` } : {};
}
