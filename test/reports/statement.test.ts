import * as assert from 'uvu/assert';
import { cellText } from '../../src/reports/formats/report-text.ts';
import type { TestRegister } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';
import { digestOfAnswer, figuresOf, rowsOf, wholeReport } from '../support/reports.ts';

/** The statement of applicability as a certification body reads it: Annex A, reasons, risks, approval. */

const test = registerSuite('statement of applicability', 'EACH');

type Added = { id: string };

/** Adopts a framework with these numbers. Returns the ids of its controls by number. */
async function adopt({ call, organizationId: organization_id }: TestRegister, numbers: readonly string[]) {
  const controls = numbers.map((section_title) => ({ section_title, name: `Rule ${section_title}` }));
  await call('addFramework', { organization_id, name: 'Rules', controls });
  const listed = (await call('listControls', { organization_id })).controls as { id: string; section_title: string }[];
  return new Map(listed.map(({ id, section_title }) => [section_title, id]));
}

async function add({ call, organizationId: organization_id }: TestRegister, family: string, fields: object) {
  const answer = await call(`add${family}`, { organization_id, ...fields });
  return (answer[family.toLowerCase()] as Added).id;
}

const report = ({ call, organizationId: organization_id }: TestRegister, input: object = {}) =>
  wholeReport((request) => call('getReport', { organization_id, ...request }), {
    type: 'STATEMENT_OF_APPLICABILITY',
    ...input,
  });

test('each included control has its reasons by category, and the risks that it treats by number', async ({
  register,
}) => {
  const ids = await adopt(register, ['1', '2', '3', '4', '5', '6']);
  const control = (number: string) => ids.get(number)!;
  const risk = await add(register, 'Risk', { name: 'Theft', reference_id: 'R-7' });
  const unnumbered = await add(register, 'Risk', { name: 'Flood' });
  const closed = await add(register, 'Risk', { name: 'Past' });
  await register.call('decideRisk', { id: closed, decision: 'CLOSE', reason: 'over' });
  const law = await add(register, 'Obligation', { requirement: 'Report', source: 'Act 9', regulator: 'Authority' });
  const other = await add(register, 'Obligation', { requirement: 'Back up', source: 'Customer A' });
  const measure = await add(register, 'Measure', { name: 'Lock' });
  const pairs = [
    [control('1'), risk],
    [control('1'), law],
    [control('2'), measure],
    [measure, unnumbered],
    [measure, other],
    [control('3'), closed],
    [control('6'), risk],
  ];
  await register.call('linkRecords', { links: pairs.map(([from_id, to_id]) => ({ from_id, to_id })) });
  await register.call('updateControl', { id: control('4'), inclusion_justification: 'good practice' });
  await register.call('updateControl', {
    id: control('6'),
    status: 'EXCLUDED',
    exclusion_justification: 'no site',
    reason: 'Found out',
  });
  const statement = await report(register);
  assert.equal(
    rowsOf(statement, 'controls').map(({ section_title, reasons, risks }) => [section_title, reasons, risks]),
    [
      ['1', ['LAW', 'RISK'], [{ id: risk, reference_id: 'R-7' }]],
      ['2', ['LAW_OR_CONTRACT', 'RISK'], [{ id: unnumbered, name: 'Flood' }]],
      ['3', [], []],
      ['4', ['STATED'], []],
      ['5', [], []],
      ['6', [], [{ id: risk, reference_id: 'R-7' }]],
    ],
  );
  const figures = figuresOf(statement);
  const named = ['law', 'law_or_contract', 'risk', 'stated'].map((name) => figures[`controls_by_${name}`]);
  assert.equal([...named, figures.controls_without_reason], [1, 1, 2, 1, 2]);
  assert.is(digestOfAnswer(statement), statement.digest);
});

test('clauses beside an Annex A are left out, in rows and figures; plain numbers alone stay', async ({ register }) => {
  await adopt(register, ['4.1', '10.2', 'A.5.1', 'A.8.34']);
  const statement = await report(register);
  const numbers = rowsOf(statement, 'controls').map(({ section_title }) => section_title);
  assert.equal(numbers, ['A.5.1', 'A.8.34']);
  assert.is(figuresOf(statement).controls, 2);
});

