import { addDays } from './dates.ts';
import type { DecisionContext } from './decider.ts';
import { type CommandOf, type EventOf, recordFamily } from './family.ts';
import { because, type Reasoned, type RecordFacts } from './record.ts';

export const COMPLIANCE = ['NOT_ASSESSED', 'NON_COMPLIANT', 'PARTIALLY_COMPLIANT', 'COMPLIANT'] as const;

export type Compliance = (typeof COMPLIANCE)[number];

/** How many days before its due date a review may lie and still say that the obligation was met by then. */
const REVIEW_HOLDS_DAYS = 366;

const DETAILS = {
  area: null as string | null,
  source: null as string | null,
  requirement: '',
  actions_to_be_implemented: null as string | null,
  regulator: null as string | null,
  due_date: null as string | null,
};

const DECIDED = {
  status: 'NOT_ASSESSED' as Compliance,
  last_review_date: null as string | null,
};

export type ObligationState = typeof DETAILS & typeof DECIDED & RecordFacts;

type Own =
  | { type: 'ObligationAssessed'; data: { status: Compliance; last_review_date: string | null } & Reasoned }
  | { type: 'ObligationReviewDateCorrected'; data: { last_review_date: string | null } & Reasoned };
export type ObligationEvent = EventOf<'Obligation', ObligationState, typeof DETAILS, Own>;
export type ObligationCommand = CommandOf<'Obligation', ObligationState>;

/** The day after which it is overdue; null where it has none, or was found met not long before it. */
export function unmetUntil(obligation: Pick<ObligationState, 'status' | 'due_date' | 'last_review_date'>) {
  const { status, due_date, last_review_date } = obligation;
  if (due_date === null || status !== 'COMPLIANT' || last_review_date === null) return due_date;
  return last_review_date < addDays(due_date, -REVIEW_HOLDS_DAYS) ? due_date : null;
}

/** What begins assessed was reviewed today unless it is said when. */
function add(obligation: ObligationState, _reason: string | undefined, { today }: DecisionContext) {
  const unsaid = obligation.status !== 'NOT_ASSESSED' && obligation.last_review_date === null;
  return unsaid ? { last_review_date: today } : {};
}

/** A status that is given again is another assessment: what it was found to be has not changed, the day has. */
function update(
  obligation: ObligationState,
  changed: Partial<ObligationState>,
  why: string | undefined,
  { today }: DecisionContext,
  asked: Partial<ObligationState>,
): Own[] {
  const reason = because(why);
  if (asked.status === undefined) {
    const { last_review_date } = changed;
    if (last_review_date === undefined) return [];
    return [{ type: 'ObligationReviewDateCorrected', data: { last_review_date, ...reason } }];
  }
  const { status, last_review_date = today } = asked;
  if (status === obligation.status && last_review_date === obligation.last_review_date) return [];
  return [{ type: 'ObligationAssessed', data: { status, last_review_date, ...reason } }];
}

function evolve(obligation: ObligationState, event: Own): ObligationState {
  switch (event.type) {
    case 'ObligationAssessed':
    case 'ObligationReviewDateCorrected': {
      const { reason: _reason, ...known } = event.data;
      return { ...obligation, ...known };
    }
  }
}

export const obligation = recordFamily(
  { type: 'OBLIGATION', title: 'Obligation', singular: 'obligation', plural: 'obligations', prefix: 'obl' },
  { details: DETAILS, decided: DECIDED, add, update, evolve },
);
