import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from '../../src/cli/run.ts';
import { libraryFrameworkId } from '../../src/commands/engine/ids.ts';
import { importedId } from '../../src/commands/engine/import-ids.ts';
import { organizationAggregate } from '../../src/commands/families.ts';
import { framework } from '../../src/commands/framework.ts';
import { firstStart } from '../../src/identity/installation/installation.ts';
import { LIBRARY_IDS } from '../../src/library/framework-library.ts';
import type { TrailEvent } from '../../src/trail/event.ts';
import { readable } from '../support/histories/readable.ts';
import { closeAll, open, type TestIdentity } from '../support/identity/identity.ts';

const test = suite<{ identity: TestIdentity }>('veritrail framework import');

test.before.each(async (context) => {
  context.identity = await open();
  await firstStart({ ...context.identity, now: () => new Date() });
});
test.after.each(closeAll);

async function runImport({ dataDir }: TestIdentity, ...args: string[]) {
  const [out, err]: string[][] = [[], []];
  const shell = {
    env: { DATA_DIR: dataDir },
    cwd: dataDir,
    out: (text: string) => out!.push(text),
    err: (text: string) => err!.push(text),
  };
  return { code: await run(['framework', 'import', ...args], shell), out: out!.join('\n'), err: err!.join('\n') };
}

async function readAdoptions({ events }: TestIdentity): Promise<TrailEvent[]> {
  const storedEvents: TrailEvent[] = [];
  for await (const page of events.readAll(null)) {
    storedEvents.push(...readable(page).filter(({ type }) => type === 'FrameworkAdopted'));
  }
  return storedEvents;
}

function catalog(controls: object[]): string {
  const metadata = { title: 'Own catalog', version: '1.2' };
  return JSON.stringify({ catalog: { metadata, groups: [{ id: 'ac', title: 'Access', controls }] } });
}

function profile(href: string): string {
  const metadata = { title: 'Baseline', version: '3' };
  const imports = [{ href, 'include-controls': [{ 'with-ids': ['ac-2'] }] }];
  return JSON.stringify({ profile: { metadata, imports } });
}

const control = (number: number, prose = `Do thing ${number}.`) => ({
  id: `ac-${number}`,
  title: `Control ${number}`,
  props: [{ name: 'label', value: `AC-${number}` }],
  parts: [{ id: `ac-${number}_smt`, name: 'statement', prose }],
});

test('adopts a CSV once, even if it is imported again', async ({ identity }) => {
  const csv = 'Number;Title;Description;Page\nB.1;Backups are made;Every night;7\nB.2;Restores are tested;;8\n';
  writeFileSync(join(identity.dataDir, 'own.csv'), csv);
  const args = ['own.csv', '--name', 'Backup policy', '--version', '2', '--reason', 'board decision'];
  const first = await runImport(identity, ...args);
  assert.is(first.code, 0, first.err);
  assert.match(first.out, /^Adopted frm_\w{26}: Backup policy 2 with 2 controls$/);
  assert.is(
    first.err,
    'Columns: section_title from "Number", name from "Title", description from "Description".\nIgnored columns: Page.',
  );
  const repeated = await runImport(identity, ...args.slice(0, -1), 'again');
  assert.match(repeated.out, /^frm_\w{26} was already adopted from this file/);
  const [event, ...others] = await readAdoptions(identity);
  assert.equal(others, []);
  const { controls, ...data } = event!.data as { controls: Record<string, unknown>[] };
  assert.equal(data, { name: 'Backup policy', version: '2', reason: 'board decision' });
  assert.equal(
    controls.map(({ id: _id, ...rest }) => rest),
    [
      { section_title: 'B.1', name: 'Backups are made', description: 'Every night' },
      { section_title: 'B.2', name: 'Restores are tested' },
    ],
  );
});

