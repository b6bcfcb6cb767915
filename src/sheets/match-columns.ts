import { nearest } from '../commands/nearest.ts';
import { Refusal } from '../commands/refusal.ts';
import type { SheetField } from './read-cell.ts';

export interface MatchedColumns {
  /** The header of each field that has a column. */
  headerOf: ReadonlyMap<string, string>;
  /** Headers that fill no field, in their order. */
  unused: readonly string[];
}

/** Reads `field=header` as given on a command line. @throws Refusal for anything else, and for a field given twice */
export function readColumnMap(given: readonly string[]): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const pair of given) {
    const [, field, header] = /^([^=]+)=(.+)$/s.exec(pair) ?? [];
    if (field === undefined || header === undefined) {
      throw mapRefusal(`"${pair}" is no mapping: give field=column, such as name=Supplier.`);
    }
    if (map.has(field.trim())) throw mapRefusal(`${field.trim()} is mapped twice: give it one column.`);
    map.set(field.trim(), header.trim());
  }
  return map;
}

/**
 * Finds each field's column: the one that `map` names, else the one called as the field is, whatever its case, spaces
 * and hyphens ("Reference ID" is reference_id). Nothing is guessed from the meaning of a header.
 * @param map header by field, see `readMap`
 * @throws Refusal for an unknown field or header in `map`, for two columns of one field, and where no column fits
 */
export function matchColumns(
  headers: readonly string[],
  fields: readonly SheetField[],
  map: ReadonlyMap<string, string> = new Map(),
): MatchedColumns {
  const headerOf = new Map<string, string>();
  for (const [field, header] of map) {
    const names = fields.map(({ name }) => name);
    if (!names.includes(field)) throw mapRefusal(`${field} is no field: ${suggest(field, names)}.`, names);
    headerOf.set(field, namedHeader(header, headers));
  }
  const taken = new Set(headerOf.values());
  for (const { name } of fields) {
    if (headerOf.has(name)) continue;
    const alike = headers.filter((header) => !taken.has(header) && fold(header) === fold(name));
    if (alike.length > 1) throw mapRefusal(`${quotedList(alike)} are all ${name}: say which with ${name}=${alike[0]}.`);
    if (alike.length === 1) headerOf.set(name, alike[0]!);
  }
  if (headerOf.size === 0) throw nothingFits(headers, fields);
  const used = new Set(headerOf.values());
  return { headerOf, unused: headers.filter((header) => !used.has(header)) };
}

/** The header that a mapping means: the very one, else the only one that is alike. */
function namedHeader(wanted: string, headers: readonly string[]): string {
  if (headers.includes(wanted)) return wanted;
  const alike = headers.filter((header) => fold(header) === fold(wanted));
  if (alike.length === 1) return alike[0]!;
  const hint = alike.length > 1 ? `write it exactly as one of ${quotedList(alike)}` : suggest(wanted, headers);
  throw mapRefusal(`The sheet has no column "${wanted}": ${hint}.`, headers);
}

function nothingFits(headers: readonly string[], fields: readonly SheetField[]): Refusal {
  const names = fields.map(({ name }) => name);
  return mapRefusal(
    `No column is called as a field is: map them, such as ${names[0]}=${headers[0]}; the fields are ${names.join(', ')}.`,
    names,
  );
}

function mapRefusal(message: string, allowed?: readonly string[]): Refusal {
  return new Refusal('invalid_input', message, { field: 'map', ...(allowed ? { allowed } : {}) });
}

function quotedList(texts: readonly string[]): string {
  return texts.map((text) => `"${text}"`).join(' and ');
}

function fold(text: string): string {
  return text.toLowerCase().replace(/[\s_-]+/g, '');
}

/** Names the nearest, where one is near, else all. */
function suggest(wrong: string, known: readonly string[]): string {
  const near = nearest(wrong, known);
  return near === null ? `give one of ${known.join(', ')}` : `did you mean ${near}`;
}
