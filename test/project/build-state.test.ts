/** Tests that compiled code runs only while it matches the sources: bin/build-state.js and bin/program.js. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fingerprintSources, isBuildCurrent } from '../../bin/build-state.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Clone {
  root: string;
  write(path: string, text: string): void;
  /** Records the state of the sources, as a build does. */
  build(): void;
  /** Runs `bin/veritrail.js`, in the clone or in another folder. Returns what it prints. */
  run(cwd?: string): string;
}

const test = suite<Clone>('build state');

test.before.each((context) => {
  const root = mkdtempSync(join(tmpdir(), 'veritrail-build-'));
  context.root = root;
  context.write = (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  context.build = () => context.write('dist/build.json', JSON.stringify({ sources: fingerprintSources(root) }));
  context.run = (cwd = root) => {
    const program = join(root, 'bin/veritrail.js');
    const { stdout, stderr } = spawnSync(process.execPath, [program], { cwd, encoding: 'utf8' });
    return stdout + stderr;
  };
  cpSync(join(ROOT, 'bin'), join(root, 'bin'), { recursive: true });
  context.write('package.json', JSON.stringify({ type: 'module' }));
  context.write('scripts/build.mjs', '');
  context.write('tsconfig.json', '{}');
  context.write('tsconfig.trail.json', '{}');
  context.write('src/cli/main.ts', "const name: string = 'source'; console.log(name);");
  context.write('src/mcp/tools.ts', 'export {};');
  context.write('dist/cli.js', "console.log('compiled');");
});
test.after.each(({ root }) => rmSync(root, { recursive: true }));

test('bin/veritrail runs compiled code while no source changes, else the source', ({ root, build, run, write }) => {
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  assert.is(run(), 'source\n');
  build();
  assert.is(run(), 'compiled\n');
  write('src/mcp/tools.ts', 'export const tools = [];');
  assert.is(run(), 'source\n');
});

test('bin/veritrail compiles pages with the options of its own project, in any folder', ({ root, run, write }) => {
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  write('tsconfig.json', JSON.stringify({ compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'preact' } }));
  write('src/cli/page.tsx', 'export const page = <p>text</p>;');
  write('src/cli/main.ts', "import { page } from './page.tsx'; console.log(page.type, page.props);");
  write('other/tsconfig.json', JSON.stringify({ compilerOptions: { jsx: 'react', jsxFactory: 'foreign' } }));
  assert.is(run(join(root, 'other')), "p { children: 'text' }\n");
});

test('bin/veritrail runs compiled code if there are no sources, as in a package', ({ root, build, run }) => {
  build();
  rmSync(join(root, 'src'), { recursive: true });
  assert.is(run(), 'compiled\n');
});

test('a thread runs compiled code if its process does, though a source has changed since', ({
  root,
  build,
  run,
  write,
}) => {
  const [thread, source] = ['bin/thread.js', 'src/cli/main.ts'].map((path) => JSON.stringify(join(root, path)));
  write(
    'dist/cli.js',
    `import { writeFileSync } from 'node:fs';
    import { isMainThread, Worker } from 'node:worker_threads';
    if (isMainThread) writeFileSync(${source}, 'export {}');
    if (isMainThread) new Worker(${thread}, { workerData: { program: 'cli' } });
    else console.log('compiled thread');`,
  );
  build();
  assert.is(run(), 'compiled thread\n');
});

test('bin/veritrail names the command to run if neither can run', ({ run }) => {
  assert.match(
    run(),
    /^veritrail has no current build, .*\nOn a server, run: npm ci && npm run build && npm prune --omit=dev\n/,
  );
});

const CHANGES: Record<string, (clone: Clone) => void> = {
  'an edited source': ({ write }) => write('src/cli/main.ts', 'export {};'),
  'a new source': ({ write }) => write('src/mcp/more.ts', ''),
  'a new asset among the sources': ({ write }) => write('src/web/assets/style.css', ''),
  'a removed source': ({ root }) => rmSync(join(root, 'src/mcp/tools.ts')),
  'a renamed source': ({ root }) => renameSync(join(root, 'src/mcp/tools.ts'), join(root, 'src/mcp/tool.ts')),
  'an older source of the same size': ({ root }) => utimesSync(join(root, 'src/mcp/tools.ts'), 1, 1),
  'changed compiler options': ({ write }) => write('tsconfig.json', '{ }'),
  'a changed list of programs': ({ write }) => write('bin/programs.js', 'export const PROGRAMS = {};'),
  'a changed way to build': ({ write }) => write('scripts/build.mjs', '// changed'),
  'a removed build': ({ root }) => rmSync(join(root, 'dist/build.json')),
};
for (const [name, change] of Object.entries(CHANGES)) {
  test(`a build is out of date after ${name}`, (clone) => {
    clone.build();
    assert.is(isBuildCurrent(clone.root), true);
    change(clone);
    assert.is(isBuildCurrent(clone.root), false);
  });
}

test('a build is current again once an edited source is restored with its modification time', ({
  root,
  build,
  write,
}) => {
  const path = join(root, 'src/mcp/tools.ts');
  const { atime, mtime } = statSync(path);
  utimesSync(path, atime, mtime);
  build();
  write('src/mcp/tools.ts', 'export {}; // more');
  assert.is(isBuildCurrent(root), false);
  write('src/mcp/tools.ts', 'export {};');
  utimesSync(path, atime, mtime);
  assert.is(isBuildCurrent(root), true);
});

test.run();
