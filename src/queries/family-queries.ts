import { idPrefix } from '../commands/engine/ids.ts';
import { auditQuery } from './audits.ts';
import { controlQuery } from './controls.ts';
import { evidenceQuery } from './evidence.ts';
import type { FamilyQuery } from './family-query.ts';
import { frameworkQuery } from './frameworks.ts';
import { measureQuery } from './measures.ts';
import { nonconformityQuery } from './nonconformities.ts';
import { obligationQuery } from './obligations.ts';
import { riskQuery } from './risks.ts';
import { vendorQuery } from './vendors.ts';

/** All families. A new family must be added here. */
const FAMILIES: readonly FamilyQuery[] = [
  auditQuery,
  controlQuery,
  evidenceQuery,
  frameworkQuery,
  measureQuery,
  nonconformityQuery,
  obligationQuery,
  riskQuery,
  vendorQuery,
];

/** The families' queries by id prefix. */
export const FAMILY_QUERIES: Readonly<Record<string, FamilyQuery>> = Object.fromEntries(
  FAMILIES.map((family) => [family.prefix, family]),
);

/** Returns the family of a record by its id. */
export function familyQueryFor(id: string): FamilyQuery {
  return FAMILY_QUERIES[idPrefix(id) ?? '']!;
}

/** Returns the family of a type. @throws TypeError for an unknown type */
export function familyQueryOfType(type: string): FamilyQuery {
  const family = FAMILIES.find((candidate) => candidate.type === type);
  if (family === undefined) throw new TypeError(`there is no family ${type}`);
  return family;
}
