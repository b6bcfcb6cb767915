import { audit } from './audit.ts';
import { control } from './control.ts';
import type { Family } from './define-family.ts';
import type { Aggregate } from './engine/aggregate.ts';
import { idPrefix } from './engine/ids.ts';
import { evidence } from './evidence.ts';
import { framework } from './framework.ts';
import { measure } from './measure.ts';
import { nonconformity } from './nonconformity.ts';
import { obligation } from './obligation.ts';
import { organization } from './organization/organization.ts';
import { risk } from './risk.ts';
import { vendor } from './vendor.ts';

/** Every family of records. A new family must be added here. */
const LIST = [audit, control, evidence, framework, measure, nonconformity, obligation, risk, vendor] as const;

export type FamilyName = (typeof LIST)[number]['type'];

// biome-ignore lint/suspicious/noExplicitAny: the list holds families of every kind; each use names its own types
export type AnyFamily = Family<any, any, any, FamilyName>;

export const FAMILIES = Object.fromEntries(LIST.map((family) => [family.type, family])) as unknown as Readonly<
  Record<FamilyName, AnyFamily>
>;

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
