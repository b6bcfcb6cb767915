import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const test = suite<{ folder: string }>('npm run new-family');

test.before((context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'veritrail-new-family-'));
  const script = ['scripts/new-family.ts', 'scripts/new-family'];
  for (const path of ['package.json', 'tsconfig.json', 'src', ...script, 'test/fixtures/families'])
    cpSync(join(ROOT, path), join(context.folder, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(context.folder, 'node_modules'));
});
test.after(({ folder }) => rmSync(folder, { recursive: true }));

function run(folder: string, command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(join(ROOT, 'node_modules/.bin', command), args, {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

test('refuses names that it can’t use, and writes nothing', ({ folder }) => {
  for (const names of [[], ['asset', 'assets', 'ast'], ['Asset', 'assets', 'asset'], ['Vendor', 'sellers', 'sel']]) {
    const { status, output } = run(folder, 'tsx', 'scripts/new-family.ts', ...names);
    assert.is(status, 1, names.join());
    assert.match(output, names[0] === 'Vendor' ? 'Choose another' : 'Usage:');
  }
  assert.not(existsSync(join(folder, 'src/register/asset.ts')));
});

test('writes a family that compiles, with tools and rules', ({ folder }) => {
  const { status, output } = run(folder, 'tsx', 'scripts/new-family.ts', 'Asset', 'assets', 'ast');
  assert.is(status, 0, output);
  writeFileSync(
    join(folder, 'tsconfig.families.json'),
    '{ "extends": "./tsconfig.json", "include": [], "files": ["src/commands/families.ts"] }',
  );
  assert.equal(run(folder, 'tsc', '--project', 'tsconfig.families.json'), { status: 0, output: '' });
  writeFileSync(
    join(folder, 'src/show.ts'),
    `import { FAMILIES } from './commands/families.ts';
import { familyModel } from './projections/read-models/family-model.ts';
const { ASSET } = FAMILIES;
console.log(JSON.stringify([ASSET.historyFields, Object.keys(familyModel(ASSET).keys)]));`,
  );
  assert.equal(JSON.parse(run(folder, 'tsx', 'src/show.ts').output), [
    ['name', 'description', 'category', 'owner_id', 'archived_at'],
    ['name', 'name_similar', 'category'],
  ]);
  assert.equal(readFileSync(join(folder, 'src/demo/data/assets.json'), 'utf8'), '[]\n', 'the demo starts');
});

test.run();
