import type { Fields } from '../register/field.ts';
import { VENDOR, type VendorReview, type VendorRow, type VendorState } from '../register/vendor.ts';
import { type CommandOf, defineFamily, type SpecificEventOf } from './define-family.ts';
import { addDays, addMonths, dateOf, instantOf, isAfterToday, isRealDate, MAX_DATE, MIN_DATE } from './engine/dates.ts';
import { dateAsTimeIn } from './engine/dates-as-times.ts';
import type { DecisionContext } from './engine/decider.ts';
import { invalidField } from './engine/refusal.ts';
import { type ImportOrigin, toImportOrigin } from './import-origin.ts';
import { type OptionalReason, requireReason, withReason } from './record.ts';
import { checkDates } from './stated-dates.ts';

type SpecificEvent = SpecificEventOf<typeof VENDOR>;

/** Number of days from a review to the next one, for a vendor without an interval of its own. */
const REVIEW_INTERVAL_DAYS = 365;

type VendorReviewed = Extract<SpecificEvent, { type: 'VendorReviewed' }>;
type VendorReviewImported = Extract<SpecificEvent, { type: 'VendorReviewImported' }>;

export type ReviewVendor = {
  type: 'ReviewVendor';
  outcome: VendorReview['outcome'];
  findings?: string | null;
  conditions?: string | null;
  /** A time or a date. By default now: see `reviewTime`. */
  reviewed_at?: string;
  next_review_due?: string | null;
} & OptionalReason;
export type VendorCommand = CommandOf<typeof VENDOR, VendorState, ReviewVendor>;

function add({ status }: VendorState, reason: string | undefined): void {
  if (status !== 'PENDING_REVIEW') requireReason(reason, `why the vendor is ${status}`);
}

/** Returns an imported review. A date or conditions that the file doesn't have stay unknown, and no next review is set. */
function importReview(row: VendorRow, origin: ImportOrigin, reason: string | undefined) {
  const { findings = null, conditions = null, reviewed_by = null, last_reviewed = null } = row;
  const outcome = row.status as VendorReview['outcome'];
  const review = { outcome, findings, conditions, reviewed_by, reviewed_at: last_reviewed };
  const event: VendorReviewImported = {
    type: 'VendorReviewImported',
    data: { ...review, ...origin, ...withReason(reason) },
  };
  return { event, describedBy: ['status', 'last_reviewed', ...Object.keys(VENDOR.pastDecision.fields)] };
}

function update(_state: VendorState, changed: Partial<VendorState>, reason: string | undefined): SpecificEvent[] {
  if (changed.status === undefined) return [];
  const type = changed.status === 'SUSPENDED' ? 'VendorSuspended' : 'VendorOffboarded';
  return [{ type, data: { reason: reason! } }];
}

/** The dates of a review, with the rules that they have as fields. */
const REVIEW_DATES = {
  reviewed_at: VENDOR.fields.last_reviewed,
  next_review_due: VENDOR.fields.next_review_due,
} as const satisfies Fields;

function decideReview(command: ReviewVendor, vendor: VendorState, context: DecisionContext): VendorReviewed[] {
  if (command.outcome === 'CONDITIONAL' && !command.conditions) {
    throw invalidField(
      'conditions',
      'A CONDITIONAL outcome needs the conditions that the vendor must meet. Give conditions.',
    );
  }
  const reviewed_at = reviewTime(command, context.now, vendor);
  checkDates(REVIEW_DATES, command, context);
  const next_review_due = command.next_review_due ?? reviewAfter(reviewed_at, vendor);
  if (next_review_due < dateOf(reviewed_at)) {
    throw invalidField(
      'next_review_due',
      'The next review cannot be due before this one took place. Give a later next_review_due, or leave it out.',
    );
  }
  const data = {
    outcome: command.outcome,
    findings: command.findings ?? null,
    conditions: command.conditions ?? null,
    reviewed_by: context.actor_id,
    reviewed_at,
    next_review_due,
    ...withReason(command.reason),
  };
  return [{ type: 'VendorReviewed', data }];
}

