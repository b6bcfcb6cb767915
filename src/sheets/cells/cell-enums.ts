import { type Cell, cellError, displayText, type ParsedCell } from './cell.ts';
import { SYNONYMS, SYNONYMS_IN_FURTHER_LANGUAGES } from './enum-words.ts';
import { foldLetters } from './fold.ts';

/** Synonyms by value, by `foldLetters`. */
const FOLDED_SYNONYMS = new Map(
  Object.entries(SYNONYMS).map(([value, words]) => {
    const all = `${words}, ${SYNONYMS_IN_FURTHER_LANGUAGES[value] ?? value}`;
    return [value, new Set(all.split(', ').map(foldLetters))] as const;
  }),
);

/** Letters. A shorter prefix does not stand for a value. */
const MIN_PREFIX_LENGTH = 3;

/**
 * Reads one of `values`. Case, accents, spaces and hyphens don't matter. Also accepts synonyms and unambiguous prefixes:
 * "partial" is PARTIALLY_COMPLIANT.
 */
export function enumFrom(cell: Cell, values: readonly string[]): ParsedCell<string> {
  const word = foldLetters(displayText(cell));
  const exactMatch = values.find((value) => foldLetters(value) === word);
  if (exactMatch !== undefined) return { value: exactMatch };
  const synonyms = bySynonym(word, values);
  if (synonyms.length === 1) return { value: synonyms[0]! };
  const prefixed = values.filter((value) => word !== '' && foldLetters(value).startsWith(word));
  if (synonyms.length === 0 && prefixed.length === 1 && word.length >= MIN_PREFIX_LENGTH)
    return { value: prefixed[0]! };
  const likely = synonyms.length > 0 ? synonyms : prefixed;
  if (likely.length > 0) return cellError(cell, `could be ${likely.join(' or ')}. Write it out`);
  return cellError(cell, `is not a valid value. Give one of ${values.join(', ')}, or leave it empty`);
}

function bySynonym(word: string, values: readonly string[]): readonly string[] {
  return values.filter((value) => FOLDED_SYNONYMS.get(value)?.has(word));
}
