/** `veritrail crosswalk import`: the relations that rows state, changed ones, and files that are refused. */
import * as assert from 'uvu/assert';
import { MAX_CROSSWALK_PAIRS } from '../../src/commands/crosswalk.ts';
import { crosswalkSuite, importFile, pairsOf } from '../support/cli/crosswalk-import.ts';
import { eventsOf, saveFile as file } from '../support/cli/import-command.ts';

const test = crosswalkSuite('relations of an imported crosswalk');

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

test('frameworks and relations may have the names that others give them', async ({ identity }) => {
  const headings = 'Focal Document Element;Source framework;Relationship;Reference Document Element;Target framework';
  const rows = ['A.5.1;ISO27001;intersects with;GV.PO-01;NIST-CSF', 'A.5.2;ISO27001:2022;full;GV.RR-02;nist csf'];
  const { code, err } = await importFile(identity, file(identity, 'c.csv', headings, ...rows));
  assert.is(code, 0, err);
  assert.equal(await pairsOf(identity), [['A.5.1 PARTLY GV.PO-01', 'A.5.2 EQUIVALENT GV.RR-02']]);
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
