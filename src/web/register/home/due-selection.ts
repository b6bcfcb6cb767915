import type { ListSelection } from '../../../addresses/page-addresses.ts';
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

/** The orders of the page, by the names of their columns. */
export const DUE_ORDERS = ['record', 'kind', 'due', 'owner'] as const;
export type DueOrder = (typeof DUE_ORDERS)[number];

/** The due items that an address names. */
export interface DueSelection {
  kinds: readonly DueKind[];
  bounds: DueBounds;
  order: DueOrder;
  direction: 'ASC' | 'DESC';
}

/**
 * Reads the parameters `kind`, `from`, `until` and `overdue`, and the order. By default: everything overdue or due in 30
 * days, the earliest date first.
 */
export function readDueSelection(query: URLSearchParams, today: string): DueSelection {
  const names = query.getAll('kind');
  const [from, until] = ['from', 'until'].map((name) => query.get(name) ?? '') as [string, string];
  const lte = isRealDate(until) ? until : addDays(today, DAYS_AHEAD);
  const kinds = DUE_KINDS.filter(({ name }) => names.length === 0 || names.includes(name));
  const order = DUE_ORDERS.find((one) => one === query.get('order_by')) ?? 'due';
  return { kinds, bounds: boundsOf(query.get('overdue'), { from, lte, today }), order, direction: directionOf(query) };
}

function boundsOf(
  overdue: string | null,
  { from, lte, today }: { from: string; lte: string; today: string },
): DueBounds {
  switch (overdue) {
    case 'true':
      return { lt: today };
    case 'false':
      return { gte: today, lte };
    default:
      return isRealDate(from) ? { gte: from, lte } : { lte };
  }
}

/** Returns the filters of an address, and its order, as lists have them. Parameters that say nothing are left out. */
export function dueParameters(query: URLSearchParams): ListSelection {
  const kind = query.getAll('kind');
  const overdue = query.get('overdue');
  const dates = ['from', 'until'].filter((name) => isRealDate(query.get(name) ?? ''));
  const owner = query.get('owner');
  const order_by = query.has('order_by') ? { field: query.get('order_by')!, direction: directionOf(query) } : undefined;
  return {
    filter: {
      ...(kind.length > 0 ? { kind } : {}),
      ...(overdue === 'true' || overdue === 'false' ? { overdue: overdue === 'true' } : {}),
      ...Object.fromEntries(dates.map((name) => [name, query.get(name)])),
      ...(owner ? { owner } : {}),
    },
    order_by,
  };
}

const directionOf = (query: URLSearchParams): DueSelection['direction'] =>
  query.get('direction') === 'DESC' ? 'DESC' : 'ASC';

/** Returns the inputs of the report DUE_ITEMS with the same items. */
export function reportInputs({ kinds, bounds: { gte, lte, lt } }: DueSelection, owner: string | null) {
  return {
    ...(kinds.length < DUE_KINDS.length ? { kinds: kinds.map(({ name }) => name).join(',') } : {}),
    ...(owner === null ? {} : { owner_id: owner }),
    from: gte,
    until: lt === undefined ? lte : addDays(lt, -1),
  };
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
