import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { control, initialControl } from '../../src/commands/control.ts';
import { addMonths } from '../../src/commands/engine/dates.ts';
import { measure } from '../../src/commands/measure.ts';
import { obligation } from '../../src/commands/obligation.ts';
import { risk } from '../../src/commands/risk.ts';
import { vendor } from '../../src/commands/vendor.ts';
import type { ObligationEvent } from '../../src/register/obligation.ts';
import { CONTEXT, NOW, specOf, TODAY } from '../support/spec.ts';

const test = suite('reviews that leave a record as it is');

const measures = specOf(measure);
const PLANNED = { name: 'Backups', next_review_due: '2026-03-01', review_interval_months: 12 };

test('a review sets its time, and the next one an interval after today', () => {
  const history = [{ type: 'MeasureAdded' as const, data: PLANNED }];
  const reviewed = { last_reviewed: NOW, next_review_due: '2027-03-10' };
  measures
    .given(history)
    .when({ type: 'UpdateMeasure', changes: {}, reviewed: true, reason: 'Still restores' })
    .then([{ type: 'MeasureReviewed', data: { ...reviewed, reason: 'Still restores' } }]);
  const state = measures
    .given([...history, { type: 'MeasureReviewed', data: { ...reviewed, reason: 'Fine' } }])
    .state();
  assert.equal([state.last_reviewed, state.next_review_due, state.state], [NOW, '2027-03-10', 'NOT_STARTED']);
  assert.not('reason' in state);
});

test('a review takes the day of the next one, and the interval, from the same call', () => {
  const history = [{ type: 'MeasureAdded' as const, data: PLANNED }];
  measures
    .given(history)
    .when({ type: 'UpdateMeasure', changes: { next_review_due: '2026-06-30' }, reviewed: true })
    .then([{ type: 'MeasureReviewed', data: { last_reviewed: NOW, next_review_due: '2026-06-30' } }]);
  measures
    .given(history)
    .when({ type: 'UpdateMeasure', changes: { review_interval_months: 3, category: 'Continuity' }, reviewed: true })
    .then([
      { type: 'MeasureDetailsChanged', data: { changes: { category: 'Continuity', review_interval_months: 3 } } },
      { type: 'MeasureReviewed', data: { last_reviewed: NOW, next_review_due: '2026-06-10' } },
    ]);
});

test('without an interval, a later planned day stays, and one that has come is met', () => {
  const risks = specOf(risk);
  for (const [planned, next] of [
    [undefined, null],
    ['2026-03-01', null],
    [TODAY, null],
    ['2026-03-11', '2026-03-11'],
  ] as const) {
    risks
      .given([{ type: 'RiskAdded', data: { name: 'Fire', ...(planned ? { next_review_due: planned } : {}) } }])
      .when({ type: 'UpdateRisk', changes: {}, reviewed: true })
      .then([{ type: 'RiskReviewed', data: { last_reviewed: NOW, next_review_due: next } }]);
  }
});

test('reviewed: false is as if it were absent', () => {
  measures
    .given([{ type: 'MeasureAdded', data: PLANNED }])
    .when({ type: 'UpdateMeasure', changes: {}, reviewed: false })
    .then([]);
});

test('a control is reviewed too', () => {
  const first = initialControl({ id: 'ctl_x', section_title: 'A.5.1', name: 'Policies' });
  const events = control.decide({ type: 'UpdateControl', changes: {}, reviewed: true }, first, CONTEXT);
  assert.equal(events, [{ type: 'ControlReviewed', data: { last_reviewed: NOW, next_review_due: null } }]);
});

test('an archived record is not reviewed', () => {
  measures
    .given([
      { type: 'MeasureAdded', data: PLANNED },
      { type: 'MeasureArchived', data: { archived_at: NOW, reason: 'old' } },
    ])
    .when({ type: 'UpdateMeasure', changes: {}, reviewed: true })
    .refused('invalid_transition');
});

const obligations = specOf(obligation);
const assessed = (due_date: string | null, review_interval_months: number | null): ObligationEvent[] => [
  {
    type: 'ObligationAdded',
    data: {
      requirement: 'Report breaches',
      status: 'COMPLIANT',
      last_review_date: '2025-01-10',
      ...(due_date ? { due_date } : {}),
      ...(review_interval_months ? { review_interval_months } : {}),
    },
  },
];

