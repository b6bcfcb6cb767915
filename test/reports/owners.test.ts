/** Reports by owner: counts of each owner, due items, nonconformities and changes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { derivedId } from '../../src/commands/engine/ids.ts';
import { executeOrganizationCommand } from '../../src/identity/memberships/actor.ts';
import { daysAgo } from '../support/histories/story.ts';
import { type Answer, startRegister, type TestRegister } from '../support/register.ts';
import { digestOfAnswer, figuresOf, rowsOf, wholeReport } from '../support/reports.ts';

interface Context {
  register: TestRegister;
  /** A second member. */
  anna: string;
  getReport(input: object): Promise<Answer>;
  add(tool: string, input: object): Promise<string>;
}

const test = suite<Context>('reports by owner');

test.before.each(async (context) => {
  const register = await startRegister();
  const { organizationId: organization_id } = register;
  const anna = derivedId('acc', '3a6a3f0e-5c52-4f0d-9a77-5d3f3c0b7b22');
  await executeOrganizationCommand(register.handler, organization_id, {
    type: 'AddMember',
    account_id: anna,
    role: 'EDITOR',
  });
  Object.assign(context, {
    register,
    anna,
    getReport: (input: object) => register.call('getReport', { organization_id, format: 'JSON', ...input }),
    add: async (tool: string, input: object) => {
      const answer = await register.call(tool, { organization_id, ...input });
      return (Object.values(answer)[0] as { id: string }).id;
    },
  });
});
test.after.each(({ register }) => register.stop());

test('POSTURE counts each owner’s records today and as of a position', async ({ register, anna, getReport, add }) => {
  const own = register.accountId;
  await add('addRisk', { name: 'Mine', owner_id: 'ME' });
  await add('addRisk', { name: 'Hers', owner_id: anna, next_review_due: daysAgo(3) });
  await add('addRisk', { name: 'Nobody’s' });
  const measure = await add('addMeasure', { name: 'Late', owner_id: anna, due_date: daysAgo(1) });
  const report = await wholeReport(getReport, { type: 'POSTURE', group_by: 'OWNER' });
  const rows = rowsOf(report, 'by_owner');
  assert.equal(
    rows.map(({ owner_id }) => owner_id),
    [...[own, anna].sort(), undefined],
  );
  const rowOf = (owner: string | undefined, all = rows) => all.find(({ owner_id }) => owner_id === owner)!;
  const counts = ({ risks_not_closed, risks_review_overdue, measures, measures_overdue }: Record<string, unknown>) => [
    ...[risks_not_closed, risks_review_overdue, measures, measures_overdue],
  ];
  assert.equal(
    [own, anna, undefined].map((owner) => counts(rowOf(owner))),
    [
      [1, 0, 0, 0],
      [1, 1, 1, 1],
      [1, 0, 0, 0],
    ],
  );
  assert.is(digestOfAnswer(report), report.digest);
  for (const name of ['risks_not_closed', 'measures_overdue'])
    assert.is(
      rows.reduce((sum, row) => sum + Number(row[name]), 0),
      figuresOf(report)[name],
      name,
    );
  await register.call('updateMeasure', { id: measure, owner_id: 'ME' });
  const as_of = report.position;
  const then = await wholeReport(getReport, { type: 'POSTURE', group_by: 'OWNER', as_of });
  assert.equal(rowsOf(then, 'by_owner'), rows, 'as of a position before');
  const now = rowsOf(await wholeReport(getReport, { type: 'POSTURE', group_by: 'OWNER' }), 'by_owner');
  assert.equal([rowOf(own, now).measures, rowOf(anna, now).measures], [1, 0]);
});

