import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type NonconformityCommand, nonconformity } from '../../src/commands/nonconformity.ts';
import {
  NONCONFORMITY_STATUSES,
  type NonconformityEvent,
  type NonconformityState,
  type NonconformityStatus,
} from '../../src/register/nonconformity.ts';
import { CONTEXT, NOW, specOf } from '../support/spec.ts';

const test = suite('nonconformity commands');
const { given } = specOf(nonconformity);

const BEFORE = '2025-06-01T00:00:00.000Z';
const TREATED = { root_cause: 'nobody was named', corrective_action: 'a monthly test' };
const CHECKED = { ...TREATED, effectiveness_check: 'two tests seen' };
/** The fields that each status needs. */
const NEEDS: Record<NonconformityStatus, Partial<NonconformityState>> = {
  OPEN: {},
  IN_PROGRESS: {},
  PENDING_VERIFICATION: TREATED,
  CLOSED: CHECKED,
};

function raisedEvent(fields: Partial<NonconformityState> = {}): NonconformityEvent {
  const data = { description: 'Restores are not tested', ...fields };
  return { type: 'NonconformityRaised', data } as NonconformityEvent;
}

const started: NonconformityEvent = { type: 'NonconformityWorkStarted', data: {} };
const submitted: NonconformityEvent = { type: 'NonconformitySubmittedForVerification', data: {} };
const closed: NonconformityEvent = { type: 'NonconformityClosed', data: { closed_at: BEFORE } };

/** For each status, a history that ends in it, with all fields that any status requires. */
const IN: Record<NonconformityStatus, NonconformityEvent[]> = {
  OPEN: [raisedEvent(CHECKED)],
  IN_PROGRESS: [raisedEvent(CHECKED), started],
  PENDING_VERIFICATION: [raisedEvent(CHECKED), submitted],
  CLOSED: [raisedEvent(CHECKED), closed],
};

/** Every transition and its event, with a reason. */
const reason = 'why';
const reopenedEvent = (to: 'OPEN' | 'IN_PROGRESS'): NonconformityEvent => ({
  type: 'NonconformitySetBack',
  data: { to, reason },
});
const submit: NonconformityEvent = { type: 'NonconformitySubmittedForVerification', data: { reason } };
const close: NonconformityEvent = { type: 'NonconformityClosed', data: { closed_at: NOW, reason } };
const MOVES: Record<NonconformityStatus, Partial<Record<NonconformityStatus, NonconformityEvent>>> = {
  OPEN: {
    IN_PROGRESS: { type: 'NonconformityWorkStarted', data: { reason } },
    PENDING_VERIFICATION: submit,
    CLOSED: close,
  },
  IN_PROGRESS: { OPEN: reopenedEvent('OPEN'), PENDING_VERIFICATION: submit, CLOSED: close },
  PENDING_VERIFICATION: { OPEN: reopenedEvent('OPEN'), IN_PROGRESS: reopenedEvent('IN_PROGRESS'), CLOSED: close },
  CLOSED: { OPEN: { type: 'NonconformityReopened', data: { reason } } },
};

function change(changes: Extract<NonconformityCommand, { type: 'UpdateNonconformity' }>['changes'], why?: string) {
  return { type: 'UpdateNonconformity', changes, ...(why ? { reason: why } : {}) } as const;
}

function add(fields: Partial<NonconformityState>) {
  return given([]).when({ type: 'AddNonconformity', fields: { description: 'Restores are not tested', ...fields } });
}

test('a nonconformity is raised with its fields, OPEN by default', () => {
  add({ severity: 'MAJOR', audit_id: 'aud_1', due_date: null }).then([
    raisedEvent({ severity: 'MAJOR', audit_id: 'aud_1' }),
  ]);
  const state = given([raisedEvent()]).state();
  assert.equal([state.status, state.date_identified, state.closed_at, state.severity], ['OPEN', null, null, null]);
  given([raisedEvent()])
    .when({ type: 'AddNonconformity', fields: { description: 'Again' } })
    .refused('conflict');
  assert.equal(nonconformity.references, ['audit_id']);
});

test('a nonconformity is raised in any status with its required fields; a CLOSED one is closed now', () => {
  for (const status of NONCONFORMITY_STATUSES) {
    const closing = status === 'CLOSED' ? { closed_at: NOW } : {};
    const event = raisedEvent({ ...NEEDS[status], status, ...closing });
    add({ ...NEEDS[status], status }).then([event]);
    const state = given([event]).state();
    assert.equal([state.status, state.closed_at], [status, status === 'CLOSED' ? NOW : null]);
    for (const field of Object.keys(NEEDS[status])) {
      add({ ...NEEDS[status], [field]: null, status }).refused('invalid_input', { field });
    }
  }
});

test('an imported nonconformity may lack texts of its status, and can be changed; what is decided here needs them', () => {
  const origin = { name_id: null, source: null };
  const fields = { description: 'Restores are not tested', status: 'CLOSED', root_cause: 'No owner' } as const;
  const event = raisedEvent({ status: 'CLOSED', root_cause: 'No owner' });
  given([]).when({ type: 'AddNonconformity', fields, origin }).then([event]);
  const changes = { corrective_action: 'A monthly test' };
  given([event])
    .when(change(changes))
    .then([{ type: 'NonconformityDetailsChanged', data: { changes } }]);
  given([event])
    .when(change({ root_cause: null }))
    .refused('invalid_input', { field: 'root_cause' });
  const reopened: NonconformityEvent = { type: 'NonconformityReopened', data: { reason } };
  given([event, reopened])
    .when(change({ status: 'CLOSED' }, reason))
    .refused('invalid_input', { field: 'corrective_action' });
});

