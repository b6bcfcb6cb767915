import * as assert from 'uvu/assert';
import { recordAggregate } from '../../src/commands/families.ts';
import {
  dataOf,
  eventsOf,
  saveFile as file,
  type ImportInstallation,
  importSuite,
  veritrail,
} from '../support/cli/import-command.ts';
import { envelopeFor } from '../support/register.ts';

/* The read models of these installations are absent, unless a test rebuilds them. */

const test = importSuite('veritrail import --update');

const VENDORS = ['v.csv', '--type', 'vendors'];
const RISKS = ['r.csv', '--type', 'risks'];

async function importLines(identity: ImportInstallation, args: readonly string[], ...lines: string[]) {
  file(identity, args[0]!, ...lines);
  return veritrail(identity, 'import', ...args);
}

async function idsOf(identity: ImportInstallation, type: string): Promise<string[]> {
  return (await eventsOf(identity, type)).map(({ stream }) => stream.slice(stream.indexOf('-') + 1));
}

async function archive({ handler, organizationId }: ImportInstallation, id: string): Promise<void> {
  const envelope = envelopeFor({ organization_id: organizationId });
  await handler.execute(recordAggregate(id), { type: 'Archive', reason: 'gone' }, envelope);
}

test('a corrected list makes a second record, and the command tells how to change the first', async ({ identity }) => {
  await importLines(identity, VENDORS, 'Vendor,Country', 'Acme,DE', 'Beta,DE');
  const { out, err } = await importLines(identity, VENDORS, 'Vendor,Country', 'Acme,FR', 'Beta,DE');
  assert.is(out, 'created 1, updated 0, unchanged 1, refused 0 (of 2 rows)');
  assert.match(
    err,
    /^These have the same name or reference_id: row 2 and "Acme" \(vnd_\w+\)\. --update changes them instead\.$/m,
  );
});

test('a corrected row changes the record with its name', async ({ identity }) => {
  await importLines(identity, VENDORS, 'Vendor,Country,Website', 'Acme,DE,acme.example', 'Beta,DE,');
  const corrected = ['Vendor,Country,Website', 'ACME,FR,', 'Beta,DE,', 'Gamma,SE,'];
  const dry = await importLines(identity, [...VENDORS, '--update', '--dry-run'], ...corrected);
  assert.is(dry.out, 'Dry run, nothing was written: created 1, updated 1, unchanged 1, refused 0 (of 3 rows)', dry.err);
  assert.match(dry.err, /^These rows would change records: row 2 "Acme" \(vnd_\w+\): name, country\.$/m);
  assert.equal(await eventsOf(identity, 'VendorDetailsChanged'), []);
  const first = await veritrail(identity, 'import', ...VENDORS, '--update');
  assert.is(first.out, 'created 1, updated 1, unchanged 1, refused 0 (of 3 rows)', first.err);
  assert.match(first.err, /^These rows changed records: row 2 "Acme" \(vnd_\w+\): name, country\.$/m);
  assert.equal(dataOf(await eventsOf(identity, 'VendorDetailsChanged')), [
    { changes: { name: 'ACME', country: 'FR' }, reason: 'row 2 of v.csv' },
  ]);
  const again = await veritrail(identity, 'import', ...VENDORS, '--update');
  assert.is(again.out, 'created 0, updated 0, unchanged 3, refused 0 (of 3 rows)', again.err);
  assert.not.match(again.err, /same name/);
});

test('read models that lag behind the log find all records', async ({ identity }) => {
  await importLines(identity, VENDORS, 'Vendor,Country', 'Acme,DE', 'Old,DE', 'Away,DE');
  await veritrail(identity, 'rebuild');
  const ids = await idsOf(identity, 'VendorAdded');
  const [, , away] = ids;
  await importLines(identity, VENDORS, 'Vendor,Country', 'Beta,DE');
  await archive(identity, away!);
  const { out, err } = await importLines(
    identity,
    [...VENDORS, '--update'],
    ...['Vendor,Country', 'Acme,FR', 'Beta,FR', 'Away,FR'],
  );
  assert.is(out, 'created 1, updated 2, unchanged 0, refused 0 (of 3 rows)', err);
});

test('a correction that is undone in the list is told, and changes nothing', async ({ identity }) => {
  const before = ['Vendor,Country', 'Acme,DE', 'Beta,DE'];
  await importLines(identity, VENDORS, ...before);
  await importLines(identity, [...VENDORS, '--update'], 'Vendor,Country', 'Acme,FR', 'Beta,DE');
  const { out, err } = await importLines(identity, [...VENDORS, '--update'], ...before);
  assert.is(out, 'created 0, updated 0, unchanged 2, refused 0 (of 2 rows)', err);
  assert.match(err, /^These rows were imported before, and their records have changed since: 2\. /m);
});

