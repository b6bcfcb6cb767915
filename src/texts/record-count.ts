import type { FamilyNames } from '../register/family-description.ts';

/** Returns a number of records in words, such as `1 risk`, `3 findings` or `2 pieces of evidence`. */
export function recordCount({ type, singular, plural }: FamilyNames, count: number): string {
  if (type === 'EVIDENCE') return `${count} ${count === 1 ? 'piece' : 'pieces'} of evidence`;
  const [one, many] = type === 'NONCONFORMITY' ? ['finding', 'findings'] : [singular, plural];
  return `${count} ${count === 1 ? one : many}`;
}
