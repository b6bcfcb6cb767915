import * as assert from 'uvu/assert';
import { daysAgo } from '../support/histories/story.ts';
import type { TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';
import { digestOfAnswer, rowsOf, wholeReport } from '../support/reports.ts';

const test = registerSuite('risk treatment plan', 'EACH');

const nextYear = daysAgo(-200);

async function add({ call, organizationId: organization_id }: TestRegister, family: string, fields: object) {
  const answer = await call(`add${family}`, { organization_id, ...fields });
  return (answer[family.toLowerCase()] as { id: string }).id;
}

/** Adds risks with and without measures, an accepted one and a closed one. */
async function addRisks(register: TestRegister) {
  const rating = { inherent_likelihood: 4, inherent_impact: 5, residual_likelihood: 2, residual_impact: 3 };
  const theft = await add(register, 'Risk', { name: 'Theft', reference_id: 'R-1', treatment: 'MITIGATED', ...rating });
  const flood = await add(register, 'Risk', { name: 'Flood', inherent_likelihood: 1, inherent_impact: 1 });
  const closed = await add(register, 'Risk', { name: 'Past' });
  const lock = await add(register, 'Measure', {
    name: 'Lock',
    reference_id: 'M-1',
    due_date: '2020-01-01',
    owner_id: 'ME',
  });
  const alarm = await add(register, 'Measure', { name: 'Alarm', state: 'IMPLEMENTED' });
  const links = [lock, alarm].map((to_id) => ({ from_id: theft, to_id }));
  await register.call('linkRecords', { links: [...links, { from_id: closed, to_id: lock }] });
  await register.call('decideRisk', { id: flood, decision: 'ACCEPT', until: nextYear, reason: 'rare' });
  await register.call('decideRisk', { id: closed, decision: 'CLOSE', reason: 'over' });
  return { theft, flood, lock, alarm };
}

const ask = ({ call, organizationId: organization_id }: TestRegister, input: object = {}) =>
  wholeReport((request) => call('getReport', { organization_id, ...request }), { type: 'RISK_REGISTER', ...input });

test('each risk that is not closed has its measures with owner, state and due day', async ({ register }) => {
  const { theft, flood, lock, alarm } = await addRisks(register);
  const report = await ask(register);
  const rows = rowsOf(report, 'treatment_plan');
  const measureOf = (id: string) => rows.find(({ measure }) => (measure as { id: string } | undefined)?.id === id)!;
  assert.equal(
    rows.map(({ id, residual_score }) => [id, residual_score]),
    [
      [theft, 6],
      [theft, 6],
      [flood, undefined],
    ],
  );
  const { owner_id, ...fields } = measureOf(lock).measure as Record<string, unknown>;
  assert.equal(fields, {
    ...{ id: lock, reference_id: 'M-1', name: 'Lock', state: 'NOT_STARTED' },
    ...{ due_date: '2020-01-01', overdue: true },
  });
  assert.match(String(owner_id), /^acc_/);
  assert.equal(measureOf(alarm).measure, { id: alarm, name: 'Alarm', state: 'IMPLEMENTED', overdue: false });
  assert.is(digestOfAnswer(report), report.digest);
});

test('a risk has its acceptance, or a line to sign on', async ({ register }) => {
  const { theft, flood } = await addRisks(register);
  const rows = rowsOf(await ask(register), 'residual_risks');
  const acceptances = rows.map(({ id, acceptance, to_sign }) => [
    id,
    (acceptance as { until?: string } | undefined)?.until,
    to_sign,
  ]);
  assert.equal(acceptances, [
    [theft, undefined, true],
    [flood, nextYear, false],
  ]);
  const { organizationId: organization_id } = register;
  const { report } = await register.call('getReport', { organization_id, type: 'RISK_REGISTER', format: 'MARKDOWN' });
  const content = (report as { content: string }).content.replaceAll('\\', '');
  const [, plan = ''] = content.split('## Acceptance of residual risks');
  const lineOf = (name: string) => plan.split('\n').find((line) => line.includes(name))!;
  assert.equal(
    [lineOf('Theft'), lineOf('Flood')].map((line) => line.includes('____')),
    [true, false],
  );
  assert.match(plan, '- Treatment plan approved by: ____');
});

test('version 1 of the data has no plan', async ({ register }) => {
  await addRisks(register);
  const { report_version, data } = await ask(register, { report_version: '1' });
  assert.equal([report_version, data.sections.map(({ name }) => name)], [1, ['matrix', 'risks']]);
});

test.run();
