import type { FamilyQuery } from './family.ts';
import { riskQuery } from './risks.ts';
import { vendorQuery } from './vendors.ts';

/** Every family that can be listed and read, by the prefix of its ids. Adding one is adding its line. */
export const FAMILY_QUERIES: Readonly<Record<string, FamilyQuery>> = {
  rsk: riskQuery,
  vnd: vendorQuery,
};
