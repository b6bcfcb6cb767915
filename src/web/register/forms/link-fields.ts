import { CONTROL } from '../../../register/control.ts';
import type { Field, Fields } from '../../../register/field.ts';
import { RELATION_LABELS, RELATIONS } from '../../../register/link.ts';

const LINKED_RECORD: Field = { kind: 'name', label: 'Record', note: 'its number or name', required: true };

/** The records that a form links with: their numbers or names. */
export const LINKED_RECORDS: Field = { kind: 'ids', exceptPrefix: '', maxItems: 20, label: 'Linked with' };

/** The fields of a form that links with a record, or with several. */
export function linkFields(type: string, to_id: Field = LINKED_RECORD): Fields {
  const relation: Field = {
    kind: 'enum',
    label: 'Relation',
    note: 'only of a control to a control',
    values: RELATIONS,
    labels: RELATION_LABELS,
  };
  return { to_id, ...(type === CONTROL.type ? { relation } : {}) };
}
