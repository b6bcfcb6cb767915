import { addMonths } from './engine/dates.ts';
import type { DecisionContext } from './engine/decider.ts';
import { withReason } from './record.ts';

/** Fields of records that are reviewed from time to time. */
interface Reviewable {
  next_review_due: string | null;
  review_interval_months: number | null;
}

/**
 * Returns the data of a review of now. The day of the next one is the update's, or follows from the interval.
 * @param state of a family that has the fields of `Reviewable`
 */
export function reviewData(
  state: object,
  changes: object,
  reason: string | undefined,
  context: DecisionContext,
): { last_reviewed: string; next_review_due: string | null } {
  const { next_review_due: given } = changes as Partial<Reviewable>;
  const next_review_due = given === undefined ? nextReviewDue({ ...state, ...changes } as Reviewable, context) : given;
  return { last_reviewed: context.now, next_review_due, ...withReason(reason) };
}

/** Without an interval, a later day that was planned stays. Null says that no review is planned. */
function nextReviewDue(record: Reviewable, { today }: DecisionContext): string | null {
  const { next_review_due, review_interval_months } = record;
  if (review_interval_months !== null) return addMonths(today, review_interval_months);
  return next_review_due !== null && next_review_due > today ? next_review_due : null;
}
