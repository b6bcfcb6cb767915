import * as assert from 'uvu/assert';
import { controlId, randomId } from '../../../src/commands/engine/ids.ts';
import { adopt, exclude, expectRefusal, list, measure, newest, numbers, ok } from '../../support/controls.ts';
import { type Answer, ORGANIZATION, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';

interface Context {
  register: TestRegister;
  framework: string;
  /** The ids of the controls by their numbers. */
  ids: Record<string, string>;
}

/** Deliberately unsorted. */
const NUMBERS = ['B.1', 'A.5.10', 'A.5.2', 'a.5.1', 'A.10', 'AC-2(1)', 'AC-10', 'AC-2', '10.1', '9.3'];
const IN_ORDER = ['9.3', '10.1', 'a.5.1', 'A.5.2', 'A.5.10', 'A.10', 'AC-2', 'AC-2(1)', 'AC-10', 'B.1'];

const test = registerSuite<Context>('controls', 'EACH', async (register) => {
  const { framework, ids } = await adopt(register, 'House rules', NUMBERS);
  return { framework, ids };
});

test('listControls orders by control number, page by page in both directions', async ({ register }) => {
  assert.equal(await numbers(register), IN_ORDER);
  for (const direction of ['ASC', 'DESC']) {
    const walked: unknown[] = [];
    let cursor: unknown;
    do {
      const order_by = { field: 'section_title', direction };
      const input = { organization_id: ORGANIZATION, order_by, size: 3, ...(cursor ? { cursor } : {}) };
      const page = await ok<{ controls: Answer[]; next_cursor?: string }>(register, 'listControls', input);
      walked.push(...page.controls.map(({ section_title }) => section_title));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    assert.equal(walked, direction === 'ASC' ? IN_ORDER : IN_ORDER.toReversed());
  }
  const long = `A.5.${'9'.repeat(190)}`;
  await adopt(register, 'Long numbers', [long, 'A.5.010', 'A.5']);
  assert.equal(await numbers(register, { query: 'A.5' }), ['A.5', 'a.5.1', 'A.5.2', 'A.5.10', 'A.5.010', long]);
});

test('listControls filters by framework, number, status and implementation, now and as_of', async ({
  register,
  framework,
  ids,
}) => {
  const otherFramework = await adopt(register, 'Others', ['A.5.2', 'Z.1']);
  const before = await newest(register);
  await exclude(register, ids['A.10']!);
  await measure(register, [ids['B.1']!], { state: 'IMPLEMENTED' });
  await measure(register, [ids['9.3']!], { state: 'IN_PROGRESS' });
  const filterCases: [filter: object, now: string[], then: string[]][] = [
    [{ framework_id: [otherFramework.framework] }, ['A.5.2', 'Z.1'], ['A.5.2', 'Z.1']],
    [{ section_title: ['a.5.2'] }, ['A.5.2', 'A.5.2'], ['A.5.2', 'A.5.2']],
    [{ section_title: ['A.5.02', 'a.5'] }, [], []],
    [{ section_title: ['A.5.1', 'b.1'], framework_id: [framework] }, ['a.5.1', 'B.1'], ['a.5.1', 'B.1']],
    [{ linked_to: otherFramework.framework }, ['A.5.2', 'Z.1'], ['A.5.2', 'Z.1']],
    [{ status: ['EXCLUDED'] }, ['A.10'], []],
    [{ implementation: ['FULL'] }, ['B.1'], []],
    [{ implementation: ['STARTED', 'FULL'] }, ['9.3', 'B.1'], []],
    [{ implementation: ['PARTIAL'] }, [], []],
    [{ implementation: ['NONE'], status: ['EXCLUDED'] }, ['A.10'], []],
    [{ ids: [ids['9.3']], missing: ['MEASURES'] }, [], ['9.3']],
    [{ ids: [ids['A.10']], missing: ['OWNER', 'MEASURES', 'RISKS', 'EVIDENCE'] }, ['A.10'], ['A.10']],
    [{ query: 'on z.1' }, ['Z.1'], ['Z.1']],
  ];
  for (const [filter, now, moment] of filterCases) {
    const label = JSON.stringify(filter);
    assert.equal(await numbers(register, filter), now, label);
    assert.equal(await numbers(register, filter, { as_of: before }), moment, `${label} before`);
  }
  const [full] = await list(register, { implementation: ['FULL'] });
  const expected = { section_title: 'B.1', name: 'On B.1', status: 'INCLUDED', implementation: 'FULL' };
  assert.equal(full, { id: ids['B.1'], ...expected });
});

test('a control keeps its framework and number, and EXCLUDED needs a justification', async ({
  register,
  framework,
  ids,
}) => {
  const id = ids['A.5.2']!;
  for (const [fields, field] of [
    [{ framework_id: framework }, 'framework_id'],
    [{ section_title: 'A.9' }, 'section_title'],
    [{ implementation: 'FULL' }, 'implementation'],
    [{ name: '' }, 'name'],
    [{ status: 'GONE' }, 'status'],
    [{ status: 'EXCLUDED' }, 'exclusion_justification'],
    [{ status: 'EXCLUDED', exclusion_justification: null }, 'exclusion_justification'],
    [{ owner_id: randomId('acc') }, 'owner_id'],
  ] as const) {
    const error = await expectRefusal(register, 'updateControl', { id, ...fields });
    assert.equal([error.code, error.field], ['invalid_input', field]);
  }
  for (const unknownId of [controlId(framework, NUMBERS.length), controlId(randomId('frm'), 0)]) {
    assert.is((await expectRefusal(register, 'updateControl', { id: unknownId, name: 'N' })).code, 'not_found');
  }
  assert.is(await newest(register), '3', 'nothing was written');
});

test('one call archives controls and their framework, in any order', async ({ register, framework, ids }) => {
  const input = { ids: [framework, ...Object.values(ids)], action: 'ARCHIVE', reason: 'merged' };
  const { selection } = await ok(register, 'archiveRecords', { ...input, dry_run: true });
  const answer = await ok(register, 'archiveRecords', { ...input, selection });
  const records = answer.records as { id: string; archived_at: string | null; errors?: unknown }[];
  assert.is(records[0]!.id, framework);
  assert.ok(records.every(({ archived_at, errors }) => archived_at !== null && errors === undefined));
});

test.run();
