import type { FamilyDescription } from './family-description.ts';
import type { Field } from './field.ts';

/** Returns the clause that says where a field's value comes from, after its name; null if nothing says it. */
export function sourceOf(field: Field): string | null {
  if (field.source !== undefined) return field.source;
  switch (field.kind) {
    case 'count':
    case 'validCount':
      return 'counts linked records';
    case 'past':
      return 'follows from a date and from today';
    default:
      return null;
  }
}

/** Returns the clauses of a family's fields, by field. A field that inputs can set may have one too. */
export function fieldSources({ fields }: Pick<FamilyDescription, 'fields'>): ReadonlyMap<string, string> {
  const sources = Object.entries(fields).map(([name, field]) => [name, sourceOf(field)] as const);
  return new Map(sources.filter((entry): entry is readonly [string, string] => entry[1] !== null));
}
