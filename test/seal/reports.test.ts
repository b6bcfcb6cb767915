/** Seals in reports: they don't count as changes of the register, and they prove an audit pack. */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ORGANIZATION, startRegister, type TestRegister, temporaryFolder } from '../support/register.ts';
import {
  digestOfAnswer,
  figuresOf,
  type GetReport,
  rowsOf,
  type WholeReport,
  wholeReport,
} from '../support/reports.ts';
import { addVendors, allEvents, type Sealing, sealing } from '../support/trail/sealing.ts';
import { withReadModels } from '../support/trail/tamper.ts';
import { alterChangeSql, type VerifiedChanges } from '../support/trail/verify-changes.ts';

const test = suite<{ register: TestRegister; sealer: Sealing; getReport: GetReport }>('seals in reports');

test.before.each(async (context) => {
  const register = await startRegister();
  const getReport: GetReport = (input) => register.call('getReport', { organization_id: ORGANIZATION, ...input });
  Object.assign(context, { register, sealer: sealing(register), getReport });
});
test.after.each(({ register }) => register.stop());

/** Completes an audit, and returns a function that generates its audit pack. */
async function packOf(register: TestRegister, getReport: GetReport): Promise<() => Promise<WholeReport>> {
  const organization_id = ORGANIZATION;
  const controls = [{ section_title: '1', name: 'Only one' }];
  const { framework } = await register.call('addFramework', { organization_id, name: 'House rules', controls });
  const framework_id = (framework as { id: string }).id;
  const newAudit = { organization_id, framework_id, name: 'Spring', state: 'IN_PROGRESS' };
  const { audit } = await register.call('addAudit', newAudit);
  const { id: audit_id } = audit as { id: string };
  await register.call('updateAudit', { id: audit_id, state: 'COMPLETED', reason: 'Found out' });
  return () => wholeReport(getReport, { type: 'AUDIT_PACK', audit_id });
}

test('a changes report lists no seals, and its figures match listChanges', async ({ register, sealer, getReport }) => {
  await sealer.waitAndSeal(0);
  for (let round = 0; round < 4; round += 1) {
    await addVendors(register, 3);
    await sealer.waitAndSeal(61_000);
  }
  const events = await allEvents(register.stores.events);
  const isSeal = ({ stream }: { stream: string }) => stream.startsWith('seal-');
  assert.ok(events.filter(isSeal).length > 3);
  const bounds = fc.tuple(fc.integer({ min: 1, max: events.length }), fc.integer({ min: 1, max: events.length }));
  await fc.assert(
    fc.asyncProperty(bounds, async (positions) => {
      const [from, to] = positions.toSorted((a, b) => a - b) as [number, number];
      const report = await wholeReport(getReport, { type: 'CHANGES_BETWEEN', from: String(from), to: String(to) });
      const rows = rowsOf(report, 'changes');
      const listedPositions = new Set(rows.map(({ position }) => Number(position)));
      const expected = events.flatMap((event, at) => (isSeal(event) || at + 1 < from || at + 1 > to ? [] : [at + 1]));
      assert.equal(
        [...listedPositions].toSorted((a, b) => a - b),
        expected,
      );
      const { changes, records_changed } = figuresOf(report);
      assert.equal(
        [changes, records_changed],
        [listedPositions.size, new Set(rows.map(({ record_id }) => record_id)).size],
      );
      const filter = { from: String(from), to: String(to) };
      const listInput = { organization_id: ORGANIZATION, filter, view: 'COUNT' };
      assert.is((await register.call('listChanges', listInput)).total, changes);
    }),
    { numRuns: 25 },
  );
  const pack = await (await packOf(register, getReport))();
  const rows = rowsOf(pack, 'changes');
  assert.is(figuresOf(pack).changes, new Set(rows.map(({ position }) => position)).size);
  assert.ok(rows.every(({ record_name }) => record_name !== ''));
});

test('examples/check-pack.ts verifies an audit pack with only the key', async ({ register, sealer, getReport }) => {
  await sealer.waitAndSeal(0);
  const generatePack = await packOf(register, getReport);
  const firstPack = await generatePack();
  assert.is(firstPack.pending_seal, true);
  await sealer.waitAndSeal(61_000);
  const pack = await generatePack();
  assert.is(digestOfAnswer(pack), firstPack.digest);
  const { public_key } = await sealer.keys.currentKey();
  const folder = temporaryFolder();
  const check = (report: object) => {
    writeFileSync(join(folder, 'pack.json'), JSON.stringify({ report }));
    const example = fileURLToPath(new URL('../../examples/check-pack.ts', import.meta.url));
    const args = ['--import', 'tsx', example, join(folder, 'pack.json'), public_key];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return [status, [...stdout.matchAll(/: (\w+)$/gm)].map(([, answer]) => answer), stderr];
  };
  assert.equal(check(pack), [0, ['yes', 'yes', 'yes'], '']);
  assert.equal(check(firstPack), [0, ['yes'], ''], 'not sealed yet');
  const proof = pack.proof as { event: object; seal: object };
  const otherEvent = { ...proof, event: { ...proof.event, hash: 'ab'.repeat(32) } };
  assert.equal(check({ ...pack, proof: otherEvent }), [1, ['yes', 'yes', 'NO'], '']);
  const otherSeal = { ...proof, seal: { ...proof.seal, root: 'ab'.repeat(32) } };
  assert.equal(check({ ...pack, proof: otherSeal }), [1, ['yes', 'NO', 'NO'], '']);
  const [section, ...others] = pack.data.sections;
  const otherRows = [{ ...section!, rows: [{ ...section!.rows[0], name: 'Autumn' }] }, ...others];
  assert.equal(check({ ...pack, data: { ...pack.data, sections: otherRows } }), [1, ['NO', 'yes', 'yes'], '']);
  assert.equal(check({ ...pack, today: '2020-01-01' }), [1, ['NO', 'yes', 'yes'], '']);
  assert.equal(check({ ...pack, report_version: 1 }), [1, ['NO', 'yes', 'yes'], '']);
  rmSync(folder, { recursive: true });
});

test('an audit pack states if its changes match the log, and the checked range', async ({
  register,
  sealer,
  getReport,
}) => {
  const pack = await packOf(register, getReport);
  await sealer.waitAndSeal(61_000);
  const verificationOf = async () => ((await pack()).proof as VerifiedChanges).verification;
  const valid = await verificationOf();
  assert.equal([valid.verdict, valid.complete, valid.covered_from, valid.faults], ['VALID', true, '1', []]);
  const forged = await withReadModels(register.folder, [alterChangeSql('actor_id', "'acc_forged'", 3)], verificationOf);
  assert.equal(
    forged.faults.map(({ why, position, differs }) => [why, position, differs]),
    [['DIFFERS', '3', ['actor_id']]],
  );
  const { audits } = await register.call<{ audits: { id: string }[] }>('listAudits', { organization_id: ORGANIZATION });
  const pageOne = await getReport({ type: 'AUDIT_PACK', audit_id: audits[0]!.id, format: 'MARKDOWN' });
  assert.match(JSON.stringify(pageOne), /Changes checked.*Changes 1 to \d+ match the log\./);
});

test.run();
