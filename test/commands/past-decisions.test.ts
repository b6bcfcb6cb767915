import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { risk } from '../../src/commands/risk.ts';
import { vendor } from '../../src/commands/vendor.ts';
import type { RiskEvent } from '../../src/register/risk.ts';
import { OUTCOMES, type VendorEvent } from '../../src/register/vendor.ts';
import { ADMIN } from '../support/risks.ts';
import { specOf, TODAY } from '../support/spec.ts';

const test = suite('imported decisions');
const vendors = specOf(vendor);
const risks = specOf(risk);

const ORIGIN = { name_id: 'nam_1', source: 'row 12 of suppliers.xlsx' };
const NO_ORIGIN = { name_id: null, source: null };
const REVIEWED_AT = '2025-03-03T00:00:00.000Z';

test('a vendor is added and then reviewed, as its row says', () => {
  for (const outcome of OUTCOMES) {
    const fields = { name: 'Unicloud', country: 'EE', status: outcome, last_reviewed: REVIEWED_AT };
    const events: VendorEvent[] = [
      { type: 'VendorAdded', data: { name: 'Unicloud', country: 'EE', reason: 'old list' } },
      {
        type: 'VendorReviewImported',
        data: {
          ...{ outcome, findings: null, conditions: null, reviewed_by: null, reviewed_at: REVIEWED_AT },
          ...{ ...ORIGIN, reason: 'old list' },
        },
      },
    ];
    vendors.given([]).when({ type: 'AddVendor', fields, origin: ORIGIN, reason: 'old list' }).then(events);
    const state = vendors.given(events).state();
    assert.equal([state.status, state.last_reviewed, state.next_review_due], [outcome, REVIEWED_AT, null]);
    assert.equal(state.imported, ORIGIN);
  }
});

test('a review keeps what its row says, and invents nothing', () => {
  const given = vendors.given([
    { type: 'VendorAdded', data: { name: 'Unicloud', next_review_due: '2027-01-01' } },
    {
      type: 'VendorReviewImported',
      data: {
        ...{ outcome: 'CONDITIONAL', findings: 'no backup', conditions: null, reviewed_by: null, reviewed_at: null },
        ...NO_ORIGIN,
      },
    },
  ]);
  const { status, last_reviewed, next_review_due, review } = given.state();
  assert.equal([status, last_reviewed, next_review_due], ['CONDITIONAL', null, '2027-01-01']);
  assert.equal(review, {
    outcome: 'CONDITIONAL',
    findings: 'no backup',
    ...{ conditions: null, reviewed_by: null, reviewed_at: null },
  });
});

test('a review in the future is refused, and one without an import too', () => {
  const fields = { name: 'Unicloud', status: 'APPROVED' as const };
  const future = { ...fields, last_reviewed: '2026-03-11T00:00:00.000Z' };
  vendors
    .given([])
    .when({ type: 'AddVendor', fields: future, origin: ORIGIN })
    .refused('invalid_input', { field: 'last_reviewed' });
  vendors.given([]).when({ type: 'AddVendor', fields }).refused('invalid_transition', { field: 'status' });
});

test('a newer review replaces an imported one, and an older one changes nothing', () => {
  const imported: VendorEvent[] = [
    { type: 'VendorAdded', data: { name: 'Unicloud' } },
    {
      type: 'VendorReviewImported',
      data: {
        ...{ outcome: 'APPROVED', findings: null, conditions: null, reviewed_by: null, reviewed_at: REVIEWED_AT },
        ...ORIGIN,
      },
    },
  ];
  const reviewed = (reviewed_at: string): VendorEvent => ({
    type: 'VendorReviewed',
    data: {
      ...{ outcome: 'REJECTED', findings: null, conditions: null, reviewed_by: 'acc_1', reviewed_at },
      next_review_due: '2026-01-01',
    },
  });
  const older = vendors.given([...imported, reviewed('2025-03-02T00:00:00.000Z')]).state();
  assert.equal([older.status, older.imported], ['APPROVED', ORIGIN]);
  const newer = vendors.given([...imported, reviewed('2025-03-04T00:00:00.000Z')]).state();
  assert.equal([newer.status, newer.imported], ['REJECTED', null]);
});

