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

/** Returns true for a text that is never a name: ME, SYSTEM and what looks like an id. */
export function isReservedWord(text: string): boolean {
  return RESERVED_WORDS.includes(text) || /^acc_/i.test(text) || idPrefix(text) !== null;
}

/** An id, or the beginning of an account's, after folding. */
const FOLDED_ID = /^(acc_|[a-z]{3}_[0-9a-z]{26,29}$)/;

/** Returns true for a name that means nobody: it is invisible, or callers could confuse it with a reserved word. */
export function isForbiddenName(name: string): boolean {
  return (
    [foldName(name), skeletonOf(name)].some((text) => text === '' || FOLDED_ID.test(text)) ||
    RESERVED_WORDS.some((word) => areConfusableNames(name, word))
  );
}

/** Pairs of a character and the Latin letter that it looks like in most fonts: the frequent ones of Unicode's UTS #39. */
const LOOKALIKES = [
  'АA ВB ЕE ЅS Іl ЈJ КK МM НH ОO РP СC ТT ХX УY аa еe ѕs іi јj оo рp сc уy хx һh ԁd ӏl Ӏl',
  'ΑA ΒB ΕE ΖZ ΗH Ιl ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX αa ιi νv οo ρp υu',
  'Il 1l |l 0O',
].flatMap((pairs) => pairs.split(' ').map(([character, latin]) => [character!, latin!] as const));
const LATIN_LETTERS: ReadonlyMap<string, string> = new Map(LOOKALIKES);

/** Returns true for two names that a reader, or a caller who writes one of them, could confuse. */
export function areConfusableNames(a: string, b: string): boolean {
  return foldName(a) === foldName(b) || skeletonOf(a) === skeletonOf(b);
}

/** Returns a folded name with Latin letters in place of those that look like them. Names with one skeleton look alike. */
export function skeletonOf(name: string): string {
  return foldName([...normalize(name, 'NFKC')].map((character) => LATIN_LETTERS.get(character) ?? character).join(''));
}
