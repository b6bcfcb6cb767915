/** Records that look like others: what adds, updates and imports answer, on each pair of stores. */
import * as assert from 'uvu/assert';
import { onBothPairs, type ServedPair } from '../../support/stores/pairs.ts';

type Answer = Record<string, unknown>;

const TEXT =
  'Nobody has reviewed who may enter the server room since the spring of last year, though the policy asks for it';

/** An add, a record like it, and one that isn't. */
const CASES: readonly (readonly [tool: string, first: object, similar: object, other: object])[] = [
  ['addVendor', { name: 'Redpoll Legal AG' }, { name: 'redpoll  legal, GmbH' }, { name: 'Redpoll Law AG' }],
  ['addVendor', { name: '株式会社トヨタ' }, { name: 'トヨタ(株)' }, { name: '株式会社' }],
  ['addRisk', { name: 'Loss of a laptop' }, { name: 'LOSS OF A  LÁPTOP.' }, { name: 'Loss of a laptop AG' }],
  ['addRisk', { name: 'One', reference_id: 'RX-7' }, { name: 'Two', reference_id: 'rx-07' }, { name: 'Three' }],
  ['addMeasure', { name: 'Back-up' }, { name: 'back up' }, { name: 'Backup tapes' }],
  ['addObligation', { requirement: TEXT }, { requirement: `${TEXT.toUpperCase()}.` }, { requirement: `${TEXT} not` }],
  ['addNonconformity', { description: TEXT }, { description: `  ${TEXT} ` }, { description: TEXT.slice(7) }],
];

async function add(served: ServedPair, tool: string, fields: object) {
  const answer = (await served.owner.ok(tool, {
    organization_id: served.organizationId,
    ...fields,
  })) as unknown as Answer;
  const { id } = answer[tool.slice(3).toLowerCase()] as { id: string };
  return { id, similar: ((answer.similar ?? []) as { id: string; name: string }[]).map((one) => one.id) };
}

await onBothPairs('similar records', (test) => {
  for (const [index, [tool, first, like, other]] of CASES.entries()) {
    test(`${tool} names a record that looks like the new one (${index + 1})`, async (served) => {
      const { id, similar } = await add(served, tool, first);
      assert.equal(similar, []);
      assert.equal((await add(served, tool, like)).similar, [id]);
      assert.equal((await add(served, tool, other)).similar, []);
    });
  }

  test('updates name those that look like the new value, and no archived or foreign record', async (served) => {
    const { owner, organizationId: organization_id } = served;
    const { id } = await add(served, 'addVendor', { name: 'Nimbus Harbour Ltd' });
    const other = await add(served, 'addVendor', { name: 'Cirrus' });
    const update = async (fields: object) => {
      const answer = (await owner.ok('updateVendor', { id: other.id, ...fields })) as unknown as Answer;
      return ((answer.similar ?? []) as { id: string }[]).map((one) => one.id);
    };
    assert.equal(await update({ description: 'Nimbus Harbour' }), []);
    assert.equal(await update({ name: 'NIMBUS HARBOUR, Inc' }), [id]);
    await owner.ok('archiveRecords', { ids: [id], action: 'ARCHIVE', reason: 'r' });
    assert.equal(await update({ name: 'Nimbus  Harbour' }), []);
    const elsewhere = await served.foreignOrganization();
    const theirs = await elsewhere.owner.ok('addVendor', { organization_id: elsewhere.id, name: 'Nimbus Harbour' });
    assert.is((theirs as unknown as Answer).similar, undefined);
    const finding = await add(served, 'addNonconformity', { description: 'A door stands open' });
    const another = await add(served, 'addNonconformity', { description: 'Another' });
    const corrected = { organization_id, id: another.id, description: 'a DOOR stands open.' };
    const answer = (await owner.ok('updateNonconformity', corrected)) as unknown as Answer;
    assert.equal(answer.similar, [{ id: finding.id, name: 'A door stands open' }]);
  });

  test('imports name records and other rows, in the dry run and the write', async (served) => {
    const { owner, organizationId: organization_id } = served;
    const { id } = await add(served, 'addObligation', { requirement: 'Report a breach within 72 hours' });
    const rows = [
      { requirement: 'Report a breach: within 72 hours' },
      { requirement: 'Keep a list of processors', area: 'A' },
      { requirement: 'keep a list of processors.', area: 'B' },
    ];
    const read = async (input: object) => {
      const answer = await owner.ok('importRecords', { organization_id, type: 'OBLIGATION', rows, ...input });
      const answered = (answer as unknown as { rows: { id: string; similar: { id: string; name: string }[] }[] }).rows;
      return { ids: answered.map((row) => row.id), similar: answered.map((row) => row.similar) };
    };
    const { ids, similar } = await read({ dry_run: true });
    const expected = [
      [{ id, name: 'Report a breach within 72 hours' }],
      [{ id: ids[2], name: 'keep a list of processors.' }],
      [{ id: ids[1], name: 'Keep a list of processors' }],
    ];
    assert.equal(similar, expected);
    assert.equal((await read({})).similar, expected);
  });
});
