import { AUDIT } from './audit.ts';
import { CONTROL } from './control.ts';
import { EVIDENCE } from './evidence.ts';
import type { FamilyDescription } from './family-description.ts';
import { FRAMEWORK } from './framework.ts';
import { MEASURE } from './measure.ts';
import { NONCONFORMITY } from './nonconformity.ts';
import { OBLIGATION } from './obligation.ts';
import { RISK } from './risk.ts';
import { VENDOR } from './vendor.ts';

/** Every family, in the order of reports. Add a new one at the end. */
const LIST = [RISK, VENDOR, FRAMEWORK, CONTROL, MEASURE, OBLIGATION, NONCONFORMITY, AUDIT, EVIDENCE] as const;

export type FamilyName = (typeof LIST)[number]['type'];

export const FAMILY_DESCRIPTIONS: readonly (FamilyDescription & { type: FamilyName })[] = LIST;

export const RECORD_PREFIXES = FAMILY_DESCRIPTIONS.map(({ prefix }) => prefix).sort();

/** Returns the family of a record type; undefined for other types in the history, such as ORGANIZATION. */
export function familyOfType(type: string): FamilyDescription | undefined {
  return FAMILY_DESCRIPTIONS.find((family) => family.type === type);
}

/** Returns the family whose ids have a prefix; undefined for ids of other things. */
export function familyOfPrefix(prefix: string): FamilyDescription | undefined {
  return FAMILY_DESCRIPTIONS.find((family) => family.prefix === prefix);
}

/** Returns the id prefixes of the records that records with this prefix can be linked with. */
export function linkablePrefixes(prefix: string): string[] {
  const family = familyOfPrefix(prefix);
  if (family === undefined) return [];
  const linkedFamilies = FAMILY_DESCRIPTIONS.filter((other) => links(family, other) || links(other, family));
  return linkedFamilies.map((other) => other.prefix);
}

/**
 * Returns the other families whose records a family's can be linked with. Each has a column in files of the family's records.
 * Evidence has one column for all.
 */
export function linkedFamiliesOf({
  prefix,
}: {
  prefix: string;
}): readonly (FamilyDescription & { type: FamilyName })[] {
  const prefixes = linkablePrefixes(prefix);
  return FAMILY_DESCRIPTIONS.filter((other) => other.prefix !== prefix && prefixes.includes(other.prefix));
}

/** Returns true for a family whose records are linked with each other, by a relation. */
export function hasRelations(family: FamilyDescription): boolean {
  return links(family, family);
}

/** Returns each pair once, by the family that states it: `risk-measure/vendor, evidence-any`. */
export function linkablePairs(): string {
  const linking = FAMILY_DESCRIPTIONS.filter(({ links: linkedFamilies }) => linkedFamilies !== undefined);
  return linking.map(({ singular, links: linkedFamilies }) => `${singular}-${linkedNames(linkedFamilies!)}`).join(', ');
}

function linkedNames(linked: NonNullable<FamilyDescription['links']>): string {
  if (linked === 'EVERY_FAMILY') return 'any';
  return linked.map((type) => familyOfType(type)!.singular).join('/');
}

function links(family: FamilyDescription, other: FamilyDescription): boolean {
  const { links: linked = [] } = family;
  return linked === 'EVERY_FAMILY' ? other !== family : linked.includes(other.type);
}
