import * as assert from 'uvu/assert';
import {
  eventsOf,
  saveFile as file,
  type ImportInstallation,
  importSuite,
  veritrail,
} from '../support/cli/import-command.ts';

const test = importSuite('links of imported rows');

const CLAUSES = ['5.3', '8.2', '10.2'];
const ANNEX = ['A.5.3', 'A.5.15', 'A.8.2'];

async function adopt(identity: ImportInstallation): Promise<void> {
  const rows = [...CLAUSES, ...ANNEX].map((number) => `${number},About ${number}`);
  const table = file(identity, 'framework.csv', 'Number,Title', ...rows);
  const { code, err } = await veritrail(identity, 'framework', 'import', table, '--name', 'ISO/IEC 27001:2022');
  assert.is(code, 0, err);
}

/** Imports risks, and returns the numbers of the controls of each by its name. */
async function linked(identity: ImportInstallation, ...lines: string[]) {
  const { code, err } = await veritrail(identity, 'import', file(identity, 'r.csv', ...lines), '--type', 'risks');
  assert.is(code, 0, err);
  const numbers = new Map<string, string>();
  for (const { data } of await eventsOf(identity, 'FrameworkAdopted')) {
    for (const { id, section_title } of data.controls as { id: string; section_title: string }[]) {
      numbers.set(id, section_title);
    }
  }
  for (const { stream, data } of await eventsOf(identity, 'RiskAdded', 'VendorAdded')) {
    numbers.set(stream.slice(stream.indexOf('-') + 1), String(data.name));
  }
  const links = (await eventsOf(identity, 'RecordsLinked')).map(({ data }) =>
    (data.ids as string[])
      .map((id) => numbers.get(id)!)
      .sort()
      .join(' – '),
  );
  return { links: links.sort(), err };
}

test('numbers of a column mean Annex A if one of them exists only there', async ({ identity }) => {
  await adopt(identity);
  const { links } = await linked(identity, 'Name,Controls', 'R1,"8.2, 5.3"', 'R2,5.15');
  assert.equal(links, ['A.5.15 – R2', 'A.5.3 – R1', 'A.8.2 – R1']);
});

test('numbers of a column mean clauses if one of them exists only there, or if the column writes A.', async ({
  identity,
}) => {
  await adopt(identity);
  const clauses = await linked(identity, 'Name,Controls', 'R1,8.2', 'R2,10.2');
  assert.equal(clauses.links, ['10.2 – R2', '8.2 – R1']);
  const both = await linked(identity, 'Name,Controls', 'R3,5.3', 'R4,A.8.2');
  assert.equal(both.links, ['10.2 – R2', '5.3 – R3', '8.2 – R1', 'A.8.2 – R4']);
});

test('a number that could be a clause or a control links nothing, and the command asks', async ({ identity }) => {
  await adopt(identity);
  const { links, err } = await linked(identity, 'Name,Controls', 'R1,"8.2; 5.3"', 'R2,8.2', 'R3,clause 8.2');
  assert.equal(links, ['8.2 – R3']);
  assert.match(
    err,
    /clauses and of controls of Annex A, so they link nothing: "8\.2" \(2\), "5\.3" \(1\)\. Write A\.8\.2/,
  );
});

test('controls of Annex A are found in the spellings of people', async ({ identity }) => {
  await adopt(identity);
  const spellings = [
    'A.8.2',
    'a.8.02',
    'A8.2',
    'A 8.2',
    'Annex A 8.2',
    'Annex A.8.2',
    'A.8.2 Privileged access',
    'A.8.2: x',
  ];
  const rows = spellings.map((word, index) => `R${index},${word}`);
  const { links, err } = await linked(identity, 'Name,Controls', ...rows, 'R8,A.8.99', 'R9,"A.8.2 x, A.5.15"');
  assert.equal(links, ['A.5.15 – R9', ...spellings.map((_, index) => `A.8.2 – R${index}`), 'A.8.2 – R9']);
  assert.match(err, /These name no record to link with: "A\.8\.99" \(1\)\./);
});

test('a name is one record, also with commas, and its parts are none', async ({ identity }) => {
  const names = ['"Smith, Jones & Co"', 'Smith', 'Acme', 'Beta | Gamma'];
  file(identity, 'v.csv', 'Name', ...names);
  assert.is((await veritrail(identity, 'import', 'v.csv', '--type', 'vendors')).code, 0);
  const rows = [
    'R1,"Smith, Jones & Co"',
    'R2,"Smith, Miller & Co"',
    'R3,"Acme, Smith"',
    'R4,Acme|Smith',
    'R5,Beta | Gamma',
  ];
  const { links, err } = await linked(identity, 'Name,Vendors', ...rows);
  assert.equal(links, [
    'Acme – R3',
    'Acme – R4',
    'Beta | Gamma – R5',
    'R1 – Smith, Jones & Co',
    'R3 – Smith',
    'R4 – Smith',
  ]);
  assert.match(err, /These name no record to link with: "Smith, Miller & Co" \(1\)\./);
});

test('rows of one number are one record with the links of all, unless their values differ', async ({ identity }) => {
  file(identity, 'v.csv', 'Name', 'Acme', 'Beta', 'Gamma');
  await veritrail(identity, 'import', 'v.csv', '--type', 'vendors');
  const sheet = [
    'Ref,Name,Impact,Vendors',
    'R-1,Fire,4,Acme',
    'R-1,Fire,4,Beta',
    'R-1,,,Gamma',
    'R-2,,3,Acme',
    'R-2,Flood,,',
  ];
  const { links } = await linked(identity, ...sheet);
  assert.equal(links, ['Acme – Fire', 'Acme – Flood', 'Beta – Fire', 'Fire – Gamma']);
  assert.equal((await eventsOf(identity, 'RiskAdded')).map(({ data }) => data.inherent_impact).sort(), [3, 4]);
  file(identity, 'd.csv', 'Ref,Name,Vendors', 'R-8,Frost,Acme', 'R-8,Theft,Beta');
  const { out, err } = await veritrail(identity, 'import', 'd.csv', '--type', 'risks');
  assert.match(out, /created 0, .* refused 2 \(/);
  assert.match(err, /^row 2: Rows 2, 3 contradict each other about R-8\..*number them apart, or leave .* --ignore/m);
});

test('records of a command before are found while the service is stopped', async ({ identity }) => {
  await veritrail(identity, 'rebuild');
  await adopt(identity);
  file(identity, 'v.csv', 'Name', 'Acme');
  await veritrail(identity, 'import', 'v.csv', '--type', 'vendors');
  const { links, err } = await linked(identity, 'Ref,Name,Vendors,Controls', 'R-1,Fire,ACME,10.2');
  assert.equal(links, ['10.2 – Fire', 'Acme – Fire'], err);
  file(identity, 'm.csv', 'Action,Linked risks', 'Dam,r-1: Fire', 'Door,Fire');
  const { out } = await veritrail(identity, 'import', 'm.csv', '--type', 'measures');
  assert.match(out, /created 2,.* linked 2 /);
});

test.run();
