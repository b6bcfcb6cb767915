import { foldLetters } from './fold.ts';

/**
 * The words of five-point scales in ten languages, for ratings of likelihood and impact. Words that scales
 * place differently are missing on purpose, such as "severe" and "significant": the cell is refused.
 */
const SCALE_WORDS: Readonly<Record<number, readonly string[]>> = {
  1: [
    'very low, vl, rare, remote, improbable, very unlikely, highly unlikely, insignificant, negligible, minimal',
    'sehr gering, sehr niedrig, sehr unwahrscheinlich, unbedeutend, vernachlässigbar',
    'très faible, très improbable, négligeable, insignifiant',
    'muy bajo, muy baja, muy improbable, insignificante',
    'muito baixo, muito baixa, muito improvável',
    'molto basso, molto bassa, molto improbabile, trascurabile',
    'zeer laag, zeer onwaarschijnlijk, verwaarloosbaar',
    'bardzo niski, bardzo niska, bardzo niskie, pomijalny',
    'velmi nízký, velmi nízká, velmi nízké, zanedbatelný',
    '非常に低い, 極めて低い',
  ],
  2: [
    'low, l, unlikely, minor',
    'gering, niedrig, unwahrscheinlich',
    'faible, peu probable, mineur, mineure',
    'bajo, baja, poco probable, menor',
    'baixo, baixa, pouco provável',
    'basso, bassa, poco probabile, minore',
    'laag, onwaarschijnlijk',
    'niski, niska, niskie, mało prawdopodobne',
    'nízký, nízká, nízké, nepravděpodobné',
    '低, 低い',
  ],
  3: [
    'medium, med, m, moderate, mod, possible',
    'mittel, möglich',
    'moyen, moyenne, modéré, modérée',
    'medio, media, moderado, moderada, posible',
    'médio, média, possível',
    'moderato, moderata, possibile',
    'gemiddeld, middel, matig, mogelijk',
    'średni, średnia, średnie, umiarkowany, możliwe',
    'střední, možné',
    '中, 中程度',
  ],
  4: [
    'high, h, likely, probable, major',
    'hoch, wahrscheinlich',
    'élevé, élevée, fort, forte, majeur, majeure',
    'alto, alta, mayor',
    'provável, maior',
    'elevato, elevata, probabile, maggiore',
    'hoog, waarschijnlijk',
    'wysoki, wysoka, wysokie, prawdopodobne',
    'vysoký, vysoká, vysoké, pravděpodobné',
    '高, 高い',
  ],
  5: [
    'very high, vh, almost certain, certain, very likely, highly likely, frequent, critical, catastrophic, extreme',
    'sehr hoch, sehr wahrscheinlich, fast sicher, nahezu sicher, kritisch, katastrophal',
    'très élevé, très élevée, très fort, très forte, très probable, quasi certain, presque certain, critique, catastrophique',
    'muy alto, muy alta, muy probable, casi seguro, crítico, crítica, catastrófico, catastrófica',
    'muito alto, muito alta, muito provável, quase certo',
    'molto alto, molto alta, molto probabile, quasi certo, critico, critica, catastrofico, catastrofica',
    'zeer hoog, zeer waarschijnlijk, bijna zeker, kritiek, catastrofaal',
    'bardzo wysoki, bardzo wysoka, bardzo wysokie, bardzo prawdopodobne, prawie pewne, krytyczny, krytyczna, katastrofalny',
    'velmi vysoký, velmi vysoká, velmi vysoké, velmi pravděpodobné, téměř jisté, kritický, kritická, katastrofický',
    '非常に高い, 極めて高い',
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
