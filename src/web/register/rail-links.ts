import { FAMILY_DESCRIPTIONS } from '../../register/families.ts';
import { codeWords } from '../../texts/words.ts';

/** The name of a family's records on screen, if not its plural; and of one record, if not its singular. */
const SCREEN_NAMES: Readonly<Record<string, string>> = { NONCONFORMITY: 'Findings' };
const SCREEN_NOUNS: Readonly<Record<string, string>> = { NONCONFORMITY: 'finding' };

/** Families in the order of the rail. Others follow. */
const RAIL_ORDER = ['RISK', 'CONTROL', 'MEASURE', 'VENDOR', 'OBLIGATION', 'NONCONFORMITY', 'EVIDENCE'];
const rank = ({ type }: { type: string }) => (RAIL_ORDER.includes(type) ? RAIL_ORDER.indexOf(type) : RAIL_ORDER.length);

/** All families in the order in which pages name them. */
export const ORDERED_FAMILIES = FAMILY_DESCRIPTIONS.toSorted((a, b) => rank(a) - rank(b));

/** Families with a place of their own: an audit has its own group, a framework stands above its controls. */
const NOT_AMONG_RECORDS = new Set(['AUDIT', 'FRAMEWORK']);

/** Returns a family's name on screen, such as Risks or Findings. */
export function familyHeading({ type, plural }: { type: string; plural: string }): string {
  return SCREEN_NAMES[type] ?? codeWords(plural);
}

/** Returns the name of one record of a family on screen, such as risk or finding. */
export function familyNoun({ type, singular }: { type: string; singular: string }): string {
  return SCREEN_NOUNS[type] ?? singular;
}

/** Returns the name of some records of a family as pages have it. @param label the name in reports */
export function recordsLabel({ type, label }: { type: string; label: string }): string {
  return SCREEN_NAMES[type] ?? label;
}

/** An entry of the rail: the page's path below the organization's, and its title. */
export type RailLink = readonly [page: string, title: string];

/** The rail's groups. Every member has all of them. */
export const RAIL_GROUPS: readonly (readonly RailLink[])[] = [
  [
    ['', 'Home'],
    ['/needs-you', 'Needs you'],
    ['/proposals', 'Proposals'],
  ],
  ORDERED_FAMILIES.filter(({ type }) => !NOT_AMONG_RECORDS.has(type)).map(
    (family) => [`/${family.plural}`, familyHeading(family)] as const,
  ),
  [
    ['/audits', 'Audits'],
    ['/changes', 'Changes'],
    ['/reports', 'Reports'],
  ],
  [['/settings', 'Settings']],
];
