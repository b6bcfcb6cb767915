import {
  NONCONFORMITY_EVENTS,
  NONCONFORMITY_STATUSES,
  type NonconformityEvent,
  type NonconformityStatus,
  type SEVERITIES,
} from '../register/nonconformity.ts';
import { type CommandOf, defineFamily } from './define-family.ts';
import type { DecisionContext } from './engine/decider.ts';
import { type CommonFields, withoutReason, withReason } from './record.ts';
import { checkTransition, requireFields, type Transitions } from './transitions.ts';

const DETAIL_FIELDS = {
  reference_id: null as string | null,
  description: '',
  severity: null as (typeof SEVERITIES)[number] | null,
  /** The audit that found it, if any. */
  audit_id: null as string | null,
  date_identified: null as string | null,
  root_cause: null as string | null,
  corrective_action: null as string | null,
  due_date: null as string | null,
  effectiveness_check: null as string | null,
};

const DECISION_FIELDS = {
  status: 'OPEN' as NonconformityStatus,
  /** The time of closing. Null unless the status is CLOSED. */
  closed_at: null as string | null,
};

export type NonconformityState = typeof DETAIL_FIELDS & typeof DECISION_FIELDS & CommonFields;

export type NonconformityCommand = CommandOf<'Nonconformity', NonconformityState>;

const TRANSITIONS: Transitions<NonconformityStatus> = {
  field: 'status',
  allowed: {
    OPEN: ['IN_PROGRESS', 'PENDING_VERIFICATION', 'CLOSED'],
    IN_PROGRESS: ['OPEN', 'PENDING_VERIFICATION', 'CLOSED'],
    PENDING_VERIFICATION: ['OPEN', 'IN_PROGRESS', 'CLOSED'],
    CLOSED: ['OPEN'],
  },
  needsReason: isBackwards,
  hint: 'Reopen it (OPEN, with reason), then move it on.',
};

function isBackwards(from: NonconformityStatus, to: NonconformityStatus): boolean {
  return NONCONFORMITY_STATUSES.indexOf(to) < NONCONFORMITY_STATUSES.indexOf(from);
}

const TREATMENT_FIELDS = ['root_cause', 'corrective_action'] as const;

/** The fields that each status requires. */
const REQUIRED_FIELDS: Record<NonconformityStatus, readonly (keyof typeof DETAIL_FIELDS)[]> = {
  OPEN: [],
  IN_PROGRESS: [],
  PENDING_VERIFICATION: TREATMENT_FIELDS,
  CLOSED: [...TREATMENT_FIELDS, 'effectiveness_check'],
};

function requireStatusFields(nonconformity: NonconformityState): void {
  requireFields(nonconformity, nonconformity.status, REQUIRED_FIELDS[nonconformity.status]);
}

function add(nonconformity: NonconformityState, _reason: string | undefined, { now }: DecisionContext) {
  requireStatusFields(nonconformity);
  return nonconformity.status === 'CLOSED' ? { closed_at: now } : {};
}

function update(
  nonconformity: NonconformityState,
  changed: Partial<NonconformityState>,
  reason: string | undefined,
  context: DecisionContext,
): NonconformityEvent[] {
  const events = changed.status ? [move(nonconformity.status, changed.status, reason, context)] : [];
  requireStatusFields({ ...nonconformity, ...changed });
  return events;
}

function move(
  from: NonconformityStatus,
  to: NonconformityStatus,
  reason: string | undefined,
  { now }: DecisionContext,
): NonconformityEvent {
  checkTransition(TRANSITIONS, from, to, reason);
  if (to === 'CLOSED') return { type: 'NonconformityClosed', data: { closed_at: now, ...withReason(reason) } };
  if (to === 'PENDING_VERIFICATION') return { type: 'NonconformitySubmittedForVerification', data: withReason(reason) };
  if (from === 'CLOSED') return { type: 'NonconformityReopened', data: { reason: reason! } };
  if (isBackwards(from, to)) return { type: 'NonconformitySetBack', data: { to, reason: reason! } };
  return { type: 'NonconformityWorkStarted', data: withReason(reason) };
}

function evolve(nonconformity: NonconformityState, event: NonconformityEvent): NonconformityState {
  switch (event.type) {
    case 'NonconformityRaised':
      return { ...nonconformity, ...withoutReason(event.data) };
    case 'NonconformityDetailsChanged':
      return { ...nonconformity, ...event.data.changes };
    case 'NonconformityOwnerAssigned':
      return { ...nonconformity, owner_id: event.data.owner_id };
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
    case 'NonconformityArchived':
      return { ...nonconformity, archived_at: event.data.archived_at };
    case 'NonconformityRestored':
      return { ...nonconformity, archived_at: null };
  }
}

export const nonconformity = defineFamily(
  {
    type: 'NONCONFORMITY',
    title: 'Nonconformity',
    singular: 'nonconformity',
    plural: 'nonconformities',
    prefix: 'ncf',
  },
  {
    events: NONCONFORMITY_EVENTS,
    commonEvents: {
      added: 'NonconformityRaised',
      detailsChanged: 'NonconformityDetailsChanged',
      ownerAssigned: 'NonconformityOwnerAssigned',
      archived: 'NonconformityArchived',
      restored: 'NonconformityRestored',
    },
    detailFields: DETAIL_FIELDS,
    decisionFields: DECISION_FIELDS,
    excludedFromHistory: ['closed_at'],
    references: ['audit_id'],
    add,
    update,
    evolve,
  },
);
