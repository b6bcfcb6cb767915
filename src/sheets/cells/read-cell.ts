import { type Cell, cellError, displayText, type ParsedCell } from './cell.ts';
import { type DateOrders, dateFrom, timestampFrom } from './cell-dates.ts';
import { enumFrom } from './cell-enums.ts';
import { foldLetters, foldSpelling } from './fold.ts';
import { ratingOfWord } from './scale-words.ts';

/** A field of a record that a column can fill. */
export type SheetField = {
  name: string;
  /** Other headings of its column. The earlier ones fit better. */
  headings?: readonly string[];
  /** Every row needs it. */
  required?: boolean;
  /** A short text on one line. Line breaks in its cells are spaces. */
  isOneLine?: boolean;
  /** The field whose column fills it too, if it has none of its own. */
  fallback?: string;
} & (
  | { kind: 'text' | 'url' | 'date' | 'timestamp' | 'boolean' | 'rating' }
  | { kind: 'months'; max: number }
  | { kind: 'enum'; values: readonly string[] }
  /** The id of a record with this prefix. */
  | { kind: 'id'; prefix: string }
);

/** A value as the tools accept it: dates and timestamps are texts. */
export type FieldValue = string | number | boolean;

export interface CellOptions extends DateOrders {
  /** The caller's own words for values of the field, by `foldWord`. An empty value makes the cell empty. */
  words?: ReadonlyMap<string, string> | undefined;
  /** Words for ratings, by `foldLetters`, that only the caller can tell apart: see `rivalWords`. */
  rivals?: ReadonlySet<string> | undefined;
}

/** By `foldSpelling`. */
const TRUE = ['yes', 'y', 'true', '1', 'x', 'ja', 'j', 'oui', 'si', 'sim', 'tak', 'ano', 'はい', '有', 'あり'].map(
  foldSpelling,
);
const FALSE = ['no', 'n', 'false', '0', 'nein', 'non', 'nao', 'nee', 'nie', 'ne', 'いいえ', '無', 'なし'].map(
  foldSpelling,
);

/** Texts that stand for an empty cell. "NA" is the code of a country, so it does so only where no text is expected. */
const PLACEHOLDER = /^(?:n\/a|n\.a\.?|k\. ?a\.?|tb[acd]|t\.b\.[acd]\.?|[-–—]+)$/i;
const SHORT_PLACEHOLDER =
  /^(?:na|\?+|null|none|unknown|unbekannt|inconnu|desconocido|desconhecido|sconosciuto|onbekend)$/i;
/** Texts that stand for no date. */
const NO_DATE = /^(?:unbefristet|fortlaufend|unlimited|indefinite|rolling|ongoing|illimité)$/i;

const MAX_WORD_CHARACTERS = 200;

/** Returns a word as it is compared: case, width and repeated spaces don't matter. */
export function foldWord(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}

/**
 * Reads a cell as a field's value, in the spellings that people use in spreadsheets. A blank cell is `undefined`, as are
 * "n/a" and "TBD". An ambiguous cell is an error.
 */
export function readCell(
  cell: Cell | undefined,
  field: SheetField,
  options: CellOptions = {},
): ParsedCell<FieldValue | undefined> {
  if (cell === undefined || displayText(cell).trim() === '') return { value: undefined };
  const ownWord = findOwnWord(displayText(cell), options);
  if (ownWord === '') return { value: undefined };
  if (ownWord !== undefined) return valueFrom({ kind: 'text', value: ownWord }, field, options);
  if (cell.kind === 'error')
    return cellError(
      cell,
      'is a formula that failed or was never calculated. Fix it in a spreadsheet program, or give the value',
    );
  const result = valueFrom(cell, field, options);
  const isEmpty = isPlaceholder(cell, field) && (field.kind === 'text' || 'error' in result);
  return isEmpty ? { value: undefined } : result;
}

function findOwnWord(text: string, { words }: CellOptions): string | undefined {
  return text.length > MAX_WORD_CHARACTERS ? undefined : words?.get(foldWord(text));
}

