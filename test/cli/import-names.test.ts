import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import {
  addMember,
  dataOf,
  eventsOf,
  saveFile as file,
  importSuite,
  veritrail,
} from '../support/cli/import-command.ts';

const test = importSuite('veritrail import of names');

test('owners are members by name or e-mail, and unknown ones are told', async ({ identity }) => {
  const owner = await addMember(identity, 'Jane Doe', 'jane@example.org');
  const lines = [
    'Acme,jane  DOE',
    'Beta,Jane@Example.org',
    'Gamma,acc_00000000000000000000000000',
    'Delta,John Roe',
    'Epsilon,John Roe',
    'Zeta,"Jane Doe <jane@example.org>"',
    'Eta,TBD',
  ];
  const sheet = file(identity, 'v.csv', 'Name,Responsible', ...lines);
  const args = ['import', sheet, '--type', 'vendors', '--report', 'wrong.csv'];
  const { code, err, out } = await veritrail(identity, ...args);
  assert.equal([code, out], [1, 'created 6, updated 0, unchanged 0, refused 1 (of 7 rows)'], err);
  assert.match(
    err,
    /^These are no members, so they became no owners: "John Roe" \(2\)\. See "veritrail member list"\.$/m,
  );
  assert.match(err, /^row 4: owner_id is not a member\. .*veritrail member list/m);
  assert.match(readFileSync(join(identity.dataDir, 'wrong.csv'), 'utf8'), /^4,owner_id,.*member list/m);
  const owners = dataOf(await eventsOf(identity, 'VendorAdded')).map(({ name, owner_id }) => [name, owner_id]);
  assert.equal(Object.fromEntries(owners as [string, unknown][]), {
    ...{ Acme: owner, Beta: owner, Delta: undefined, Epsilon: undefined, Zeta: owner, Eta: undefined },
  });
});

test('evidence has the ids of its records in one cell', async ({ identity }) => {
  file(identity, 'v.csv', 'Name', 'Acme', 'Beta');
  await veritrail(identity, 'import', 'v.csv', '--type', 'vendors');
  const ids = (await eventsOf(identity, 'VendorAdded')).map(({ stream }) => stream.slice('vendor-'.length));
  file(identity, 'e.csv', 'Name,URL,Record IDs', `Certificate,https://example.org/c,"${ids.join(', ')}"`);
  const { code, err } = await veritrail(identity, 'import', 'e.csv', '--type', 'evidence');
  assert.is(code, 0, err);
  assert.equal((await eventsOf(identity, 'EvidenceAdded'))[0]!.data.record_ids, ids);
});

test('a name that two members have is nobody, and the address decides', async ({ identity }) => {
  const [first] = [
    await addMember(identity, 'Kim Lee', 'kim@example.org'),
    await addMember(identity, 'KIM  Lee', null),
  ];
  file(identity, 'v.csv', 'Vendor,Owner', 'Acme,Kim Lee', 'Beta,kim@example.org', 'Gamma,SYSTEM');
  const { err, out } = await veritrail(identity, 'import', 'v.csv', '--type', 'vendors');
  assert.match(
    err,
    /Several members could be meant, so nobody became the owner: "Kim Lee" \(1\)\. Give e-mail addresses\./,
  );
  assert.match(err, /^row 4: owner_id /m);
  assert.is(out, 'created 2, updated 0, unchanged 0, refused 1 (of 3 rows)');
  const owners = dataOf(await eventsOf(identity, 'VendorAdded')).map(({ owner_id }) => owner_id);
  assert.equal(owners.sort(), [first, undefined]);
});

test('records are found by name and number, with and without read models, and similar ones', async ({ identity }) => {
  file(identity, 'v.csv', 'Vendor,Country', 'Acme,DE', 'Twice,DE', 'Twice,FR');
  await veritrail(identity, 'import', 'v.csv', '--type', 'vendors');
  file(identity, 'f.csv', 'number,title', 'A.5.1,Policies', 'A.5.2,Roles');
  await veritrail(identity, 'framework', 'import', 'f.csv', '--name', 'Rules');
  file(identity, 'r.csv', 'Risk,Linked vendors,Related controls', 'Flood,acme,A.5.1;a.5.2', 'Fire,Twice,A.9.9');
  const without = await veritrail(identity, 'import', 'r.csv', '--type', 'risks', '--dry-run');
  assert.match(without.out, /created 2,.* linked 3 /, without.err);
  assert.match(without.err, /name no record to link with: "Twice" \(1\), "A\.9\.9" \(1\)/);
  await veritrail(identity, 'rebuild');
  const linked = await veritrail(identity, 'import', 'r.csv', '--type', 'risks');
  assert.is(linked.out, 'created 2, updated 0, unchanged 0, refused 0, linked 3 (of 2 rows)', linked.err);
  assert.match(linked.err, /name no record to link with: "Twice" \(1\), "A\.9\.9" \(1\)/);

  file(identity, 'w.csv', 'Vendor,Country', 'ACME,SE', 'Gamma,SE');
  const dry = await veritrail(identity, 'import', 'w.csv', '--type', 'vendors', '--dry-run');
  assert.match(dry.err, /^These have the same name or reference_id: row 2 and "Acme" \(vnd_\w+\)\. --update changes/m);
});

test.run();
