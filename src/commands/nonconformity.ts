import type { DecisionContext } from './decider.ts';
import { type CommandOf, type EventOf, recordFamily } from './family.ts';
import { judgeMove, type Moves, requireFields } from './moves.ts';
import { because, type Reasoned, type RecordFacts } from './record.ts';

/** In the order of the work. */
export const NONCONFORMITY_STATUSES = ['OPEN', 'IN_PROGRESS', 'PENDING_VERIFICATION', 'CLOSED'] as const;
export const SEVERITIES = ['MAJOR', 'MINOR', 'OBSERVATION'] as const;

export type NonconformityStatus = (typeof NONCONFORMITY_STATUSES)[number];

const DETAILS = {
  reference_id: null as string | null,
  description: '',
  severity: null as (typeof SEVERITIES)[number] | null,
  /** The audit that found it, if one did. */
  audit_id: null as string | null,
  date_identified: null as string | null,
  root_cause: null as string | null,
  corrective_action: null as string | null,
  due_date: null as string | null,
  effectiveness_check: null as string | null,
};

const DECIDED = {
  status: 'OPEN' as NonconformityStatus,
  /** Set while it is CLOSED. */
  closed_at: null as string | null,
};

export type NonconformityState = typeof DETAILS & typeof DECIDED & RecordFacts;

/** Its beginning, which every family folds alike. */
type Raised = { type: 'NonconformityRaised'; data: Partial<NonconformityState> & Reasoned };
type Own =
  | Raised
  | { type: 'NonconformityWorkStarted'; data: Reasoned }
  | { type: 'NonconformitySubmittedForVerification'; data: Reasoned }
  | { type: 'NonconformityClosed'; data: { closed_at: string } & Reasoned }
  | { type: 'NonconformitySetBack'; data: { to: 'OPEN' | 'IN_PROGRESS'; reason: string } }
  | { type: 'NonconformityReopened'; data: { reason: string } };
export type NonconformityEvent = EventOf<'Nonconformity', NonconformityState, typeof DETAILS, Own>;
export type NonconformityCommand = CommandOf<'Nonconformity', NonconformityState>;

const MOVES: Moves<NonconformityStatus> = {
  field: 'status',
  to: {
    OPEN: ['IN_PROGRESS', 'PENDING_VERIFICATION', 'CLOSED'],
    IN_PROGRESS: ['OPEN', 'PENDING_VERIFICATION', 'CLOSED'],
    PENDING_VERIFICATION: ['OPEN', 'IN_PROGRESS', 'CLOSED'],
    CLOSED: ['OPEN'],
  },
  explained: isBackwards,
  hint: 'Reopen it (OPEN, with reason), then move it on.',
};

function isBackwards(from: NonconformityStatus, to: NonconformityStatus): boolean {
  return NONCONFORMITY_STATUSES.indexOf(to) < NONCONFORMITY_STATUSES.indexOf(from);
}

const TREATED = ['root_cause', 'corrective_action'] as const;

/** What must be known while it stands there, however it came there. */
const NEEDS: Record<NonconformityStatus, readonly (keyof typeof DETAILS)[]> = {
  OPEN: [],
  IN_PROGRESS: [],
  PENDING_VERIFICATION: TREATED,
  CLOSED: [...TREATED, 'effectiveness_check'],
};

function refuseUnfounded(nonconformity: NonconformityState): void {
  requireFields(nonconformity, nonconformity.status, NEEDS[nonconformity.status]);
}

function add(nonconformity: NonconformityState, _reason: string | undefined, { now }: DecisionContext) {
  refuseUnfounded(nonconformity);
  return nonconformity.status === 'CLOSED' ? { closed_at: now } : {};
}

function update(
  nonconformity: NonconformityState,
  changed: Partial<NonconformityState>,
  reason: string | undefined,
  context: DecisionContext,
): Own[] {
  const moved = changed.status ? [move(nonconformity.status, changed.status, reason, context)] : [];
  refuseUnfounded({ ...nonconformity, ...changed });
  return moved;
}

function move(
  from: NonconformityStatus,
  to: NonconformityStatus,
  reason: string | undefined,
  { now }: DecisionContext,
): Own {
  judgeMove(MOVES, from, to, reason);
  if (to === 'CLOSED') return { type: 'NonconformityClosed', data: { closed_at: now, ...because(reason) } };
  if (to === 'PENDING_VERIFICATION') return { type: 'NonconformitySubmittedForVerification', data: because(reason) };
  if (from === 'CLOSED') return { type: 'NonconformityReopened', data: { reason: reason! } };
  if (isBackwards(from, to)) return { type: 'NonconformitySetBack', data: { to, reason: reason! } };
  return { type: 'NonconformityWorkStarted', data: because(reason) };
}

function evolve(nonconformity: NonconformityState, event: Own): NonconformityState {
  switch (event.type) {
    case 'NonconformityRaised':
      return nonconformity;
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

export const nonconformity = recordFamily(
  {
    type: 'NONCONFORMITY',
    title: 'Nonconformity',
    singular: 'nonconformity',
    plural: 'nonconformities',
    prefix: 'ncf',
  },
  {
    details: DETAILS,
    decided: DECIDED,
    begins: 'Raised',
    untold: ['closed_at'],
    references: ['audit_id'],
    add,
    update,
    evolve,
  },
);