/** Returns true for a text such as "TBD" that stands for an empty cell. */
export function isPlaceholder(cell: Cell, { kind }: Pick<SheetField, 'kind'>): boolean {
  const text = displayText(cell).trim();
  if ((kind === 'date' || kind === 'timestamp') && NO_DATE.test(text)) return true;
  // In a column of yes and no, "None" may as well be a no.
  if (kind === 'boolean' && /^none$/i.test(text)) return false;
  return PLACEHOLDER.test(text) || (kind !== 'text' && SHORT_PLACEHOLDER.test(text));
}

function valueFrom(cell: Cell, field: SheetField, options: CellOptions): ParsedCell<FieldValue> {
  switch (field.kind) {
    case 'text':
      return { value: field.isOneLine ? oneLineOf(textFrom(cell)) : textFrom(cell) };
    case 'url':
      return { value: addressFrom(textFrom(cell)) };
    case 'id':
      return idFrom(cell, field.prefix);
    case 'date':
      return dateFrom(cell, options);
    case 'timestamp':
      return timestampFrom(cell, options);
    case 'boolean':
      return booleanFrom(cell);
    case 'rating':
      return ratingFrom(cell, options);
    case 'months':
      return monthsFrom(cell, field.max);
    case 'enum':
      return enumFrom(cell, field.values);
  }
}

/** Returns a cell's text as its format shows it. */
function textFrom(cell: Cell): string {
  const text = cell.kind === 'number' ? (cell.shown ?? displayText(cell)) : displayText(cell);
  return text.replace(/\r\n?/g, '\n').trim();
}

function oneLineOf(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}

/** Completes an address without its scheme, such as aws.amazon.com. */
function addressFrom(text: string): string {
  return /^(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?(?:[/?#]\S*)?$/i.test(text) ? `https://${text}` : text;
}

function idFrom(cell: Cell, prefix: string): ParsedCell<string> {
  const text = textFrom(cell);
  return text.startsWith(`${prefix}_`)
    ? { value: text }
    : cellError(cell, `is not an id. Give one such as ${prefix}_…`);
}

/** Reads yes and no in ten languages, or a cross. A blank cell is not "no": the question may still be open. */
function booleanFrom(cell: Cell): ParsedCell<boolean> {
  const word = foldSpelling(displayText(cell).trim());
  if (TRUE.includes(word)) return { value: true };
  if (FALSE.includes(word)) return { value: false };
  return cellError(cell, 'is neither yes nor no. Give one of them, or leave it empty');
}

/** Reads a number of months, such as 12 or "12 months". */
function monthsFrom(cell: Cell, max: number): ParsedCell<number> {
  const months = Number(/^(\d{1,2})(?:\.0+)?(?: months?)?$/i.exec(textFrom(cell))?.[1]);
  if (months >= 1 && months <= max) return { value: months };
  return cellError(cell, `is not a number of months. Give 1 to ${max}`);
}

/** Reads a whole number, a word of a five-point scale, or both: "4 - Likely", "4 (likely)", "Likely (4)". */
function ratingFrom(cell: Cell, { rivals }: CellOptions): ParsedCell<number> {
  const text = cell.kind === 'text' || cell.kind === 'number' ? displayText(cell).trim() : '';
  const number =
    /^(-?\d{1,15})(?:\.0+)?(?:\s*[-–—:=]\s*\p{L}.*|\s*\(\s*\p{L}.*\))?$/su.exec(text)?.[1] ??
    /^\p{L}[^\d()]*(?:\(\s*(\d)\s*\)|[-–—:=]\s*(\d))$/u
      .exec(text)
      ?.slice(1)
      .find((group) => group !== undefined);
  if (number !== undefined) return { value: Number(number) };
  if (rivals?.has(foldLetters(text))) {
    return cellError(cell, 'could be several ratings, because the column has another word for the same one');
  }
  const rating = ratingOfWord(text);
  if (rating !== undefined) return { value: rating };
  return cellError(cell, 'is neither a whole number nor a word such as Likely or Major. Give 1 to 5');
}
