import type { FamilyDescription } from '../../register/family-description.ts';

/** Returns the field that names a record: its name, or the text whose beginning does. */
export function titleFieldOf({ fields, titleField }: FamilyDescription): string {
  return titleField ?? ('name' in fields ? 'name' : 'id');
}

/** Returns the field with a record's number, such as reference_id or a control's section_title; null without one. */
export function numberField({ fields }: FamilyDescription): string | null {
  return ['reference_id', 'section_title'].find((name) => name in fields) ?? null;
}