test('an obligation is assessed again with its status, and its due date moves on by whole intervals', () => {
  for (const [due, months, next] of [
    ['2026-03-31', 12, '2027-03-31'],
    ['2023-05-31', 12, '2026-05-31'],
    ['2025-03-10', 12, '2027-03-10'],
    ['2026-01-31', 1, '2026-03-31'],
    [null, 6, '2026-09-10'],
  ] as const) {
    obligations
      .given(assessed(due, months))
      .when({ type: 'UpdateObligation', changes: {}, reviewed: true })
      .then([
        { type: 'ObligationDetailsChanged', data: { changes: { due_date: next } } },
        { type: 'ObligationAssessed', data: { status: 'COMPLIANT', last_review_date: TODAY } },
      ]);
  }
  obligations
    .given(assessed('2026-03-31', null))
    .when({ type: 'UpdateObligation', changes: {}, reviewed: true })
    .then([{ type: 'ObligationAssessed', data: { status: 'COMPLIANT', last_review_date: TODAY } }]);
});

test('a due date of an obligation that is more than an interval away stays', () => {
  const review = { type: 'UpdateObligation', changes: {}, reviewed: true } as const;
  const assessment = { type: 'ObligationAssessed', data: { status: 'COMPLIANT', last_review_date: TODAY } } as const;
  obligations
    .given(assessed('2027-03-10', 12))
    .when(review)
    .then([{ type: 'ObligationDetailsChanged', data: { changes: { due_date: '2028-03-10' } } }, assessment]);
  obligations.given(assessed('2027-03-11', 12)).when(review).then([assessment]);
  obligations
    .given(assessed('2027-03-11', 12))
    .when({ ...review, changes: { due_date: '2027-06-30' } })
    .then([{ type: 'ObligationDetailsChanged', data: { changes: { due_date: '2027-06-30' } } }, assessment]);
});

test('reviews of an obligation on two days move its due date once', () => {
  obligations
    .given([
      ...assessed('2026-04-30', 12),
      { type: 'ObligationDetailsChanged', data: { changes: { due_date: '2027-04-30' } } },
      { type: 'ObligationAssessed', data: { status: 'COMPLIANT', last_review_date: '2026-03-09' } },
    ])
    .when({ type: 'UpdateObligation', changes: {}, reviewed: true })
    .then([{ type: 'ObligationAssessed', data: { status: 'COMPLIANT', last_review_date: TODAY } }]);
});

test('a second review of an obligation on one day changes nothing', () => {
  const [added] = assessed('2026-12-31', 12);
  obligations
    .given([added!, { type: 'ObligationAssessed', data: { status: 'COMPLIANT', last_review_date: TODAY } }])
    .when({ type: 'UpdateObligation', changes: {}, reviewed: true })
    .then([]);
});

test('an obligation that was never assessed is not reviewed without a status', () => {
  const history: ObligationEvent[] = [{ type: 'ObligationAdded', data: { requirement: 'Report breaches' } }];
  obligations
    .given(history)
    .when({ type: 'UpdateObligation', changes: {}, reviewed: true })
    .refused('invalid_input', { field: 'status' });
  obligations
    .given(history)
    .when({ type: 'UpdateObligation', changes: { status: 'COMPLIANT' }, reviewed: true })
    .then([{ type: 'ObligationAssessed', data: { status: 'COMPLIANT', last_review_date: TODAY } }]);
});

test('a vendor’s interval replaces the 365 days to the next review', () => {
  specOf(vendor)
    .given([{ type: 'VendorAdded', data: { name: 'Nimbus', review_interval_months: 6 } }])
    .when({ type: 'ReviewVendor', outcome: 'APPROVED', reviewed_at: '2026-02-28' })
    .then([
      {
        type: 'VendorReviewed',
        data: {
          outcome: 'APPROVED',
          findings: null,
          conditions: null,
          reviewed_by: CONTEXT.actor_id,
          reviewed_at: '2026-02-28',
          next_review_due: '2026-08-28',
        },
      },
    ]);
});

test('a number of months after the end of a month is the end of a shorter one', () => {
  const pairs: [string, number, string][] = [
    ['2026-01-31', 1, '2026-02-28'],
    ['2028-01-31', 1, '2028-02-29'],
    ['2026-11-30', 3, '2027-02-28'],
    ['2028-02-29', 12, '2029-02-28'],
    ['2026-12-15', 1, '2027-01-15'],
    ['2026-03-10', 60, '2031-03-10'],
  ];
  for (const [from, months, until] of pairs) assert.is(addMonths(from, months), until);
});

test.run();
