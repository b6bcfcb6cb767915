import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { MAX_CROSSWALK_PAIRS } from '../../src/commands/crosswalk.ts';
import type { CrosswalkPair } from '../../src/register/crosswalk.ts';
import {
  eventsOf,
  saveFile as file,
  type ImportInstallation,
  importSuite,
  veritrail,
} from '../support/cli/import-command.ts';
import { xlsxOf } from '../support/xlsx.ts';

const test = importSuite('veritrail crosswalk import');

async function adopt(identity: ImportInstallation, name: string, numbers: readonly string[]): Promise<void> {
  const table = file(
    identity,
    'framework.csv',
    'Number,Title',
    ...numbers.map((number) => `${number},About ${number}`),
  );
  const { code, err } = await veritrail(identity, 'framework', 'import', table, '--name', name);
  assert.is(code, 0, err);
}

test.before.each(async ({ identity }) => {
  await adopt(identity, 'ISO/IEC 27001:2022', ['A.5.1', 'A.5.2', 'A.5.10', 'A.5.15']);
  await adopt(identity, 'NIST CSF', ['GV.PO-01', 'GV.RR-02', 'PR.AA-05']);
  await veritrail(identity, 'rebuild');
});

const importFile = (identity: ImportInstallation, ...args: string[]) =>
  veritrail(identity, 'crosswalk', 'import', ...args);

/** Returns the imported pairs by number, with one line for each. */
async function pairsOf(identity: ImportInstallation): Promise<string[][]> {
  const numberOf = new Map<string, string>();
  for (const { data } of await eventsOf(identity, 'FrameworkAdopted')) {
    for (const { id, section_title } of data.controls as { id: string; section_title: string }[]) {
      numberOf.set(id, section_title);
    }
  }
  const events = await eventsOf(identity, 'CrosswalkImported');
  return events.map(({ data }) =>
    (data.pairs as CrosswalkPair[]).map(({ from_id, to_id, relation }) => {
      const numbers = [numberOf.get(from_id), numberOf.get(to_id)];
      // Ids are random, and the lower one comes first if a relation has no direction.
      return (relation === 'EQUIVALENT' ? numbers.sort() : numbers).join(` ${relation} `);
    }),
  );
}

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

test('more than five links get another relation only if somebody confirms it', async ({ identity }) => {
  const sheet = (relation: string) =>
    file(
      identity,
      'map.csv',
      'From;Relation;To',
      ...['A.5.1', 'A.5.2', 'A.5.10'].flatMap((number) =>
        ['GV.PO-01', 'GV.RR-02'].map((to) => `${number};${relation};${to}`),
      ),
    );
  assert.match((await importFile(identity, sheet('supports'))).out, /^created 6,/m, 'new pairs never ask');
  const refused = await importFile(identity, sheet('equivalent'));
  assert.is(refused.code, 1);
  assert.match(refused.err, /This import changes 6 links that exist, and nobody confirmed it\. Nothing was written\./);
  assert.is((await eventsOf(identity, 'CrosswalkImported')).length, 1);
  const confirmed = await importFile(identity, 'map.csv', '--yes');
  assert.match(confirmed.out, /^created 0, updated 6,/m, confirmed.err);
  assert.is((await eventsOf(identity, 'CrosswalkImported')).length, 2);
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

test('a relation is asked once, rows without one link nothing, and others have their words', async ({ identity }) => {
  const asked = await importFile(identity, file(identity, 'a.csv', 'From;To', 'A.5.1;"GV.PO-01,GV.RR-02"'));
  const [problem] = /^row 2: .*$/m.exec(asked.err) ?? [''];
  assert.match(problem, /^row 2: relation is required.*\(--relation gives one to rows that state none\)$/);
  assert.is(problem.split('is required').length, 2, problem);
  const rows = ['A.5.1;broader than;GV.PO-01', 'A.5.2;narrower;GV.RR-02', 'A.5.10;None;GV.PO-01', 'A.5.15;;PR.AA-05'];
  const sheet = file(identity, 'b.csv', 'From;Relation;To', ...rows);
  const { code, err } = await importFile(identity, sheet, '--relation', 'equivalent');
  assert.is(code, 0, err);
  assert.match(err, /^Rows that say that there is no relation link nothing: 1\.$/m);
  assert.equal(await pairsOf(identity), [
    ['GV.PO-01 PARTLY A.5.1', 'A.5.2 PARTLY GV.RR-02', 'A.5.15 EQUIVALENT PR.AA-05'],
  ]);
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

test('refuses a file with too many pairs, and one without controls', async ({ identity }) => {
  const line = 'A.5.1;supports;GV.PO-01';
  const lines = Array.from({ length: MAX_CROSSWALK_PAIRS + 1 }, () => line);
  const tooLong = await importFile(identity, file(identity, 'long.csv', 'From;Relation;To', ...lines));
  assert.equal([tooLong.code, tooLong.out], [1, '']);
  assert.match(tooLong.err, /One import takes at most 5000 pairs\. Split the rest off/);
  const fitting = await importFile(identity, file(identity, 'fits.csv', 'From;Relation;To', ...lines.slice(1)));
  assert.match(fitting.out, /^created 1, updated 0, unchanged 0 pairs, refused 0 \(of 5000 rows\)$/m, fitting.err);
  const other = await importFile(identity, file(identity, 'other.csv', 'Name;Age', 'Anna;5', 'Bo;7'));
  assert.match(other.err, /No column has the controls of from_control\. Map one/);
});

test.run();