test('adopts an OSCAL catalog of more than 500 controls, with its texts on request', async ({ identity }) => {
  const controls = Array.from({ length: 600 }, (_, n) => control(n + 1));
  writeFileSync(join(identity.dataDir, 'catalog.json'), catalog(controls));
  const plain = await runImport(identity, 'catalog.json');
  assert.match(plain.out, 'Own catalog 1.2 with 600 controls', plain.err);
  assert.is((await runImport(identity, 'catalog.json', '--with-text', '--name', 'With texts')).code, 0);
  const both = (await readAdoptions(identity)).map(({ data }) => (data.controls as Record<string, unknown>[])[599]);
  assert.equal(
    both.map((last) => [last?.section_title, last?.description]),
    [
      ['AC-600', undefined],
      ['AC-600', 'Do thing 600.'],
    ],
  );
});

test('adopts a profile with its catalog, and stores groups, parents and withdrawn controls', async ({ identity }) => {
  const withdrawn = { ...control(3), props: [...control(3).props, { name: 'status', value: 'withdrawn' }] };
  const enhanced = { ...control(1), controls: [{ ...control(2), title: 'x '.repeat(150) }] };
  writeFileSync(join(identity.dataDir, 'catalog.json'), catalog([enhanced, withdrawn]));
  writeFileSync(join(identity.dataDir, 'profile.json'), profile('https://lighthouse.example/rules.json'));
  const whole = await runImport(identity, 'catalog.json');
  assert.match(whole.out, 'Own catalog 1.2 with 2 controls');
  assert.match(whole.err, /Withdrawn controls were left out.* \(1\): AC-3\./);
  assert.match(whole.err, /Titles of more than 200 characters were shortened.* \(1\): AC-2\./);
  const baseline = await runImport(identity, 'profile.json', '--catalog', 'catalog.json');
  assert.match(baseline.out, 'Baseline 3 with 1 controls', baseline.err);
  const [adoption, other] = await readAdoptions(identity);
  assert.is(adoption!.metadata.schema_version, 2);
  assert.is(adoption!.data.note, 'Withdrawn by the publisher and not adopted (1):\nAC-3 Control 3');
  const [first, second] = adoption!.data.controls as Record<string, unknown>[];
  assert.equal([first!.group, first!.parent], ['Access', undefined]);
  assert.equal([second!.group, second!.parent], ['Access', 'AC-1']);
  assert.is(second!.description, 'x '.repeat(150).trim());
  assert.equal([other!.data.note, (other!.data.controls as object[]).length], [undefined, 1]);
});

test('recognizes a file that was imported before groups were kept', async ({ identity }) => {
  const { handler } = identity;
  const organization = await firstStart({ ...identity, now: () => new Date() });
  const organizationId = organization.organizationId;
  const { state } = await handler.load(organizationAggregate(organizationId));
  const input = { name: 'Own catalog', version: '1.2', controls: [{ section_title: 'AC-1', name: 'Control 1' }] };
  const id = importedId(framework, state!.import_key, organizationId, input);
  writeFileSync(join(identity.dataDir, 'catalog.json'), catalog([control(1)]));
  assert.match((await runImport(identity, 'catalog.json')).out, `Adopted ${id}: Own catalog 1.2 with 1 controls`);
});

test('a dry run tells what would be adopted, and writes nothing', async ({ identity }) => {
  writeFileSync(join(identity.dataDir, 'own.csv'), 'Nr,What\nB.1,Backups are made\n');
  const args = ['own.csv', '--name', 'Own', '--map', 'section_title=Nr', '--map', 'name=What', '--dry-run'];
  const { code, out } = await runImport(identity, ...args);
  assert.equal([code, out], [0, 'Dry run, nothing was written: Own with 1 controls']);
  assert.equal(await readAdoptions(identity), []);
});

