import type { Aggregate } from './aggregate.ts';
import { audit } from './audit.ts';
import { control } from './control.ts';
import { evidence } from './evidence.ts';
import type { Family } from './family.ts';
import { framework } from './framework.ts';
import { kindOf } from './ids.ts';
import { measure } from './measure.ts';
import { nonconformity } from './nonconformity.ts';
import { obligation } from './obligation.ts';
import { organization } from './organization.ts';
import { risk } from './risk.ts';
import { vendor } from './vendor.ts';

/** Every family of records. Adding one is adding its name. */
const LIST = [audit, control, evidence, framework, measure, nonconformity, obligation, risk, vendor] as const;

export type FamilyName = (typeof LIST)[number]['type'];

// biome-ignore lint/suspicious/noExplicitAny: the list holds families of every kind; each use names its own types
export type AnyFamily = Family<any, any, any, FamilyName>;

export const FAMILIES = Object.fromEntries(LIST.map((family) => [family.type, family])) as unknown as Readonly<
  Record<FamilyName, AnyFamily>
>;

const BY_PREFIX = new Map<string, AnyFamily>(Object.values(FAMILIES).map((family) => [family.prefix, family]));

/** The family that an id is of. @throws TypeError when it is no record's: inputs are checked before */
export function familyOf(id: string): AnyFamily {
  const family = BY_PREFIX.get(kindOf(id) ?? '');
  if (family === undefined) throw new TypeError(`${id} is no record's id`);
  return family;
}

/** A record's stream, and what its events mean. */
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
