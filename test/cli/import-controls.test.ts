import * as assert from 'uvu/assert';
import {
  addMember,
  eventsOf,
  saveFile as file,
  type ImportInstallation,
  importSuite,
  veritrail,
} from '../support/cli/import-command.ts';

const test = importSuite('veritrail import of a statement of applicability');

test.before.each(async ({ identity }) => {
  await veritrail(identity, 'framework', 'import', '--library', 'ISO_27001_2022');
  await veritrail(identity, 'rebuild');
});

const importControls = (identity: ImportInstallation, name: string, ...args: string[]) =>
  veritrail(identity, 'import', name, '--type', 'controls', '--yes', ...args);

/** Returns the changes of controls, each with the number of its control. */
async function changesOf(identity: ImportInstallation, ...types: string[]): Promise<unknown[][]> {
  const [adopted] = await eventsOf(identity, 'FrameworkAdopted');
  const controls = adopted!.data.controls as { id: string; section_title: string }[];
  const numberOf = new Map(controls.map(({ id, section_title }) => [`control-${id}`, section_title]));
  return (await eventsOf(identity, ...types)).map(({ type, stream, data: { reason: _reason, ...data } }) => [
    numberOf.get(stream),
    type,
    data,
  ]);
}

test('controls are found by number, and their titles change nothing', async ({ identity }) => {
  const jane = await addMember(identity, 'Jane Doe', null);
  file(
    identity,
    'soa.csv',
    'Control,Title,Applicable,Justification for inclusion/exclusion,Status,Owner',
    'A.5,Organizational controls,,,,',
    'A.5.1,Policies,Yes,Required by law,Implemented,Jane Doe',
    'A 5.7,Threat intelligence,No,Nobody reads it,Not started,',
    'A.8.30 Outsourced development,,Not applicable,Nothing is outsourced,,',
    'A.99.1,Unknown,Yes,Why,,',
  );
  const { out, err } = await importControls(identity, 'soa.csv');
  assert.is(out, 'created 0, updated 3, unchanged 0, refused 1 (of 5 rows)', err);
  assert.match(err, /^row 6: id "A\.99\.1" is no control of ISO\/IEC 27001:2022$/m);
  assert.match(err, /^Ignored columns: Title, Status\./m);
  assert.match(err, /^Row 2 lies beside the table/m);
  assert.equal(await changesOf(identity, 'ControlOwnerAssigned'), [
    ['A.5.1', 'ControlOwnerAssigned', { owner_id: jane }],
  ]);
  const justified = await changesOf(identity, 'ControlExcluded', 'ControlJustified', 'ControlDetailsChanged');
  assert.equal(justified.map(([number, , data]) => [number, data]).sort(), [
    ['A.5.1', { inclusion_justification: 'Required by law' }],
    ['A.5.7', { exclusion_justification: 'Nobody reads it' }],
    ['A.8.30', { exclusion_justification: 'Nothing is outsourced' }],
  ]);
  const again = await importControls(identity, 'soa.csv');
  assert.is(again.out, 'created 0, updated 0, unchanged 3, refused 1 (of 5 rows)', again.err);
});

test('the numbers of ISO 27002 mean Annex A, and German words are known', async ({ identity }) => {
  file(
    identity,
    'soa.csv',
    'Nr;Maßnahme;Anwendbar;Begründung',
    '5.2;Rollen;ja;Gesetz',
    '5.7;Bedrohungen;nein;Zu klein',
    '5.15;Zugang;ja;Vertrag',
    '8.30;Ausgelagert;nein;Keine Entwicklung',
  );
  const { out, err } = await importControls(identity, 'soa.csv');
  assert.is(out, 'created 0, updated 4, unchanged 0, refused 0 (of 4 rows)', err);
  const numbers = (await changesOf(identity, 'ControlExcluded')).map(([number]) => number);
  assert.equal(numbers, ['A.5.7', 'A.8.30']);
});

test('a framework is chosen where two have the numbers, and a justification needs its status', async ({ identity }) => {
  const table = file(identity, 'framework.csv', 'Number,Title', 'A.5.1,Policies', 'A.5.2,Roles');
  await veritrail(identity, 'framework', 'import', table, '--name', 'Our controls');
  await veritrail(identity, 'rebuild');
  const sheet = file(identity, 'soa.csv', 'Control,Applicable,Justification', 'A.5.1,No,Why', 'A.5.2,,Because');
  const asked = await importControls(identity, sheet);
  assert.is(asked.code, 1);
  assert.match(asked.err, /No column fills id/);
  const chosen = await importControls(identity, sheet, '--framework', 'ISO 27001');
  assert.is(chosen.out, 'created 0, updated 1, unchanged 0, refused 1 (of 2 rows)', chosen.err);
  assert.match(chosen.err, /^row 3: justification needs a status in its row\./m);
  assert.equal(
    (await changesOf(identity, 'ControlExcluded')).map(([number]) => number),
    ['A.5.1'],
  );
});

test.run();
