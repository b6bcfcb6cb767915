import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addDays } from '../../src/commands/engine/dates.ts';
import { vendor } from '../../src/commands/vendor.ts';
import {
  OUT_OF_SERVICE,
  OUTCOMES,
  VENDOR_STATUSES,
  type VendorEvent,
  type VendorReview,
  type VendorState,
} from '../../src/register/vendor.ts';
import { EDITOR_ID, NOW, specOf, TODAY } from '../support/spec.ts';

const test = suite('vendor commands');
const { given } = specOf(vendor);

const added: VendorEvent = { type: 'VendorAdded', data: { name: 'Unicloud' } };
const archived: VendorEvent = {
  type: 'VendorArchived',
  data: { archived_at: '2026-03-01T00:00:00.000Z', reason: 'gone' },
};

function reviewedEvent(outcome: VendorReview['outcome'], reviewed_at = '2026-02-01T00:00:00.000Z'): VendorEvent {
  const review = { outcome, findings: null, conditions: null, reviewed_by: 'acc_OTHER', reviewed_at };
  return { type: 'VendorReviewed', data: { ...review, next_review_due: '2027-02-01' } };
}

/** For each status, a history that ends in it. */
const IN: Record<VendorState['status'], VendorEvent[]> = {
  PENDING_REVIEW: [added],
  APPROVED: [added, reviewedEvent('APPROVED')],
  CONDITIONAL: [added, reviewedEvent('CONDITIONAL')],
  REJECTED: [added, reviewedEvent('REJECTED')],
  SUSPENDED: [added, { type: 'VendorSuspended', data: { reason: 'breach' } }],
  OFFBOARDED: [added, { type: 'VendorOffboarded', data: { reason: 'left' } }],
};

test('a vendor is added with its fields, without absent and null ones', () => {
  given([])
    .when({ type: 'AddVendor', fields: { name: 'Unicloud', description: null, country: 'EE', owner_id: 'acc_1' } })
    .then([{ type: 'VendorAdded', data: { name: 'Unicloud', country: 'EE', owner_id: 'acc_1' } }]);
  const state = given([added]).state();
  assert.is(state.status, 'PENDING_REVIEW');
  assert.equal([state.last_reviewed, state.review, state.archived_at, state.owner_id], [null, null, null, null]);
});

test('a vendor is added once', () => {
  given([added])
    .when({ type: 'AddVendor', fields: { name: 'Unicloud' } })
    .refused('conflict');
});

test('a vendor may be added SUSPENDED or OFFBOARDED with a reason, but not with a review’s outcome', () => {
  for (const status of VENDOR_STATUSES) {
    const when = given([]).when({ type: 'AddVendor', fields: { name: 'Unicloud', status }, reason: 'old register' });
    if (status === 'PENDING_REVIEW' || OUT_OF_SERVICE.some((s) => s === status)) {
      const data = { name: 'Unicloud', status, reason: 'old register' };
      when.then([{ type: 'VendorAdded', data }]);
      assert.is(given([{ type: 'VendorAdded', data }]).state().status, status);
    } else {
      when.refused('invalid_transition', { field: 'status', allowed: ['PENDING_REVIEW', 'SUSPENDED', 'OFFBOARDED'] });
    }
  }
  for (const status of OUT_OF_SERVICE) {
    given([])
      .when({ type: 'AddVendor', fields: { name: 'Unicloud', status } })
      .refused('invalid_input', { field: 'reason' });
  }
});

test('a vendor’s state has no reason', () => {
  const state = given([{ type: 'VendorAdded', data: { name: 'Unicloud', reason: 'why' } }]).state();
  assert.not('reason' in state);
});

test('last_reviewed may be before the vendor was added, but not in the future', () => {
  const last_reviewed = '2025-12-01T00:00:00.000Z';
  given([])
    .when({ type: 'AddVendor', fields: { name: 'Unicloud', last_reviewed } })
    .then([{ type: 'VendorAdded', data: { name: 'Unicloud', last_reviewed } }]);
  given([])
    .when({ type: 'AddVendor', fields: { name: 'Unicloud', last_reviewed: NOW } })
    .then([{ type: 'VendorAdded', data: { name: 'Unicloud', last_reviewed: NOW } }]);
  given([])
    .when({ type: 'AddVendor', fields: { name: 'Unicloud', last_reviewed: '2026-03-11' } })
    .refused('invalid_input', { field: 'last_reviewed' });
});

