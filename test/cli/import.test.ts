import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { dataOf, eventsOf, saveFile as file, importSuite, veritrail } from '../support/cli/import-command.ts';
import { xlsxOf } from '../support/xlsx.ts';

const test = importSuite('veritrail import');

test('imports values in the spellings that people use', async ({ identity }) => {
  const sheet = file(
    identity,
    'vendors.csv',
    'Supplier;Criticality;Contract until;Processes personal data;Website URL;Ours',
    'Acme;high;31 Dec 2026;yes;https://acme.example;1',
    '"Beta; Sons";Medium;03/04/2027;no;;2',
    '',
  );
  const args = ['--type', 'vendors', '--map', 'name=Supplier', '--dates', 'dmy', '--reason', 'last year’s list'];
  const { code, out, err } = await veritrail(identity, 'import', sheet, ...args);
  assert.equal([code, out], [0, 'created 2, updated 0, unchanged 0, refused 0 (of 2 rows)'], err);
  const ignoredColumns = /^Ignored columns: Ours\. Map them with --map FIELD=COLUMN to one of (.*)\.$/m.exec(err);
  const free = ignoredColumns?.[1]?.split(', ') ?? [];
  assert.equal(
    ['owner_id', 'country', 'name', 'website_url'].map((name) => free.includes(name)),
    [true, true, false, false],
    err,
  );
  const addedEvents = await eventsOf(identity, 'VendorAdded');
  const reason = 'last year’s list';
  const byName = dataOf(addedEvents).sort((a, b) => String(a.name).localeCompare(String(b.name)));
  assert.equal(byName, [
    {
      ...{ name: 'Acme', criticality: 'HIGH', contract_until: '2026-12-31', processes_personal_data: true },
      ...{ website_url: 'https://acme.example', reason },
    },
    { name: 'Beta; Sons', criticality: 'MEDIUM', contract_until: '2027-04-03', processes_personal_data: false, reason },
  ]);
  const { organization_id, client, token_id } = addedEvents[0]!.metadata;
  assert.equal([organization_id, client?.name, token_id], [identity.organizationId, 'veritrail import', null]);
  assert.is(
    (await veritrail(identity, 'import', sheet, ...args)).out,
    out.replace('created 2', 'created 0').replace('unchanged 0', 'unchanged 2'),
  );
});

test('names contradicting rows by their numbers in the sheet', async ({ identity }) => {
  const sheet = file(identity, 'rivals.csv', 'Reference ID,Name', 'R-8,Theft', 'R-9,Fire', 'R-8,Theft of a laptop');
  const { code, err } = await veritrail(identity, 'import', sheet, '--type', 'risk', '--dry-run');
  assert.is(code, 1);
  for (const row of [2, 4]) assert.match(err, new RegExp(`row ${row}: Rows 2, 4 contradict each other about R-8\\.`));
});

test('reports refused rows by row and field, and writes the others', async ({ identity }) => {
  const sheet = file(
    identity,
    'risks.csv',
    'Reference ID,Name,Inherent likelihood,Inherent impact,Residual likelihood,Residual impact,Next review due',
    'R-1,Flood,4 - Likely,5,2,2,2026-09-01',
    'R-2,Fire,9,1,,,',
    'R-3,"=Theft, by ""night""",2,2,5,5,',
    'R-4,Fraud,often,2,,,03/04/2026',
    ',,,,,,',
    'R-5,Outage,1,1,,,',
  );
  const { code, out, err } = await veritrail(identity, 'import', sheet, '--type', 'risk', '--report', 'wrong.csv');
  assert.equal([code, out], [1, 'created 2, updated 0, unchanged 0, refused 3 (of 5 rows)']);
  for (const row of [3, 4, 5]) assert.match(err, `row ${row}: `);
  const [header, ...lines] = readFileSync(join(identity.dataDir, 'wrong.csv'), 'utf8').trim().split('\n');
  assert.is(header, 'row,field,message');
  assert.equal(
    lines.map((line) => line.split(',').slice(0, 2).join(' ')),
    ['3 inherent_likelihood', '4 residual_likelihood', '5 inherent_likelihood', '5 next_review_due'],
  );
  assert.equal(
    dataOf(await eventsOf(identity, 'RiskAdded'))
      .map(({ name }) => name)
      .sort(),
    ['Flood', 'Outage'],
  );
});

test('a refused word names the option, a row beside the table its number, and columns their fields', async ({
  identity,
}) => {
  const sheet = file(
    identity,
    'r.csv',
    'name,Status,Residual Impact',
    'Flood,Watch,often',
    'Fire,Open,2',
    '',
    'Note: ours',
  );
  const { err } = await veritrail(identity, 'import', sheet, '--type', 'risks', '--dry-run');
  assert.match(err, /^Columns: name, residual_impact from "Residual Impact", status from "Status"\.$/m);
  assert.match(err, /^Row 5 lies beside the table and was left out\.$/m);
  assert.match(
    err,
    /^row 2: .*\(--value "residual_impact:often=…" says what it means\); status "Watch" is not a valid/m,
  );
  assert.match(err, /\(--value "status:Watch=…" says what it means\)$/m);
});

