import { nearest } from '../../commands/engine/nearest.ts';
import { keysOf } from '../../projections/read-models/read-model.ts';
import { normalizedWords, searchWords, withoutPadding } from '../../projections/read-models/search-text.ts';
import type { FamilyQuery } from '../family-query.ts';
import type { ReadableSource } from './list-source.ts';

/** Records whose words are compared with a query that found nothing, and whose numbers are counted. */
const MAX_COMPARED_RECORDS = 300;
const MAX_COMPARED_NUMBERS = 1_000;
/** Longer queries get no near matches, because comparing words takes time. */
const MAX_COMPARED_WORDS = 8;
/** Near matches that a hint names. */
const MAX_NEAR_MATCHES = 3;

type RecordRow = Readonly<Record<string, unknown>>;

/** Fields that hold a record's number. Each family has one of them at most. */
const NUMBER_FIELDS = ['reference_id', 'section_title'];

/**
 * Returns up to three records that a query nearly finds, with their numbers: first those whose number ends with it, such
 * as A.5.15 for 5.15, then those with similar words.
 */
export async function nearMatches(family: FamilyQuery, query: string, source: ReadableSource): Promise<string[]> {
  const words = normalizedWords(query).map(withoutPadding);
  if (words.length === 0 || words.length > MAX_COMPARED_WORDS) return [];
  const rows = words.length === 1 ? await recordsWithNumberEnding(family, query, source) : [];
  if (rows.length < MAX_NEAR_MATCHES) rows.push(...(await recordsWithSimilarWords(family, words, source)));
  const near = new Map(rows.map((row) => [row.id, `${withNumber(family, row)} (${row.id})`]));
  return [...near.values()].slice(0, MAX_NEAR_MATCHES);
}

/** Finds records whose number ends with this one. The stored key has numbers in a form without padding. */
async function recordsWithNumberEnding(
  family: FamilyQuery,
  number: string,
  source: ReadableSource,
): Promise<RecordRow[]> {
  const key = NUMBER_FIELDS.find((field) => field in family.fields);
  if (key === undefined || !/\d/.test(number)) return [];
  const ending = String(keysOf(family.model)[key]!.of({ [key]: number }));
  const counts = await source.models.count({ ...source, limit: MAX_COMPARED_NUMBERS }, [key]);
  const numbers = counts.map(({ values }) => values[0]).filter((value) => typeof value === 'string');
  const values = numbers.filter((value) => value.endsWith(ending) && !/\d$/.test(value.slice(0, -ending.length)));
  if (values.length === 0) return [];
  const where = [...source.where, { key, op: 'in', values } as const];
  const order = { key, direction: 'ASC' } as const;
  return (await source.models.find({ ...source, where, order, limit: MAX_NEAR_MATCHES })).map(({ doc }) => doc);
}

/** Finds records whose names or numbers have a word like each of these. They begin with its first letter. */
async function recordsWithSimilarWords(
  family: FamilyQuery,
  words: readonly string[],
  source: ReadableSource,
): Promise<RecordRow[]> {
  const alternatives = words.map(([letter]) => [letter!]);
  const where = [...source.where, { op: 'anyWords', alternatives } as const];
  const order = { key: null, direction: 'ASC' } as const;
  const rows = await source.models.find({ ...source, where, order, limit: MAX_COMPARED_RECORDS });
  const near: RecordRow[] = [];
  for (const { doc } of rows) {
    const recordWords = searchWords([family.model.nameOf(doc), numberOf(doc)], []);
    if (words.every((word) => nearest(word, recordWords) !== null)) near.push(doc);
    if (near.length === MAX_NEAR_MATCHES) break;
  }
  return near;
}

const numberOf = (row: RecordRow): string | null => (row.reference_id ?? row.section_title ?? null) as string | null;

/** Returns a record's name after its number. A name that is the beginning of a text has the number already. */
function withNumber({ model }: FamilyQuery, row: RecordRow): string {
  const name = model.nameOf(row);
  const number = numberOf(row);
  return number === null || number === '' || name.startsWith(number) ? name : `${number} ${name}`;
}
