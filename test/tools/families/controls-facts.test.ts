import * as assert from 'uvu/assert';
import {
  adopt,
  archive,
  assertRebuilt,
  exclude,
  expectRefusal,
  measure,
  newest,
  numbers,
  ok,
  record,
  update,
} from '../../support/controls.ts';
import { type Answer, ORGANIZATION, type TestRegister } from '../../support/register.ts';
import { registerSuite } from '../../support/register-suite.ts';

interface Context {
  register: TestRegister;
  framework: string;
  /** The ids of the controls by their numbers. */
  ids: Record<string, string>;
}

const NUMBERS = ['A.5.2', 'A.5.10', 'A.10'];

const test = registerSuite<Context>('facts of controls', 'EACH', async (register) => {
  const { framework, ids } = await adopt(register, 'House rules', NUMBERS);
  return { framework, ids };
});

test('a control without evidence of its own says where that of its measures is', async ({ register, ids }) => {
  const id = ids['A.10']!;
  const evidenceOf = async () => (await record(register, id, { include: ['EVIDENCE'] })).evidence as Answer;
  assert.equal(await evidenceOf(), { records: [], total: 0 }, 'without measures there is no other');
  const measureId = await measure(register, [id]);
  const evidence = { organization_id: ORGANIZATION, name: 'Scan', url: 'https://example.org/scan' };
  await ok(register, 'addEvidence', { ...evidence, record_ids: [measureId] });
  const { total, hint } = await evidenceOf();
  assert.is(total, 0);
  assert.match(String(hint), `call listMeasures with filter.linked_to ${id}, then getReport EVIDENCE`);
  const found = await ok(register, 'getReport', {
    organization_id: ORGANIZATION,
    type: 'EVIDENCE',
    filter: { linked_to: measureId },
    format: 'CSV',
  });
  assert.match(JSON.stringify(found), 'Scan');
  await ok(register, 'addEvidence', { ...evidence, record_ids: [id] });
  assert.is((await evidenceOf()).hint, undefined);
});

test('controls are archived with their framework and then refuse writes', async ({ register, framework, ids }) => {
  const [mine, self] = [ids['A.5.2']!, ids['A.10']!];
  const lock = await measure(register, [mine]);
  const updated = await update(register, mine, { name: 'Rules', idempotency_key: 'k' });
  await archive(register, self);
  const archivedAlone = (await record(register, self)).archived_at;
  const live = await newest(register);
  await archive(register, framework);
  const { archived_at } = await record(register, framework);
  assert.ok(String(archivedAlone) <= String(archived_at));
  assert.equal(await numbers(register), []);
  assert.is((await numbers(register, { include_archived: true })).length, NUMBERS.length);
  for (const id of [mine, self]) assert.is((await record(register, id)).archived_at, archived_at, 'the later one');
  assert.not('self_archived_at' in (await record(register, mine)));
  const { not_found } = await ok(register, 'getRecords', { ids: [mine] });
  assert.equal(not_found, [mine]);
  assert.equal([(await record(register, mine)).revision, (await record(register, lock)).control_count], [2, 0]);
  for (const [tool, input] of [
    ['updateControl', { id: mine, name: 'Other' }],
    ['archiveRecords', { ids: [mine], action: 'ARCHIVE', reason: 'r' }],
    ['archiveRecords', { ids: [self], action: 'RESTORE', reason: 'r' }],
    ['linkRecords', { links: [{ from_id: lock, to_id: mine }], action: 'UNLINK', reason: 'Found out' }],
    ['addEvidence', { organization_id: ORGANIZATION, name: 'E', text: 'T', record_ids: [mine] }],
  ] as const) {
    const error = await expectRefusal(register, tool, input);
    assert.equal([error.code, error.allowed], ['invalid_transition', ['RESTORE']], tool);
    assert.match(String(error.hint), framework);
  }
  const repeatedUpdate = await update(register, mine, { name: 'Rules', idempotency_key: 'k' });
  assert.equal(
    [repeatedUpdate.repeated, repeatedUpdate.position],
    [true, updated.position],
    'the answer lists the same controls again',
  );
  assert.is((await numbers(register, {}, { as_of: live })).length, NUMBERS.length - 1);
  await archive(register, framework, 'RESTORE');
  assert.equal(
    [(await record(register, mine)).archived_at, (await record(register, self)).archived_at],
    [null, archivedAlone],
  );
  assert.is((await record(register, lock)).control_count, 1);
  assert.is((await numbers(register)).length, NUMBERS.length - 1);
  await archive(register, self, 'RESTORE');
  assert.equal(await numbers(register), NUMBERS);
  await assertRebuilt(register);
});

test('a control archived by itself stays archived when its framework is restored', async ({
  register,
  framework,
  ids,
}) => {
  const self = ids['A.10']!;
  await archive(register, framework);
  const first = (await record(register, framework)).archived_at;
  await archive(register, framework, 'RESTORE');
  await ok(register, 'archiveRecords', { ids: [framework, self], action: 'ARCHIVE', reason: 'both' });
  const [frameworkArchivedAt, controlArchivedAt] = [
    (await record(register, framework)).archived_at,
    (await record(register, self)).archived_at,
  ];
  assert.ok(String(frameworkArchivedAt) >= String(first) && String(controlArchivedAt) >= String(frameworkArchivedAt));
  await archive(register, framework, 'RESTORE');
  assert.ok((await record(register, self)).archived_at, 'archived by itself in the same call');
  assert.is((await numbers(register)).length, NUMBERS.length - 1);
});

test('a control’s first change is its framework’s adoption', async ({ register, framework, ids }) => {
  const other = await adopt(register, 'Others', ['Z.1']);
  await exclude(register, ids['A.10']!);
  const changes = async (filter: object) => {
    const answer = await ok(register, 'listChanges', { organization_id: ORGANIZATION, filter });
    const { total } = await ok(register, 'listChanges', { organization_id: ORGANIZATION, filter, view: 'COUNT' });
    const changes = answer.changes as { event_type: string; revision: number; record: { id: string; type: string } }[];
    assert.is(total, changes.length);
    return changes.map(({ event_type, record }) => [event_type, record.id]);
  };
  const [mine, others] = [
    ['FrameworkAdopted', framework],
    ['FrameworkAdopted', other.framework],
  ];
  const out = ['ControlExcluded', ids['A.10']];
  assert.equal(await changes({ record_id: [ids['A.10']] }), [out, mine]);
  assert.equal(await changes({ record_id: [ids['A.5.2']] }), [mine]);
  assert.equal(await changes({ record_id: [ids['A.5.2'], ids['A.5.10'], framework] }), [mine]);
  assert.equal(await changes({ record_id: [ids['A.10'], other.ids['Z.1']] }), [out, others, mine]);
  assert.equal(await changes({ record_types: ['CONTROL'] }), [out, others, mine]);
  assert.equal(await changes({ record_types: ['CONTROL', 'FRAMEWORK'] }), [out, others, mine]);
  assert.equal(await changes({ record_types: ['FRAMEWORK'] }), [others, mine]);
  assert.equal(await changes({ record_id: [ids['A.10']], record_types: ['CONTROL'] }), [out, mine]);
  const { history } = await record(register, ids['A.10']!, { include: ['HISTORY'] });
  assert.equal(
    (history as { changes: { event_type: string }[] }).changes.map(({ event_type }) => event_type),
    ['ControlExcluded', 'FrameworkAdopted'],
  );
});

test.run();
