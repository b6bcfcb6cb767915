import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { linkAggregate } from '../../src/commands/link.ts';
import { dataOf, eventsOf, saveFile as file, importSuite, veritrail } from '../support/cli/import-command.ts';
import { envelopeFor } from '../support/register.ts';
import { until } from '../support/run/wait.ts';
import { xlsxOf } from '../support/xlsx.ts';

const BIN = fileURLToPath(new URL('../../bin/veritrail.js', import.meta.url));

const test = importSuite('veritrail import of the same rows');

test('rows that were left out can be mended in their file and imported', async ({ identity }) => {
  const sheet = file(
    identity,
    'risks.csv',
    'Register of risks',
    'Risk;Likelihood;Remark;Measure needed',
    'Flood;Likely;"by the river;\n ""again"" ";=yes',
    'Fire;Often;-5;no',
    'Frost;7;;no',
  );
  const args = ['--type', 'risks', '--left-out', 'left-out.csv'];
  const first = await veritrail(identity, 'import', sheet, ...args);
  assert.is(first.out, 'created 1, updated 0, unchanged 0, refused 2 (of 3 rows)', first.err);
  const leftOut = readFileSync(join(identity.dataDir, 'left-out.csv'), 'utf8');
  assert.match(leftOut, /^\ufeffRisk,Likelihood,Remark,Measure needed,Left out: row,Left out: reason\r\n/);
  assert.match(leftOut, /^Fire,Often,'-5,no,4,"inherent_likelihood ""Often"" is neither/m);
  file(identity, 'mended.csv', leftOut.replace('Often', 'Possible').replace('Frost,7', 'Frost,1'));
  const mended = await veritrail(identity, 'import', 'mended.csv', ...args);
  assert.equal([mended.code, mended.out], [0, 'created 2, updated 0, unchanged 0, refused 0 (of 2 rows)'], mended.err);
  assert.not.match(mended.err, /Left out/);
  // The same rows, mended in the sheet itself, are the same records.
  const sheetText = readFileSync(join(identity.dataDir, sheet), 'utf8');
  file(identity, 'risks.csv', sheetText.replace('Often', 'Possible').replace('Frost;7', 'Frost;1'));
  const whole = await veritrail(identity, 'import', sheet, ...args);
  assert.is(whole.out, 'created 0, updated 0, unchanged 3, refused 0 (of 3 rows)', whole.err);
});

test('a mapping that is added later makes no second record', async ({ identity }) => {
  const sheet = file(identity, 'v.csv', 'Supplier,Kürzel,Staat', 'Acme,A-1,DE', 'Beta,B-1,FR');
  await veritrail(identity, 'import', sheet, '--type', 'vendors');
  const later = await veritrail(identity, 'import', sheet, '--type', 'vendors', '--map', 'country=Staat');
  assert.equal([later.code, later.out], [0, 'created 0, updated 0, unchanged 2, refused 0 (of 2 rows)']);
  assert.match(later.err, /^2 of the unchanged rows were imported before with other values/m);

  const risks = file(identity, 'r.csv', 'Risk,Kürzel', 'Flood,R-1');
  await veritrail(identity, 'import', risks, '--type', 'risks');
  const referenced = await veritrail(identity, 'import', risks, '--type', 'risks', '--map', 'reference_id=Kürzel');
  assert.is(referenced.out, 'created 0, updated 0, unchanged 1, refused 0 (of 1 rows)');
  assert.is((await eventsOf(identity, 'VendorAdded', 'RiskAdded')).length, 3);
});

test('a result of a formula that changes by itself makes no second record', async ({ identity }) => {
  for (const daysLeft of [38, 37]) {
    const formula = { xml: `<c r="C2"><f>B2-TODAY()</f><v>${daysLeft}</v></c>` };
    const rows = [
      ['Vendor', 'Country', 'Days left'],
      ['Acme', 'DE', formula],
    ];
    writeFileSync(join(identity.dataDir, 'v.xlsx'), xlsxOf([{ rows }]));
    await veritrail(identity, 'import', 'v.xlsx', '--type', 'vendors');
  }
  assert.is((await eventsOf(identity, 'VendorAdded')).length, 1);
});

test('a link that somebody removed is not made again by the same import', async ({ identity }) => {
  file(identity, 'r.csv', 'Ref,Risk', 'R-1,Flood');
  file(identity, 'm.csv', 'Action,Linked risks', 'Dam,R-1');
  await veritrail(identity, 'import', 'r.csv', '--type', 'risks');
  const first = await veritrail(identity, 'import', 'm.csv', '--type', 'measures');
  assert.match(first.out, /created 1, .*, linked 1 /);
  const [linked] = await eventsOf(identity, 'RecordsLinked');
  const ids = linked!.data.ids as unknown as [string, string];
  const { handler, organizationId } = identity;
  await handler.execute(
    linkAggregate(...ids),
    { type: 'Unlink', ids, reason: 'Found out' },
    envelopeFor({ organization_id: organizationId }),
  );
  const again = await veritrail(identity, 'import', 'm.csv', '--type', 'measures');
  assert.is(again.out, 'created 0, updated 0, unchanged 1, refused 0 (of 1 rows)');
  assert.is((await eventsOf(identity, 'RecordsLinked')).length, 1);
});

test('an import from a file is one call, its links too', async ({ identity }) => {
  file(identity, 'r.csv', 'Ref,Risk', 'R-1,Flood');
  const measures = Array.from({ length: 201 }, (_, index) => `Dam ${index},R-1`);
  file(identity, 'm.csv', 'Action,Linked risks', ...measures);
  await veritrail(identity, 'import', 'r.csv', '--type', 'risks');
  await veritrail(identity, 'import', 'm.csv', '--type', 'measures');
  const calls = async (type: string) =>
    new Set((await eventsOf(identity, type)).map(({ metadata }) => metadata.correlation_id));
  assert.is((await calls('MeasureAdded')).size, 1, 'rows of two writes');
  assert.equal(await calls('RecordsLinked'), await calls('MeasureAdded'));
  assert.not.equal(await calls('RiskAdded'), await calls('MeasureAdded'), 'each file has its own');
});

test('words of values are remembered until they are forgotten', async ({ identity }) => {
  const withWord = (name: string, ...args: string[]) => {
    file(identity, 'r.csv', 'Risk,Status', `${name},Watch`, `${name} 2,Open`);
    return veritrail(identity, 'import', 'r.csv', '--type', 'risks', ...args);
  };
  const word = ['--value', 'status:watch=OPEN'];
  assert.is((await withWord('A', ...word, '--dry-run')).code, 0);
  assert.is((await withWord('B')).code, 1, 'a dry run remembers nothing');
  assert.is((await withWord('B', ...word)).code, 0);
  assert.is((await withWord('C')).code, 0);
  assert.is((await withWord('D', '--forget-values')).code, 1);
  assert.is((await withWord('D')).code, 1);
});

test('repeating an import that was killed halfway finishes it, and writes nothing twice', async ({ identity }) => {
  const count = 2_000;
  const lines = Array.from({ length: count }, (_, n) => `Supplier ${n},${'text '.repeat(100)}`);
  const sheet = file(identity, 'many.csv', 'Name,Description', ...lines);
  const args = ['import', sheet, '--type', 'vendors'];
  const env = { PATH: process.env.PATH, DATA_DIR: identity.dataDir };
  const child = spawn(process.execPath, [BIN, ...args], { cwd: identity.dataDir, env, stdio: 'ignore' });
  const exit = once(child, 'exit');
  const vendorsAdded = async () => (await eventsOf(identity, 'VendorAdded')).length;
  await until(async () => (await vendorsAdded()) > 0 || child.exitCode !== null, 30_000, 'the import writes');
  child.kill('SIGKILL');
  assert.equal(await exit, [null, 'SIGKILL']);
  const importedCount = await vendorsAdded();
  assert.ok(importedCount > 0 && importedCount < count, `${importedCount} rows were written when it was killed`);

  const { code, out, err } = await veritrail(identity, ...args);
  assert.equal(
    [code, out],
    [0, `created ${count - importedCount}, updated 0, unchanged ${importedCount}, refused 0 (of ${count} rows)`],
    err,
  );
  const names = dataOf(await eventsOf(identity, 'VendorAdded')).map(({ name }) => name);
  assert.equal([names.length, new Set(names).size], [count, count]);
});

test.run();
