import type { FamilyName } from '../register/families.ts';
import { audit } from './audit.ts';
import { control } from './control.ts';
import type { Family } from './define-family.ts';
import type { Aggregate } from './engine/decider.ts';
import { idPrefix } from './engine/ids.ts';
import { evidence } from './evidence.ts';
import { framework } from './framework.ts';
import { measure } from './measure.ts';
import { nonconformity } from './nonconformity.ts';
import { obligation } from './obligation.ts';
import { organization } from './organization/organization.ts';
import { risk } from './risk.ts';
import { vendor } from './vendor.ts';

/** The rules of every family that src/register/families.ts lists. */
export const FAMILIES: Readonly<Record<FamilyName, AnyFamily>> = {
  RISK: risk,
  VENDOR: vendor,
  FRAMEWORK: framework,
  CONTROL: control,
  MEASURE: measure,
  OBLIGATION: obligation,
  NONCONFORMITY: nonconformity,
  AUDIT: audit,
  EVIDENCE: evidence,
};

// biome-ignore lint/suspicious/noExplicitAny: the list holds families of every kind; each use names its own types
export type AnyFamily = Family<any, any, any> & { type: FamilyName };

const BY_PREFIX = new Map<string, AnyFamily>(Object.values(FAMILIES).map((family) => [family.prefix, family]));

/** Returns the family of a record's id. @throws TypeError if it isn't a record's id: inputs are checked before */
export function familyOf(id: string): AnyFamily {
  const family = BY_PREFIX.get(idPrefix(id) ?? '');
  if (family === undefined) throw new TypeError(`${id} is not a record's id`);
  return family;
}

/** Returns a record's stream with its family's decider. */
// biome-ignore lint/suspicious/noExplicitAny: a record of any family
export function recordAggregate(id: string): Aggregate<any, any, any> {
  const family = familyOf(id);
  const origin = family.origin?.(id);
  return { stream: `${family.singular}-${id}`, decider: family, ...(origin ? { origin } : {}) };
}

export function organizationStream(id: string): string {
  return `organization-${id}`;
}

export function organizationAggregate(id: string) {
  return { stream: organizationStream(id), decider: organization };
}
