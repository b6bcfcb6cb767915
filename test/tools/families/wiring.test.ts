import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { type ToolCalls, toolCallsOf } from '../../support/mcp/tool-calls.ts';
import { daysAgo } from '../../support/past.ts';
import { type Answer, ORGANIZATION, startRegister, type TestRegister } from '../../support/register.ts';

/*
 * One case for each tool of a family: its name, its input, the events that it writes, and one refusal. The state machines are
 * tested in test/commands, facts that follow from links by the naive register in test/projections/derived.test.ts.
 */

interface Context extends ToolCalls {
  register: TestRegister;
  framework: string;
}

const test = suite<Context>('tools of the families');

test.before(async (context) => {
  context.register = await startRegister();
  Object.assign(context, toolCallsOf(context.register));
  const controls = [{ section_title: 'A.1', name: 'Rules' }];
  context.framework = (await context.add('Framework', { name: 'House rules', controls })).id;
});
test.after(({ register }) => register.stop());

type Refused = [input: object, code: string, field: string, allowed?: string[] | undefined];

interface Family {
  list: string;
  add: object;
  /** Updates of the added record, with the types of their events. */
  updates: [input: object, event_types: string[], tool?: string][];
  /** The record in a list after these updates, without its id. */
  summary: object;
  refusedAdd: Refused;
  refusedUpdates: [input: object, code: string, field: string, allowed?: string[] | undefined, tool?: string][];
}

const TREATED = { root_cause: 'Nobody was named', corrective_action: 'A monthly test' };
const NEXT_YEAR = daysAgo(-365);

