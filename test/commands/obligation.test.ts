import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ObligationCommand, obligation, overdueAfter } from '../../src/commands/obligation.ts';
import { COMPLIANCE, type Compliance, type ObligationEvent } from '../../src/register/obligation.ts';
import { specOf, TODAY } from '../support/spec.ts';

const test = suite('obligation commands');
const { given } = specOf(obligation);

const REQUIREMENT = 'Report breaches within 72 hours';
const BEFORE = '2025-06-01';
const added: ObligationEvent = { type: 'ObligationAdded', data: { requirement: REQUIREMENT } };

/** Returns an assessment on an earlier day. */
function assessedEvent(status: Compliance): ObligationEvent {
  return { type: 'ObligationAssessed', data: { status, last_review_date: BEFORE } };
}

function change(changes: Extract<ObligationCommand, { type: 'UpdateObligation' }>['changes'], reason?: string) {
  return { type: 'UpdateObligation', changes, ...(reason ? { reason } : {}) } as const;
}

test('an obligation is added with its fields, not assessed and never reviewed', () => {
  given([])
    .when({ type: 'AddObligation', fields: { requirement: REQUIREMENT, area: 'Privacy', source: null } })
    .then([{ type: 'ObligationAdded', data: { requirement: REQUIREMENT, area: 'Privacy' } }]);
  const state = given([added]).state();
  assert.equal([state.status, state.last_review_date, state.due_date], ['NOT_ASSESSED', null, null]);
  given([added])
    .when({ type: 'AddObligation', fields: { requirement: REQUIREMENT } })
    .refused('conflict');
});

test('an obligation is added in any status, reviewed today by default', () => {
  for (const status of COMPLIANCE) {
    const fields = { requirement: REQUIREMENT, status };
    const today = status === 'NOT_ASSESSED' ? {} : { last_review_date: TODAY };
    given([])
      .when({ type: 'AddObligation', fields })
      .then([{ type: 'ObligationAdded', data: { ...fields, ...today } }]);
    const withDate = { ...fields, last_review_date: BEFORE };
    given([])
      .when({ type: 'AddObligation', fields: withDate })
      .then([{ type: 'ObligationAdded', data: withDate }]);
    assert.is(given([{ type: 'ObligationAdded', data: withDate }]).state().status, status);
  }
});

test('an obligation is assessed from every status to every other, today by default', () => {
  for (const from of COMPLIANCE) {
    for (const status of COMPLIANCE) {
      const history = [added, assessedEvent(from)];
      given(history)
        .when(change({ status }, 'seen'))
        .then([{ type: 'ObligationAssessed', data: { status, last_review_date: TODAY, reason: 'seen' } }]);
      const last_review_date = '2026-01-15';
      const event: ObligationEvent = { type: 'ObligationAssessed', data: { status, last_review_date } };
      given(history).when(change({ status, last_review_date })).then([event]);
      const after = given([...history, event]).state();
      assert.equal([after.status, after.last_review_date], [status, last_review_date]);
    }
  }
});

test('an obligation is assessed again with the same status, but only once a day', () => {
  const secondAssessment: ObligationEvent = {
    type: 'ObligationAssessed',
    data: { status: 'COMPLIANT', last_review_date: TODAY },
  };
  const history = [added, assessedEvent('COMPLIANT')];
  given(history)
    .when(change({ status: 'COMPLIANT' }))
    .then([secondAssessment]);
  given([...history, secondAssessment])
    .when(change({ status: 'COMPLIANT' }))
    .then([]);
  given(history)
    .when(change({ status: 'COMPLIANT', last_review_date: BEFORE }))
    .then([]);
});

test('an obligation keeps its review date if another status is given with the same date', () => {
  for (const last_review_date of [BEFORE, null]) {
    given([added, assessedEvent('NON_COMPLIANT')])
      .when(change({ status: 'COMPLIANT', last_review_date }))
      .then([{ type: 'ObligationAssessed', data: { status: 'COMPLIANT', last_review_date } }]);
  }
});