test('DUE_ITEMS lists one owner’s items after the other’s, the most first', async ({
  register,
  anna,
  getReport,
  add,
}) => {
  await add('addMeasure', { name: 'Mine', owner_id: 'ME', due_date: daysAgo(9) });
  await add('addMeasure', { name: 'Hers', owner_id: anna, due_date: daysAgo(3) });
  await add('addVendor', { name: 'Nimbus', owner_id: anna, contract_until: daysAgo(-5) });
  const report = await wholeReport(getReport, { type: 'DUE_ITEMS', group_by: 'OWNER' });
  assert.equal(
    rowsOf(report, 'due_items').map(({ name, owner_id }) => [name, owner_id]),
    [
      ['Hers', anna],
      ['Nimbus', anna],
      ['Mine', register.accountId],
    ],
  );
  assert.equal(
    rowsOf(report, 'by_owner').map(({ owner_id, due, overdue, due_measure }) => [owner_id, due, overdue, due_measure]),
    [
      [anna, 2, 1, 1],
      [register.accountId, 1, 1, 1],
    ],
  );
  const markdown = (await getReport({ type: 'DUE_ITEMS', group_by: 'OWNER', format: 'MARKDOWN' })).report as {
    content: string;
  };
  assert.match(markdown.content, 'By owner');
});

test('NONCONFORMITIES by owner have each row’s days to closure', async ({ anna, getReport, add }) => {
  const closed = { root_cause: 'r', corrective_action: 'c', effectiveness_check: 'e', status: 'CLOSED' };
  await add('addNonconformity', { description: 'A', owner_id: anna, date_identified: daysAgo(10), ...closed });
  await add('addNonconformity', { description: 'B', owner_id: anna, date_identified: daysAgo(3), ...closed });
  await add('addNonconformity', { description: 'C', owner_id: anna, ...closed });
  await add('addNonconformity', { description: 'D', date_identified: daysAgo(30) });
  const report = await wholeReport(getReport, { type: 'NONCONFORMITIES', group_by: 'OWNER' });
  assert.equal(
    rowsOf(report, 'nonconformities')
      .map(({ description, days_to_closure }) => [description, days_to_closure])
      .sort(),
    [
      ['A', 10],
      ['B', 3],
      ['C', undefined],
      ['D', undefined],
    ],
  );
  const statistics = { days_to_closure_median: 6.5, days_to_closure_mean: 6.5, days_to_closure_max: 10 };
  assert.equal(rowsOf(report, 'by_owner'), [
    { owner_id: anna, nonconformities: 3, open: 0, closed_with_days: 2, ...statistics },
    { nonconformities: 1, open: 1, closed_with_days: 0 },
  ]);
  const plain = await wholeReport(getReport, { type: 'NONCONFORMITIES' });
  assert.equal(
    [plain.data.sections.length, plain.inputs],
    [1, {}],
    'without group_by the report has the data it always had',
  );
});

test('CHANGES_BETWEEN of an owner has the changes of the records owned at the report’s moment', async ({
  register,
  anna,
  getReport,
  add,
}) => {
  const hers = await add('addRisk', { name: 'Hers', owner_id: anna });
  const measure = await add('addMeasure', { name: 'Hers too', owner_id: anna });
  const mine = await add('addRisk', { name: 'Mine', owner_id: 'ME' });
  await register.call('linkRecords', { links: [{ from_id: hers, to_id: measure }] });
  const input = { type: 'CHANGES_BETWEEN', from: '1', owner_id: anna };
  const report = await wholeReport(getReport, input);
  assert.equal(
    rowsOf(report, 'changes').map(({ record_name, event_type }) => `${record_name} ${event_type}`),
    ['Hers RiskAdded', 'Hers RecordsLinked', 'Hers too MeasureAdded', 'Hers too RecordsLinked'],
  );
  const { changes, records_changed, actors } = figuresOf(report);
  assert.equal([changes, records_changed, actors], [3, 2, 1]);
  assert.is((report.inputs as { owner_id?: string }).owner_id, anna);
  assert.is(digestOfAnswer(report), report.digest);
  await register.call('updateRisk', { id: hers, owner_id: 'ME' });
  await register.call('updateRisk', { id: mine, owner_id: anna });
  const later = await wholeReport(getReport, { ...input, record_types: ['RISK'] });
  assert.equal(
    rowsOf(later, 'changes').map(({ record_name, event_type }) => `${record_name} ${event_type}`),
    ['Mine RiskAdded', 'Mine RiskOwnerAssigned'],
  );
  const same = await wholeReport(getReport, { ...input, record_types: 'RISK', as_of: later.position });
  assert.is(same.digest, later.digest, 'a text is a list of one');
  assert.is((await wholeReport(getReport, { ...input, as_of: report.position })).digest, report.digest);
});

test.run();
