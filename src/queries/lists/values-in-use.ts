import { nearest } from '../../commands/engine/nearest.ts';
import { cutText, textKey } from '../../projections/read-models/search-text.ts';
import type { FamilyQuery } from '../family-query.ts';
import { keyIn } from './filters.ts';
import type { ReadableSource } from './list-source.ts';

const MAX_COUNTED_RECORDS = 1_000;
/** Values that a hint names, and the characters that it shows of each. */
const MAX_NAMED_VALUES = 8;
const MAX_VALUE_LENGTH = 80;
/** Only the most frequent values, and the first that were asked for, are compared letter by letter, which takes time. */
const MAX_COMPARED_VALUES = 300;
const MAX_COMPARED_REQUESTS = 4;

/** The values in use of a text that a list was filtered by. */
export interface ValuesInUse {
  filter: string;
  /** The values near to the requested ones, else the most frequent. */
  values: readonly string[];
  moreCount: number;
}

/** Returns the hint for an empty list, such as `No vendor has this country. Values in use: "DE", "NO", "SE".` */
export function valuesHint({ singular }: FamilyQuery, { filter, values, moreCount }: ValuesInUse): string {
  const more = moreCount > 0 ? ` and ${moreCount} more` : '';
  const texts = values.map((value) => JSON.stringify(cutText(value, MAX_VALUE_LENGTH))).join(', ');
  return `No ${singular} has this ${filter}. Values in use: ${texts}${more}.`;
}

/**
 * Returns the values in use of a text that a list was filtered by. Null if the list is empty without this filter too.
 * @param source the list without this filter
 */
export async function valuesInUse(
  family: FamilyQuery,
  filter: string,
  requested: readonly string[],
  source: ReadableSource,
): Promise<ValuesInUse | null> {
  const key = family.textFilterKeys[filter]!;
  const counts = await source.models.count({ ...source, limit: MAX_COUNTED_RECORDS }, [key]);
  const used = counts
    .flatMap(({ values: [value], total }) => (typeof value === 'string' ? [{ value, total }] : []))
    .sort((a, b) => b.total - a.total || (a.value < b.value ? -1 : 1))
    .map(({ value }) => value);
  if (used.length === 0) return null;
  const named = nearestFirst(
    requested.map((value) => textKey(value) ?? ''),
    used,
  );
  const values = await Promise.all(named.map((value) => textOf(filter, keyIn(key, [value]), value, source)));
  return { filter, values, moreCount: used.length - named.length };
}

/** Returns the values to name: those near to a requested one, else the most frequent. */
function nearestFirst(requested: readonly string[], used: readonly string[]): string[] {
  const ranked = used.map((value, index) => ({ value, rank: rankOf(value, index, requested) }));
  const isNear = ({ rank }: { rank: number }) => rank < FAR;
  const named = used.length > MAX_NAMED_VALUES && ranked.some(isNear) ? ranked.filter(isNear) : ranked;
  return named
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MAX_NAMED_VALUES)
    .map(({ value }) => value);
}

/** The rank of values that are not near. */
const FAR = 3;

/** Ranks a value: 0 if it ends with a requested one, such as A.5.15 with 5.15; then if it begins alike, then if it is like one. */
function rankOf(value: string, index: number, requested: readonly string[]): number {
  if (
    requested.some(
      (text) => text !== '' && value.endsWith(text) && !/[\p{L}\p{N}]$/u.test(value.slice(0, -text.length)),
    )
  )
    return 0;
  if (requested.some((text) => text.startsWith(value) || (text !== '' && value.startsWith(text)))) return 1;
  if (index >= MAX_COMPARED_VALUES) return FAR;
  return requested.slice(0, MAX_COMPARED_REQUESTS).some((text) => nearest(text, [value]) !== null) ? 2 : FAR;
}

/** Returns a stored value as a record has it, with case and accents. */
async function textOf(
  field: string,
  condition: ReturnType<typeof keyIn>,
  value: string,
  source: ReadableSource,
): Promise<string> {
  const where = [...source.where, condition];
  const [row] = await source.models.find({ ...source, where, order: { key: null, direction: 'ASC' }, limit: 1 });
  return String(row?.doc[field] ?? value);
}
