/** An import that changes more than five existing records is confirmed by a person, or by --yes. */
import * as assert from 'uvu/assert';
import { run } from '../../src/cli/run.ts';
import { eventsOf, type ImportInstallation, importSuite, saveFile, veritrail } from '../support/cli/import-command.ts';

const test = importSuite('veritrail import that changes many records');

const NAMES = ['A', 'B', 'C', 'D', 'E', 'F'].map((letter) => `Supplier ${letter}`);
const ARGS = ['v.csv', '--type', 'vendors', '--update'];

async function prepare(identity: ImportInstallation, changed: number): Promise<void> {
  saveFile(identity, 'v.csv', 'Vendor,Country', ...NAMES.map((name) => `${name},DE`));
  const added = await veritrail(identity, 'import', 'v.csv', '--type', 'vendors');
  assert.is(added.code, 0, 'new rows never ask');
  const rows = NAMES.map((name, index) => `${name},${index < changed ? 'FR' : 'DE'}`);
  saveFile(identity, 'v.csv', 'Vendor,Country', ...rows);
}

const changes = async (identity: ImportInstallation) => (await eventsOf(identity, 'VendorDetailsChanged')).length;

/** Runs the command on a terminal, where a person answers. */
async function onTerminal({ dataDir }: ImportInstallation, answer: boolean) {
  const said: string[] = [];
  const asked: string[] = [];
  const code = await run(['import', ...ARGS], {
    env: { DATA_DIR: dataDir },
    cwd: dataDir,
    out: (text) => said.push(text),
    err: (text) => said.push(text),
    confirm: async (question) => {
      asked.push(question);
      return answer;
    },
  });
  return { code, asked, said: said.join('\n') };
}

test('without a terminal it ends with 1 before it writes, unless --yes is given', async ({ identity }) => {
  await prepare(identity, 6);
  const refused = await veritrail(identity, 'import', ...ARGS);
  assert.is(refused.code, 1);
  assert.match(refused.err, /Dry run, nothing was written: created 0, updated 6/);
  assert.match(refused.err, /repeat the command with --yes/);
  assert.is(await changes(identity), 0);
  const written = await veritrail(identity, 'import', ...ARGS, '--yes');
  assert.equal([written.code, await changes(identity)], [0, 6], written.err);
});

test('five changes never ask', async ({ identity }) => {
  await prepare(identity, 5);
  const written = await veritrail(identity, 'import', ...ARGS);
  assert.equal([written.code, await changes(identity)], [0, 5], written.err);
  assert.not.match(written.err, /Dry run/);
});

test('on a terminal it shows the dry run and asks', async ({ identity }) => {
  await prepare(identity, 6);
  const no = await onTerminal(identity, false);
  assert.equal([no.code, no.asked], [1, ['Change these 6 records?']]);
  assert.match(no.said, /These rows would change records: row 2 "Supplier A"/);
  assert.is(await changes(identity), 0);
  const yes = await onTerminal(identity, true);
  assert.equal([yes.code, yes.asked.length, await changes(identity)], [0, 1, 6]);
});

test.run();
