/**
 * The words of five-point scales, for ratings of likelihood and impact. Words that scales place differently are missing on
 * purpose, such as "severe" and "significant": the cell is refused.
 */
const SCALE_WORDS: readonly (readonly [rating: number, words: readonly string[]])[] = [
  [
    1,
    [
      'very low',
      'vl',
      'rare',
      'remote',
      'improbable',
      'very unlikely',
      'highly unlikely',
      'insignificant',
      'negligible',
      'minimal',
    ],
  ],
  [2, ['low', 'l', 'unlikely', 'minor']],
  [3, ['medium', 'med', 'm', 'moderate', 'mod', 'possible']],
  [4, ['high', 'h', 'likely', 'probable', 'major']],
  [
    5,
    [
      'very high',
      'vh',
      'almost certain',
      'certain',
      'very likely',
      'highly likely',
      'frequent',
      'critical',
      'catastrophic',
      'extreme',
    ],
  ],
];

const RATINGS = new Map(SCALE_WORDS.flatMap(([rating, words]) => words.map((word) => [fold(word), rating] as const)));

/** Returns the rating, 1 to 5, of a word, or undefined. */
export function ratingOfWord(word: string): number | undefined {
  return RATINGS.get(fold(word));
}

function fold(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
