import { MAX_DATE } from '../../commands/engine/dates.ts';
import { keysOf } from '../../projections/read-models/read-model.ts';
import type { FamilyDescription } from '../../register/family-description.ts';
import type { Field, Fields } from '../../register/field.ts';
import type { FamilyQuery } from '../family-query.ts';

type Document = Readonly<Record<string, unknown>>;

/** A date on which something of a record falls due. */
export interface DueDate {
  /** The date's field, such as `next_review_due` or `acceptance.until`. */
  field: string;
  label: string;
  date: string;
  isOverdue: boolean;
}

/** Returns the dates that still matter: those that the report of due items contains. */
export function dueDatesOf(
  { dueItems = [] }: Pick<FamilyDescription, 'dueItems'>,
  { fields, model }: FamilyQuery,
  record: Document,
  today: string,
): DueDate[] {
  if (record.archived_at !== null) return [];
  const keys = keysOf(model);
  const dueDates = dueItems.flatMap(({ date: field, key, filter = {} }) => {
    const isCounted = Object.entries(filter).every(([name, values]) => values.includes(String(record[name])));
    const date = key === undefined ? record[field] : keys[key]!.of(record);
    if (!isCounted || typeof date !== 'string' || date === MAX_DATE) return [];
    return [{ field, label: fieldAt(fields, field).label, date, isOverdue: date < today }];
  });
  return dueDates.sort((a, b) => a.date.localeCompare(b.date));
}

/** Returns a field by its path: `due_date`, or `acceptance.until` for a member of an object. */
function fieldAt(fields: Fields, path: string): Field {
  const [name = '', member] = path.split('.');
  const field = fields[name]!;
  return field.kind === 'object' && member !== undefined ? field.fields[member]! : field;
}

/**
 * Returns the fields of a list's row whose dates are overdue. It leaves out a date of which another field of the row says
 * it, such as `overdue`. @param row a record in view SUMMARY
 */
export function overdueFieldsOf(
  { dueItems = [], fields }: Pick<FamilyDescription, 'dueItems' | 'fields'>,
  query: FamilyQuery,
  row: Document,
  today: string,
): string[] {
  const saysItself = (key: string | undefined) =>
    query.summary.some((name) => {
      const field = fields[name];
      return field?.kind === 'past' && field.key === key;
    });
  const unsaid = dueItems.filter(({ date, key }) => query.summary.includes(date) && !saysItself(key));
  // SUMMARY leaves out fields without a value.
  const noValues = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
  const record = { ...noValues, archived_at: null, ...row };
  return dueDatesOf({ dueItems: unsaid }, query, record, today).flatMap(({ field, isOverdue }) =>
    isOverdue ? [field] : [],
  );
}
