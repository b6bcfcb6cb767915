import * as assert from 'uvu/assert';
import { dataOf, eventsOf, saveFile as file, importSuite, veritrail } from '../support/cli/import-command.ts';

const test = importSuite('the meaning of imported cells');

test('a column of numbers, such as scores, is never a name', async ({ identity }) => {
  const headings = 'ID,Description,Likelihood,Impact,Risk';
  const sheet = file(identity, 'r.csv', headings, 'R-1,Fire in the DC,2,3,6', 'R-2,Flood,1,4,4');
  const { code, err } = await veritrail(identity, 'import', sheet, '--type', 'risks');
  assert.is(code, 0, err);
  assert.match(err, /^Column "Risk" was not used for name, because its cells are numbers\..*--map name="Risk"\.$/m);
  const names = dataOf(await eventsOf(identity, 'RiskAdded')).map(({ name }) => name);
  assert.equal(names.sort(), ['Fire in the DC', 'Flood']);

  file(identity, 'scores.csv', 'Topic,Probability,Impact,Risk (P*I)', 'Flood,2,3,6');
  const asked = await veritrail(identity, 'import', 'scores.csv', '--type', 'risks');
  assert.is(asked.code, 1);
  assert.match(asked.err, /No column fills name.*--map name=COLUMN/);
  file(identity, 'v.csv', 'Name', '360', '1984');
  const mapped = await veritrail(identity, 'import', 'v.csv', '--type', 'vendors', '--map', 'name=Name');
  assert.match(mapped.out, /created 2/, mapped.err);
});

test('a column "Id" or "ID" with ids of the type names the records to change', async ({ identity }) => {
  file(identity, 'o.csv', 'Requirement,Source', 'Keep records,Law');
  await veritrail(identity, 'import', 'o.csv', '--type', 'obligations');
  const [added] = await eventsOf(identity, 'ObligationAdded');
  const id = added!.stream.slice('obligation-'.length);
  for (const heading of ['Id', 'ID', ' id ']) {
    file(identity, 'report.csv', `${heading},Requirement,Source`, `${id},Keep records,${heading.trim()} of the law`);
    const { out, err } = await veritrail(identity, 'import', 'report.csv', '--type', 'obligations');
    assert.is(out, 'created 0, updated 1, unchanged 0, refused 0 (of 1 rows)', err);
  }
  file(identity, 'own.csv', 'ID,Requirement', '4711,Delete records');
  const other = await veritrail(identity, 'import', 'own.csv', '--type', 'obligations');
  assert.match(other.out, /^created 1,/, 'the ids of other systems are none');
});

test('line breaks in short texts are spaces', async ({ identity }) => {
  file(identity, 'v.csv', 'Name,Country', '"COGEX \nENTREPRENEUR\r\nGENERAL","Fran-\nce"');
  const { code, err } = await veritrail(identity, 'import', 'v.csv', '--type', 'vendors');
  assert.is(code, 0, err);
  assert.equal(dataOf(await eventsOf(identity, 'VendorAdded')), [
    { name: 'COGEX ENTREPRENEUR GENERAL', country: 'Fran- ce' },
  ]);
});

test('two words for one step of a scale are asked, and one is read', async ({ identity }) => {
  const sheet = file(
    identity,
    'r.csv',
    'Risk,Likelihood,Impact',
    'Fire,Likely,Critical',
    'Flood,Remote,Catastrophic',
    'Frost,Improbable,Minor',
  );
  const asked = await veritrail(identity, 'import', sheet, '--type', 'risks');
  assert.is(asked.out, 'created 0, updated 0, unchanged 0, refused 3 (of 3 rows)');
  assert.match(
    asked.err,
    /^row 2: inherent_impact "Critical" could be several .*--value "inherent_impact:Critical=…"/m,
  );
  assert.match(asked.err, /^row 3: inherent_likelihood "Remote" could be .*inherent_impact "Catastrophic" could be/m);
  const words = ['--value', 'inherent_impact:Critical=4', '--value', 'inherent_likelihood:Remote=2'];
  const told = await veritrail(identity, 'import', sheet, '--type', 'risks', ...words);
  assert.is(told.code, 0, told.err);
  const ratings = dataOf(await eventsOf(identity, 'RiskAdded')).map((risk) => [
    risk.name,
    risk.inherent_likelihood,
    risk.inherent_impact,
  ]);
  assert.equal(ratings.sort(), [
    ['Fire', 4, 4],
    ['Flood', 2, 5],
    ['Frost', 1, 2],
  ]);
});

test('rows that an earlier version read in another way stay as they are', async ({ identity }) => {
  const name = '"Flood of\nthe DC"';
  file(identity, 'read.csv', 'ID,Risk,Description,Impact', `R-1,Flood of,${name},5`, 'R-2,Fire,,5');
  await veritrail(identity, 'import', 'read.csv', '--type', 'risks');
  file(identity, 'sheet.csv', 'ID,Risk,Impact', `R-1,${name},Critical`, 'R-2,Fire,Catastrophic', 'R-3,Frost,Critical');
  const again = await veritrail(identity, 'import', 'sheet.csv', '--type', 'risks');
  assert.is(again.out, 'created 0, updated 0, unchanged 2, refused 1 (of 3 rows)', again.err);
  const words = ['--update', '--value', 'inherent_impact:Critical=4'];
  const updated = await veritrail(identity, 'import', 'sheet.csv', '--type', 'risks', ...words);
  assert.is(updated.out, 'created 1, updated 1, unchanged 1, refused 0 (of 3 rows)', updated.err);
  const [change] = dataOf(await eventsOf(identity, 'RiskDetailsChanged'));
  assert.equal(change!.changes, { name: 'Flood of the DC' });
});

test('a refused word is listed once, and one line has the options for all words', async ({ identity }) => {
  const rows = ['A,often,Watch', 'B,often,Watch', 'C,often,Parked', 'D,Likely,Watch'];
  const sheet = file(identity, 'r.csv', 'Risk,Likelihood,Status', ...rows, 'E,9,');
  const args = ['--map', 'inherent_likelihood=Likelihood', '--map', 'status=Status', '--report', 'all.csv'];
  const { err, out } = await veritrail(identity, 'import', sheet, '--type', 'risks', ...args);
  assert.match(out, /refused 5 /);
  const listed = [...err.matchAll(/^row (\d+): /gm)].map(([, row]) => row);
  assert.equal(listed, ['2', '4', '6'], err);
  assert.match(err, /^More rows with only such problems were refused: 2\.$/m);
  const options = ['inherent_likelihood:often=…', 'status:Watch=…', 'status:Parked=…'];
  assert.match(err, `solve such problems: ${options.map((option) => `--value "${option}"`).join(' ')}`);
});

test.run();
