import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import * as assert from 'uvu/assert';
import { linkAggregate } from '../../src/commands/link.ts';
import { sortedPair } from '../../src/register/link.ts';
import { downloadRecords } from '../support/cli/download-records.ts';
import {
  addMember,
  dataOf,
  eventsOf,
  saveFile as file,
  importSuite,
  veritrail,
} from '../support/cli/import-command.ts';
import { envelopeFor } from '../support/register.ts';

const test = importSuite('owners and evidence of a downloaded file');

test('of the two columns of an owner, the one that was edited counts', async ({ identity }) => {
  await addMember(identity, 'Olivia Owner', null);
  const jane = await addMember(identity, 'Jane Doe', 'jane@example.org');
  const names = ['Acme', 'Beta', 'Gamma', 'Delta'];
  file(identity, 'list.csv', 'Vendor,Owner', ...names.map((name) => `${name},Olivia Owner`));
  await veritrail(identity, 'import', 'list.csv', '--type', 'vendors');
  const [heading, ...lines] = (await downloadRecords(identity, 'vendors', 'csv')).toString().trim().split('\r\n');
  const lineOf = (name: string) => lines.find((line) => line.includes(`,${name},`))!;
  const owner = /acc_\w+/.exec(lineOf('Acme'))![0];
  file(
    identity,
    'edited.csv',
    heading!,
    lineOf('Acme').replace('Olivia Owner', 'Jane Doe'),
    lineOf('Beta').replace(owner, jane),
    lineOf('Gamma').replace(owner, jane).replace('Olivia Owner', 'Jane Doe'),
    lineOf('Delta').replace('Olivia Owner', 'John Roe'),
    lineOf('Delta').replace(/^\w+/, '').replace(',Delta,', ',New,').replace(owner, ''),
  );
  const { out, err } = await veritrail(identity, 'import', 'edited.csv', '--type', 'vendors');
  assert.is(out, 'created 1, updated 3, unchanged 1, refused 0 (of 5 rows)', err);
  assert.match(err, /^These are no members, so they became no owners: "John Roe" \(1\)\./m);
  const assigned = dataOf(await eventsOf(identity, 'VendorOwnerAssigned')).map(({ owner_id }) => owner_id);
  assert.equal(assigned, [jane, jane, jane]);
  const added = dataOf(await eventsOf(identity, 'VendorAdded')).find(({ name }) => name === 'New');
  assert.is(added!.owner_id, owner);
  const delta = lineOf('Delta')
    .replace('Olivia Owner', 'Jane Doe')
    .replace(owner, `acc_${owner.slice(4, -1)}Z`);
  file(identity, 'both.csv', heading!, delta);
  const both = await veritrail(identity, 'import', 'both.csv', '--type', 'vendors');
  assert.match(both.err, /^row 2: owner and owner_id differ\. Correct one of them/m);
});

test('evidence comes back unchanged, and changed evidence is refused', async ({ identity }) => {
  file(identity, 'o.csv', 'Requirement', 'Keep records');
  await veritrail(identity, 'import', 'o.csv', '--type', 'obligations');
  const obligation = (await eventsOf(identity, 'ObligationAdded'))[0]!.stream.replace(/^.*-/, '');
  file(identity, 'e.csv', 'Name,Text,record_ids,Collected on', `Log,"A\nB",${obligation},2025-03-03`);
  const first = await veritrail(identity, 'import', 'e.csv', '--type', 'evidence');
  assert.match(first.out, /^created 1,/, first.err);
  for (const format of ['csv', 'xlsx'] as const) {
    const name = `download.${format}`;
    writeFileSync(join(identity.dataDir, name), await downloadRecords(identity, 'evidence', format));
    const { out, err } = await veritrail(identity, 'import', name, '--type', 'evidence');
    assert.is(out, 'created 0, updated 0, unchanged 1, refused 0 (of 1 rows)', err);
  }
  const text = (await downloadRecords(identity, 'evidence', 'csv')).toString();
  file(identity, 'edited.csv', text.replace(',Log,', ',Logs,'));
  const { out, err } = await veritrail(identity, 'import', 'edited.csv', '--type', 'evidence');
  assert.is(out, 'created 0, updated 0, unchanged 0, refused 1 (of 1 rows)');
  assert.match(err, /^row 2: name differs from the record, and records of type EVIDENCE never change/m);
});

test('a list of evidence names its records by number or name', async ({ identity }) => {
  file(identity, 'o.csv', 'Requirement', 'Keep records');
  await veritrail(identity, 'import', 'o.csv', '--type', 'obligations');
  file(identity, 'r.csv', 'Ref,Risk', 'R-1,Flood of the DC', 'R-2,Fire');
  await veritrail(identity, 'import', 'r.csv', '--type', 'risks');
  await veritrail(identity, 'rebuild');
  file(
    identity,
    'e.csv',
    'Name,Text,Linked risks,Linked obligations',
    'RoPA,x,R-1; Fire,Keep records',
    'Log,y,,',
    'Plan,z,R-9,',
  );
  const { out, err } = await veritrail(identity, 'import', 'e.csv', '--type', 'evidence');
  assert.is(out, 'created 1, updated 0, unchanged 0, refused 2 (of 3 rows)', err);
  assert.match(err, /^row 3: record_ids is required/m);
  assert.match(err, /^These name no record to link with: "R-9" \(1\)/m);
  const [added] = dataOf(await eventsOf(identity, 'EvidenceAdded'));
  assert.is((added!.record_ids as string[]).length, 3);
  file(identity, 'ids.csv', 'Name,Text,record_ids', 'RoPA 2,x,R-1; Flood of the DC');
  const named = await veritrail(identity, 'import', 'ids.csv', '--type', 'evidence');
  assert.match(named.out, /^created 1,/, named.err);
});

