import { dateOf, dayFarthestAhead, daysBetween } from '../../commands/engine/dates.ts';
import { familyQueryOfType } from '../../queries/family-query.ts';
import { SEVERITIES } from '../../register/nonconformity.ts';
import type { Grouping, ReportContext, ReportRow, ReportSection } from '../report-type.ts';
import { isFirstVersion } from './first-version.ts';
import { readInBatches, recordsAt } from './records.ts';
import { column, OWNER } from './report-columns.ts';

const GROUP_FIELDS = { SEVERITY: 'severity', OWNER: 'owner_id' } as const satisfies Record<Grouping, string>;

interface Group {
  all: number;
  open: number;
  daysToClosure: number[];
}

/**
 * Returns the days from finding a nonconformity to its closure. Null while it is open, and without date_identified. Where
 * it was found on the day after in UTC, both are one day in its own zone. A later date of older data is a mistake: null.
 */
export function daysToClosure(
  context: Pick<ReportContext, 'inputs'>,
  { date_identified: found, closed_at: closed }: ReportRow,
): number | null {
  if (!found || !closed) return null;
  const days = daysBetween(String(found), dateOf(String(closed)));
  if (days >= 0 || isFirstVersion(context)) return days;
  return String(found) > dayFarthestAhead(String(closed)) ? null : 0;
}

/** Returns the section that counts nonconformities by severity or owner, with the days until they were closed. */
export function closureSection(context: ReportContext, grouping: Grouping): ReportSection {
  const field = GROUP_FIELDS[grouping];
  return {
    name: `by_${grouping.toLowerCase()}`,
    title: grouping === 'OWNER' ? 'By owner' : 'By severity',
    note: 'Days to closure are counted from date_identified to closed_at, for closed nonconformities that state both.',
    columns: [
      grouping === 'OWNER' ? OWNER : column(field, 'Severity'),
      column('nonconformities', 'Nonconformities'),
      column('open', 'Not closed'),
      column('closed_with_days', 'Closed, with days'),
      column('days_to_closure_median', 'Days to closure, median'),
      column('days_to_closure_mean', 'Days to closure, mean'),
      column('days_to_closure_max', 'Days to closure, longest'),
    ],
    rows: async function* () {
      for (const [value, group] of await readGroups(context, field)) {
        yield { ...(value === null ? {} : { [field]: value }), ...groupRow(group) };
      }
    },
  };
}

/** Returns the groups: severities in their order, owners in that of their ids, and last those without a value. */
async function readGroups(context: ReportContext, field: string): Promise<[string | null, Group][]> {
  const groups = new Map<string | null, Group>();
  const source = recordsAt(context, familyQueryOfType('NONCONFORMITY'));
  for await (const rows of readInBatches(context, source, { key: 'due_date', direction: 'ASC' })) {
    for (const { doc } of rows) {
      const value = (doc[field] ?? null) as string | null;
      const group = groups.get(value) ?? { all: 0, open: 0, daysToClosure: [] };
      groups.set(value, group);
      group.all += 1;
      if (doc.status !== 'CLOSED') group.open += 1;
      const days = daysToClosure(context, doc);
      if (days !== null) group.daysToClosure.push(days);
    }
  }
  return [...groups].sort(([a], [b]) => compareGroups(a, b));
}

function compareGroups(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const severities: readonly string[] = SEVERITIES;
  return severities.indexOf(a) - severities.indexOf(b) || (a < b ? -1 : 1);
}

function groupRow({ all, open, daysToClosure: unsorted }: Group): ReportRow {
  const counts = { nonconformities: all, open, closed_with_days: unsorted.length };
  if (unsorted.length === 0) return counts;
  const days = [...unsorted].sort((a, b) => a - b);
  const middle = days.length / 2;
  const median = (days[Math.ceil(middle) - 1]! + days[Math.floor(middle)]!) / 2;
  const mean = days.reduce((sum, count) => sum + count, 0) / days.length;
  return {
    ...counts,
    days_to_closure_median: median,
    days_to_closure_mean: Math.round(mean * 10) / 10,
    days_to_closure_max: days.at(-1)!,
  };
}
