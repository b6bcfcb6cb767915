import type { Member } from '../../../identity/memberships/members.ts';
import type { FamilyDescription } from '../../../register/family-description.ts';
import { codeWords } from '../../../texts/words.ts';
import { enumText } from '../field-content.tsx';
import { type RegisterView, registerAddress } from '../open-register.ts';
import { familyHeading, ORDERED_FAMILIES } from '../rail-links.ts';
import { type Destination, hasWord, wordsOf } from './destinations.ts';

/** The fewest characters of a word that name a filter or a member. A shorter one begins too many. */
const MIN_WORD_LENGTH = 3;

/** A filter of a family's list that a word names, such as Suspended. */
interface NamedFilter {
  words: string;
  filter: Readonly<Record<string, string>>;
}

/**
 * Returns the lists that the words of a query name: those of a state, such as `suspended` or `overdue measures`, and the
 * due items of a member.
 */
export function findFilteredLists(view: RegisterView, query: string, members: readonly Member[]): Destination[] {
  const prefixes = wordsOf(query);
  if (!prefixes.some(({ length }) => length >= MIN_WORD_LENGTH)) return [];
  const lists = ORDERED_FAMILIES.flatMap((family) =>
    namedFilters(family)
      .filter(({ words }) => isNamed(prefixes, words, familyHeading(family)))
      .map(({ words, filter }) => ({
        title: `${familyHeading(family)}: ${words}`,
        address: registerAddress(view, `/${family.plural}`, filter),
      })),
  );
  const people = members.filter(({ ended, name }) => !ended && isNamed(prefixes, name, ''));
  return [
    ...lists,
    ...people.map(({ account_id, name }) => ({
      title: `Due items of ${name}`,
      address: registerAddress(view, '/needs-you', { owner: account_id }),
    })),
  ];
}

/** Returns true if all words of a query begin a name's words or the family's, and a longer one begins the name's. */
function isNamed(prefixes: readonly string[], name: string, family: string): boolean {
  const ofName = (prefix: string) => hasWord(name, prefix);
  return (
    prefixes.every((prefix) => ofName(prefix) || hasWord(family, prefix)) &&
    prefixes.some((prefix) => prefix.length >= MIN_WORD_LENGTH && ofName(prefix))
  );
}

/** Returns a family's filters by state, and by what is over. */
function namedFilters({ fields, filters = {} }: FamilyDescription): NamedFilter[] {
  const ofFields = Object.entries(fields).flatMap(([name, field]): NamedFilter[] => {
    if (field.filter === undefined) return [];
    if (field.kind === 'past') return [{ words: field.label, filter: { [name]: 'true' } }];
    const isState = field.kind === 'enum' && field.initial !== undefined;
    return isState ? field.values.map((value) => ({ words: enumText(field, value), filter: { [name]: value } })) : [];
  });
  const past = Object.entries(filters).filter(([, { test }]) => test === 'PAST');
  return [
    ...ofFields,
    ...past.map(([name, { label }]) => ({ words: label ?? codeWords(name), filter: { [name]: 'true' } })),
  ];
}
