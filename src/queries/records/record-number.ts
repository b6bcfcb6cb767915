import type { FamilyQuery } from '../family-query.ts';

type Document = Readonly<Record<string, unknown>>;

/** The fields that hold a record's number. Each family has one of them at most. */
export const NUMBER_FIELDS = ['reference_id', 'section_title'];

/** Returns the name of the field that holds the number of a family's records; undefined without one. */
export function numberFieldOf({ fields }: Pick<FamilyQuery, 'fields'>): string | undefined {
  return NUMBER_FIELDS.find((name) => name in fields);
}

/** Returns a record's number; null without one. */
export function numberOf({ reference_id, section_title }: Document): string | null {
  return (reference_id || section_title || null) as string | null;
}

/** Returns a record's name after its number. A name that is the beginning of a text has the number already. */
export function withNumber({ model }: FamilyQuery, record: Document): string {
  const name = model.nameOf(record);
  const number = numberOf(record);
  return number === null || name.startsWith(number) ? name : `${number} ${name}`;
}
