import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { audit } from '../../src/commands/audit.ts';
import { evidence } from '../../src/commands/evidence.ts';
import { measure } from '../../src/commands/measure.ts';
import { nonconformity } from '../../src/commands/nonconformity.ts';
import { obligation } from '../../src/commands/obligation.ts';
import { risk } from '../../src/commands/risk.ts';
import { noEndFields } from '../../src/commands/stated-dates.ts';
import { vendor } from '../../src/commands/vendor.ts';
import { FAMILY_DESCRIPTIONS } from '../../src/register/families.ts';
import { VENDOR } from '../../src/register/vendor.ts';
import { ADMIN } from '../support/risks.ts';
import { specOf } from '../support/spec.ts';

const test = suite('stated dates');
const vendors = specOf(vendor).given([]);
const measures = specOf(measure).given([]);
const findings = specOf(nonconformity);
const audits = specOf(audit);

/** In Kiritimati it is already 27 November. */
const EVENING = { now: '2026-11-26T20:00:00.000Z', today: '2026-11-26' };
/** It is 26 November everywhere but in the far west, where it is still the 25th. */
const MORNING = { now: '2026-11-26T09:59:59.999Z', today: '2026-11-26' };
const ORIGIN = { name_id: null, source: null };

/** Adds a record that states one fact about the past. @param now the hour, besides the role */
const PAST_FACTS: Record<string, (stated: string, at: typeof EVENING) => { refused: boolean }> = {
  'vendor last_reviewed': (last_reviewed, at) =>
    tried(() => vendors.when({ type: 'AddVendor', fields: { name: 'Unicloud', last_reviewed } }, at)),
  'vendor row last_reviewed': (last_reviewed, at) =>
    tried(() =>
      vendors.when(
        { type: 'AddVendor', fields: { name: 'Unicloud', status: 'APPROVED', last_reviewed }, origin: ORIGIN },
        at,
      ),
    ),
  'review reviewed_at': (reviewed_at, at) =>
    tried(() =>
      specOf(vendor)
        .given([{ type: 'VendorAdded', data: { name: 'Unicloud' } }])
        .when({ type: 'ReviewVendor', outcome: 'APPROVED', reviewed_at }, at),
    ),
  'measure implemented_at': (implemented_at, at) =>
    tried(() => measures.when({ type: 'AddMeasure', fields: { name: 'M', state: 'IMPLEMENTED', implemented_at } }, at)),
  'evidence collected_at': (collected_at, at) =>
    tried(() =>
      specOf(evidence)
        .given([])
        .when({ type: 'AddEvidence', fields: { name: 'E', text: 'x', record_ids: ['msr_1'], collected_at } }, at),
    ),
  'obligation last_review_date': (last_review_date, at) =>
    tried(() =>
      specOf(obligation)
        .given([{ type: 'ObligationAdded', data: { requirement: 'R' } }])
        .when({ type: 'UpdateObligation', changes: { last_review_date } }, at),
    ),
  'nonconformity date_identified': (date_identified, at) =>
    tried(() =>
      findings.given([]).when({ type: 'AddNonconformity', fields: { description: 'D', date_identified } }, at),
    ),
  'risk accepted_at': (accepted_at, at) =>
    tried(() =>
      specOf(risk)
        .given([])
        .when(
          {
            type: 'AddRisk',
            fields: {
              name: 'R',
              status: 'ACCEPTED',
              accepted_at,
              accepted_until: '2027-01-01',
              acceptance_reason: 'x',
            },
            origin: ORIGIN,
          } as never,
          { ...ADMIN, ...at },
        ),
    ),
};

/** Returns true if the date itself was refused. */
function tried(when: () => { refused(code: 'invalid_input', details: object, message?: RegExp): void }) {
  const outcome = when();
  try {
    outcome.refused('invalid_input', {}, /in the future|Give a date from 1990 to 2100/);
    return { refused: true };
  } catch {
    return { refused: false };
  }
}

const isDateOnly = (name: string) => /last_review_date|date_identified/.test(name);

for (const [name, state] of Object.entries(PAST_FACTS)) {
  test(`${name} may be today wherever the caller is, and not later`, () => {
    assert.not(state('2026-11-27', EVENING).refused, 'it is the 27th in Kiritimati');
    assert.ok(state('2026-11-28', EVENING).refused);
    assert.not(state('2026-11-26', MORNING).refused);
    assert.ok(state('2026-11-27', MORNING).refused);
    assert.ok(state('2027-06-01', EVENING).refused);
    if (isDateOnly(name)) return;
    assert.not(state('2026-11-27T09:59:59.999Z', EVENING).refused, 'the end of the 27th in Kiritimati');
    assert.ok(state('2026-11-27T10:00:00.000Z', EVENING).refused);
  });

  test(`${name} is a year from 1990 to 2100`, () => {
    assert.ok(state('1989-12-31', EVENING).refused);
    assert.not(state('1990-01-01', EVENING).refused);
    assert.ok(state('0001-01-01', EVENING).refused);
    assert.ok(state('9999-12-31', EVENING).refused, 'a fact about the past has no end');
  });
}