test('updating a vendor records only changed details, and null clears a field', () => {
  const before: VendorEvent = { type: 'VendorAdded', data: { name: 'Unicloud', country: 'EE', category: 'Hosting' } };
  given([before])
    .when({ type: 'UpdateVendor', changes: { name: 'Unicloud', country: null, criticality: 'HIGH' }, reason: 'moved' })
    .then([
      { type: 'VendorDetailsChanged', data: { changes: { country: null, criticality: 'HIGH' }, reason: 'moved' } },
    ]);
  const state = given([before, { type: 'VendorDetailsChanged', data: { changes: { country: null } } }]).state();
  assert.equal([state.country, state.category], [null, 'Hosting']);
});

test('a vendor has separate events for its owner, corrections and status', () => {
  given([added])
    .when({ type: 'UpdateVendor', changes: { name: 'U', owner_id: 'acc_1', status: 'SUSPENDED' }, reason: 'r' })
    .then([
      { type: 'VendorDetailsChanged', data: { changes: { name: 'U' }, reason: 'r' } },
      { type: 'VendorOwnerAssigned', data: { owner_id: 'acc_1', reason: 'r' } },
      { type: 'VendorSuspended', data: { reason: 'r' } },
    ]);
  given([{ type: 'VendorAdded', data: { name: 'U', owner_id: 'acc_1' } }])
    .when({ type: 'UpdateVendor', changes: { owner_id: null } })
    .then([{ type: 'VendorOwnerAssigned', data: { owner_id: null } }]);
});

test('a vendor appends no event if nothing changes', () => {
  given([added]).when({ type: 'UpdateVendor', changes: {} }).then([]);
  given([added])
    .when({ type: 'UpdateVendor', changes: { name: 'Unicloud', country: null, owner_id: null }, reason: 'again' })
    .then([]);
});

test('a vendor is taken out of service with a reason; only reviews set outcomes', () => {
  for (const from of VENDOR_STATUSES) {
    for (const status of VENDOR_STATUSES) {
      const change = given(IN[from]).when({ type: 'UpdateVendor', changes: { status }, reason: 'why' });
      if (from === status) change.then([]);
      else if (status === 'SUSPENDED') change.then([{ type: 'VendorSuspended', data: { reason: 'why' } }]);
      else if (status === 'OFFBOARDED') change.then([{ type: 'VendorOffboarded', data: { reason: 'why' } }]);
      else {
        const allowed = OUT_OF_SERVICE.filter((s) => s !== from);
        change.refused('invalid_transition', { field: 'status', allowed });
      }
    }
  }
});

test('a vendor is not taken out of service without a reason', () => {
  for (const from of VENDOR_STATUSES) {
    for (const status of OUT_OF_SERVICE) {
      if (from === status) continue;
      const change = given(IN[from]).when({ type: 'UpdateVendor', changes: { status }, reason: '' });
      change.refused('invalid_input', { field: 'reason' });
    }
  }
});

test('a review moves a vendor from any status to any outcome', () => {
  for (const from of VENDOR_STATUSES) {
    for (const outcome of OUTCOMES) {
      const review = { outcome, findings: 'ok', conditions: 'SOC 2', reviewed_by: EDITOR_ID, reviewed_at: NOW };
      const event: VendorEvent = { type: 'VendorReviewed', data: { ...review, next_review_due: '2027-03-10' } };
      given(IN[from]).when({ type: 'ReviewVendor', outcome, findings: 'ok', conditions: 'SOC 2' }).then([event]);
      const state = given([...IN[from], event]).state();
      assert.is(state.status, outcome);
      assert.is(state.last_reviewed, NOW);
      assert.is(state.next_review_due, '2027-03-10');
      assert.equal(state.review, review);
    }
  }
});

test('a CONDITIONAL outcome needs conditions', () => {
  for (const conditions of [undefined, null, '']) {
    given([added])
      .when({
        type: 'ReviewVendor',
        outcome: 'CONDITIONAL',
        findings: 'No backups',
        ...(conditions === undefined ? {} : { conditions }),
      })
      .refused('invalid_input', { field: 'conditions' });
  }
});

test('the next review is due after 365 days, or on the reviewer’s date', () => {
  const reviewed_at = '2024-02-28T23:59:59.999Z';
  const review = { findings: null, conditions: null, reviewed_by: EDITOR_ID, reviewed_at };
  given([added])
    .when({ type: 'ReviewVendor', outcome: 'APPROVED', reviewed_at, reason: 'yearly' })
    .then([
      {
        type: 'VendorReviewed',
        data: { outcome: 'APPROVED', ...review, next_review_due: '2025-02-27', reason: 'yearly' },
      },
    ]);
  given([added])
    .when({ type: 'ReviewVendor', outcome: 'APPROVED', reviewed_at, next_review_due: '2024-02-28' })
    .then([{ type: 'VendorReviewed', data: { outcome: 'APPROVED', ...review, next_review_due: '2024-02-28' } }]);
  given([added])
    .when({ type: 'ReviewVendor', outcome: 'APPROVED', reviewed_at, next_review_due: '2024-02-27' })
    .refused('invalid_input', { field: 'next_review_due' });
});

