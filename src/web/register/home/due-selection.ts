import { addDays, isRealDate } from '../../../commands/engine/dates.ts';
import type { ReportContext } from '../../../reports/report-type.ts';
import {
  countDueItems,
  DUE_KINDS,
  type DueBounds,
  type DueKind,
  type RecordFilter,
} from '../../../reports/sections/due-rows.ts';
import { MAX_COUNT } from '../../texts/counts.ts';

/** Days ahead without the parameter `until`. */
const DAYS_AHEAD = 30;

/** The due items that an address names. */
export interface DueSelection {
  kinds: readonly DueKind[];
  bounds: DueBounds;
}

/** Reads the parameters `kind`, `from`, `until` and `overdue`. By default: everything overdue or due in 30 days. */
export function readDueSelection(query: URLSearchParams, today: string): DueSelection {
  const names = query.getAll('kind');
  const [from, until] = ['from', 'until'].map((name) => query.get(name) ?? '') as [string, string];
  const lte = isRealDate(until) ? until : addDays(today, DAYS_AHEAD);
  const kinds = DUE_KINDS.filter(({ name }) => names.length === 0 || names.includes(name));
  switch (query.get('overdue')) {
    case 'true':
      return { kinds, bounds: { lt: today } };
    case 'false':
      return { kinds, bounds: { gte: today, lte } };
    default:
      return { kinds, bounds: isRealDate(from) ? { gte: from, lte } : { lte } };
  }
}

/** Counts the due items of a selection, at most MAX_COUNT + 1. @param filter narrows their records, as lists do */
export async function countDueSelection(
  records: ReportContext,
  { kinds, bounds }: DueSelection,
  filter?: RecordFilter,
): Promise<number> {
  let total = 0;
  for (const kind of kinds) {
    total += await countDueItems(records, kind, bounds, MAX_COUNT + 1 - total, filter);
    if (total > MAX_COUNT) break;
  }
  return total;
}