const ACCEPTED = {
  ...{ name: 'Old lift', status: 'ACCEPTED' as const, inherent_likelihood: 2, inherent_impact: 3 },
  ...{ accepted_until: '2026-12-31', acceptance_reason: 'Seldom used' },
};
const addRisk = (fields: object, reason?: string) =>
  ({ type: 'AddRisk', fields, origin: ORIGIN, ...(reason ? { reason } : {}) }) as const;

test('a risk is added and then accepted, by an ADMIN', () => {
  const when = risks.given([]).when(addRisk(ACCEPTED), ADMIN);
  const acceptance = {
    ...{ approver_id: null, recorded_by: 'acc_ADMIN', accepted_at: null, until: '2026-12-31', reason: 'Seldom used' },
  };
  const added = { name: 'Old lift', inherent_likelihood: 2, inherent_impact: 3 };
  when.then([
    { type: 'RiskAdded', data: added },
    { type: 'RiskAcceptanceImported', data: { ...acceptance, ...ORIGIN } },
  ]);
  const imported: RiskEvent[] = [
    { type: 'RiskAdded', data: added },
    { type: 'RiskAcceptanceImported', data: { ...acceptance, ...ORIGIN } },
  ];
  const state = risks.given(imported).state();
  assert.equal([state.status, state.treatment, state.acceptance], ['ACCEPTED', 'ACCEPTED', acceptance]);
  assert.equal(state.imported, ORIGIN);
  const revoked = risks
    .given([...imported, { type: 'RiskAcceptanceRevoked', data: { cause: 'DECISION', reason: 'New owner' } }])
    .state();
  assert.equal([revoked.acceptance, revoked.imported], [null, null]);
  risks.given([]).when(addRisk(ACCEPTED), { role: 'EDITOR' }).refused('forbidden');
});

test('an imported acceptance ends as early as it did, and as late as one of today may', () => {
  const accept = (accepted_until: string | undefined) =>
    risks.given([]).when(addRisk({ ...ACCEPTED, accepted_until }), { ...ADMIN, maxAcceptanceDays: 30 });
  for (const until of [undefined, '2026-04-10', '9999-12-31']) {
    accept(until).refused('invalid_input', { field: 'accepted_until' });
  }
  for (const until of ['2001-01-01', TODAY, '2026-04-09']) {
    const acceptance = { approver_id: null, recorded_by: 'acc_ADMIN', accepted_at: null, until, reason: 'Seldom used' };
    accept(until).then([
      {
        type: 'RiskAdded',
        data: { name: 'Old lift', inherent_likelihood: 2, inherent_impact: 3 },
      },
      { type: 'RiskAcceptanceImported', data: { ...acceptance, ...ORIGIN } },
    ]);
  }
});

test('an imported acceptance ends no earlier than the day on which it was given', () => {
  const accepted_at = '2025-06-01T10:00:00.000Z';
  const { inherent_likelihood: _none, inherent_impact: _neither, ...fields } = ACCEPTED;
  const accept = (accepted_until: string) =>
    risks.given([]).when(addRisk({ ...fields, accepted_at, accepted_until }), ADMIN);
  accept('2025-05-31').refused('invalid_input', { field: 'accepted_until' });
  const until = '2025-06-01';
  const data = { approver_id: null, recorded_by: 'acc_ADMIN', accepted_at, until, reason: 'Seldom used', ...ORIGIN };
  accept(until).then([
    { type: 'RiskAdded', data: { name: 'Old lift' } },
    { type: 'RiskAcceptanceImported', data },
  ]);
});

test('an imported acceptance needs a reason: its own, or that of the import', () => {
  const { acceptance_reason: _none, ...fields } = ACCEPTED;
  risks.given([]).when(addRisk(fields), ADMIN).refused('invalid_input', { field: 'acceptance_reason' });
  const future = { ...fields, accepted_at: '2026-03-11T00:00:00.000Z' };
  risks.given([]).when(addRisk(future, 'board'), ADMIN).refused('invalid_input', { field: 'accepted_at' });
  const data = { approver_id: null, recorded_by: 'acc_ADMIN', accepted_at: null, until: '2026-12-31', reason: 'board' };
  risks
    .given([])
    .when(addRisk({ ...fields, inherent_likelihood: null, inherent_impact: null }, 'board'), ADMIN)
    .then([
      { type: 'RiskAdded', data: { name: 'Old lift', reason: 'board' } },
      { type: 'RiskAcceptanceImported', data: { ...data, ...ORIGIN } },
    ]);
});

test.run();