test('a review with only a date keeps that date, also today’s and that of a zone where it is tomorrow', () => {
  const evening = { now: '2026-03-10T20:00:00.000Z', today: '2026-03-10' };
  for (const [reviewed_at, at] of [
    ['2026-03-09', {}],
    ['2026-03-10', {}],
    ['2026-03-11', evening],
    ['2026-03-10T08:00:00.000Z', {}],
    ['2026-03-10T00:00:00.000Z', {}],
  ] as const) {
    const review = { findings: null, conditions: null, reviewed_by: EDITOR_ID, reviewed_at };
    given([added])
      .when({ type: 'ReviewVendor', outcome: 'APPROVED', reviewed_at, next_review_due: '2027-01-01' }, at)
      .then([{ type: 'VendorReviewed', data: { outcome: 'APPROVED', ...review, next_review_due: '2027-01-01' } }]);
  }
  given([added])
    .when({ type: 'ReviewVendor', outcome: 'APPROVED', reviewed_at: '2026-03-11' })
    .refused('invalid_input', { field: 'reviewed_at' });
});

test('a date counts as the end of its day among reviews, and a review of now is the newest', () => {
  const until = (...reviews: VendorEvent[]) => given([...IN.APPROVED, ...reviews]).state().last_reviewed;
  const [morning, day, next] = ['2026-03-09T08:00:00.000Z', '2026-03-09', '2026-03-10T00:00:00.000Z'];
  assert.is(until(reviewedEvent('APPROVED', day), reviewedEvent('REJECTED', morning)), day);
  assert.is(until(reviewedEvent('APPROVED', morning), reviewedEvent('REJECTED', day)), day);
  assert.is(until(reviewedEvent('APPROVED', day), reviewedEvent('REJECTED', next)), next);
  for (const last of [TODAY, '2026-03-11']) {
    const now = { type: 'ReviewVendor', outcome: 'REJECTED' } as const;
    const evening = { now: '2026-03-10T20:00:00.000Z', today: TODAY };
    const review = { findings: null, conditions: null, reviewed_by: EDITOR_ID, reviewed_at: last };
    const data = { outcome: 'REJECTED', ...review, next_review_due: addDays(last, 365) } as const;
    given([...IN.APPROVED, reviewedEvent('APPROVED', last)])
      .when(now, evening)
      .then([{ type: 'VendorReviewed', data }]);
    assert.is(
      given([...IN.APPROVED, reviewedEvent('APPROVED', last), { type: 'VendorReviewed', data }]).state().status,
      'REJECTED',
    );
  }
});

test('a vendor that came with the date of a review may be reviewed again on that day', () => {
  const came: VendorEvent = { type: 'VendorAdded', data: { name: 'Unicloud', last_reviewed: '2026-03-09' } };
  const [morning, before] = ['2026-03-09T08:00:00.000Z', '2026-03-08T23:59:59.999Z'];
  assert.is(given([came, reviewedEvent('APPROVED', morning)]).state().last_reviewed, morning);
  assert.is(given([came, reviewedEvent('APPROVED', before)]).state().last_reviewed, '2026-03-09');
});

test('a vendor is not reviewed in the future', () => {
  given([added])
    .when({ type: 'ReviewVendor', outcome: 'APPROVED', reviewed_at: '2026-03-10T10:00:00.000Z' })
    .refused('invalid_input', { field: 'reviewed_at' });
});

test('a review older than the newest one doesn’t change the vendor', () => {
  const history = [...IN.APPROVED, { type: 'VendorSuspended', data: { reason: 'breach' } } as const];
  const reviewed_at = '2026-01-31T23:59:59.999Z';
  given(history)
    .when({ type: 'ReviewVendor', outcome: 'REJECTED', reviewed_at, next_review_due: '2026-06-01' })
    .then([
      {
        type: 'VendorReviewed',
        data: {
          outcome: 'REJECTED',
          findings: null,
          conditions: null,
          reviewed_by: EDITOR_ID,
          reviewed_at,
          next_review_due: '2026-06-01',
        },
      },
    ]);
  assert.equal(given([...history, reviewedEvent('REJECTED', reviewed_at)]).state(), given(history).state());
});

test('the later recorded of two reviews at the same time applies', () => {
  assert.is(given([...IN.APPROVED, reviewedEvent('REJECTED')]).state().status, 'REJECTED');
});

