/*
 * The words of a cell that name records: "R-1; A.5.2". A number may stand with its title, "ZM-10: Training", and a control
 * of Annex A may be written A8.2 or Annex A 8.2.
 */

/** Separators that no name has. */
const HARD_SEPARATORS = /[|;\n]+/;
/** A number with a title behind it. Digits alone could begin a name. */
const NUMBER_AND_TITLE = /^((?=\S*\d)(?=\S*[\p{L}.])[^\s:]+?):?\s+(?:[-–—]\s*)?\S/u;
const ANNEX_NUMBER = /^(?:annex\s+|anhang\s+)?a[\s.-]*(\d+(?:\.\d+)*)$/i;
const ANNEX_NUMBER_AND_TITLE = /^(?:annex\s+|anhang\s+)?a[\s.-]*(\d+(?:\.\d+)*):?\s+\S/i;
const CLAUSE_NUMBER = /^(?:clause|section|abschnitt|kapitel|klausel)\s+(\d+(?:\.\d+)*)$/i;
/** A number that a clause and a control of Annex A can have: 8.2. */
const BARE_NUMBER = /^\d+(?:\.\d+)+$/;

/** Returns the parts of a cell that are names or lists of names. */
export const listsInCell = (cell: string): string[] => trimmed(cell.split(HARD_SEPARATORS));

/** Returns the parts of a list with commas. */
export const itemsOfList = (part: string): string[] => trimmed(part.split(','));

/** Returns true for words that are numbers, such as A.5.1, and not parts of a name. */
export const areNumbers = (words: readonly string[]): boolean =>
  words.every((word) => /\d/.test(word) && !/\s/.test(word));

const trimmed = (texts: readonly string[]) => texts.map((text) => text.trim()).filter((text) => text !== '');

/** Returns the texts by which a word may name a record, the likeliest first. @param isControl of a framework */
export function spellingsOf(word: string, isControl: boolean): string[] {
  const clause = isControl ? CLAUSE_NUMBER.exec(word)?.[1] : undefined;
  const annex = isControl ? ANNEX_NUMBER.exec(word)?.[1] : undefined;
  return [word, clause, annex && `A.${annex}`].filter((spelling) => spelling !== undefined);
}

/** Returns the number at the beginning of a word with a title; null if it has none. */
export function numberBeforeTitle(word: string, isControl: boolean): string | null {
  const annex = isControl ? ANNEX_NUMBER_AND_TITLE.exec(word)?.[1] : undefined;
  return annex === undefined ? (NUMBER_AND_TITLE.exec(word)?.[1] ?? null) : `A.${annex}`;
}

/** Returns true for a word such as "clause 8.2". */
export const isClause = (word: string): boolean => CLAUSE_NUMBER.test(word);

/** The meaning of the bare numbers of a column, such as 8.2. */
export type BareNumbers = 'CLAUSES' | 'ANNEX' | 'UNCLEAR';

/**
 * Returns how a column means its bare numbers. Its heading decides, else the numbers that only a clause or only a control
 * of Annex A has. A column that writes A.5.1 for others means clauses by 8.2.
 */
export async function meaningOfNumbers(
  heading: string,
  words: readonly string[],
  exists: (number: string) => Promise<boolean>,
): Promise<BareNumbers> {
  if (/annex|anhang|27002/i.test(heading)) return 'ANNEX';
  const meanings = new Set<BareNumbers>(words.some((word) => ANNEX_NUMBER.test(word)) ? ['CLAUSES'] : []);
  for (const number of new Set(words.filter((word) => BARE_NUMBER.test(word)))) {
    const [isClause, isAnnex] = [await exists(number), await exists(`A.${number}`)];
    if (isClause !== isAnnex) meanings.add(isClause ? 'CLAUSES' : 'ANNEX');
  }
  const [meaning = 'UNCLEAR', contradiction] = meanings;
  return contradiction === undefined ? meaning : 'UNCLEAR';
}

/** Returns the number that a bare number means; null if it could be a clause or a control of Annex A. */
export async function numberMeant(
  word: string,
  meaning: BareNumbers,
  exists: (number: string) => Promise<boolean>,
): Promise<string | null> {
  if (meaning === 'CLAUSES' || !BARE_NUMBER.test(word) || !(await exists(`A.${word}`))) return word;
  return meaning === 'ANNEX' ? `A.${word}` : (await exists(word)) ? null : `A.${word}`;
}