test('other dates are from 1990 to 2100 too, and the refusal names the field', () => {
  const add = (due_date: string) => measures.when({ type: 'AddMeasure', fields: { name: 'M', due_date } });
  for (const due_date of ['1989-12-31', '2101-01-01', '9999-12-30']) {
    add(due_date).refused('invalid_input', { field: 'due_date' }, /^due_date is .*from 1990 to 2100/);
  }
  for (const due_date of ['1990-01-01', '2100-12-31']) {
    add(due_date).then([{ type: 'MeasureAdded', data: { name: 'M', due_date } }]);
  }
  specOf(vendor)
    .given([{ type: 'VendorAdded', data: { name: 'Unicloud' } }])
    .when({ type: 'ReviewVendor', outcome: 'APPROVED', next_review_due: '9999-12-31' })
    .refused('invalid_input', { field: 'next_review_due' });
});

test('9999-12-31 and 2999-12-31 mean no end where a field may be empty', () => {
  for (const contract_until of ['9999-12-31', '2999-12-31']) {
    const fields = { name: 'Unicloud', contract_until };
    vendors.when({ type: 'AddVendor', fields }).then([{ type: 'VendorAdded', data: { name: 'Unicloud' } }]);
    specOf(vendor)
      .given([{ type: 'VendorAdded', data: { name: 'Unicloud', contract_until: '2027-01-01' } }])
      .when({ type: 'UpdateVendor', changes: { contract_until } })
      .then([{ type: 'VendorDetailsChanged', data: { changes: { contract_until: null } } }]);
    specOf(vendor)
      .given([{ type: 'VendorAdded', data: { name: 'Unicloud' } }])
      .when({ type: 'UpdateVendor', changes: { contract_until } })
      .then([]);
    assert.equal(noEndFields(VENDOR.fields, { ...fields, last_reviewed: contract_until }), ['contract_until']);
  }
});

test('a record with an older odd date can still be changed', () => {
  const odd = specOf(vendor).given([{ type: 'VendorAdded', data: { name: 'Unicloud', contract_until: '1885-01-01' } }]);
  odd
    .when({ type: 'UpdateVendor', changes: { country: 'EE', contract_until: '1885-01-01' } })
    .then([{ type: 'VendorDetailsChanged', data: { changes: { country: 'EE' } } }]);
  odd
    .when({ type: 'UpdateVendor', changes: { contract_until: '1886-01-01' } })
    .refused('invalid_input', { field: 'contract_until' });
  audits
    .given([
      {
        type: 'AuditAdded',
        data: { framework_id: 'frm_1', name: 'A', valid_from: '2026-02-02', valid_until: '2026-02-01' },
      },
    ])
    .when({ type: 'UpdateAudit', changes: { auditor: 'Audit House' } })
    .then([{ type: 'AuditDetailsChanged', data: { changes: { auditor: 'Audit House' } } }]);
});

test('an audit is completed on its start or later, in any zone', () => {
  const starting = (starts_on: string) =>
    audits.given([{ type: 'AuditAdded', data: { framework_id: 'frm_1', name: 'A', starts_on } }]);
  const complete = { type: 'UpdateAudit', changes: { state: 'COMPLETED' } } as const;
  starting('2026-11-27')
    .when(complete, EVENING)
    .then([{ type: 'AuditCompleted', data: {} }]);
  starting('2026-11-28').when(complete, EVENING).refused('invalid_input', { field: 'starts_on' });
  const both = { type: 'UpdateAudit', changes: { state: 'COMPLETED', starts_on: '2026-11-28' } } as const;
  starting('2026-11-01').when(both, EVENING).refused('invalid_input', { field: 'starts_on' });
  const completed = { type: 'AuditCompleted', data: {} } as const;
  for (const history of [[completed], [completed, { type: 'AuditOutdated', data: {} } as const]]) {
    audits
      .given([{ type: 'AuditAdded', data: { framework_id: 'frm_1', name: 'A' } }, ...history])
      .when({ type: 'UpdateAudit', changes: { starts_on: '2026-11-28' } }, EVENING)
      .refused('invalid_input', { field: 'starts_on' });
  }
});

test('a closed nonconformity was not identified after its closure', () => {
  const closed = findings.given([
    {
      type: 'NonconformityRaised',
      data: { description: 'D', root_cause: 'x', corrective_action: 'x', effectiveness_check: 'x' },
    },
    { type: 'NonconformityClosed', data: { closed_at: '2026-11-20T20:00:00.000Z' } },
  ]);
  const identify = (date_identified: string) =>
    closed.when({ type: 'UpdateNonconformity', changes: { date_identified } }, EVENING);
  identify('2026-11-22').refused('invalid_input', { field: 'date_identified' });
  identify('2026-11-21').then([
    { type: 'NonconformityDetailsChanged', data: { changes: { date_identified: '2026-11-21' } } },
  ]);
});

test('every date whose name tells of the past has the rule', () => {
  const told = FAMILY_DESCRIPTIONS.flatMap(({ fields, pastDecision }) =>
    Object.entries({ ...fields, ...pastDecision?.fields }).filter(([, field]) => field.isPastFact),
  );
  assert.equal(told.map(([name]) => name).sort(), [
    ...['accepted_at', 'closed_at', 'collected_at', 'date_identified', 'implemented_at'],
    ...['last_assessed_at', 'last_review_date', 'last_reviewed'],
  ]);
});

test.run();