test('adopts a built-in framework once, as addFramework does', async ({ identity }) => {
  const { organizationId } = await firstStart({ ...identity, now: () => new Date() });
  const args = ['--library', 'ISO_27001_2022', '--reason', 'Certification'];
  const dryRun = await runImport(identity, ...args, '--dry-run');
  assert.match(dryRun.out, /^Dry run, nothing was written: ISO.* with 123 controls$/);
  assert.equal(await readAdoptions(identity), []);
  const first = await runImport(identity, ...args);
  const id = libraryFrameworkId(organizationId, 'ISO_27001_2022');
  assert.is(first.code, 0, first.err);
  assert.match(first.out, new RegExp(`^Adopted ${id}: ISO.* with 123 controls$`));
  const repeated = await runImport(identity, '--library=ISO_27001_2022');
  assert.match(repeated.out, new RegExp(`^${id} was already adopted: ISO`));
  const [event, ...others] = await readAdoptions(identity);
  assert.equal(others, []);
  const { library_id, reason } = event!.data;
  assert.equal([event!.stream, library_id, reason], [`framework-${id}`, 'ISO_27001_2022', 'Certification']);
});

test('lists the built-in frameworks when the name is missing, unknown, or taken for a file', async ({ identity }) => {
  writeFileSync(join(identity.dataDir, 'own.csv'), 'Number,Title\nB.1,Backups\n');
  const cases: [code: number, said: RegExp, ...args: string[]][] = [
    [2, /Give the FILE to import, or --library\./],
    [2, /Give --library a name\./, '--library'],
    [2, /There is no framework "iso-27001"\./, '--library', 'iso-27001'],
    [1, /The file iso-27001 can’t be read\./, 'iso-27001'],
  ];
  for (const [code, said, ...args] of cases) {
    const result = await runImport(identity, ...args);
    assert.equal([result.code, said.test(result.err)], [code, true], result.err);
    for (const name of LIBRARY_IDS) assert.match(result.err, new RegExp(`^ +${name} +\\S.*, \\d+ controls$`, 'm'));
  }
  const both = await runImport(identity, 'own.csv', '--library', 'GDPR');
  assert.equal([both.code, /either a FILE or --library NAME/.test(both.err)], [2, true], both.err);
  const named = await runImport(identity, '--library', 'GDPR', '--name', 'Ours');
  assert.equal([named.code, /--library takes only --dry-run/.test(named.err)], [2, true], named.err);
  assert.equal(await readAdoptions(identity), []);
});

test('refuses a file that cannot be adopted, and gives the reason', async ({ identity }) => {
  const save = (name: string, text: string) => writeFileSync(join(identity.dataDir, name), text);
  save('own.csv', 'Number,Title\nB.1,Backups\n');
  save('twice.csv', 'Number,Title\nB.1,Backups\nB.1,Restores\n');
  save('profile.json', profile('https://lighthouse.example/catalog.json'));
  save('large.json', catalog(Array.from({ length: 100 }, (_, n) => control(n + 1, 'x'.repeat(9_000)))));
  const cases: [code: number, said: RegExp, ...args: string[]][] = [
    [2, /FILE/],
    [2, /--name/, 'own.csv'],
    [2, /--name is longer/, 'own.csv', '--name', 'x'.repeat(201)],
    [2, /column "description"/, 'own.csv', '--name', 'Own', '--with-text'],
    [2, /--header-row takes the number/, 'own.csv', '--name', 'Own', '--header-row', 'x'],
    [1, /no column "Titel"/, 'own.csv', '--name', 'Own', '--map', 'name=Titel'],
    [1, /--map.* are for tables/, 'large.json', '--map', 'name=Title'],
    [1, /https:.*--catalog FILE/, 'profile.json'],
    [1, /can’t be read/, 'none.json'],
    [1, /B\.1/, 'twice.csv', '--name', 'Own'],
    [1, /\d+ KiB/, 'large.json', '--with-text'],
  ];
  for (const [code, said, ...args] of cases) {
    const result = await runImport(identity, ...args);
    assert.is(result.code, code, `${args.join(' ')}\n${result.err}`);
    assert.match(result.err, said);
  }
  assert.equal(await readAdoptions(identity), []);
});

test.run();
