import { nearest } from '../../commands/engine/nearest.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { SheetField } from '../cells/read-cell.ts';
import { headingRankOf, normalizeHeading } from './headings.ts';

export interface MatchedColumns {
  headerOf: ReadonlyMap<string, string>;
  /** Headers that fill no field, in their order. */
  unused: readonly string[];
}

export interface ColumnChoices {
  /** Header by field, from `readColumnMap`. */
  map?: ReadonlyMap<string, string> | undefined;
  /** Headers of columns that fill no field. */
  ignored?: readonly string[] | undefined;
}

/** Reads `field=header` pairs of a command line. @throws Refusal for anything else, and for a repeated field */
export function readColumnMap(pairs: readonly string[]): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const pair of pairs) {
    const [, field, header] = /^([^=]+)=(.+)$/s.exec(pair) ?? [];
    if (field === undefined || header === undefined) {
      throw mapRefusal(`"${pair}" is not a mapping. Give field=column, such as name=Supplier.`);
    }
    if (map.has(field.trim())) throw mapRefusal(`${field.trim()} is mapped twice. Give it one column.`);
    map.set(field.trim(), header.trim());
  }
  return map;
}

/**
 * Finds each field's column: the one in `map`, else the one with the field's name, else the one with another heading of the
 * field. "Reference ID" matches reference_id: case, spaces and hyphens don't matter.
 * @param fits returns false for a column whose cells can't be of the field. `map` decides all the same
 * @throws Refusal for an unknown field or header, for two columns with the name of one field, and if no column matches
 */
export function matchColumns(
  headers: readonly string[],
  fields: readonly SheetField[],
  { map = new Map(), ignored = [] }: ColumnChoices = {},
  fits: (field: SheetField, header: string) => boolean = () => true,
): MatchedColumns {
  const headerOf = new Map<string, string>();
  const ignoredHeaders = new Set(ignored.map((header) => namedHeader(header, headers)));
  for (const [field, header] of map) {
    const names = fields.map(({ name }) => name);
    if (!names.includes(field)) throw mapRefusal(`${field} is not a field. ${suggest(field, names)}`, names);
    headerOf.set(field, namedHeader(header, headers));
  }
  const taken = new Set([...headerOf.values(), ...ignoredHeaders]);
  const free = headers.filter((header) => !taken.has(header));
  for (const { field, header } of pairsByRank(free, fields, fits)) {
    if (headerOf.has(field) || taken.has(header)) continue;
    headerOf.set(field, header);
    taken.add(header);
  }
  if (headerOf.size === 0) throw nothingFits(headers, fields);
  for (const { name, fallback } of fields) {
    const header = fallback === undefined ? undefined : headerOf.get(fallback);
    if (header !== undefined && !headerOf.has(name)) headerOf.set(name, header);
  }
  const used = new Set(headerOf.values());
  return { headerOf, unused: headers.filter((header) => !used.has(header)) };
}

/** Returns the fields and headers that fit, the best first. @throws Refusal for two headers with the name of one field */
function pairsByRank(
  headers: readonly string[],
  fields: readonly SheetField[],
  fits: (field: SheetField, header: string) => boolean,
) {
  const pairs = fields.flatMap((field) => {
    const rankOf = headingRankOf(field);
    const ranked = headers
      .map((header) => ({ field: field.name, header, rank: rankOf(header) }))
      .filter(({ header, rank }) => rank !== null && fits(field, header));
    const named = ranked.filter(({ rank }) => rank === 0).map(({ header }) => header);
    if (named.length > 1) {
      throw mapRefusal(`${quotedList(named)} all match ${field.name}. Choose one with ${field.name}=${named[0]}.`);
    }
    return ranked;
  });
  return pairs.sort((a, b) => a.rank! - b.rank!);
}

/** Returns the header that a mapping names: the same text, else the only similar one. */
function namedHeader(wanted: string, headers: readonly string[]): string {
  if (headers.includes(wanted)) return wanted;
  const sameHeaders = headers.filter((header) => normalizeHeading(header) === normalizeHeading(wanted));
  if (sameHeaders.length === 1) return sameHeaders[0]!;
  const hint =
    sameHeaders.length > 1 ? `Write it exactly as one of ${quotedList(sameHeaders)}.` : suggest(wanted, headers);
  throw mapRefusal(`The sheet has no column "${wanted}". ${hint}`, headers);
}

function nothingFits(headers: readonly string[], fields: readonly SheetField[]): Refusal {
  const names = fields.map(({ name }) => name);
  return mapRefusal(
    `No column has the name of a field. Map columns, such as ${names[0]}=${headers[0]}. The fields are ${names.join(', ')}.`,
    names,
  );
}

function mapRefusal(message: string, allowed?: readonly string[]): Refusal {
  return new Refusal('invalid_input', message, { field: 'map', ...(allowed ? { allowed } : {}) });
}

function quotedList(texts: readonly string[]): string {
  return texts.map((text) => `"${text}"`).join(' and ');
}

/** Suggests the nearest valid text if one is near, else lists all. */
function suggest(wrong: string, valid: readonly string[]): string {
  const nearestText = nearest(wrong, valid);
  return nearestText === null ? `Give one of ${valid.join(', ')}.` : `Did you mean ${nearestText}?`;
}
