import { endOfDay } from '../../commands/engine/dates.ts';
import { dateAsTime, dateAsTimeIn, withDatesAsTimes } from '../../commands/engine/dates-as-times.ts';
import type { ChangeDocument } from '../../projections/history/change-document.ts';
import { familyOfType } from '../../register/families.ts';
import type { ReportContent, ReportContext, ReportRow } from '../report-type.ts';

/*
 * Version 1 of a report stays available, so that digests from then can be compared. It has dates without a time of day as
 * times, as the events of that version stored them.
 */

export const isFirstVersion = ({ inputs }: Pick<ReportContext, 'inputs'>): boolean => inputs.report_version === '1';

/** Returns the version of a report that has two. */
export const versionOf = (context: ReportContext): Pick<ReportContent, 'version'> =>
  isFirstVersion(context) ? {} : { version: 2 };

/** Returns a record as the report's version has it. */
export function recordInVersion(context: ReportContext, type: string, record: ReportRow): ReportRow {
  return isFirstVersion(context) ? withDatesAsTimes(familyOfType(type)!.fields, record) : record;
}

const STATED_TIME = { kind: 'time', label: 'Effective' } as const;

/** Returns a change as the report's version has it. */
export function changeInVersion(context: ReportContext, change: ChangeDocument): ChangeDocument {
  const family = familyOfType(change.record.type);
  if (!isFirstVersion(context) || family === undefined) return change;
  const { event_type, effective_at, changes } = change;
  const valueBefore = (name: string) => changes.find(({ field }) => field === name)?.from;
  const before = dateAsTimeIn({ review: valueBefore('review'), imported: valueBefore('imported') });
  const after = event_type === 'VendorReviewed' ? endOfDay : dateAsTimeIn({});
  // An obligation's last_review_date always was a date.
  const isDate = family.fields[family.effectiveDates?.[event_type] ?? '']?.kind === 'date';
  return {
    ...change,
    effective_at: isDate ? effective_at : (dateAsTime(STATED_TIME, effective_at, after) as string | null),
    changes: changes.map(({ field, from, to }) => ({
      field,
      from: dateAsTime(family.fields[field], from, before),
      to: dateAsTime(family.fields[field], to, after),
    })),
  };
}