const FAMILIES: Record<string, Family> = {
  Risk: {
    list: 'listRisks',
    add: { name: 'Flood', status: 'IN_TREATMENT', inherent_likelihood: 2, inherent_impact: 3 },
    updates: [
      [{ status: 'OPEN', name: 'Great flood', reason: 'r' }, ['RiskDetailsChanged', 'RiskTreatmentHalted']],
      [{ decision: 'ACCEPT', until: daysAgo(-30), reason: 'r' }, ['RiskAccepted'], 'decideRisk'],
      [{ decision: 'CLOSE', reason: 'r' }, ['RiskClosed'], 'decideRisk'],
    ],
    summary: { name: 'Great flood', status: 'CLOSED', treatment: 'ACCEPTED', score: 6, priority: 'MEDIUM' },
    refusedAdd: [{ status: 'ACCEPTED' }, 'invalid_transition', 'status', ['OPEN', 'IN_TREATMENT', 'CLOSED']],
    refusedUpdates: [
      [{ status: 'OPEN' }, 'invalid_transition', 'status', []],
      [{ decision: 'CLOSE', reason: 'r' }, 'invalid_transition', 'decision', ['REOPEN'], 'decideRisk'],
    ],
  },
  Vendor: {
    list: 'listVendors',
    add: { name: 'Unicloud', status: 'SUSPENDED', reason: 'r', criticality: 'HIGH', next_review_due: '2099-01-01' },
    updates: [
      [{ status: 'OFFBOARDED', reason: 'r' }, ['VendorOffboarded']],
      [{ outcome: 'REJECTED' }, ['VendorReviewed'], 'reviewVendor'],
      [{ withdraw: true, findings: null, reason: 'r' }, ['VendorReviewWithdrawn'], 'reviewVendor'],
      [{ outcome: 'APPROVED', next_review_due: NEXT_YEAR }, ['VendorReviewed'], 'reviewVendor'],
    ],
    summary: { name: 'Unicloud', status: 'APPROVED', criticality: 'HIGH', next_review_due: NEXT_YEAR },
    refusedAdd: [{ status: 'APPROVED' }, 'invalid_transition', 'status', ['PENDING_REVIEW', 'SUSPENDED', 'OFFBOARDED']],
    refusedUpdates: [
      [{ status: 'REJECTED' }, 'invalid_transition', 'status', ['SUSPENDED', 'OFFBOARDED']],
      [{}, 'invalid_input', 'outcome', ['APPROVED', 'CONDITIONAL', 'REJECTED'], 'reviewVendor'],
      [{ withdraw: true, findings: 'x', reason: 'r' }, 'invalid_input', 'findings', undefined, 'reviewVendor'],
    ],
  },
  Measure: {
    list: 'listMeasures',
    add: { name: 'Backups', reference_id: 'M-1', state: 'IMPLEMENTED', implemented_at: '2024-05-01' },
    updates: [
      [{ state: 'IN_PROGRESS', reason: 'r' }, ['MeasureSetBack']],
      [{ state: 'NOT_APPLICABLE', justification: 'no servers', reason: 'r' }, ['MeasureRuledOut']],
      [{ state: 'NOT_APPLICABLE' }, []],
    ],
    summary: { reference_id: 'M-1', name: 'Backups', state: 'NOT_APPLICABLE', evidence_count: 0 },
    refusedAdd: [{ state: 'NOT_APPLICABLE' }, 'invalid_input', 'justification'],
    refusedUpdates: [[{ implemented_at: '2024-05-01' }, 'invalid_input', 'implemented_at']],
  },
  Obligation: {
    list: 'listObligations',
    add: { requirement: `${'x'.repeat(159)}😀 and so on`, area: 'Tax', due_date: daysAgo(1) },
    updates: [
      [{ status: 'COMPLIANT', area: 'Levies', reason: 'r' }, ['ObligationDetailsChanged', 'ObligationAssessed']],
      [{ withdraw: true, reason: 'r' }, ['ObligationAssessmentWithdrawn']],
      [{ status: 'COMPLIANT', reason: 'r' }, ['ObligationAssessed']],
      [{ last_review_date: daysAgo(3) }, ['ObligationReviewDateCorrected']],
      [{ last_review_date: null }, ['ObligationReviewDateCorrected']],
    ],
    summary: {
      requirement: `${'x'.repeat(159)}…`,
      area: 'Levies',
      status: 'COMPLIANT',
      due_date: daysAgo(1),
      overdue: true,
    },
    refusedAdd: [{ requirement: ' ' }, 'invalid_input', 'requirement'],
    refusedUpdates: [[{ withdraw: true, area: 'Tax', reason: 'r' }, 'invalid_input', 'area']],
  },
  Nonconformity: {
    list: 'listNonconformities',
    add: { reference_id: 'NC-1', description: 'Restores are not tested', severity: 'MAJOR' },
    updates: [
      [{ status: 'IN_PROGRESS', reason: 'r' }, ['NonconformityWorkStarted']],
      [
        { ...TREATED, status: 'PENDING_VERIFICATION', reason: 'r' },
        ['NonconformityDetailsChanged', 'NonconformitySubmittedForVerification'],
      ],
      [{ status: 'IN_PROGRESS', reason: 'r' }, ['NonconformitySetBack']],
      [
        { status: 'CLOSED', effectiveness_check: 'seen', reason: 'r' },
        ['NonconformityDetailsChanged', 'NonconformityClosed'],
      ],
      [{ status: 'OPEN', reason: 'r' }, ['NonconformityReopened']],
    ],
    summary: {
      reference_id: 'NC-1',
      severity: 'MAJOR',
      description: 'Restores are not tested',
      status: 'OPEN',
      overdue: false,
    },
    refusedAdd: [{ ...TREATED, status: 'CLOSED' }, 'invalid_input', 'effectiveness_check'],
    refusedUpdates: [[{ closed_at: daysAgo(1) }, 'invalid_input', 'closed_at']],
  },
  Audit: {
    list: 'listAudits',
    add: { name: 'Spring', kind: 'EXTERNAL', valid_until: '2027-01-01' },
    updates: [
      [{ state: 'IN_PROGRESS', reason: 'r' }, ['AuditStarted']],
      [{ state: 'REJECTED', auditor: 'House', reason: 'r' }, ['AuditDetailsChanged', 'AuditRejected']],
    ],
    summary: { name: 'Spring', kind: 'EXTERNAL', state: 'REJECTED', valid_until: '2027-01-01' },
    refusedAdd: [
      { state: 'COMPLETED' },
      'invalid_transition',
      'state',
      ['NOT_STARTED', 'IN_PROGRESS', 'REJECTED', 'OUTDATED'],
    ],
    refusedUpdates: [[{ state: 'OUTDATED' }, 'invalid_transition', 'state', ['IN_PROGRESS']]],
  },
};