test('records that a list names and that are imported later are linked by the same file again', async ({
  identity,
}) => {
  const write = (name: string, ...lines: string[]) => file(identity, name, ...lines);
  const load = (name: string, type: string) => veritrail(identity, 'import', name, '--type', type);
  write('r.csv', 'Ref,Risk', 'R-1,Flood', 'R-2,Fire');
  await load('r.csv', 'risks');
  write('o.csv', 'Requirement,Evidence', 'Keep records,Log');
  const toldEarly =
    /^These name no record to link with: "Log" \(1\)\. Import those records first, then this file again\.$/m;
  assert.match((await load('o.csv', 'obligations')).err, toldEarly);
  write('e.csv', 'Name,Text,Linked risks', 'Log,x,R-1; R-2; R-9');
  assert.match(
    (await load('e.csv', 'evidence')).err,
    /: "R-9" \(1\)\. Import those records first, then this file again\.$/m,
  );
  assert.match((await load('o.csv', 'obligations')).out, /unchanged 1, refused 0, linked 1 /);

  const [added] = await eventsOf(identity, 'EvidenceAdded');
  const evidence = added!.stream.slice(added!.stream.indexOf('-') + 1);
  const [first] = added!.data.record_ids as string[];
  const unlink = { type: 'Unlink', ids: sortedPair(evidence, first!), reason: 'A mistake' } as const;
  const { organizationId: organization_id } = identity;
  await identity.handler.execute(
    linkAggregate(evidence, first!),
    unlink,
    envelopeFor({ organization_id, input: unlink }),
  );
  write('r9.csv', 'Ref,Risk', 'R-9,Theft');
  await load('r9.csv', 'risks');
  assert.match(
    (await load('e.csv', 'evidence')).out,
    /unchanged 1, refused 0, linked 1 /,
    'not the link that was removed',
  );
  assert.match((await load('e.csv', 'evidence')).out, /unchanged 1, refused 0 \(/, 'once only');
});

test('a download names linked records, and an edited one links them', async ({ identity }) => {
  file(identity, 'v.csv', 'Vendor,Country', 'Acme; Sons,FR', 'Beta,DE', 'Gamma,IT');
  await veritrail(identity, 'import', 'v.csv', '--type', 'vendors');
  file(identity, 'm.csv', 'Ref,Measure', 'M-1,Dam');
  await veritrail(identity, 'import', 'm.csv', '--type', 'measures');
  file(identity, 'r.csv', 'Ref,Risk,Vendors,Measures', 'R-1,Flood,Beta,M-1', 'R-1,,Acme; Sons,', 'R-2,Fire,,');
  await veritrail(
    identity,
    'import',
    'r.csv',
    '--type',
    'risks',
    '--map',
    'vendors=Vendors',
    '--map',
    'measures=Measures',
  );
  const text = (await downloadRecords(identity, 'risks', 'csv')).toString();
  const rows = parse(text, { columns: true, bom: true }) as { name: string; measures: string; vendors: string }[];
  const flood = rows.find(({ name }) => name === 'Flood')!;
  assert.is(flood.measures, 'M-1');
  const vendors = flood.vendors.split('; ').sort();
  assert.is(vendors[0], 'Beta');
  assert.match(vendors[1]!, /^vnd_/, 'its name would be read as two');
  file(identity, 'same.csv', text);
  const same = await veritrail(identity, 'import', 'same.csv', '--type', 'risks');
  assert.is(same.out, 'created 0, updated 0, unchanged 2, refused 0 (of 2 rows)', same.err);
  assert.not.match(same.err, /name no record/);
  file(identity, 'edited.csv', text.replace('Beta', 'Beta; Gamma'));
  const edited = await veritrail(identity, 'import', 'edited.csv', '--type', 'risks');
  assert.is(edited.out, 'created 0, updated 0, unchanged 2, refused 0, linked 1 (of 2 rows)', edited.err);
});

test('--update finds records without a name by their ids', async ({ identity }) => {
  file(identity, 'list.csv', 'Requirement', 'Report incidents', 'Keep records');
  const asked = await veritrail(identity, 'import', 'list.csv', '--type', 'obligations', '--update');
  assert.match(asked.err, /--update can't find the records: obligations have no name or reference_id/);
  await veritrail(identity, 'import', 'list.csv', '--type', 'obligations');
  const text = (await downloadRecords(identity, 'obligations', 'csv')).toString();
  file(identity, 'edited.csv', text.replace('Keep records', 'Keep all records'));
  const { out, err } = await veritrail(identity, 'import', 'edited.csv', '--type', 'obligations', '--update');
  assert.is(out, 'created 0, updated 1, unchanged 1, refused 0 (of 2 rows)', err);
});

test.run();