test('equal rows change a record once, and their links are those of the record', async ({ identity }) => {
  await importLines(identity, RISKS, 'Risk,Note', 'Flood,old');
  await importLines(identity, VENDORS, 'Vendor', 'Acme');
  await veritrail(identity, 'rebuild');
  const lines = ['Risk,Note,Linked vendors', 'Flood,new,Acme', 'Flood,new,Acme'];
  const { out, err } = await importLines(identity, [...RISKS, '--update'], ...lines);
  assert.is(out, 'created 0, updated 1, unchanged 1, refused 0, linked 1 (of 2 rows)', err);
  const [risk] = await idsOf(identity, 'RiskAdded');
  const [linked, ...others] = dataOf(await eventsOf(identity, 'RecordsLinked'));
  assert.ok((linked!.ids as unknown as string[]).includes(risk!));
  assert.equal(others, []);
});

test('a name that two records have is refused with both', async ({ identity }) => {
  await importLines(identity, VENDORS, 'Vendor,Country', 'Twice,DE', 'Twice,FR');
  const { code, err } = await importLines(identity, [...VENDORS, '--update'], 'Vendor,Country', 'twice,SE');
  assert.is(code, 1);
  assert.match(
    err,
    /^row 2: Several records have this name: "Twice" \(vnd_\w+\), "Twice" \(vnd_\w+\)\. Give the row the id of one\.$/m,
  );
  assert.equal(await eventsOf(identity, 'VendorDetailsChanged'), []);
});

test('rows that could be about one record are refused, also far apart', async ({ identity }) => {
  await importLines(identity, VENDORS, 'Vendor,Country', 'Acme,DE');
  const others = Array.from({ length: 250 }, (_, n) => `Supplier ${n},DE`);
  const lines = ['Vendor,Country', 'Acme,DE', 'Acme,FR', 'New,DE', 'New,FR', 'Far,DE', ...others, 'Far,FR', 'Acme,SE'];
  const { out, err } = await importLines(identity, [...VENDORS, '--update'], ...lines);
  assert.is(out, 'created 251, updated 0, unchanged 1, refused 5 (of 257 rows)');
  assert.match(err, /^row 3: Row 2 is about "Acme" too\. Keep one of them\.$/m);
  for (const row of [4, 5])
    assert.match(err, new RegExp(`^row ${row}: Rows 4, 5 contradict each other about "New"`, 'm'));
  assert.match(err, /^row 257: Row 6 is about "Far" too/m);
  assert.match(err, /^row 258: Row 2 is about "Acme" too/m);
  assert.equal(await eventsOf(identity, 'VendorDetailsChanged'), []);
});

test('a corrected row changes the record with its reference', async ({ identity }) => {
  await importLines(identity, RISKS, 'Ref,Risk,Likelihood', 'R1,Flood,2', 'R2,Fire,3');
  const corrected = ['Ref,Risk,Likelihood', 'R1,Flood of the cellar,2', 'R2,Fire,3', 'R3,Fire,'];
  const refused = await importLines(identity, RISKS, ...corrected);
  assert.match(
    refused.err,
    /^row 2: R1 was imported before with other content\. Give the id of its record, rsk_\w+, to change it\. \(--update changes it instead\)$/m,
  );
  const { out, err } = await veritrail(identity, 'import', ...RISKS, '--update');
  assert.is(out, 'created 0, updated 1, unchanged 2, refused 0 (of 3 rows)', err);
  assert.equal(dataOf(await eventsOf(identity, 'RiskDetailsChanged')), [
    { changes: { name: 'Flood of the cellar' }, reason: 'row 2 of r.csv' },
  ]);
  assert.is(
    (await veritrail(identity, 'import', ...RISKS, '--update')).out,
    out.replace('1, unchanged 2', '0, unchanged 3'),
  );
});

