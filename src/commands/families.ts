import type { Decider } from './decider.ts';
import { risk } from './risk.ts';
import { vendor } from './vendor.ts';

/** What the write side needs to know of a family. Its streams are `<stream>-<id>`. */
export interface Family {
  stream: string;
  prefix: string;
  // biome-ignore lint/suspicious/noExplicitAny: the list holds deciders of every family; each use names its own types
  decider: Decider<any, any, any>;
}

/** Every family of records. Adding one is adding its line. */
const LIST = {
  VENDOR: { stream: 'vendor', prefix: 'vnd', decider: vendor },
  RISK: { stream: 'risk', prefix: 'rsk', decider: risk },
} as const satisfies Record<string, Family>;

export type FamilyName = keyof typeof LIST;

export const FAMILIES: Readonly<Record<FamilyName, Family>> = LIST;

const BY_PREFIX = new Map<string, FamilyName>(
  Object.entries(FAMILIES).map(([name, family]) => [family.prefix, name as FamilyName]),
);

/** The family whose ids begin so. */
export function familyOfPrefix(prefix: string): FamilyName | null {
  return BY_PREFIX.get(prefix) ?? null;
}

export function streamOf(family: FamilyName, id: string): string {
  return `${FAMILIES[family].stream}-${id}`;
}

export function organizationStream(id: string): string {
  return `organization-${id}`;
}