test('a dry run reports the same and writes nothing', async ({ identity }) => {
  const sheet = file(identity, 'v.csv', 'Name,Criticality', 'Acme,high', 'Beta,grave', 'Gamma,low');
  const { code, out } = await veritrail(identity, 'import', sheet, '--type', 'VENDOR', '--dry-run');
  assert.is(code, 1);
  assert.is(out, 'Dry run, nothing was written: created 2, updated 0, unchanged 0, refused 1 (of 3 rows)');
  assert.equal(await eventsOf(identity, 'VendorAdded'), []);
});

test('reads a sheet of a workbook, and shows a progress bar', async ({ identity }) => {
  const rows = Array.from({ length: 450 }, (_, n) => [`Supplier ${n}`, 'low']);
  const bytes = xlsxOf([
    { name: 'Notes', rows: [['x']] },
    { name: 'Suppliers', rows: [['Name', 'Criticality'], ...rows] },
  ]);
  writeFileSync(join(identity.dataDir, 'v.xlsx'), bytes);
  const { code, out, bars, err } = await veritrail(
    identity,
    'import',
    'v.xlsx',
    '--type',
    'vendors',
    '--sheet',
    'Suppliers',
  );
  assert.equal([code, out], [0, 'created 450, updated 0, unchanged 0, refused 0 (of 450 rows)'], err);
  assert.match(bars[0]!, /^\[#+-*\] \d+ % {2}200 rows/);
  assert.is(bars.at(-1), '', 'the progress bar is removed');
});

test('rows change existing records if a column is mapped to id', async ({ identity }) => {
  file(identity, 'v.csv', 'Name,Country', 'Acme,DE', 'Beta,DE');
  await veritrail(identity, 'import', 'v.csv', '--type', 'vendors');
  const [one, two] = (await eventsOf(identity, 'VendorAdded')).map(({ stream }) => stream.slice('vendor-'.length));
  file(identity, 'u.csv', 'ID,Country,Name', `${one},FR,`, `${two},DE,`, '4711,FR,');
  const args = ['u.csv', '--type', 'vendors', '--map', 'id=ID'];
  const { code, out, err } = await veritrail(identity, 'import', ...args);
  assert.equal([code, out], [1, 'created 0, updated 1, unchanged 1, refused 1 (of 3 rows)'], err);
  assert.equal(dataOf(await eventsOf(identity, 'VendorDetailsChanged')), [
    { changes: { country: 'FR' }, reason: 'row 2 of u.csv' },
  ]);
});

test('refuses wrong arguments and files before it writes anything', async ({ identity }) => {
  file(identity, 'v.csv', 'Supplier,Country', 'Acme,DE');
  const cases: [code: number, said: RegExp, ...args: string[]][] = [
    [2, /--type/, 'v.csv'],
    [2, /one of risks, vendors/, 'v.csv', '--type', 'suppliers'],
    [2, /FILE/, '--type', 'vendors'],
    [2, /dmy or mdy/, 'v.csv', '--type', 'vendors', '--dates', 'ymd'],
    [2, /--report/, 'v.csv', '--type', 'vendors', '--report', './v.csv'],
    [2, /--reason/, 'v.csv', '--type', 'vendors', '--reason', 'x'.repeat(1001)],
    [1, /No column fills name.*--map name=COLUMN/, 'v.csv', '--type', 'vendors', '--ignore', 'supplier'],
    [1, /no column "Owner"/, 'v.csv', '--type', 'vendors', '--ignore', 'Owner'],
    [2, /--header-row/, 'v.csv', '--type', 'vendors', '--header-row', 'one'],
    [1, /Row 9 is blank/, 'v.csv', '--type', 'vendors', '--header-row', '9'],
    [2, /--left-out/, 'v.csv', '--type', 'vendors', '--left-out', 'v.csv'],
    [1, /not a word/, 'v.csv', '--type', 'vendors', '--value', 'status=OPEN'],
    [1, /status .*not a valid value/, 'v.csv', '--type', 'vendors', '--value', 'status:Fine=GREAT'],
    [1, /No column fills id/, 'v.csv', '--type', 'controls', '--map', 'name=Supplier'],
    [1, /Did you mean Supplier/, 'v.csv', '--type', 'vendors', '--map', 'name=Supplir'],
    [1, /can’t be read/, 'w.csv', '--type', 'vendors'],
    [1, /report can’t be written/, 'v.csv', '--type', 'vendors', '--report', 'none/r.csv'],
    [1, /is not a member/, 'v.csv', '--type', 'vendors', '--map', 'name=Supplier', '--account', 'acc_1'],
    [1, /org_1 was not found/, 'v.csv', '--type', 'vendors', '--map', 'name=Supplier', '--organization', 'org_1'],
  ];
  for (const [code, ignoredColumns, ...args] of cases) {
    const result = await veritrail(identity, 'import', ...args);
    assert.is(result.code, code, `${args.join(' ')}\n${result.err}`);
    assert.match(result.err, ignoredColumns);
  }
  assert.is(readFileSync(join(identity.dataDir, 'v.csv'), 'utf8'), 'Supplier,Country\nAcme,DE');
  assert.equal(await eventsOf(identity, 'VendorAdded'), []);
});

test.run();