for (const [title, { list, add, updates, summary, refusedAdd, refusedUpdates }] of Object.entries(FAMILIES)) {
  const refusal = async ({ register }: Context, tool: string, [input, code, field, allowed]: Refused) => {
    const { error } = await register.call<{ error: Answer }>(tool, input);
    assert.equal([error?.code, error?.field], [code, field], `${tool} ${JSON.stringify(input)}`);
    if (allowed) assert.equal(error.allowed, allowed, tool);
  };

  test(`add${title} and the tools that change it`, async (context) => {
    const { ok, list: listed, framework } = context;
    const required = title === 'Audit' ? { framework_id: framework } : {};
    const recordOf = (answer: Answer) => answer[title.toLowerCase()] as Answer & { id: string };
    const { id } = recordOf(await ok(`add${title}`, { ...required, ...add }));
    for (const [input, event_types, tool = `update${title}`] of updates) {
      const answer = await ok(tool, { id, ...input });
      assert.equal(answer.event_types, event_types, JSON.stringify(input));
      assert.is(recordOf(answer).id, id);
    }
    const [{ last_reviewed: _time, ...shown }] = (await listed(list, { ids: [id] })) as [Answer];
    assert.equal(shown, { id, ...summary });
    const newInput = { organization_id: ORGANIZATION, ...required, ...add, ...refusedAdd[0] };
    await refusal(context, `add${title}`, [newInput, refusedAdd[1], refusedAdd[2], refusedAdd[3]]);
    for (const [input, code, field, allowed, tool = `update${title}`] of refusedUpdates)
      await refusal(context, tool, [{ id, ...input }, code, field, allowed]);
    await ok('archiveRecords', { ids: [id], action: 'ARCHIVE', reason: 'gone' });
    for (const [input, , tool = `update${title}`] of updates)
      assert.equal(await context.refused(tool, { id, ...input }), ['invalid_transition', undefined], tool);
  });
}

/** By family: records with a letter each, and the orders of the letters by field, ascending and descending. */
const ORDERS: [title: string, list: string, text: string, rows: object[], orders: Record<string, [string, string]>][] =
  [
    [
      'Measure',
      'listMeasures',
      'name',
      [
        { state: 'NOT_APPLICABLE', justification: 'none', due_date: '2031-01-01' },
        { state: 'IMPLEMENTED' },
        { state: 'IN_PROGRESS', due_date: '2031-01-02' },
      ],
      { '': ['abc', 'abc'], name: ['abc', 'cba'], state: ['cba', 'abc'], due_date: ['acb', 'cab'] },
    ],
    [
      'Obligation',
      'listObligations',
      'requirement',
      [{ area: 'Travail', due_date: '2031-01-01' }, { area: 'énergie' }, { area: 'Finance', due_date: '2031-01-02' }],
      { '': ['acb', 'acb'], due_date: ['acb', 'cab'], area: ['bca', 'acb'], updated_at: ['abc', 'cba'] },
    ],
    [
      'Nonconformity',
      'listNonconformities',
      'description',
      [
        { date_identified: '2025-01-03', due_date: '2031-01-01' },
        { date_identified: '2025-01-01' },
        { date_identified: '2025-01-02', due_date: '2031-01-02' },
      ],
      { '': ['acb', 'acb'], due_date: ['acb', 'cab'], date_identified: ['bca', 'acb'], created_at: ['abc', 'cba'] },
    ],
    [
      'Audit',
      'listAudits',
      'name',
      [
        { starts_on: '2031-03-01', valid_until: '2032-01-01' },
        { starts_on: '2031-04-01' },
        { valid_until: '2031-01-01' },
      ],
      { '': ['abc', 'abc'], starts_on: ['abc', 'bac'], valid_until: ['cab', 'acb'], name: ['abc', 'cba'] },
    ],
  ];

