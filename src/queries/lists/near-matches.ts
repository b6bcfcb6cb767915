import { setImmediate as nextTurn } from 'node:timers/promises';
import { keysOf } from '../../projections/read-models/read-model.ts';
import { normalizedWords, searchWords, withoutPadding } from '../../projections/read-models/search-words.ts';
import type { FamilyQuery } from '../family-query.ts';
import { numberFieldOf, numberOf, withNumber } from '../records/record-number.ts';
import type { ReadableSource } from './list-source.ts';
import { SimilarWords } from './similar-words.ts';

/** Records whose words are compared with a query that found nothing, and whose numbers are counted. */
const MAX_COMPARED_RECORDS = 300;
const MAX_COMPARED_NUMBERS = 1_000;
/** Comparing so many words takes about 10 ms. */
const MAX_WORD_COMPARISONS = 10_000;
/** Records that are compared before other calls get a turn. */
const RECORDS_PER_TURN = 20;
/** Longer queries get no near matches, because comparing words takes time. */
export const MAX_COMPARED_WORDS = 8;
/** Near matches that a hint names. */
export const MAX_NEAR_MATCHES = 3;
/** An abbreviation with fewer letters fits too many names, and one with more isn't one. */
const MIN_ABBREVIATION = 3;
const MAX_ABBREVIATION = 8;

type RecordRow = Readonly<Record<string, unknown>>;

/**
 * Returns up to three records that a query nearly finds. First come those whose number ends with it, such as A.5.15 for
 * 5.15, then those with similar words in their name or number.
 */
export async function nearMatches(family: FamilyQuery, query: string, source: ReadableSource): Promise<RecordRow[]> {
  const words = normalizedWords(query).map(withoutPadding);
  if (words.length === 0 || words.length > MAX_COMPARED_WORDS) return [];
  const rows = words.length === 1 ? await recordsWithNumberEnding(family, query, source) : [];
  if (rows.length < MAX_NEAR_MATCHES) rows.push(...(await recordsWithSimilarWords(family, words, source)));
  return [...new Map(rows.map((row) => [row.id, row])).values()].slice(0, MAX_NEAR_MATCHES);
}

/** Returns the first records of a list: one more than a hint names, if there are more. */
export async function firstMatches(source: ReadableSource): Promise<RecordRow[]> {
  const order = { key: null, direction: 'ASC' } as const;
  const rows = await source.models.find({ ...source, order, limit: MAX_NEAR_MATCHES + 1 });
  return rows.map(({ doc }) => doc);
}

/** Returns records as a hint names them, with numbers and ids. */
export function namesOf(family: FamilyQuery, rows: readonly RecordRow[]): string {
  return rows.map((row) => `${withNumber(family, row)} (${row.id})`).join('; ');
}

/** Finds records whose number ends with this one. The stored key has numbers in a form without padding. */
async function recordsWithNumberEnding(
  family: FamilyQuery,
  number: string,
  source: ReadableSource,
): Promise<RecordRow[]> {
  const key = numberFieldOf(family);
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

/** Finds records whose name or number has similar words, or that abbreviates or spells out the query. */
async function recordsWithSimilarWords(
  family: FamilyQuery,
  words: readonly string[],
  source: ReadableSource,
): Promise<RecordRow[]> {
  const wordings = withJoinedWords(words);
  const initials = initialsOf(words);
  const alternatives = wordings.map((wording) => [...initialsOf(wording)]);
  if (isAbbreviation(initials)) alternatives.push([initials]);
  if (words.length === 1 && isAbbreviation(words[0]!)) alternatives.push([...words[0]!]);
  const where = [...source.where, { op: 'anyWords', alternatives } as const];
  const order = { key: null, direction: 'ASC' } as const;
  const rows = await source.models.find({ ...source, where, order, limit: MAX_COMPARED_RECORDS });
  const near: RecordRow[] = [];
  let compared = 0;
  for (const [index, { doc }] of rows.entries()) {
    if (index % RECORDS_PER_TURN === 0) await nextTurn();
    const nameWords = normalizedWords(family.model.nameOf(doc));
    const ownWords = searchWords([family.model.nameOf(doc), numberOf(doc)], []);
    const recordWords = new SimilarWords([...ownWords, ...joinsOf(nameWords)]);
    const isNear =
      wordings.some((wording) => wording.every((word) => recordWords.has(word))) || isAbbreviationOf(words, nameWords);
    if (isNear) near.push(doc);
    compared += recordWords.compared;
    if (near.length === MAX_NEAR_MATCHES || compared > MAX_WORD_COMPARISONS) break;
  }
  return near;
}

/** Returns true if a query abbreviates a part of a name, or spells out one of its words. */
export const isAbbreviated = (query: string, name: string): boolean =>
  isAbbreviationOf(normalizedWords(query), normalizedWords(name));

/** Returns true if the words of a query abbreviate a part of a name, as MFA does, or spell out one of its words. */
function isAbbreviationOf(words: readonly string[], nameWords: readonly string[]): boolean {
  const initials = initialsOf(words);
  const isShort = words.length === 1 && isAbbreviation(words[0]!);
  return (
    (isShort && initialsOf(nameWords).includes(words[0]!)) || (isAbbreviation(initials) && nameWords.includes(initials))
  );
}

/** Returns the words, and once for each word the words with this one and the next in one: ransom ware is ransomware. */
function withJoinedWords(words: readonly string[]): (readonly string[])[] {
  return [words, ...joinsOf(words).map((join, index) => [...words.slice(0, index), join, ...words.slice(index + 2)])];
}

/** Returns each word with the next one in one. */
function joinsOf(words: readonly string[]): string[] {
  return words.slice(1).map((next, index) => words[index]! + next);
}

const isAbbreviation = ({ length }: string): boolean => length >= MIN_ABBREVIATION && length <= MAX_ABBREVIATION;

const initialsOf = (words: readonly string[]): string => words.map(([letter]) => letter).join('');
