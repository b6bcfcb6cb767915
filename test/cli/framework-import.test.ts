import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from '../../src/cli/run.ts';
import { firstStart } from '../../src/identity/installation/installation.ts';
import type { TrailEvent } from '../../src/trail/event.ts';
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
    storedEvents.push(...page.filter(({ type }) => type === 'FrameworkAdopted'));
  }
  return storedEvents;
}

function catalog(controls: object[]): string {
  const metadata = { title: 'Own catalog', version: '1.2' };
  return JSON.stringify({ catalog: { metadata, groups: [{ id: 'ac', title: 'Access', controls }] } });
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
  assert.match(first.err, 'Page');
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

test('refuses a file that cannot be adopted, and gives the reason', async ({ identity }) => {
  const save = (name: string, text: string) => writeFileSync(join(identity.dataDir, name), text);
  save('own.csv', 'Number,Title\nB.1,Backups\n');
  save('twice.csv', 'Number,Title\nB.1,Backups\nB.1,Restores\n');
  save('large.json', catalog(Array.from({ length: 100 }, (_, n) => control(n + 1, 'x'.repeat(9_000)))));
  const cases: [code: number, said: RegExp, ...args: string[]][] = [
    [2, /FILE/],
    [2, /--name/, 'own.csv'],
    [2, /--name is longer/, 'own.csv', '--name', 'x'.repeat(201)],
    [2, /column "description"/, 'own.csv', '--name', 'Own', '--with-text'],
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
