import { foldLetters } from './fold.ts';

/**
 * The words of five-point scales in English, German and French, for ratings of likelihood and impact. Words that scales
 * place differently are missing on purpose, such as "severe" and "significant": the cell is refused.
 */
const SCALE_WORDS: Readonly<Record<number, readonly string[]>> = {
  1: [
    'very low, vl, rare, remote, improbable, very unlikely, highly unlikely, insignificant, negligible, minimal',
    'sehr gering, sehr niedrig, sehr unwahrscheinlich, unbedeutend, vernachlässigbar',
    'très faible, très improbable, négligeable, insignifiant',
  ],
  2: ['low, l, unlikely, minor', 'gering, niedrig, unwahrscheinlich', 'faible, peu probable, mineur, mineure'],
  3: ['medium, med, m, moderate, mod, possible', 'mittel, möglich', 'moyen, moyenne, modéré, modérée'],
  4: ['high, h, likely, probable, major', 'hoch, wahrscheinlich', 'élevé, élevée, fort, forte, majeur, majeure'],
  5: [
    'very high, vh, almost certain, certain, very likely, highly likely, frequent, critical, catastrophic, extreme',
    'sehr hoch, sehr wahrscheinlich, fast sicher, nahezu sicher, kritisch, katastrophal',
    'très élevé, très élevée, très fort, très forte, très probable, quasi certain, presque certain, critique, catastrophique',
  ],
};

const RATINGS = new Map(
  Object.entries(SCALE_WORDS).flatMap(([rating, words]) =>
    words
      .join(', ')
      .split(', ')
      .map((word) => [foldLetters(word), Number(rating)] as const),
  ),
);

/** Returns the rating, 1 to 5, of a word, or undefined. */
export function ratingOfWord(word: string): number | undefined {
  return RATINGS.get(foldLetters(word));
}

/** Letters of the longest abbreviation, such as "vh". */
const MAX_ABBREVIATION = 2;

/**
 * Returns the words of a column, by `foldLetters`, that mean one rating and aren't one word: "Critical" and "Catastrophic"
 * are two steps of a scale that has both.
 */
export function rivalWords(words: readonly string[]): ReadonlySet<string> {
  const folded = [...new Set(words.map(foldLetters))].filter(({ length }) => length > MAX_ABBREVIATION);
  const isRival = (word: string, other: string) =>
    RATINGS.get(word) === RATINGS.get(other) && !word.startsWith(other) && !other.startsWith(word);
  const known = folded.filter((word) => RATINGS.has(word));
  return new Set(known.filter((word) => known.some((other) => isRival(word, other))));
}
