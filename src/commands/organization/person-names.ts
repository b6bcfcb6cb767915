import { readFileSync } from 'node:fs';
import { ROLES } from '../../register/organization.ts';
import { idPrefix } from '../engine/ids.ts';
import { normalize } from '../engine/normalize.ts';

/*
 * Names of people as words that callers may write instead of an account's id. Accounts and their names are in the account
 * store; these are only the rules.
 */

/** Returns a name without case, character width, invisible characters and repeated spaces: about Unicode's NFKC_Casefold. */
export function foldName(name: string): string {
  const visible = normalize(name, 'NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  // Upper case turns ß into SS, but not a capital ẞ, which is therefore made lower case first. A final Σ becomes ς.
  const folded = visible.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
  return folded.normalize('NFKC').replace(/\s+/g, ' ').trim();
}

/** The words for the caller and for the service. */
const RESERVED_WORDS = ['ME', 'SYSTEM'];
/** Words that the service writes in a person's place, alone or behind a name. */
const WORDS_FOR_NOBODY = ['former member', 'erased name', 'altered name', 'veritrail'];

/** Returns true for a text that is never a name: ME, SYSTEM and what looks like an id. */
export function isReservedWord(text: string): boolean {
  return RESERVED_WORDS.includes(text) || /^acc_/i.test(text) || idPrefix(text) !== null;
}

/** An id, or the beginning of an account's, after folding. */
const FOLDED_ID = /^(acc_|[a-z]{3}_[0-9a-z]{26,29}$)/;

/** Returns true for a name that means nobody: it is invisible, or callers could confuse it with a reserved word. */
export function isForbiddenName(name: string): boolean {
  return isForbidden(formsOf(name));
}

/** Returns true for a name that a person or organization may not choose: a forbidden one, or the word for a role. */
export function isReservedName(name: string): boolean {
  const forms = formsOf(name);
  return isForbidden(forms) || isLikeRole(forms);
}

/** The forms in which names are compared. Making them takes long for long names, so each is made once. */
interface NameForms {
  folded: string;
  skeleton: string;
}

const formsOf = (name: string): NameForms => ({ folded: foldName(name), skeleton: skeletonOf(name) });

/** Returns a test for names that could be confused with one of these words. */
function likeOneOf(words: readonly string[]): (name: NameForms) => boolean {
  let forms: readonly NameForms[] | undefined;
  return ({ folded, skeleton }) => {
    forms ??= words.map(formsOf);
    return forms.some((word) => word.folded === folded || word.skeleton === skeleton);
  };
}

const isLikeReservedWord = likeOneOf([...RESERVED_WORDS, ...WORDS_FOR_NOBODY]);
const isLikeRole = likeOneOf([...ROLES, 'Administrator']);

function isForbidden(forms: NameForms): boolean {
  const { folded, skeleton } = forms;
  if ([folded, skeleton].some((text) => text === '' || FOLDED_ID.test(text))) return true;
  return isLikeReservedWord(forms) || skeleton.includes(skeletonOf('former member'));
}

/** A Coptic letter that the table lacks. */
const MISSING_LOOKALIKES = [['\u2c80', 'A']] as const;

/** By character, the characters that it looks like: Unicode's table (UTS #39). Read when it is first needed. */
const readPrototypes = (() => {
  let prototypes: ReadonlyMap<string, string> | undefined;
  const read = (): ReadonlyMap<string, string> => {
    const file = new URL('./confusables.json', import.meta.url);
    const { lookalikes } = JSON.parse(readFileSync(file, 'utf8')) as { lookalikes: Record<string, string> };
    return new Map([
      ...Object.entries(lookalikes).flatMap(([prototype, all]) => [...all].map((one) => [one, prototype] as const)),
      ...MISSING_LOOKALIKES,
    ]);
  };
  return () => {
    prototypes ??= read();
    return prototypes;
  };
})();

/** Returns a test for names that a reader, or a caller who writes one of them, could confuse with this one. */
export function confusableWith(name: string): (other: string) => boolean {
  const isLike = likeOneOf([name]);
  return (other) => isLike(formsOf(other));
}

/** Signs between names, and what is drawn as a blank. An underscore stays, because it is in ids. */
const SEPARATORS = /[\s\p{Z}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\u2800]/gu;

/** Returns a name's letters. Names with the same skeleton and other letters only look alike, as with a Cyrillic а. */
export function lettersOf(name: string): string {
  return foldName(name).replace(SEPARATORS, '');
}

/** Returns a name in a form that is the same for names which look alike, in upper or lower case, with or without signs. */
export function skeletonOf(name: string): string {
  const prototypes = readPrototypes();
  const replaced = (text: string) =>
    // m stays, and rn becomes m below, so that ids keep their length.
    [...text].map((character) => (character === 'm' ? 'm' : (prototypes.get(character) ?? character))).join('');
  const drawn = replaced(normalize(name, 'NFKC').normalize('NFD'));
  const folded = replaced(foldName(drawn).normalize('NFD')).toLowerCase();
  return folded.replaceAll('i', 'l').replaceAll('rn', 'm').replace(SEPARATORS, '').normalize('NFC');
}
