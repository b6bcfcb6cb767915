import {
  NONCONFORMITY,
  NONCONFORMITY_STATUSES,
  type NonconformityState,
  type NonconformityStatus,
} from '../register/nonconformity.ts';
import { type CommandOf, defineFamily, type SpecificEventOf } from './define-family.ts';
import { isAfterToday, MAX_DATE } from './engine/dates.ts';
import type { DecisionContext } from './engine/decider.ts';
import { invalidField } from './engine/refusal.ts';
import { withReason } from './record.ts';
import { isBackwards } from './workflow.ts';

type SpecificEvent = SpecificEventOf<typeof NONCONFORMITY>;

export type NonconformityCommand = CommandOf<typeof NONCONFORMITY, NonconformityState>;

function add(nonconformity: NonconformityState): void {
  refuseTimeBeforeClosure(nonconformity);
  refuseClosureBeforeFinding(nonconformity);
}

function update(
  nonconformity: NonconformityState,
  changed: Partial<NonconformityState>,
  reason: string | undefined,
  context: DecisionContext,
): SpecificEvent[] {
  const { status, date_identified, closed_at } = changed;
  if (closed_at) refuseTimeBeforeClosure({ ...nonconformity, ...changed });
  if (date_identified || closed_at) refuseClosureBeforeFinding({ ...nonconformity, ...changed });
  if (status) return [transitionEvent(nonconformity.status, status, reason, closed_at ?? context.now)];
  // A file can state later when a finding was closed.
  return closed_at ? [closedEvent(closed_at, reason)] : [];
}

function refuseTimeBeforeClosure({ status, closed_at }: NonconformityState): void {
  if (closed_at === null || status === 'CLOSED') return;
  const message = 'Only a CLOSED nonconformity has closed_at. Give status CLOSED too, or leave closed_at out.';
  throw invalidField('closed_at', message);
}

function refuseClosureBeforeFinding({ closed_at, date_identified }: NonconformityState): void {
  if (!closed_at || !date_identified || !isAfterToday(date_identified, closed_at)) return;
  const message = `date_identified (${date_identified}) is after the closure (${closed_at}). Give an earlier date.`;
  throw invalidField('date_identified', message);
}

function transitionEvent(
  from: NonconformityStatus,
  to: NonconformityStatus,
  reason: string | undefined,
  closed_at: string,
): SpecificEvent {
  if (to === 'CLOSED') return closedEvent(closed_at, reason);
  if (to === 'PENDING_VERIFICATION') return { type: 'NonconformitySubmittedForVerification', data: withReason(reason) };
  if (from === 'CLOSED') return { type: 'NonconformityReopened', data: { reason: reason! } };
  if (isBackwards(NONCONFORMITY_STATUSES, from, to))
    return { type: 'NonconformitySetBack', data: { to, reason: reason! } };
  return { type: 'NonconformityWorkStarted', data: withReason(reason) };
}

function closedEvent(closed_at: string, reason: string | undefined): SpecificEvent {
  return { type: 'NonconformityClosed', data: { closed_at, ...withReason(reason) } };
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
