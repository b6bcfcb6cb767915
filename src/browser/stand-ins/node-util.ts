import { canonical } from '../../trail/canonical.ts';

/** Stands in for the function of node:util. Events and changes are JSON, so their canonical forms can be compared. */
export function isDeepStrictEqual(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}
