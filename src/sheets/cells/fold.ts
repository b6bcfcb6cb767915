/** Accents and other marks, once a text is decomposed. */
const MARKS = /\p{M}/gu;
const OTHERS = /[^\p{L}\p{N}]/gu;

/** Returns a text without the differences of spelling between keyboards: case, width, accents, and ß for ss. */
export function foldSpelling(text: string): string {
  return text.normalize('NFKD').toLowerCase().replace(MARKS, '').replaceAll('ß', 'ss').replaceAll('œ', 'oe');
}

/** Returns the letters and digits of a text, by `foldSpelling`. "Sous-traitant" and "SOUS TRAITANT" are the same. */
export function foldLetters(text: string): string {
  return foldSpelling(text).replace(OTHERS, '');
}
