/** `veritrail crosswalk import`: the columns, frameworks and numbers that it finds. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { adopt, crosswalkSuite, importFile, pairsOf } from '../support/cli/crosswalk-import.ts';
import { eventsOf, saveFile as file, veritrail } from '../support/cli/import-command.ts';
import { xlsxOf } from '../support/xlsx.ts';

const test = crosswalkSuite('veritrail crosswalk import');

test('finds columns by headings, reads relations in words, and leaves wrong rows out whole', async ({ identity }) => {
  const sheet = file(
    identity,
    'map.csv',
    'Mapping of 2026',
    'Source control;Relationship;Target control;Remark',
    'A.5.1;Equal to;GV.PO-01;',
    'A.5.2;supported by;GV.RR-02;',
    'A.5.15;Subset of;PR.AA-05;',
    'A.5.10;;GV.PO-01;"no ""relation"""',
    'A.5.10;Partly;PR.AA-05, PR.AA-99;',
    'A.5.10;Equivalent;;nothing fits',
    'A.5.9;Equivalent;GV.PO-01;',
  );
  const dryRun = await importFile(identity, sheet, '--dry-run');
  assert.match(dryRun.out, /^Dry run, nothing was written: created 3, updated 0, unchanged 0 pairs, refused 3/m);
  assert.equal(await pairsOf(identity), []);
  const first = await importFile(identity, sheet, '--left-out', 'left.csv', '--reason', 'The authority’s table');
  assert.is(first.code, 1);
  assert.match(first.out, /NIST CSF.*: EQUIVALENT 1, SUPPORTS 1, PARTLY 1$/m);
  assert.match(first.out, /^created 3, updated 0, unchanged 0 pairs, refused 3 \(of 7 rows\)$/m);
  assert.match(first.err, /^row 6: relation is required/m);
  assert.match(first.err, /^row 7: NIST CSF has no control PR\.AA-99\.$/m);
  assert.match(first.err, /^row 9: .*27001:2022 has no control A\.5\.9\.$/m);
  assert.match(first.err, /^Rows with controls of one framework only link nothing: 1\.$/m);
  assert.equal(await pairsOf(identity), [
    ['A.5.1 EQUIVALENT GV.PO-01', 'GV.RR-02 SUPPORTS A.5.2', 'A.5.15 PARTLY PR.AA-05'],
  ]);
  const [event] = await eventsOf(identity, 'CrosswalkImported');
  assert.is(event!.data.reason, 'The authority’s table');
  assert.is((await importFile(identity, sheet)).code, 1);
  assert.is((await pairsOf(identity)).length, 1, 'the same file again writes nothing');
  const leftOut = readFileSync(join(identity.dataDir, 'left.csv'), 'utf8');
  const mended = leftOut
    .replace('A.5.10,,', 'A.5.10,supports,')
    .replace('PR.AA-99', 'GV.RR-02')
    .replace('A.5.9', 'A.5.10');
  file(identity, 'mended.csv', mended.replace(',Equivalent,GV.PO-01', ',Supports,GV.PO-01'));
  const second = await importFile(identity, 'mended.csv');
  assert.is(
    second.out.split('\n').at(-1),
    'created 3, updated 0, unchanged 0 pairs, refused 0 (of 3 rows)',
    second.err,
  );
  const added = (await pairsOf(identity))[1];
  assert.equal(added, ['A.5.10 SUPPORTS GV.PO-01', 'A.5.10 PARTLY PR.AA-05', 'A.5.10 PARTLY GV.RR-02']);
});

test('finds columns by the numbers in them, in a workbook whose headings name the frameworks', async ({ identity }) => {
  const rows = [
    ['Annex A of ISO', 'CSF category', 'Owner'],
    ['a.5.01', 'GV.PO-1', 'Anna'],
    ['A.5.2\nA.5.10', 'GV.RR-02', 'Bo'],
  ];
  writeFileSync(join(identity.dataDir, 'map.xlsx'), xlsxOf([{ rows }]));
  const unstated = await importFile(identity, 'map.xlsx');
  assert.match(unstated.err, /relation is required/);
  const { code, out, err } = await importFile(identity, 'map.xlsx', '--relation', 'partly');
  assert.is(code, 0, err);
  assert.match(err, /from_control from "Annex A of ISO", to_control from "CSF category"/);
  assert.match(out, /^created 3, updated 0, unchanged 0 pairs, refused 0 \(of 2 rows\)$/m);
  assert.equal(await pairsOf(identity), [['A.5.1 PARTLY GV.PO-01', 'A.5.2 PARTLY GV.RR-02', 'A.5.10 PARTLY GV.RR-02']]);
});

test('takes the framework of a column, of an option, or of the row', async ({ identity }) => {
  await adopt(identity, 'NIST CSF of the group', ['GV.PO-01', 'GV.RR-02']);
  await veritrail(identity, 'rebuild');
  const lines = ['From;Relation;To', 'A.5.1;supports;GV.PO-01', 'A.5.2;supports;GV.RR-02'];
  const ambiguous = await importFile(identity, file(identity, 'a.csv', ...lines));
  assert.match(ambiguous.err, /have a control GV\.PO-01\. Name the framework\./);
  assert.match((await importFile(identity, 'a.csv', '--to', 'CSF')).err, /--to: "CSF" could be NIST CSF/);
  const chosen = await importFile(identity, 'a.csv', '--to', 'CSF of the group');
  assert.match(chosen.out, /NIST CSF of the group/, chosen.err);
  const named = [
    'From;Relation;To;Target framework',
    'A.5.1;supports;GV.PO-01;NIST CSF',
    'A.5.2;supports;GV.RR-02;CSF group',
  ];
  const both = await importFile(identity, file(identity, 'b.csv', ...named));
  assert.is(both.code, 0, both.err);
  assert.match(both.out, /^created 1, updated 0, unchanged 1 pairs/m);
  assert.is((await eventsOf(identity, 'CrosswalkImported')).length, 2);
});

test('numbers of ISO 27002 are those of Annex A, unless they could be clauses too', async ({ identity }) => {
  await adopt(identity, 'ISO/IEC 42001:2023', ['5.1', 'A.5.1', 'A.5.9', '7.1', 'A.7.1']);
  await veritrail(identity, 'rebuild');
  const lines = ['Source;Target', '5.1;GV.PO-01', '5.9;GV.RR-02'];
  const options = ['--from', '42001', '--relation', 'partly'];
  const annex = await importFile(identity, file(identity, 'a.csv', ...lines), ...options);
  assert.is(annex.code, 0, annex.err);
  assert.equal(await pairsOf(identity), [['A.5.1 PARTLY GV.PO-01', 'A.5.9 PARTLY GV.RR-02']]);
  const unclear = await importFile(identity, file(identity, 'b.csv', 'Source;Target', '7.1;PR.AA-05'), ...options);
  assert.match(
    unclear.err,
    /^row 2: from_control "7\.1" is a clause and a control of Annex A\. Write A\.7\.1, or "clause 7\.1"\./m,
  );
});

test.run();
