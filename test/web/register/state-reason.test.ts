/** The sentence that explains a record's state: only what its facts and links say, and none if they say nothing. */

import { Fragment, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LinkedSummary, RecordDetails } from '../../../src/queries/records/record-details.ts';
import type { FamilyName } from '../../../src/register/families.ts';
import { stateReason } from '../../../src/web/register/record/state-reason.tsx';

const test = suite('state reason');

/** Returns the sentence for a record with these fields and links. */
function reasonFor(type: FamilyName, fields: object, linked: readonly LinkedSummary[] = [], total = linked.length) {
  const details: RecordDetails = {
    record: {
      archived_at: null,
      evidence: { records: [], total: 0 },
      history: { changes: [] },
      authors: {},
      ...fields,
    },
    name: 'A record',
    today: '2026-03-01',
    linked: { records: linked, total, totals: new Map() },
    dueDates: [],
    relatives: new Map(),
    names: { of: String },
  };
  const reason = stateReason(type, details);
  return reason === null ? null : renderToString(h(Fragment, null, reason)).replace(/<[^>]+>/g, '');
}

const measure = (reference_id: string, state: string, more: object = {}): LinkedSummary => {
  return { id: `msr_${reference_id}`, type: 'MEASURE', name: 'A measure', reference_id, state, ...more };
};

test('explains the coverage of a control by its measures', () => {
  const control = (implementation: string, ...linked: LinkedSummary[]) =>
    reasonFor('CONTROL', { status: 'INCLUDED', implementation }, linked);
  assert.is(control('NONE'), 'Not covered: no measure that applies is linked.');
  assert.is(control('NONE', measure('M-08', 'NOT_STARTED')), 'Not covered: M-08 is linked but not implemented.');
  assert.is(
    control('PARTIAL', measure('M-1', 'IMPLEMENTED'), measure('M-2', 'IN_PROGRESS'), measure('M-3', 'NOT_STARTED')),
    'Partly covered: M-2 and M-3 are linked but not implemented.',
  );
  assert.is(control('FULL', measure('M-1', 'IMPLEMENTED')), 'Covered: M-1 is implemented.');
});

test('leaves out measures that do not count', () => {
  const archived = measure('M-1', 'NOT_STARTED', { archived_at: '2026-01-01T00:00:00.000Z' });
  const fields = { status: 'INCLUDED', implementation: 'NONE' };
  const reason = reasonFor('CONTROL', fields, [archived, measure('M-2', 'NOT_APPLICABLE')]);
  assert.is(reason, 'Not covered: no measure that applies is linked.');
});

test('tells which texts an imported closed finding lacks', () => {
  const closed = { status: 'CLOSED', root_cause: 'No owner', corrective_action: 'A test', effectiveness_check: 'Seen' };
  assert.is(reasonFor('NONCONFORMITY', closed), null);
  assert.is(
    reasonFor('NONCONFORMITY', { ...closed, corrective_action: null, effectiveness_check: null }),
    'It was imported as closed. Not recorded: corrective action, effectiveness check.',
  );
});

test('says nothing about links that it does not know', () => {
  const fields = { status: 'INCLUDED', implementation: 'NONE' };
  assert.is(reasonFor('CONTROL', fields, [measure('M-1', 'NOT_STARTED')], 101), null);
  assert.is(reasonFor('AUDIT', {}, [{ id: 'ncf_1', type: 'NONCONFORMITY', name: 'NC', status: 'OPEN' }], 101), null);
});

test('counts the findings of an audit', () => {
  const finding = (status: string) => ({ id: 'ncf_1', type: 'NONCONFORMITY', name: 'NC', status });
  assert.is(reasonFor('AUDIT', {}, [finding('IN_PROGRESS'), finding('CLOSED')]), '1 of its 2 findings is not closed.');
  assert.is(reasonFor('AUDIT', {}, [finding('CLOSED'), finding('CLOSED')]), 'All of its 2 findings are closed.');
  assert.is(reasonFor('AUDIT', {}, [finding('CLOSED')]), 'Its one finding is closed.');
  assert.is(reasonFor('AUDIT', {}), null);
});

test('says nothing about archived records', () => {
  assert.is(reasonFor('RISK', { score: null, archived_at: '2026-01-01T00:00:00.000Z' }), null);
});

test('explains each other family by its facts', () => {
  const expired = { status: 'ACCEPTED', score: 6, acceptance: { until: '2026-02-01', expired: true } };
  assert.is(reasonFor('RISK', expired), 'The acceptance ended on 1 Feb 2026. The risk needs a new decision.');
  assert.is(reasonFor('RISK', { status: 'OPEN', score: null }), 'Not scored: it has no likelihood or no impact.');
  assert.is(reasonFor('RISK', { status: 'CLOSED', score: 3 }), null);
  const implemented = (evidence_count: number, valid_evidence_count: number) =>
    reasonFor('MEASURE', { state: 'IMPLEMENTED', evidence_count, valid_evidence_count });
  assert.is(implemented(0, 0), 'Implemented, but no evidence is attached.');
  assert.is(implemented(2, 0), 'Implemented, but its evidence has expired.');
  assert.is(implemented(2, 1), null);
  assert.is(reasonFor('MEASURE', { state: 'IN_PROGRESS', overdue: false }), null);
  assert.is(reasonFor('VENDOR', { status: 'SUSPENDED', last_reviewed: null, review: null }), 'It was never reviewed.');
  const imported = { status: 'APPROVED', last_reviewed: null, review: { outcome: 'APPROVED' } };
  assert.is(reasonFor('VENDOR', imported), 'The date of its last review is unknown.');
  assert.is(
    reasonFor('OBLIGATION', { overdue: true, status: 'NON_COMPLIANT', due_date: '2026-02-01' }),
    'Overdue: it was due on 1 Feb 2026 and is non compliant.',
  );
  assert.is(reasonFor('NONCONFORMITY', { status: 'OPEN', root_cause: null }), 'Its root cause is not recorded.');
  assert.is(
    reasonFor('EVIDENCE', { expired: true, valid_until: '2026-02-01' }),
    'It expired: it was valid until 1 Feb 2026.',
  );
  assert.is(
    reasonFor('EVIDENCE', { expired: true, replaced: true, valid_until: '2026-02-01' }),
    'Replaced by newer evidence: it was valid until 1 Feb 2026.',
  );
  assert.is(
    reasonFor('FRAMEWORK', { coverage: 0.5, implemented_count: 1, included_count: 2 }),
    'Coverage of the framework 50.0 %: 1 of 2 controls and clauses in scope are fully implemented.',
  );
});

test.run();