test('an archived vendor accepts only Restore', () => {
  for (const status of VENDOR_STATUSES) {
    const history = [...IN[status], archived];
    given(history)
      .when({ type: 'UpdateVendor', changes: { name: 'Other' } })
      .refused('invalid_transition', { allowed: ['RESTORE'] });
    given(history)
      .when({ type: 'ReviewVendor', outcome: 'APPROVED' })
      .refused('invalid_transition', { allowed: ['RESTORE'] });
    given(history).when({ type: 'Archive', reason: 'again' }).then([]);
    const restored: VendorEvent = { type: 'VendorRestored', data: { reason: 'back' } };
    given(history).when({ type: 'Restore', reason: 'back' }).then([restored]);
    assert.equal(given([...history, restored]).state(), given(IN[status]).state());
  }
});

test('a vendor is archived at the time of the command, and restored only if archived', () => {
  given([added])
    .when({ type: 'Archive', reason: 'gone' })
    .then([{ type: 'VendorArchived', data: { archived_at: NOW, reason: 'gone' } }]);
  given([added]).when({ type: 'Restore', reason: 'back' }).then([]);
});

test('a vendor must exist to be changed', () => {
  given([])
    .when({ type: 'UpdateVendor', changes: { name: 'X' } })
    .refused('not_found');
  given([]).when({ type: 'ReviewVendor', outcome: 'APPROVED' }).refused('not_found');
  given([]).when({ type: 'Archive', reason: 'r' }).refused('not_found');
  given([]).when({ type: 'Restore', reason: 'r' }).refused('not_found');
});

/** Withdraws the newest review, which is the event at an index of the history. */
const withdraw = { type: 'WithdrawReview', reason: 'It was another vendor' } as const;
const withdrawn = (index: number, fields: Partial<VendorState>): VendorEvent => ({
  type: 'VendorReviewWithdrawn',
  data: { event_id: `event ${index}`, fields, reason: withdraw.reason },
});

test('a withdrawn review leaves the vendor as it was before, in every status', () => {
  for (const from of VENDOR_STATUSES) {
    const before = given(IN[from]).state();
    const history = [...IN[from], reviewedEvent('REJECTED', '2026-03-01')];
    const { status, last_reviewed, next_review_due, review } = before;
    const index = history.length - 1;
    const changed = from === 'REJECTED' ? {} : { status };
    const isReviewed = review !== null;
    const fields = { ...(isReviewed ? {} : { next_review_due }), last_reviewed, ...changed, review };
    given(history)
      .when(withdraw)
      .then([withdrawn(index, fields)]);
    assert.equal(given([...history, withdrawn(index, fields)]).state(), before);
  }
});

test('a withdrawn review leaves what was changed since', () => {
  const due: VendorEvent = { type: 'VendorDetailsChanged', data: { changes: { next_review_due: '2026-09-01' } } };
  const offboarded: VendorEvent = { type: 'VendorOffboarded', data: { reason: 'left' } };
  given([...IN.SUSPENDED, reviewedEvent('APPROVED'), due, offboarded])
    .when(withdraw)
    .then([withdrawn(2, { last_reviewed: null, review: null })]);
});

test('reviews are withdrawn one after the other, the newest first', () => {
  const first = reviewedEvent('APPROVED', '2026-02-01');
  const second = reviewedEvent('REJECTED', '2026-03-01');
  const newest = withdrawn(2, { status: 'APPROVED', last_reviewed: '2026-02-01' });
  // A proposal's withdrawal names its approval as the cause.
  for (const undoes of [undefined, 'approval']) {
    given([added, first, second, { ...newest, ...(undoes && { undoes }) }])
      .when(withdraw)
      .then([withdrawn(1, { next_review_due: null, last_reviewed: null, status: 'PENDING_REVIEW', review: null })]);
  }
});

test('a review that is older than the newest is not the one to withdraw, and counts again without the newest', () => {
  const newest = reviewedEvent('APPROVED', '2026-03-01');
  const older = reviewedEvent('REJECTED', '2026-02-01');
  const { review } = given([added, older]).state();
  given([added, newest, older])
    .when(withdraw)
    .then([withdrawn(1, { last_reviewed: '2026-02-01', status: 'REJECTED', review })]);
});

test('a review is withdrawn with a reason, if there is one and the vendor is not archived', () => {
  given(IN.APPROVED).when({ type: 'WithdrawReview' }).refused('invalid_input', { field: 'reason' });
  given([{ type: 'VendorAdded', data: { name: 'Unicloud', last_reviewed: '2026-01-01' } }])
    .when(withdraw)
    .refused('invalid_transition', { field: 'withdraw' });
  given([...IN.APPROVED, archived])
    .when(withdraw)
    .refused('invalid_transition', { allowed: ['RESTORE'] });
});

test.run();
