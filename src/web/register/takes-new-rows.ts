import type { FamilyDescription } from '../../register/family-description.ts';

/** Returns true if a spreadsheet can add records of the family. Of controls it can only change those of a framework. */
export function takesNewRows({ importable, commonEvents }: FamilyDescription): boolean {
  return importable === true && commonEvents.added !== undefined;
}
