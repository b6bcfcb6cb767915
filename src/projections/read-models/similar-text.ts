import { withoutLegalForm } from './legal-forms.ts';
import { cutText, normalizeText } from './search-text.ts';

/** Letters and digits, with the signs that tell C, C++ and C# apart. */
const WORD = /[\p{L}\p{N}]+[+#]*/gu;
/** (株) and (주) stand for a legal form. NFKD has made them of ㈱ and ㈜. */
const FORM_IN_BRACKETS = /\((?:株|有|주|유)\)/g;
/** A space between letters of a script that needs none. */
const NEEDLESS_SPACE = /(?<=[ー\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]) (?=[ー\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])/gu;
const SINGLE_LETTER = /^\p{L}$/u;

/** Characters of a long text that are compared, and those of the stored key. */
const MAX_COMPARED_CHARACTERS = 400;
const MAX_KEY_CHARACTERS = 200;

/**
 * Returns a text's stored key for finding similar ones: equal keys mean similar texts. Case, accents, signs and spaces make
 * no difference, and of a long text only the beginning counts. A company's name also loses its legal form: Redpoll Legal AG
 * and REDPOLL  LEGAL, Inc. are both `redpoll legal`. Null for an empty text.
 */
export function similarText(text: string | null, isCompany: boolean): string | null {
  if (text === null || text === '') return null;
  const normalized = normalizeText(cutText(text, MAX_COMPARED_CHARACTERS));
  const words = (isCompany ? normalized.replace(FORM_IN_BRACKETS, ' ') : normalized).match(WORD);
  if (words === null) return cutText(normalized, MAX_KEY_CHARACTERS);
  const similar = joinLetters(words).replace(NEEDLESS_SPACE, '');
  return cutText(isCompany ? withoutLegalForm(similar) : similar, MAX_KEY_CHARACTERS);
}

/** Joins words by spaces, but single letters without: S. A. and S.A. are one word. */
function joinLetters(words: readonly string[]): string {
  let joined = '';
  let wasLetter = false;
  for (const word of words) {
    const isLetter = SINGLE_LETTER.test(word);
    joined += joined === '' || (isLetter && wasLetter) ? word : ` ${word}`;
    wasLetter = isLetter;
  }
  return joined;
}
