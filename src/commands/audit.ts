import {
  AUDIT_EVENTS,
  type AUDIT_KINDS,
  AUDIT_STATES,
  type AuditEvent,
  type AuditProgress,
} from '../register/audit.ts';
import { type CommandOf, defineFamily } from './define-family.ts';
import { Refusal } from './engine/refusal.ts';
import { type CommonFields, withoutReason, withReason } from './record.ts';
import { checkTransition, refuseTransition, type Transitions } from './transitions.ts';

const DETAIL_FIELDS = {
  framework_id: '',
  name: '',
  kind: null as (typeof AUDIT_KINDS)[number] | null,
  auditor: null as string | null,
  starts_on: null as string | null,
  /** The period that the audit examines. */
  period_from: null as string | null,
  period_until: null as string | null,
  /** The period in which its certificate is valid. */
  valid_from: null as string | null,
  valid_until: null as string | null,
};

const DECISION_FIELDS = { state: 'NOT_STARTED' as AuditProgress };

export type AuditState = typeof DETAIL_FIELDS & typeof DECISION_FIELDS & CommonFields;

export type AuditCommand = CommandOf<'Audit', AuditState>;

const TRANSITIONS: Transitions<AuditProgress> = {
  field: 'state',
  allowed: {
    NOT_STARTED: ['IN_PROGRESS', 'COMPLETED', 'REJECTED'],
    IN_PROGRESS: ['COMPLETED', 'REJECTED'],
    COMPLETED: ['IN_PROGRESS', 'OUTDATED'],
    REJECTED: [],
    OUTDATED: [],
  },
  needsReason: (from, to) => from === 'COMPLETED' && to === 'IN_PROGRESS',
  hint: 'REJECTED and OUTDATED are final. Only a COMPLETED audit becomes OUTDATED. For another round, add another audit.',
};

/** Refuses to add a completed audit, because the event AuditCompleted pins the position of the audit's pack. */
function add(audit: AuditState): Partial<AuditState> {
  refuseBackwardPeriods(audit);
  if (audit.state === 'COMPLETED') {
    const allowed = AUDIT_STATES.filter((state) => state !== 'COMPLETED');
    refuseTransition(
      'state',
      'A new audit',
      'COMPLETED',
      allowed,
      'Add it IN_PROGRESS, then complete it with updateAudit.',
    );
  }
  return {};
}

function update(audit: AuditState, changed: Partial<AuditState>, reason: string | undefined): AuditEvent[] {
  refuseBackwardPeriods({ ...audit, ...changed });
  return changed.state ? [move(audit.state, changed.state, reason)] : [];
}

function move(from: AuditProgress, to: AuditProgress, reason: string | undefined): AuditEvent {
  checkTransition(TRANSITIONS, from, to, reason);
  if (from === 'COMPLETED' && to === 'IN_PROGRESS') return { type: 'AuditReopened', data: { reason: reason! } };
  return { type: EVENT_BY_STATE[to]!, data: withReason(reason) };
}

/** The event by which an audit reaches a state. */
const EVENT_BY_STATE: Partial<
  Record<AuditProgress, 'AuditStarted' | 'AuditCompleted' | 'AuditRejected' | 'AuditOutdated'>
> = {
  IN_PROGRESS: 'AuditStarted',
  COMPLETED: 'AuditCompleted',
  REJECTED: 'AuditRejected',
  OUTDATED: 'AuditOutdated',
};

/** Refuses a period that ends before it begins. */
function refuseBackwardPeriods(audit: AuditState): void {
  for (const [from, until] of [
    ['period_from', 'period_until'],
    ['valid_from', 'valid_until'],
  ] as const) {
    const [start, end] = [audit[from], audit[until]];
    if (start === null || end === null || end >= start) continue;
    throw new Refusal('invalid_input', `${until} (${end}) is before ${from} (${start}). Correct one of them.`, {
      field: until,
    });
  }
}

function evolve(audit: AuditState, event: AuditEvent): AuditState {
  switch (event.type) {
    case 'AuditAdded':
      return { ...audit, ...withoutReason(event.data) };
    case 'AuditDetailsChanged':
      return { ...audit, ...event.data.changes };
    case 'AuditOwnerAssigned':
      return { ...audit, owner_id: event.data.owner_id };
    case 'AuditStarted':
    case 'AuditReopened':
      return { ...audit, state: 'IN_PROGRESS' };
    case 'AuditCompleted':
      return { ...audit, state: 'COMPLETED' };
    case 'AuditRejected':
      return { ...audit, state: 'REJECTED' };
    case 'AuditOutdated':
      return { ...audit, state: 'OUTDATED' };
    case 'AuditArchived':
      return { ...audit, archived_at: event.data.archived_at };
    case 'AuditRestored':
      return { ...audit, archived_at: null };
  }
}

export const audit = defineFamily(
  { type: 'AUDIT', title: 'Audit', singular: 'audit', plural: 'audits', prefix: 'aud' },
  {
    events: AUDIT_EVENTS,
    commonEvents: {
      added: 'AuditAdded',
      detailsChanged: 'AuditDetailsChanged',
      ownerAssigned: 'AuditOwnerAssigned',
      archived: 'AuditArchived',
      restored: 'AuditRestored',
    },
    detailFields: DETAIL_FIELDS,
    decisionFields: DECISION_FIELDS,
    references: ['framework_id'],
    add,
    update,
    evolve,
  },
);
