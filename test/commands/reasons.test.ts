/** The changes that need a reason. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILIES } from '../../src/commands/families.ts';
import { risk } from '../../src/commands/risk.ts';
import { vendor } from '../../src/commands/vendor.ts';
import { FAMILY_DESCRIPTIONS } from '../../src/register/families.ts';
import type { RiskEvent } from '../../src/register/risk.ts';
import { specOf } from '../support/spec.ts';

const test = suite('reasons');
const risks = specOf(risk);
const vendors = specOf(vendor);

const added: RiskEvent = { type: 'RiskAdded', data: { name: 'Fire' } };
const rated: RiskEvent = { type: 'RiskAdded', data: { name: 'Fire', inherent_likelihood: 2, inherent_impact: 2 } };
const accepted: RiskEvent = {
  type: 'RiskAccepted',
  data: {
    approver_id: 'acc_1',
    recorded_by: 'acc_1',
    accepted_at: '2026-03-01T00:00:00.000Z',
    until: '2026-12-31',
    reason: 'small',
  },
};
const update = (changes: object) => ({ type: 'UpdateRisk', changes, reason: '' }) as const;

test('states, ratings, severity and criticality are the fields whose changes need one', () => {
  const named = FAMILY_DESCRIPTIONS.map(({ type }) => {
    const fields = Object.entries(FAMILIES[type].fields as Record<string, { changesNeedReason?: true }>);
    return [type, fields.filter(([, field]) => field.changesNeedReason).map(([name]) => name)] as const;
  });
  assert.equal(Object.fromEntries(named.filter(([, names]) => names.length > 0)), {
    RISK: ['inherent_likelihood', 'inherent_impact', 'residual_likelihood', 'residual_impact', 'status'],
    VENDOR: ['criticality', 'status'],
    MEASURE: ['state'],
    OBLIGATION: ['status'],
    NONCONFORMITY: ['severity', 'status'],
    CONTROL: ['status'],
    AUDIT: ['state'],
  });
});

test('a first value is a change, in either direction, and an equal value is none', () => {
  for (const [history, changes] of [
    [added, { inherent_likelihood: 1 }],
    [rated, { inherent_likelihood: 1 }],
    [rated, { inherent_likelihood: 5 }],
    [rated, { inherent_likelihood: null }],
    [rated, { status: 'IN_TREATMENT' }],
  ] as const) {
    risks
      .given([history])
      .when(update(changes))
      .refused('invalid_input', { field: 'reason' }, /^Give a reason: why/);
  }
  risks
    .given([rated])
    .when(update({ inherent_likelihood: 2 }))
    .then([]);
  risks
    .given([rated])
    .when(update({ treatment: 'AVOIDED' }))
    .then([{ type: 'RiskTreatmentPlanned', data: { treatment: 'AVOIDED' } }]);
  vendors
    .given([{ type: 'VendorAdded', data: { name: 'Acme' } }])
    .when({ type: 'UpdateVendor', changes: { criticality: 'LOW' }, reason: '' })
    .refused('invalid_input', { field: 'reason' }, /criticality goes from empty to LOW/);
});

test('the refusal says that a higher score ends the acceptance', () => {
  const given = risks.given([rated, accepted]);
  given
    .when(update({ inherent_impact: 3 }))
    .refused('invalid_input', { field: 'reason' }, /The higher score ends the acceptance of this risk\.$/);
  given.when(update({ inherent_impact: 1 })).refused('invalid_input', { field: 'reason' }, /goes from 2 to 1\.$/);
});

test.run();
