/** The sentence about a record then and now: facts of the day, links of long lists, and the states of linked records. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { changesSince } from '../../../src/queries/records/changes-since.ts';
import type { RecordDetails } from '../../../src/queries/records/record-details.ts';
import { MEASURE } from '../../../src/register/measure.ts';
import { sinceThenText } from '../../../src/web/register/record/since-then.ts';

interface Page {
  fields?: object;
  linked?: object[];
  total?: number;
  evidence?: object[];
}

/** Returns the details of a measure with only what is compared. */
function details({ fields = {}, linked = [], total = linked.length, evidence = [] }: Page): RecordDetails {
  const record = { archived_at: null, ...fields, evidence: { records: evidence, total: evidence.length } };
  return { record, linked: { records: linked, total } } as unknown as RecordDetails;
}

function sentence(then: Page, now: Page): string {
  return sinceThenText(MEASURE, changesSince(MEASURE.fields, details(then), details(now)));
}

const risk = { id: 'rsk_1', type: 'RISK', reference_id: 'R-1', name: 'Fire', status: 'ACCEPTED' };

test('says that evidence and an acceptance expired, though no event did it', () => {
  const report = { id: 'evd_1', name: 'Report', valid_until: '2025-03-01' };
  assert.is(
    sentence({ evidence: [{ ...report, expired: false }] }, { evidence: [{ ...report, expired: true }] }),
    'Since then: “Report” expired.',
  );
  const acceptance = (expired: boolean) => ({ ...risk, acceptance: { until: '2025-03-01', expired } });
  assert.is(
    sentence({ linked: [acceptance(false)] }, { linked: [acceptance(true)] }),
    'Since then: R-1 acceptance expired.',
  );
  assert.is(sentence({ fields: { overdue: false } }, { fields: { overdue: true } }), 'Since then: overdue.');
});

test('names counts only where no link explains them', () => {
  const [none, one] = [{ evidence_count: 0 }, { evidence_count: 1 }];
  assert.is(sentence({ fields: none }, { fields: one }), 'Since then: evidence 0 → 1.');
  const report = { id: 'evd_1', name: 'Report' };
  assert.is(sentence({ fields: none }, { fields: one, evidence: [report] }), 'Since then: 1 piece of evidence added.');
});

test('counts more than three differences of one kind', () => {
  const risks = [1, 2, 3, 4].map((number) => ({ ...risk, id: `rsk_${number}`, reference_id: `R-${number}` }));
  assert.is(sentence({}, { linked: risks }), 'Since then: 4 risks linked.');
  const closed = risks.map((record) => ({ ...record, status: 'CLOSED' }));
  assert.is(sentence({ linked: risks }, { linked: closed }), 'Since then: 4 risks changed.');
  assert.is(sentence({ linked: risks }, { linked: [closed[0]!, ...risks.slice(1)] }), 'Since then: R-1 closed.');
});

test('does not take a cut list for the whole', () => {
  const cut = { linked: [risk], total: 101 };
  assert.is(sentence(cut, cut), 'Nothing that is listed here has changed since.');
  assert.is(sentence(cut, { linked: [{ ...risk, id: 'rsk_2' }], total: 102 }), 'Since then: links 101 → 102.');
  assert.is(sentence({ linked: [risk] }, { linked: [{ ...risk, name: 'Flood' }] }), 'Since then: R-1 changed.');
});

test.run();
