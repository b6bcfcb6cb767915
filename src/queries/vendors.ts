import { VENDOR_STATUSES } from '../register/vendor.ts';
import type { Condition } from '../stores/read-store.ts';
import { equal, equalText, type Filter, type FilterContext, familyQuery, keyIn } from './family-query.ts';

/** All statuses but OFFBOARDED. */
export const NOT_OFFBOARDED = VENDOR_STATUSES.filter((status) => status !== 'OFFBOARDED');

/** A filter on reviews. OFFBOARDED vendors need no review, so they match only if `status` asks for them. */
function reviewFilter<T>(condition: (value: T, context: FilterContext) => Condition): Filter {
  return (value: T, context) => {
    const status = context.filter.status as string[] | undefined;
    return [condition(value, context), ...(status?.includes('OFFBOARDED') ? [] : [keyIn('status', NOT_OFFBOARDED)])];
  };
}

export const vendorQuery = familyQuery('VENDOR', {
  filters: {
    status: equal('status'),
    criticality: equal('criticality'),
    category: equalText('category'),
    country: equalText('country'),
    processes_personal_data: (value: boolean) => [{ key: 'processes_personal_data', op: 'eq', value: Number(value) }],
    reviewed_before: reviewFilter((time: string) => ({ key: 'reviewed_or_never', op: 'range', lt: time })),
    never_reviewed: reviewFilter((never: boolean) => ({ key: 'last_reviewed', op: never ? 'empty' : 'present' })),
    review_due_before: reviewFilter((date: string) => ({ key: 'review_due', op: 'range', lt: date })),
    review_overdue: reviewFilter((overdue: boolean, { today }) => ({
      key: 'review_due',
      op: 'range',
      ...(overdue ? { lt: today } : { gte: today }),
    })),
  },
  similarityKeys: ['name'],
  summary: ['name', 'status', 'criticality', 'last_reviewed', 'next_review_due'],
});