for (const [title, tool, text, rows, orders] of ORDERS) {
  test(`${tool} orders by each field, empty values last, now and as_of`, async ({ add, list, framework, position }) => {
    const required = title === 'Audit' ? { framework_id: framework } : {};
    const ids: string[] = [];
    for (const [index, row] of rows.entries())
      ids.push((await add(title, { ...required, ...row, [text]: 'abc'[index] })).id);
    for (const moment of [{}, { as_of: await position() }]) {
      for (const [field, expected] of Object.entries(orders)) {
        for (const [index, direction] of ['ASC', 'DESC'].entries()) {
          const order = field === '' ? {} : { order_by: { field, direction } };
          const letters = (await list(tool, { ids }, { ...order, ...moment })).map((record) => record[text]);
          assert.is(letters.join(''), expected[index], `${field} ${direction}`);
        }
      }
    }
  });
}

for (const [title, list, field, prefix, text] of [
  ['Audit', 'listAudits', 'framework_id', 'frm', 'name'],
  ['Nonconformity', 'listNonconformities', 'audit_id', 'aud', 'description'],
] as const) {
  test(`a record names another by ${field}, which exists and is not archived`, async (context) => {
    const { add, ok, refused, framework } = context;
    const controls = [{ section_title: 'A.1', name: 'Rules' }];
    const addTarget = () =>
      field === 'audit_id'
        ? add('Audit', { framework_id: framework, name: 'Autumn' })
        : add('Framework', { name: 'Other rules', controls });
    const [first, second] = [(await addTarget()).id, (await addTarget()).id];
    const { id } = await add(title, { [text]: 'Of the first', [field]: first });
    const find = async (filter: object, moment: object = {}) =>
      (await context.list(list, filter, moment)).map((record) => record.id);
    assert.equal([await find({ [field]: [first] }), await find({ linked_to: first })], [[id], [id]]);
    const before = { as_of: await context.position() };
    await ok(`update${title}`, { id, [field]: second });
    assert.equal([await find({ [field]: [first] }), await find({ [field]: [first, second] })], [[], [id]]);
    assert.equal([await find({ [field]: [first] }, before), await find({ linked_to: second }, before)], [[id], []]);
    assert.equal(await refused(`update${title}`, { id, [field]: randomId(prefix) }), ['not_found', field]);
    assert.equal(await refused(`update${title}`, { id, [field]: randomId('vnd') }), ['invalid_input', field]);
    await ok('archiveRecords', { ids: [second], action: 'ARCHIVE', reason: 'gone' });
    assert.equal(await refused(`add${title}`, { [text]: 'X', [field]: second }), ['invalid_transition', field]);
    assert.equal([await find({ [field]: [second] }), await find({ linked_to: second })], [[id], []]);
  });
}

test('an add answers similar records, and changes name a record by its number and the start of its text', async (context) => {
  const { ok, add } = context;
  const { id } = await add('Nonconformity', { reference_id: 'NC-9', description: 'Nobody\nlooks. '.repeat(10) });
  const { changes } = await ok<{ changes: Answer[] }>('listChanges', { filter: { record_id: [id] } });
  const name = `${`NC-9: ${'Nobody looks. '.repeat(10)}`.slice(0, 80)}…`;
  assert.equal(changes[0]!.record, { id, type: 'NONCONFORMITY', name });
  const similar = await ok('addNonconformity', { reference_id: 'nc-9', description: 'Another' });
  assert.equal(similar.similar, [{ id, name }], 'by the number alone');
  assert.not('similar' in (await ok('addNonconformity', { description: 'A third' })));
});

test.run();
