import { type CommandOf, type EventOf, recordFamily } from './family.ts';
import { judgeMove, type Moves, refuseMove } from './moves.ts';
import { because, type Reasoned, type RecordFacts } from './record.ts';
import { Refusal } from './refusal.ts';

export const AUDIT_STATES = ['NOT_STARTED', 'IN_PROGRESS', 'COMPLETED', 'REJECTED', 'OUTDATED'] as const;
export const AUDIT_KINDS = ['INTERNAL', 'EXTERNAL', 'CERTIFICATION', 'SURVEILLANCE'] as const;

export type AuditProgress = (typeof AUDIT_STATES)[number];

const DETAILS = {
  framework_id: '',
  name: '',
  kind: null as (typeof AUDIT_KINDS)[number] | null,
  auditor: null as string | null,
  starts_on: null as string | null,
  /** What it examines. */
  period_from: null as string | null,
  period_until: null as string | null,
  /** A certificate's life. */
  valid_from: null as string | null,
  valid_until: null as string | null,
};

const DECIDED = { state: 'NOT_STARTED' as AuditProgress };

export type AuditState = typeof DETAILS & typeof DECIDED & RecordFacts;

type Own =
  | { type: 'AuditStarted'; data: Reasoned }
  | { type: 'AuditCompleted'; data: Reasoned }
  | { type: 'AuditRejected'; data: Reasoned }
  | { type: 'AuditReopened'; data: { reason: string } }
  | { type: 'AuditOutdated'; data: Reasoned };
export type AuditEvent = EventOf<'Audit', AuditState, typeof DETAILS, Own>;
export type AuditCommand = CommandOf<'Audit', AuditState>;

const MOVES: Moves<AuditProgress> = {
  field: 'state',
  to: {
    NOT_STARTED: ['IN_PROGRESS', 'COMPLETED', 'REJECTED'],
    IN_PROGRESS: ['COMPLETED', 'REJECTED'],
    COMPLETED: ['IN_PROGRESS', 'OUTDATED'],
    REJECTED: [],
    OUTDATED: [],
  },
  explained: (from, to) => from === 'COMPLETED' && to === 'IN_PROGRESS',
  hint: 'REJECTED and OUTDATED are final, and only a COMPLETED audit becomes OUTDATED; for another round add another audit.',
};

/** Completing is an event of its own: it pins what the audit's pack shows. */
function add(audit: AuditState): Partial<AuditState> {
  refuseBackwardPeriods(audit);
  if (audit.state === 'COMPLETED') {
    const allowed = AUDIT_STATES.filter((state) => state !== 'COMPLETED');
    refuseMove('state', 'A new audit', 'COMPLETED', allowed, 'Add it IN_PROGRESS, then complete it with updateAudit.');
  }
  return {};
}

function update(audit: AuditState, changed: Partial<AuditState>, reason: string | undefined): Own[] {
  refuseBackwardPeriods({ ...audit, ...changed });
  return changed.state ? [move(audit.state, changed.state, reason)] : [];
}

function move(from: AuditProgress, to: AuditProgress, reason: string | undefined): Own {
  judgeMove(MOVES, from, to, reason);
  if (from === 'COMPLETED' && to === 'IN_PROGRESS') return { type: 'AuditReopened', data: { reason: reason! } };
  return { type: REACHED[to]!, data: because(reason) };
}

/** What has happened where a state is reached from an earlier one. */
const REACHED: Partial<Record<AuditProgress, Exclude<Own['type'], 'AuditReopened'>>> = {
  IN_PROGRESS: 'AuditStarted',
  COMPLETED: 'AuditCompleted',
  REJECTED: 'AuditRejected',
  OUTDATED: 'AuditOutdated',
};

/** Neither period ends before it begins. */
function refuseBackwardPeriods(audit: AuditState): void {
  for (const [from, until] of [
    ['period_from', 'period_until'],
    ['valid_from', 'valid_until'],
  ] as const) {
    const [begins, ends] = [audit[from], audit[until]];
    if (begins === null || ends === null || ends >= begins) continue;
    throw new Refusal('invalid_input', `${until} (${ends}) is before ${from} (${begins}): correct either.`, {
      field: until,
    });
  }
}

function evolve(audit: AuditState, event: Own): AuditState {
  switch (event.type) {
    case 'AuditStarted':
    case 'AuditReopened':
      return { ...audit, state: 'IN_PROGRESS' };
    case 'AuditCompleted':
      return { ...audit, state: 'COMPLETED' };
    case 'AuditRejected':
      return { ...audit, state: 'REJECTED' };
    case 'AuditOutdated':
      return { ...audit, state: 'OUTDATED' };
  }
}

export const audit = recordFamily(
  { type: 'AUDIT', title: 'Audit', singular: 'audit', plural: 'audits', prefix: 'aud' },
  { details: DETAILS, decided: DECIDED, references: ['framework_id'], add, update, evolve },
);
