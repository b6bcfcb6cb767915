import { OBLIGATION, type ObligationState } from '../register/obligation.ts';
import { type CommandOf, defineFamily, type SpecificEventOf } from './define-family.ts';
import { addDays, addMonths, MAX_DATE } from './engine/dates.ts';
import type { DecisionContext } from './engine/decider.ts';
import { invalidField } from './engine/refusal.ts';
import { withoutReason, withReason } from './record.ts';

type SpecificEvent = SpecificEventOf<typeof OBLIGATION>;

/** A review at most this many days before the due date still shows that the obligation was met. */
const REVIEW_VALID_DAYS = 366;

export type ObligationCommand = CommandOf<typeof OBLIGATION, ObligationState>;

/** Returns the day after which an obligation is overdue. Null without a due date, or after a recent COMPLIANT review. */
export function overdueAfter(obligation: Pick<ObligationState, 'status' | 'due_date' | 'last_review_date'>) {
  const { status, due_date, last_review_date } = obligation;
  if (due_date === null || status !== 'COMPLIANT' || last_review_date === null) return due_date;
  return last_review_date < addDays(due_date, -REVIEW_VALID_DAYS) ? due_date : null;
}

/** Records an assessment for every status in the input. The same status again is a new assessment with a new date. */
function update(
  obligation: ObligationState,
  changed: Partial<ObligationState>,
  reason: string | undefined,
  { today }: DecisionContext,
  input: Partial<ObligationState>,
): SpecificEvent[] {
  if (input.status === undefined) {
    const { last_review_date } = changed;
    if (last_review_date === undefined) return [];
    return [{ type: 'ObligationReviewDateCorrected', data: { last_review_date, ...withReason(reason) } }];
  }
  const { status, last_review_date = today } = input;
  if (status === obligation.status && last_review_date === obligation.last_review_date) return [];
  return [{ type: 'ObligationAssessed', data: { status, last_review_date, ...withReason(reason) } }];
}

/**
 * Returns what a review of today sets: the present status again, and the due date one or more intervals later. A due date
 * more than an interval away stays: an earlier review has moved it. A second review on the same day sets nothing.
 */
function reviewed(obligation: ObligationState, { today }: DecisionContext): Partial<ObligationState> {
  const { status, due_date, last_review_date, review_interval_months: months } = obligation;
  if (status === 'NOT_ASSESSED') {
    throw invalidField('status', 'This obligation was never assessed. Give status, and leave reviewed out.');
  }
  const stays =
    months === null || last_review_date === today || (due_date !== null && due_date > addMonths(today, months));
  const next = stays ? {} : { due_date: nextDueDate(due_date ?? today, months, today) };
  return { status, last_review_date: today, ...next };
}

/** Returns the first date after today that is a number of intervals after a date. */
function nextDueDate(from: string, months: number, today: string): string {
  let intervals = 1;
  while (addMonths(from, intervals * months) <= today) intervals += 1;
  return addMonths(from, intervals * months);
}

function evolve(obligation: ObligationState, event: SpecificEvent): ObligationState {
  switch (event.type) {
    case 'ObligationAssessed':
    case 'ObligationReviewDateCorrected':
      return { ...obligation, ...withoutReason(event.data) };
  }
}

export const obligation = defineFamily(OBLIGATION, {
  update,
  reviewed,
  evolve,
  keys: {
    unmet_until: {
      type: 'text',
      // The due date until it is met, else `9999-12-31`.
      of: (obligation) => overdueAfter(obligation) ?? MAX_DATE,
    },
  },
});