test('a nonconformity may skip statuses forward, moves with a reason, and from CLOSED only to OPEN', () => {
  for (const from of NONCONFORMITY_STATUSES) {
    for (const status of NONCONFORMITY_STATUSES) {
      const when = given(IN[from]).when(change({ status }, reason));
      const event = MOVES[from][status];
      if (from === status) when.then([]);
      else if (event === undefined) {
        const allowed = NONCONFORMITY_STATUSES.filter((to) => MOVES[from][to]);
        when.refused('invalid_transition', { field: 'status', allowed });
      } else {
        when.then([event]);
        const after = given([...IN[from], event]).state();
        assert.equal([after.status, after.closed_at], [status, status === 'CLOSED' ? NOW : null]);
        assert.is(after.effectiveness_check, CHECKED.effectiveness_check, 'the effectiveness check stays');
        given(IN[from])
          .when({ ...change({ status }), reason: '' })
          .refused('invalid_input', { field: 'reason' });
      }
    }
  }
});

test('the refusal of a status names all fields that are absent', () => {
  const closing = change({ status: 'CLOSED', root_cause: 'No owner' });
  const decide = () => nonconformity.decide(closing, given([raisedEvent(), started]).state(), CONTEXT);
  assert.throws(decide, /Give corrective_action and effectiveness_check too\./);
});

test('a nonconformity needs the required fields of its status, which may be in the same call', () => {
  for (const status of ['PENDING_VERIFICATION', 'CLOSED'] as const) {
    const statusEvent: NonconformityEvent =
      status === 'CLOSED'
        ? { type: 'NonconformityClosed', data: { closed_at: NOW } }
        : { type: 'NonconformitySubmittedForVerification', data: {} };
    const requiredFields = NEEDS[status];
    for (const history of [[raisedEvent()], [raisedEvent(), started]]) {
      given(history)
        .when(change({ ...requiredFields, status }))
        .then([{ type: 'NonconformityDetailsChanged', data: { changes: requiredFields } }, statusEvent]);
      for (const field of Object.keys(requiredFields)) {
        given(history)
          .when(change({ ...requiredFields, [field]: null, status }))
          .refused('invalid_input', { field });
      }
    }
    for (const [field, value] of Object.entries(requiredFields)) {
      given([raisedEvent({ ...requiredFields, [field]: null }), started])
        .when(change({ [field]: value, status }))
        .then([{ type: 'NonconformityDetailsChanged', data: { changes: { [field]: value } } }, statusEvent]);
    }
  }
});

test('a nonconformity can’t clear its status’s required fields until it goes back', () => {
  for (const status of NONCONFORMITY_STATUSES) {
    for (const field of Object.keys(CHECKED)) {
      const changes = { [field]: null };
      const when = given(IN[status]).when(change(changes));
      if (field in NEEDS[status]) when.refused('invalid_input', { field });
      else when.then([{ type: 'NonconformityDetailsChanged', data: { changes } }]);
      const correction = { [field]: 'better said' };
      given(IN[status])
        .when(change(correction))
        .then([{ type: 'NonconformityDetailsChanged', data: { changes: correction } }]);
    }
  }
  given(IN.CLOSED)
    .when(change({ status: 'OPEN', effectiveness_check: null }, 'it came back'))
    .then([
      { type: 'NonconformityDetailsChanged', data: { changes: { effectiveness_check: null }, reason: 'it came back' } },
      { type: 'NonconformityReopened', data: { reason: 'it came back' } },
    ]);
  given(IN.CLOSED)
    .when(change({ status: 'IN_PROGRESS', root_cause: null }, 'it came back'))
    .refused('invalid_transition', { field: 'status', allowed: ['OPEN'] });
});

test('a nonconformity is corrected, assigned and moved in one call, with an event for each', () => {
  given([raisedEvent()])
    .when(change({ severity: 'MINOR', owner_id: 'acc_1', status: 'IN_PROGRESS' }))
    .then([
      { type: 'NonconformityDetailsChanged', data: { changes: { severity: 'MINOR' } } },
      { type: 'NonconformityOwnerAssigned', data: { owner_id: 'acc_1' } },
      { type: 'NonconformityWorkStarted', data: {} },
    ]);
});

test('a nonconformity takes no writes while archived, and is restored unchanged', () => {
  const archived: NonconformityEvent = {
    type: 'NonconformityArchived',
    data: { archived_at: BEFORE, reason: 'a mistake' },
  };
  for (const status of NONCONFORMITY_STATUSES) {
    const history = [...IN[status], archived];
    given(history)
      .when(change({ severity: 'MINOR' }))
      .refused('invalid_transition', { allowed: ['RESTORE'] });
    const restored: NonconformityEvent = { type: 'NonconformityRestored', data: { reason: 'back' } };
    given(history).when({ type: 'Restore', reason: 'back' }).then([restored]);
    assert.equal(given([...history, restored]).state(), given(IN[status]).state());
  }
});

test.run();
