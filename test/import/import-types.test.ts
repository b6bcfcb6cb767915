import * as assert from 'uvu/assert';
import { randomId } from '../../src/commands/engine/ids.ts';
import { importedId } from '../../src/commands/engine/import-ids.ts';
import { FAMILIES, recordAggregate } from '../../src/commands/families.ts';
import { countsOf, errorsOf, runImport, suppliers } from '../support/mcp/imports.ts';
import { envelopeFor, ORGANIZATION } from '../support/register.ts';
import { registerSuite } from '../support/register-suite.ts';

const test = registerSuite('importRecords of each type', 'EACH');

test('an import doesn’t find another organization’s record', async ({ register }) => {
  const id = randomId('vnd');
  const foreignEnvelope = envelopeFor({ organization_id: randomId('org') });
  await register.handler.execute(
    recordAggregate(id),
    { type: 'AddVendor', fields: { name: 'Theirs' } },
    foreignEnvelope,
  );
  const unknownId = randomId('vnd');
  const answer = await runImport(register, 'VENDOR', [{ id, name: 'Ours' }]);
  const unknownIdAnswer = await runImport(register, 'VENDOR', [{ id: unknownId, name: 'Ours' }]);
  const message = (of: typeof answer) => of.rows[0]!.errors![0]!.message;
  assert.equal(
    [errorsOf(answer), message(answer).replace(id, '')],
    [[['id']], message(unknownIdAnswer).replace(unknownId, '')],
  );
});

test('imported evidence is attached to its records, and never changed', async ({ register }) => {
  const { rows } = await runImport(register, 'VENDOR', suppliers(1));
  const vendor = rows[0]!.id!;
  const evidence = { name: 'Certificate', url: 'https://example.org/c.pdf', record_ids: [vendor] };
  const first = await runImport(register, 'EVIDENCE', [evidence]);
  assert.equal(countsOf(first), [1, 0, 0]);
  assert.equal(countsOf(await runImport(register, 'EVIDENCE', [evidence])), [0, 0, 1]);
  const invalidRows = [
    { name: 'Of nothing', text: 'seen' },
    { id: first.rows[0]!.id, name: 'Changed' },
    { ...evidence, record_ids: [randomId('vnd')] },
  ];
  assert.equal(errorsOf(await runImport(register, 'EVIDENCE', invalidRows)), [['record_ids'], ['id'], ['record_ids']]);
});

test('controls can be changed by import, but not added', async ({ register }) => {
  const controls = [1, 2, 3].map((n) => ({ section_title: `A.${n}`, name: `Control ${n}` }));
  const adopted = await register.call('addFramework', { organization_id: ORGANIZATION, name: 'Own', controls });
  const framework = (adopted.framework as { id: string }).id;
  const controlList = await register.call('listControls', { organization_id: ORGANIZATION });
  const ids = (controlList.controls as { id: string }[]).map(({ id }) => id);
  const excluded = { status: 'EXCLUDED', exclusion_justification: 'no such thing here' };
  const rows = [
    { id: ids[0], ...excluded },
    { id: ids[1], name: 'Renamed' },
  ];
  assert.equal(countsOf(await runImport(register, 'CONTROL', rows)), [0, 2, 0]);
  assert.equal(countsOf(await runImport(register, 'CONTROL', rows)), [0, 0, 2]);
  const invalidRows = [
    { section_title: 'A.9', name: 'New' },
    { id: ids[2], status: 'EXCLUDED' },
  ];
  const answer = await runImport(register, 'CONTROL', invalidRows);
  assert.equal(errorsOf(answer), [['id'], ['exclusion_justification']]);
  await register.call('archiveRecords', { ids: [framework], action: 'ARCHIVE', reason: 'left' });
  const repeatedImport = await runImport(register, 'CONTROL', [{ id: ids[2], name: 'Late' }]);
  assert.match(repeatedImport.rows[0]!.errors![0]!.hint!, framework);
});

test('every importable type of the contract can be imported', async ({ register }) => {
  const types = ['RISK', 'VENDOR', 'MEASURE', 'OBLIGATION', 'NONCONFORMITY', 'AUDIT', 'EVIDENCE', 'CONTROL'];
  for (const type of types.filter((name) => name in FAMILIES)) {
    const { rows } = await runImport(register, type, [{}], { dry_run: true });
    assert.ok(rows[0]!.errors!.length > 0, type);
  }
});

test('imported ids derive from organization, type, reference_id or content, and the organization’s key', () => {
  const vendor = { prefix: 'vnd', type: 'VENDOR' };
  const id = (fields: object, key = 'k', organization = 'org_1', family = vendor) =>
    importedId(family, key, organization, fields as Record<string, unknown>);
  assert.is(id({ name: 'A' }), 'vnd_2KE1948PPQGS18DWKZTW7KD1WT');
  assert.is(id({ reference_id: 'R', name: 'A' }), id({ reference_id: 'R', name: 'B' }));
  const all = [
    id({ name: 'A' }),
    id({ name: 'B' }),
    id({ name: 'A', reference_id: 'R' }),
    id({ name: 'A', reference_id: 'S' }),
    id({ name: 'A' }, 'other key'),
    id({ name: 'A' }, 'k', 'org_2'),
    id({ name: 'A' }, 'k', 'org_1', { prefix: 'vnd', type: 'OTHER' }),
  ];
  assert.is(new Set(all).size, all.length);
});

test.run();
