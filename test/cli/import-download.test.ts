import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { downloadRecords } from '../support/cli/download-records.ts';
import { dataOf, eventsOf, saveFile as file, importSuite, veritrail } from '../support/cli/import-command.ts';

const test = importSuite('veritrail import of a downloaded file');

const LISTS = {
  vendors: [
    'Vendor,Status,Approved on,Findings,Next review,Website,Personal data,Owner',
    'Acme,Approved,2025-03-03T14:30:05.250Z,"=1, fine",2030-01-01,acme.example,yes,Olivia Owner',
    'Beta,,,,,,,',
  ],
  risks: ['Ref,Risk,Likelihood,Impact,Treatment', 'R1,Flood,3,4,mitigate', 'R2,-Fire,,,'],
  measures: ['Measure,State,Implemented on', 'Dam,done,2025-03-03T14:30:05.250Z', 'Wall,ongoing,'],
  obligations: ['Requirement,Status,Last review', 'Report incidents,Compliant,2025-03-03', 'Keep records,,'],
  nonconformities: ['Ref,Finding,Severity,Date raised', 'N1,No log,minor,2026-01-02'],
} as const;

for (const [type, lines] of Object.entries(LISTS)) {
  for (const format of ['csv', 'xlsx'] as const) {
    test(`${type}: the ${format} changes nothing`, async ({ identity }) => {
      file(identity, 'list.csv', ...lines);
      const first = await veritrail(identity, 'import', 'list.csv', '--type', type);
      assert.match(first.out, `created ${lines.length - 1},`, first.err);
      const name = `download.${format}`;
      writeFileSync(join(identity.dataDir, name), await downloadRecords(identity, type, format));
      const { code, out, err } = await veritrail(identity, 'import', name, '--type', type);
      const count = lines.length - 1;
      assert.is(out, `created 0, updated 0, unchanged ${count}, refused 0 (of ${count} rows)`, err);
      assert.is(code, 0);
      assert.match(err, /^These columns were left out in rows about existing records, .*revision/m);
      assert.not.match(err, /Ignored columns/);
    });
  }
}

test('a downloaded file can be edited', async ({ identity }) => {
  file(identity, 'list.csv', ...LISTS.vendors);
  await veritrail(identity, 'import', 'list.csv', '--type', 'vendors');
  const text = (await downloadRecords(identity, 'vendors', 'csv')).toString();
  const row = text.split('\r\n').find((line) => line.includes(',Beta,'))!;
  const blank = row.replace(/^vnd_\w+/, '').replace(',Beta,', ',Gamma,');
  file(identity, 'edited.csv', text.replace(',Acme,', ',Acme Ltd,') + blank);
  const { out, err } = await veritrail(identity, 'import', 'edited.csv', '--type', 'vendors');
  assert.is(out, 'created 1, updated 1, unchanged 1, refused 0 (of 3 rows)', err);
  assert.equal(dataOf(await eventsOf(identity, 'VendorDetailsChanged')), [
    { changes: { name: 'Acme Ltd' }, reason: 'row 2 of edited.csv' },
  ]);
  assert.match(err, /: last_reviewed, .*review\.findings.*revision/);
});

test('a column of ids of another system is none', async ({ identity }) => {
  file(identity, 'r.csv', 'id,Risk', 'R-1,Flood');
  await veritrail(identity, 'import', 'r.csv', '--type', 'risks');
  assert.is((await eventsOf(identity, 'RiskAdded'))[0]!.data.reference_id, 'R-1');
});

test.run();
