/** Reports of the changes between two moments, and in the period of an audit. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILY_DESCRIPTIONS } from '../../src/register/families.ts';
import { ALL_TOOLS } from '../../src/tools/all-tools.ts';
import { daysAgo } from '../support/histories/story.ts';
import { isKeeping, runExamples } from '../support/mcp/examples.ts';
import { type Answer, startRegister, type TestRegister } from '../support/register.ts';
import { rowsOf, wholeReport } from '../support/reports.ts';

interface Context {
  register: TestRegister;
  organization_id: string;
  getReport(input: object): Promise<Answer>;
}

const test = suite<Context>('reports of periods');

test.before.each(async (context) => {
  const register = await startRegister();
  const { organizationId: organization_id } = register;
  const getReport = (input: object) => register.call('getReport', { organization_id, format: 'JSON', ...input });
  Object.assign(context, { register, organization_id, getReport });
});
test.after.each(({ register }) => register.stop());

const period = { type: 'CHANGES_BETWEEN' };

test('a report of changes states its period in moments and positions', async ({
  register,
  organization_id,
  getReport,
}) => {
  await register.call('addRisk', { organization_id, name: 'One' });
  await register.call('addRisk', { organization_id, name: 'Two' });
  const days = await wholeReport(getReport, { ...period, from: daysAgo(3), to: daysAgo(0) });
  const { position } = days;
  const inputs = { from: daysAgo(3), to: daysAgo(0), from_position: '1', to_position: position };
  assert.equal(days.inputs, inputs);
  assert.equal(days.about, [
    { label: 'Changes from', value: daysAgo(3) },
    { label: 'Changes to', value: daysAgo(0) },
    { label: 'Changes', value: `1 to ${position}` },
  ]);
  const fromPosition = await wholeReport(getReport, { ...period, from: position });
  assert.equal(
    [fromPosition.inputs, fromPosition.as_of],
    [{ from: days.as_of, to: days.as_of, from_position: position, to_position: position }, days.as_of],
  );
  const before = await wholeReport(getReport, { ...period, from: daysAgo(9), to: daysAgo(3) });
  assert.equal([rowsOf(before, 'changes'), before.about.at(-1)], [[], { label: 'Changes', value: 'none' }]);
});

test('a report of changes refuses swapped moments and the future', async ({ register, organization_id, getReport }) => {
  await register.call('addRisk', { organization_id, name: 'One' });
  await register.call('addRisk', { organization_id, name: 'Two' });
  const { position } = await wholeReport(getReport, { ...period, from: '1' });
  const futurePosition = String(Number(position) + 1);
  for (const [from, to, field] of [
    [daysAgo(1), daysAgo(2), 'from'],
    [position, '1', 'from'],
    [daysAgo(0), '0', 'from'],
    [position, daysAgo(2), 'from'],
    [daysAgo(-1), undefined, 'from'],
    [new Date(Date.now() + 60_000).toISOString(), undefined, 'from'],
    [futurePosition, undefined, 'from'],
    ['1', daysAgo(-1), 'to'],
    ['1', futurePosition, 'to'],
    ['1', 'summer', 'to'],
  ] as const) {
    const answer = await getReport({ ...period, from, ...(to === undefined ? {} : { to }) });
    const { code, field: refusedField } = answer.error as { code: string; field: string };
    assert.equal([code, refusedField], ['invalid_input', field], `${from} ${to}`);
  }
  const atFirstPosition = await getReport({ ...period, from: '1', to: position, as_of: '1' });
  assert.is((atFirstPosition.error as { field: string }).field, 'to', 'to can’t be after as_of');
});

test('a report of changes orders records by family, reference and name', async ({
  register,
  organization_id,
  getReport,
}) => {
  const add = (tool: string, fields: object) => register.call(tool, { organization_id, ...fields });
  await add('addMeasure', { name: 'Backups', reference_id: 'M-2' });
  await add('addVendor', { name: 'Zephyr' });
  await add('addRisk', { name: 'Älter' });
  await add('addRisk', { name: 'Zoo' });
  await add('addRisk', { name: 'Tenth', reference_id: 'R-10' });
  await add('addRisk', { name: 'Second', reference_id: 'R-2' });
  await add('addVendor', { name: 'acme' });
  const report = await wholeReport(getReport, { ...period, from: '1' });
  const names = [...new Set(rowsOf(report, 'changes').map(({ record_name }) => String(record_name)))];
  assert.equal(names.slice(0, -1), ['Second', 'Tenth', 'Älter', 'Zoo', 'acme', 'Zephyr', 'Backups']);
});

test('a report of changes lists the families in their order, and the organization last', async ({
  register,
  getReport,
}) => {
  const changeTools = ALL_TOOLS.filter(isKeeping);
  await runExamples(changeTools, (tool, input) => register.call(tool, input));
  const report = await wholeReport(getReport, { ...period, from: '1' });
  const types = [...new Set(rowsOf(report, 'changes').map(({ record_type }) => String(record_type)))];
  assert.equal(types, [...FAMILY_DESCRIPTIONS.map(({ type }) => type), 'ORGANIZATION']);
});

test('the changes in an audit pack end with the audit’s completion', async ({
  register,
  organization_id,
  getReport,
}) => {
  const controls = [{ section_title: '1', name: 'Only one' }];
  const { framework } = await register.call('addFramework', { organization_id, name: 'House rules', controls });
  const framework_id = (framework as { id: string }).id;
  const packOf = async (fields: object) => {
    const plan = { organization_id, framework_id, name: 'Spring', state: 'IN_PROGRESS', ...fields };
    const { audit } = await register.call('addAudit', plan);
    const { id: audit_id } = audit as { id: string };
    await register.call('updateAudit', { id: audit_id, state: 'COMPLETED', reason: 'Found out' });
    return wholeReport(getReport, { type: 'AUDIT_PACK', audit_id });
  };
  const noteOf = ({ data }: Awaited<ReturnType<typeof packOf>>) =>
    String(data.sections.find(({ name }) => name === 'changes')!.note);
  const endingLater = await packOf({ period_from: daysAgo(30), period_until: daysAgo(-30) });
  assert.match(
    noteOf(endingLater),
    `The period ends on ${daysAgo(-30)}; changes after the audit’s completion are not included`,
  );
  assert.equal((endingLater.inputs as { to: string }).to, endingLater.as_of);
  const endedEarlier = await packOf({ period_from: daysAgo(30), period_until: daysAgo(1) });
  assert.match(noteOf(endedEarlier), `from ${daysAgo(30)} to ${daysAgo(1)}`);
  assert.not.match(noteOf(endedEarlier), 'not included');
  assert.equal(rowsOf(endedEarlier, 'changes'), []);
  const withoutPeriod = await packOf({});
  assert.match(noteOf(withoutPeriod), 'The audit states no period');
  assert.is((withoutPeriod.inputs as { from_position: string }).from_position, '1');
});

test.run();
