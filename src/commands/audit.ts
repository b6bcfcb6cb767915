import { AUDIT, type AuditProgress, type AuditState } from '../register/audit.ts';
import { type CommandOf, defineFamily, type SpecificEventOf } from './define-family.ts';
import { isAfterToday, MAX_DATE, MIN_DATE } from './engine/dates.ts';
import type { DecisionContext } from './engine/decider.ts';
import { invalidField } from './engine/refusal.ts';
import { countingEvents } from './past.ts';
import { withReason } from './record.ts';

type SpecificEvent = SpecificEventOf<typeof AUDIT>;

export type AuditCommand = CommandOf<typeof AUDIT, AuditState>;

function add(audit: AuditState): Partial<AuditState> {
  refuseBackwardPeriods(audit, audit);
  return {};
}

function update(
  audit: AuditState,
  changed: Partial<AuditState>,
  reason: string | undefined,
  context: DecisionContext,
): SpecificEvent[] {
  const next = { ...audit, ...changed };
  refuseBackwardPeriods(next, changed);
  if (changed.state === 'COMPLETED' || changed.starts_on) refuseCompletionBeforeStart(next, context);
  return changed.state ? [transitionEvent(audit.state, changed.state, reason, context)] : [];
}

function transitionEvent(
  from: AuditProgress,
  to: AuditProgress,
  reason: string | undefined,
  { past }: DecisionContext,
): SpecificEvent {
  const isReopened = to === 'IN_PROGRESS' && (from === 'COMPLETED' || from === 'REJECTED');
  if (isReopened) return { type: 'AuditReopened', data: { reason: reason! } };
  // AuditCompleted pins a position. An audit that was completed before keeps the one that it has, unless that was undone.
  const isReinstated = from === 'OUTDATED' && countingEvents(past!).some(({ type }) => type === 'AuditCompleted');
  if (isReinstated) return { type: 'AuditReinstated', data: { reason: reason! } };
  return { type: EVENT_BY_STATE[to]!, data: withReason(reason) };
}

const EVENT_BY_STATE: Partial<
  Record<AuditProgress, 'AuditStarted' | 'AuditCompleted' | 'AuditRejected' | 'AuditOutdated'>
> = {
  IN_PROGRESS: 'AuditStarted',
  COMPLETED: 'AuditCompleted',
  REJECTED: 'AuditRejected',
  OUTDATED: 'AuditOutdated',
};

/** Refuses an audit that is completed before it starts. Today may be the day after in another zone. */
function refuseCompletionBeforeStart({ state, starts_on }: AuditState, { now }: DecisionContext): void {
  const isCompleted = state === 'COMPLETED' || state === 'OUTDATED';
  if (!isCompleted || starts_on === null || !isAfterToday(starts_on, now)) return;
  const message = `An audit is completed on its starts_on (${starts_on}) or later. Correct starts_on, or complete it then.`;
  throw invalidField('starts_on', message);
}

/** Refuses a period that ends before it begins, if one of its dates is new. */
function refuseBackwardPeriods(audit: AuditState, changed: Partial<AuditState>): void {
  for (const [from, until] of [
    ['period_from', 'period_until'],
    ['valid_from', 'valid_until'],
  ] as const) {
    const [start, end] = [audit[from], audit[until]];
    if (!changed[from] && !changed[until]) continue;
    if (start === null || end === null || end >= start) continue;
    throw invalidField(until, `${until} (${end}) is before ${from} (${start}). Correct one of them.`);
  }
}

function evolve(audit: AuditState, event: SpecificEvent): AuditState {
  switch (event.type) {
    case 'AuditStarted':
    case 'AuditReopened':
      return { ...audit, state: 'IN_PROGRESS' };
    case 'AuditCompleted':
    case 'AuditReinstated':
      return { ...audit, state: 'COMPLETED' };
    case 'AuditRejected':
      return { ...audit, state: 'REJECTED' };
    case 'AuditOutdated':
      return { ...audit, state: 'OUTDATED' };
  }
}

/** Returns a bound of a certificate's validity: the field, `open` if only the other bound is set, null if none is. */
function boundDate(audit: AuditState, field: 'valid_from' | 'valid_until', open: string): string | null {
  return audit.valid_from === null && audit.valid_until === null ? null : (audit[field] ?? open);
}

export const audit = defineFamily(AUDIT, {
  add,
  update,
  looksBackAt: ['UpdateAudit'],
  evolve,
  keys: {
    life_from: {
      type: 'text',
      // `valid_from`, or the earliest date if only `valid_until` is set.
      of: (audit) => boundDate(audit, 'valid_from', MIN_DATE),
    },
    life_until: {
      type: 'text',
      // `valid_until`, or the latest date if only `valid_from` is set.
      of: (audit) => boundDate(audit, 'valid_until', MAX_DATE),
    },
  },
});