test('an obligation can have its review date corrected and cleared without an assessment', () => {
  const history = [added, assessedEvent('COMPLIANT')];
  for (const last_review_date of ['2025-05-31', null]) {
    const event: ObligationEvent = {
      type: 'ObligationReviewDateCorrected',
      data: { last_review_date, reason: 'misread' },
    };
    given(history).when(change({ last_review_date }, 'misread')).then([event]);
    const after = given([...history, event]).state();
    assert.equal([after.status, after.last_review_date], ['COMPLIANT', last_review_date]);
  }
  given(history)
    .when(change({ last_review_date: BEFORE }))
    .then([]);
});

test('an obligation is corrected, assigned and assessed in one call, with an event for each', () => {
  given([added])
    .when(change({ requirement: REQUIREMENT, due_date: '2026-04-01', owner_id: 'acc_1', status: 'COMPLIANT' }))
    .then([
      { type: 'ObligationDetailsChanged', data: { changes: { due_date: '2026-04-01' } } },
      { type: 'ObligationOwnerAssigned', data: { owner_id: 'acc_1' } },
      { type: 'ObligationAssessed', data: { status: 'COMPLIANT', last_review_date: TODAY } },
    ]);
});

test('an obligation is overdue unless assessed as COMPLIANT at most 366 days before its due date', () => {
  const due_date = '2026-03-09';
  for (const status of COMPLIANCE) {
    assert.is(overdueAfter({ status, due_date: null, last_review_date: TODAY }), null);
    assert.is(overdueAfter({ status, due_date, last_review_date: null }), due_date);
    for (const last_review_date of ['2020-01-01', '2025-03-07']) {
      assert.is(overdueAfter({ status, due_date, last_review_date }), due_date, `${status} ${last_review_date}`);
    }
    for (const last_review_date of ['2025-03-08', '2025-03-09', due_date, '2027-01-01']) {
      const expected = status === 'COMPLIANT' ? null : due_date;
      assert.is(overdueAfter({ status, due_date, last_review_date }), expected, `${status} ${last_review_date}`);
    }
  }
  const leap = { status: 'COMPLIANT', due_date: '2025-02-28' } as const;
  assert.is(overdueAfter({ ...leap, last_review_date: '2024-02-28' }), null, '366 days, over a leap day');
  assert.is(overdueAfter({ ...leap, last_review_date: '2024-02-27' }), '2025-02-28');
});

test('an obligation takes no writes while archived, and is restored unchanged', () => {
  const archived_at = '2026-03-01T00:00:00.000Z';
  const archived: ObligationEvent = { type: 'ObligationArchived', data: { archived_at, reason: 'repealed' } };
  const history = [added, assessedEvent('PARTIALLY_COMPLIANT')];
  for (const changes of [{ area: 'Tax' }, { status: 'COMPLIANT' }, { last_review_date: TODAY }] as const) {
    given([...history, archived])
      .when(change(changes))
      .refused('invalid_transition', { allowed: ['RESTORE'] });
  }
  const restored: ObligationEvent = { type: 'ObligationRestored', data: { reason: 'back' } };
  given([...history, archived])
    .when({ type: 'Restore', reason: 'back' })
    .then([restored]);
  assert.equal(given([...history, archived, restored]).state(), given(history).state());
});

test('a withdrawn assessment leaves the obligation as it was before', () => {
  const withdraw = { type: 'WithdrawAssessment', reason: 'Another law' } as const;
  const withdrawn = (index: number, fields: object): ObligationEvent => ({
    type: 'ObligationAssessmentWithdrawn',
    data: { event_id: `event ${index}`, fields, reason: 'Another law' },
  });
  const first = assessedEvent('NON_COMPLIANT');
  const second: ObligationEvent = {
    type: 'ObligationAssessed',
    data: { status: 'COMPLIANT', last_review_date: '2026-03-01' },
  };
  const undoSecond = withdrawn(2, { status: 'NON_COMPLIANT', last_review_date: BEFORE });
  given([added, first, second]).when(withdraw).then([undoSecond]);
  assert.equal(given([added, first, second, undoSecond]).state(), given([added, first]).state());
  given([added, first, second, undoSecond])
    .when(withdraw)
    .then([withdrawn(1, { status: 'NOT_ASSESSED', last_review_date: null })]);
  given([{ type: 'ObligationAdded', data: { requirement: REQUIREMENT, status: 'COMPLIANT' } }])
    .when(withdraw)
    .refused('invalid_transition', { field: 'withdraw' });
  given([added, first]).when({ type: 'WithdrawAssessment' }).refused('invalid_input', { field: 'reason' });
});

test.run();
