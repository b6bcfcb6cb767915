import {
  NONCONFORMITY,
  NONCONFORMITY_STATUSES,
  type NonconformityState,
  type NonconformityStatus,
} from '../register/nonconformity.ts';
import { type CommandOf, defineFamily, type SpecificEventOf } from './define-family.ts';
import { isAfterToday, MAX_DATE } from './engine/dates.ts';
import type { DecisionContext } from './engine/decider.ts';
import { Refusal } from './engine/refusal.ts';
import { withReason } from './record.ts';
import { isBackwards } from './workflow.ts';

type SpecificEvent = SpecificEventOf<typeof NONCONFORMITY>;

export type NonconformityCommand = CommandOf<typeof NONCONFORMITY, NonconformityState>;

function add(nonconformity: NonconformityState, _reason: string | undefined, { now }: DecisionContext) {
  return nonconformity.status === 'CLOSED' ? { closed_at: now } : {};
}

function update(
  nonconformity: NonconformityState,
  changed: Partial<NonconformityState>,
  reason: string | undefined,
  context: DecisionContext,
): SpecificEvent[] {
  refuseClosureBeforeFinding(nonconformity, changed);
  return changed.status ? [transitionEvent(nonconformity.status, changed.status, reason, context)] : [];
}

/** Refuses to identify a closed nonconformity after its closure, wherever it was identified. */
function refuseClosureBeforeFinding({ closed_at }: NonconformityState, changed: Partial<NonconformityState>): void {
  const { date_identified } = changed;
  if (!closed_at || !date_identified || !isAfterToday(date_identified, closed_at)) return;
  const message = `date_identified (${date_identified}) is after the closure (${closed_at}). Give an earlier date.`;
  throw new Refusal('invalid_input', message, { field: 'date_identified' });
}

function transitionEvent(
  from: NonconformityStatus,
  to: NonconformityStatus,
  reason: string | undefined,
  { now }: DecisionContext,
): SpecificEvent {
  if (to === 'CLOSED') return { type: 'NonconformityClosed', data: { closed_at: now, ...withReason(reason) } };
  if (to === 'PENDING_VERIFICATION') return { type: 'NonconformitySubmittedForVerification', data: withReason(reason) };
  if (from === 'CLOSED') return { type: 'NonconformityReopened', data: { reason: reason! } };
  if (isBackwards(NONCONFORMITY_STATUSES, from, to))
    return { type: 'NonconformitySetBack', data: { to, reason: reason! } };
  return { type: 'NonconformityWorkStarted', data: withReason(reason) };
}

function evolve(nonconformity: NonconformityState, event: SpecificEvent): NonconformityState {
  switch (event.type) {
    case 'NonconformityWorkStarted':
      return { ...nonconformity, status: 'IN_PROGRESS' };
    case 'NonconformitySubmittedForVerification':
      return { ...nonconformity, status: 'PENDING_VERIFICATION' };
    case 'NonconformityClosed':
      return { ...nonconformity, status: 'CLOSED', closed_at: event.data.closed_at };
    case 'NonconformitySetBack':
      return { ...nonconformity, status: event.data.to };
    case 'NonconformityReopened':
      return { ...nonconformity, status: 'OPEN', closed_at: null };
  }
}

export const nonconformity = defineFamily(NONCONFORMITY, {
  add,
  update,
  evolve,
  keys: {
    open: { type: 'number', of: ({ status }) => (status === 'CLOSED' ? 0 : 1) },
    open_until: {
      type: 'text',
      // `due_date` while it is open, else `9999-12-31`.
      of: ({ status, due_date }) => (status === 'CLOSED' ? MAX_DATE : (due_date ?? MAX_DATE)),
    },
  },
});
