import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AuditCommand, audit } from '../../src/commands/audit.ts';
import { AUDIT_STATES, type AuditEvent, type AuditProgress } from '../../src/register/audit.ts';
import { specOf } from '../support/spec.ts';

const test = suite('audit commands');
const { given } = specOf(audit);

const FIELDS = { framework_id: 'frm_1', name: 'Spring audit' };
const added: AuditEvent = { type: 'AuditAdded', data: FIELDS };
const completed: AuditEvent = { type: 'AuditCompleted', data: {} };

/** For each state, a history that ends in it. */
const IN: Record<AuditProgress, AuditEvent[]> = {
  NOT_STARTED: [added],
  IN_PROGRESS: [added, { type: 'AuditStarted', data: {} }],
  COMPLETED: [added, completed],
  REJECTED: [added, { type: 'AuditRejected', data: {} }],
  OUTDATED: [added, completed, { type: 'AuditOutdated', data: {} }],
};

/** Every transition and its event. */
const MOVES: Record<AuditProgress, Partial<Record<AuditProgress, AuditEvent['type']>>> = {
  NOT_STARTED: { IN_PROGRESS: 'AuditStarted', COMPLETED: 'AuditCompleted', REJECTED: 'AuditRejected' },
  IN_PROGRESS: { COMPLETED: 'AuditCompleted', REJECTED: 'AuditRejected' },
  COMPLETED: { IN_PROGRESS: 'AuditReopened', OUTDATED: 'AuditOutdated' },
  REJECTED: { IN_PROGRESS: 'AuditReopened' },
  OUTDATED: { COMPLETED: 'AuditReinstated' },
};

function change(changes: Extract<AuditCommand, { type: 'UpdateAudit' }>['changes'], reason?: string) {
  return { type: 'UpdateAudit', changes, ...(reason ? { reason } : {}) } as const;
}

test('an audit is added with its fields, NOT_STARTED by default', () => {
  given([])
    .when({ type: 'AddAudit', fields: { ...FIELDS, kind: null, auditor: 'Audit House' }, reason: 'yearly' })
    .then([{ type: 'AuditAdded', data: { ...FIELDS, auditor: 'Audit House', reason: 'yearly' } }]);
  const state = given([added]).state();
  assert.equal([state.state, state.framework_id, state.kind], ['NOT_STARTED', 'frm_1', null]);
  given([added]).when({ type: 'AddAudit', fields: FIELDS }).refused('conflict');
});

test('an audit is added in any state except COMPLETED, which has an event of its own', () => {
  for (const state of AUDIT_STATES) {
    const fields = { ...FIELDS, state };
    const when = given([]).when({ type: 'AddAudit', fields });
    if (state === 'COMPLETED') {
      const allowed = ['NOT_STARTED', 'IN_PROGRESS', 'REJECTED', 'OUTDATED'];
      when.refused('invalid_transition', { field: 'state', allowed });
      continue;
    }
    when.then([{ type: 'AuditAdded', data: fields }]);
    assert.is(given([{ type: 'AuditAdded', data: fields }]).state().state, state);
  }
});

test('an audit may skip IN_PROGRESS but not COMPLETED, and moves with a reason', () => {
  for (const from of AUDIT_STATES) {
    for (const state of AUDIT_STATES) {
      const when = given(IN[from]).when(change({ state }, 'why'));
      const type = MOVES[from][state];
      if (from === state) when.then([]);
      else if (type === undefined) {
        const allowed = AUDIT_STATES.filter((to) => MOVES[from][to] !== undefined);
        when.refused('invalid_transition', { field: 'state', allowed });
      } else {
        const event = { type, data: { reason: 'why' } } as AuditEvent;
        when.then([event]);
        assert.is(given([...IN[from], event]).state().state, state);
        given(IN[from])
          .when({ ...change({ state }), reason: '' })
          .refused('invalid_input', { field: 'reason' });
      }
    }
  }
});

test('an audit that was added OUTDATED is completed, because no position is pinned for it', () => {
  const outdated: AuditEvent = { type: 'AuditAdded', data: { ...FIELDS, state: 'OUTDATED' } };
  given([outdated])
    .when(change({ state: 'COMPLETED' }, 'why'))
    .then([{ type: 'AuditCompleted', data: { reason: 'why' } }]);
});

test('an OUTDATED audit whose completion was undone is completed anew, which pins a position', () => {
  const undone = { type: 'AuditUndone', data: { call_id: 'wrong', fields: { completed_position: null }, reason: 'r' } };
  given([
    added,
    { ...completed, call: 'wrong' },
    { type: 'AuditOutdated', data: {} },
    { ...(undone as AuditEvent), call: 'undo', undoes: 'wrong' },
  ])
    .when(change({ state: 'COMPLETED' }, 'why'))
    .then([{ type: 'AuditCompleted', data: { reason: 'why' } }]);
});

test('an audit is completed again after it was reopened', () => {
  const reopened: AuditEvent = { type: 'AuditReopened', data: { reason: 'a finding was missed' } };
  given([...IN.COMPLETED, reopened])
    .when(change({ state: 'COMPLETED' }))
    .then([completed]);
});

test('an audit’s period can’t end before it begins', () => {
  for (const [from, until] of [
    ['period_from', 'period_until'],
    ['valid_from', 'valid_until'],
  ] as const) {
    const add = (dates: object) => given([]).when({ type: 'AddAudit', fields: { ...FIELDS, ...dates } });
    add({ [from]: '2026-02-02', [until]: '2026-02-01' }).refused('invalid_input', { field: until });
    for (const dates of [{ [from]: '2026-02-02', [until]: '2026-02-02' }, { [from]: '2026-02-02' }]) {
      add(dates).then([{ type: 'AuditAdded', data: { ...FIELDS, ...dates } }]);
    }
    const data = { ...FIELDS, [from]: '2026-02-02', [until]: '2026-03-01' };
    const dated: AuditEvent[] = [{ type: 'AuditAdded', data }];
    for (const changes of [{ [until]: '2026-02-01' }, { [from]: '2026-03-02' }]) {
      given(dated).when(change(changes)).refused('invalid_input', { field: until });
    }
    for (const changes of [{ [until]: null }, { [from]: null }, { [from]: '2027-01-01', [until]: '2027-01-01' }]) {
      given(dated)
        .when(change(changes))
        .then([{ type: 'AuditDetailsChanged', data: { changes } }]);
    }
  }
});

test('an update may correct an audit’s framework', () => {
  const detailsChanged: AuditEvent = { type: 'AuditDetailsChanged', data: { changes: { framework_id: 'frm_2' } } };
  given(IN.COMPLETED)
    .when(change({ framework_id: 'frm_2' }))
    .then([detailsChanged]);
  assert.equal(audit.references, ['framework_id']);
  assert.is(given([...IN.COMPLETED, detailsChanged]).state().framework_id, 'frm_2');
});

test('an audit takes no writes while archived, and is restored unchanged', () => {
  const archived: AuditEvent = {
    type: 'AuditArchived',
    data: { archived_at: '2026-03-01T00:00:00.000Z', reason: 'gone' },
  };
  for (const state of AUDIT_STATES) {
    const history = [...IN[state], archived];
    given(history)
      .when(change({ name: 'X' }))
      .refused('invalid_transition', { allowed: ['RESTORE'] });
    const restored: AuditEvent = { type: 'AuditRestored', data: { reason: 'back' } };
    given(history).when({ type: 'Restore', reason: 'back' }).then([restored]);
    assert.equal(given([...history, restored]).state(), given(IN[state]).state());
  }
});

test.run();