test('three figures of coverage have three names', async ({ register }) => {
  const { call, organizationId: organization_id } = register;
  const ids = await adopt(register, ['4.1', 'A.5.1', 'A.8.34']);
  await call('addFramework', { organization_id, name: 'Other', controls: [{ section_title: '1', name: 'One' }] });
  const measure = await add(register, 'Measure', { name: 'Lock', state: 'IN_PROGRESS' });
  await call('updateMeasure', { id: measure, state: 'IMPLEMENTED', reason: 'Done' });
  await call('linkRecords', { links: [{ from_id: ids.get('4.1'), to_id: measure }] });
  const listed = (await call('listFrameworks', { organization_id })).frameworks as (Added & { name: string })[];
  const framework_id = listed.find(({ name }) => name === 'Rules')!.id;
  const coverages = async (input: object) => {
    const { data } = await report(register, input);
    return data.figures
      .filter(({ name }) => name.startsWith('coverage'))
      .map(({ label, value }) => [label, Math.round(100 * value!)]);
  };
  assert.equal(await coverages({ type: 'POSTURE' }), [
    ['Coverage of controls', 25],
    ['Coverage of Other', 0],
    ['Coverage of Rules', 33],
  ]);
  const statement = { type: 'STATEMENT_OF_APPLICABILITY', framework_id };
  assert.equal(await coverages(statement), [['Coverage of the statement of applicability', 0]]);
  assert.equal(await coverages({ ...statement, report_version: '1' }), [['Coverage of the framework', 33]]);
});

test('a framework of the library says whose words its titles are', async ({ register }) => {
  const { call, organizationId: organization_id } = register;
  await call('addFramework', { organization_id, library_id: 'SOC2_2017' });
  const titles = async () => (await report(register)).about.find(({ label }) => label === 'Titles, as adopted')?.value;
  assert.match(String(await titles()), 'Titles worded by the veritrail project, not the text of the criteria');
  const [{ id }] = (await call('listFrameworks', { organization_id })).frameworks as [Added];
  await call('archiveRecords', { ids: [id], action: 'ARCHIVE', reason: 'Our own instead' });
  await adopt(register, ['1']);
  assert.is(await titles(), undefined);
});

test('an earlier digest can be computed again, with version 1 of the data', async ({ register }) => {
  await adopt(register, ['4.1', 'A.5.1']);
  const first = await report(register, { report_version: '1' });
  assert.is(first.report_version, 1);
  assert.equal(Object.keys(rowsOf(first, 'controls')[0]!).sort(), [
    'evidence',
    'id',
    'implementation',
    'measures',
    'name',
    'section_title',
    'status',
  ]);
  assert.is(figuresOf(first).controls, 2);
  assert.is(digestOfAnswer(first), first.digest);
  assert.is((await report(register, { as_of: first.position })).report_version, 2);
  const { organizationId: organization_id } = register;
  const { error } = await register.call('getReport', { organization_id, type: 'POSTURE', report_version: '1' });
  assert.is((error as { field: string }).field, 'report_version');
});

test('documents leave the implementation of an excluded control empty, which the data keep', () => {
  const column = { field: 'implementation', title: 'Implementation', kind: 'CODE' } as const;
  const cell = (status: string, codesInWords: boolean) =>
    cellText({ status, implementation: 'NONE' }, column, { people: new Map(), codesInWords });
  assert.is(cell('EXCLUDED', true), '');
  assert.is(cell('EXCLUDED', false), 'NONE');
  assert.is.not(cell('INCLUDED', true), '');
});

test('documents end with lines for scope and approval, which the data don’t have', async ({ register }) => {
  await adopt(register, ['1']);
  const { organizationId: organization_id } = register;
  const ask = async (format: string) => {
    const answer = await register.call('getReport', { organization_id, type: 'STATEMENT_OF_APPLICABILITY', format });
    return JSON.stringify(answer.report);
  };
  const document = await ask('MARKDOWN');
  for (const label of ['Scope of the management system', 'Approved by', 'Date', 'Signature']) {
    assert.match(document, `- ${label}: `);
  }
  assert.not.match(await ask('JSON'), 'Signature');
});

test.run();