/** Returns the day on which the review after one is due. */
function reviewAfter(reviewed_at: string, { review_interval_months: months }: VendorState): string {
  return months === null ? addDays(reviewed_at, REVIEW_INTERVAL_DAYS) : addMonths(dateOf(reviewed_at), months);
}

/**
 * Returns the time or date of a review: the command's, or now. If the newest review has today's date in some zone, a review
 * of now gets that date too, because it is the later one.
 */
function reviewTime({ reviewed_at }: Pick<ReviewVendor, 'reviewed_at'>, now: string, vendor: VendorState): string {
  if (reviewed_at !== undefined) return reviewed_at;
  const { last_reviewed } = vendor;
  return last_reviewed !== null && isOlder(now, vendor) && !isAfterToday(last_reviewed, now) ? last_reviewed : now;
}

/** Returns true for a review that took place before the vendor's newest one. */
function isOlder(reviewed_at: string, vendor: VendorState): boolean {
  const { last_reviewed } = vendor;
  if (last_reviewed === null) return false;
  // A vendor that came with the date of a review may be reviewed again on that day.
  const newest = isRealDate(last_reviewed) ? dateAsTimeIn(vendor)(last_reviewed) : last_reviewed;
  return instantOf(reviewed_at) < newest;
}

/**
 * Returns the newest review if it isn't the command's, which then changed only the history, or is replaced since. Else null.
 * @param recorded_at when the command's review was recorded
 */
export function supersededBy(
  command: ReviewVendor,
  recorded_at: string,
  vendor: VendorState,
): { reviewed_at: string; outcome: VendorReview['outcome'] | null } | null {
  const { last_reviewed, review } = vendor;
  if (last_reviewed === null) return null;
  // Two reviews can have the same date.
  const { outcome, findings = null, conditions = null } = command;
  const isSame = outcome === review?.outcome && findings === review.findings && conditions === review.conditions;
  if (isSame && !isOlder(reviewTime(command, recorded_at, vendor), vendor)) return null;
  return { reviewed_at: last_reviewed, outcome: review?.outcome ?? null };
}

function evolve(vendor: VendorState, event: SpecificEvent): VendorState {
  switch (event.type) {
    case 'VendorReviewed':
      return applyReview(vendor, event.data);
    case 'VendorReviewImported': {
      const { outcome, reviewed_at } = event.data;
      const imported = toImportOrigin(event.data);
      return { ...vendor, status: outcome, last_reviewed: reviewed_at, review: toReview(event.data), imported };
    }
    case 'VendorSuspended':
      return { ...vendor, status: 'SUSPENDED' };
    case 'VendorOffboarded':
      return { ...vendor, status: 'OFFBOARDED' };
  }
}

/** Applies a review. One that is older than the newest changes only the history. */
function applyReview(vendor: VendorState, data: VendorReviewed['data']): VendorState {
  if (isOlder(data.reviewed_at, vendor)) return vendor;
  const { outcome, reviewed_at, next_review_due } = data;
  const review = toReview(data);
  return { ...vendor, status: outcome, last_reviewed: reviewed_at, next_review_due, review, imported: null };
}

/** Returns the review with its members in a fixed order. Stores may return them in another. */
function toReview({ outcome, findings, conditions, reviewed_by, reviewed_at }: VendorReview): VendorReview {
  return { outcome, findings, conditions, reviewed_by, reviewed_at };
}

export const vendor = defineFamily(VENDOR, {
  add,
  update,
  importDecision: importReview,
  decide: decideReview,
  evolve,
  keys: {
    reviewed_or_never: {
      type: 'text',
      // `last_reviewed`, a date as the end of its day; `0001-01-01` if never reviewed.
      of: ({ last_reviewed }) => (last_reviewed === null ? MIN_DATE : instantOf(last_reviewed)),
    },
    review_due: {
      type: 'text',
      // `next_review_due`; `9999-12-31` if none is due.
      of: ({ next_review_due }) => next_review_due ?? MAX_DATE,
    },
  },
});