test('a list of descriptions changes these, and no record’s name', async ({ identity }) => {
  await importLines(identity, VENDORS, 'Vendor,Country', 'Acme,DE');
  await importLines(identity, RISKS, 'Ref,Risk', 'R1,Flood', 'R2,Fire');
  const [vendor] = await idsOf(identity, 'VendorAdded');
  const byId = await importLines(identity, ['d.csv', '--type', 'vendors'], 'id,description', `${vendor},Hosting`);
  assert.is(byId.out, 'created 0, updated 1, unchanged 0, refused 0 (of 1 rows)', byId.err);
  assert.equal(dataOf(await eventsOf(identity, 'VendorDetailsChanged')), [
    { changes: { description: 'Hosting' }, reason: 'row 2 of d.csv' },
  ]);
  const long = 'Water in the cellar. '.repeat(12).trim();
  const lines = ['Ref,Description', `R1,${long}`, 'R2,Fire', 'R3,Theft'];
  const byReference = await importLines(identity, [...RISKS, '--update'], ...lines);
  assert.is(byReference.out, 'created 1, updated 1, unchanged 1, refused 0 (of 3 rows)', byReference.err);
  assert.equal(dataOf(await eventsOf(identity, 'RiskDetailsChanged')), [
    { changes: { description: long }, reason: 'row 2 of r.csv' },
  ]);
  assert.is(dataOf(await eventsOf(identity, 'RiskAdded')).at(-1)!.name, 'Theft');
});

test('an archived record is not changed, and its reference tells why', async ({ identity }) => {
  await importLines(identity, RISKS, 'Ref,Risk', 'R1,Flood');
  await archive(identity, (await idsOf(identity, 'RiskAdded'))[0]!);
  const { code, err } = await importLines(identity, [...RISKS, '--update'], 'Ref,Risk', 'R1,Flooding');
  assert.is(code, 1);
  assert.match(err, /^row 2: R1 was imported before .* \(no live record has this reference_id now\)$/m);
});

test('a list that gains references changes the records of its names', async ({ identity }) => {
  await importLines(identity, RISKS, 'Risk', 'Flood', 'Fire');
  const { out, err } = await importLines(identity, [...RISKS, '--update'], 'Ref,Risk', 'R1,Flood', 'R2,Fire');
  assert.is(out, 'created 0, updated 2, unchanged 0, refused 0 (of 2 rows)', err);
  const later = await importLines(identity, [...RISKS, '--update'], 'Ref,Risk', 'R3,Flood');
  assert.is(later.out, 'created 1, updated 0, unchanged 0, refused 0 (of 1 rows)', 'R1 is another risk');
});

test('a mapping that is added later changes the records', async ({ identity }) => {
  await importLines(identity, VENDORS, 'Supplier,Staat', 'Acme,DE');
  const args = [...VENDORS, '--map', 'country=Staat'];
  assert.match((await veritrail(identity, 'import', ...args)).err, /--update changes them\.$/m);
  const { out, err } = await veritrail(identity, 'import', ...args, '--update');
  assert.is(out, 'created 0, updated 1, unchanged 0, refused 0 (of 1 rows)', err);
});

test('the decision of a known vendor stays as it is, and a new one is not made', async ({ identity }) => {
  const headings = 'Supplier,Status,Approved on,Country';
  await importLines(identity, VENDORS, headings, 'Acme,Approved,2025-03-03,DE', 'Beta,Approved,2025-03-03,DE');
  const { out, err } = await importLines(
    identity,
    [...VENDORS, '--update'],
    ...[headings, 'Acme,Approved,2025-03-03,FR', 'Beta,Rejected,2025-03-03,DE'],
  );
  assert.is(out, 'created 0, updated 1, unchanged 0, refused 1 (of 2 rows)', err);
  assert.match(
    err,
    /^These columns were left out in rows about existing records, which can’t set them: Approved on\.$/m,
  );
  assert.match(err, /^row 3: APPROVED cannot become REJECTED here/m);
});

test('a sheet with a few columns changes records that need more', async ({ identity }) => {
  const args = ['n.csv', '--type', 'nonconformities'];
  await importLines(identity, args, 'Ref,Finding,Severity,Date raised', 'N1,No log,minor,2026-01-02');
  const { out, err } = await importLines(identity, [...args, '--update'], 'Ref,Root cause', 'N1,No tool', 'N2,None');
  assert.is(out, 'created 0, updated 1, unchanged 0, refused 1 (of 2 rows)', err);
  assert.match(err, /^row 3: .*description/m);
});

test('types without names and references, or without changes, refuse --update', async ({ identity }) => {
  for (const [type, message] of [
    ['obligations', /obligations have no name or reference_id/],
    ['evidence', /evidence never changes/],
  ] as const) {
    const { code, err } = await importLines(identity, ['o.csv', '--type', type, '--update'], 'Name', 'x');
    assert.is(code, 2);
    assert.match(err, message);
  }
});

test.run();
