/** Tests what a start and a test run install, with an npm that only records its calls. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fingerprintSources } from '../../bin/build-state.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPT = 'scripts/ensure-installed.mjs';
const BUILD_STATE = 'bin/build-state.js';
const RUNTIME = { 'node_modules/koa': { version: '3.0.0' } };
const DEVELOPMENT = {
  'node_modules/tsx': { version: '4.0.0', dev: true },
  'node_modules/@noble/curves': { version: '2.0.0', dev: true },
  'node_modules/uvu': { version: '0.5.0', dev: true },
};
/** A stand-in for npm that installs the packages of the lock file. */
const NPM = `
const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
appendFileSync(process.env.CALLS, process.argv.slice(2).join(' ') + '\\n');
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const installed = Object.entries(packages).filter(([, { dev }]) => !(dev && process.argv.includes('--omit=dev')));
mkdirSync('node_modules', { recursive: true });
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(installed) }));
`;

const installing = suite<{ clone: string; before(...args: string[]): string[] }>('installation');

installing.before.each((context) => {
  const clone = mkdtempSync(join(tmpdir(), 'veritrail-clone-'));
  const write = (path: string, text: string) => writeFileSync(join(clone, path), text);
  for (const file of [SCRIPT, BUILD_STATE]) cpSync(join(ROOT, file), join(clone, file));
  mkdirSync(join(clone, 'src'));
  write('tsconfig.json', '{}');
  write('package.json', JSON.stringify({ type: 'module', engines: { node: '>=20.19' } }));
  write('package-lock.json', JSON.stringify({ packages: { '': {}, ...RUNTIME, ...DEVELOPMENT } }));
  write('npm.cjs', NPM);
  context.clone = clone;
  context.before = (...args) => {
    const calls = join(clone, 'calls');
    rmSync(calls, { force: true });
    const env = { ...process.env, npm_execpath: join(clone, 'npm.cjs'), CALLS: calls };
    const { status, stderr } = spawnSync(process.execPath, [join(clone, SCRIPT), ...args], {
      cwd: clone,
      env,
      encoding: 'utf8',
    });
    assert.is(status, 0, stderr);
    return existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
  };
});
installing.after.each(({ clone }) => rmSync(clone, { recursive: true }));

installing(
  'a start installs only the loader of the development packages; tests then install the others',
  ({ before, clone }) => {
    assert.equal(before('--runtime'), ['ci --ignore-scripts --omit=dev', 'ci --ignore-scripts --no-audit --no-fund']);
    const loader = JSON.parse(readFileSync(join(clone, 'node_modules/.loader/package-lock.json'), 'utf8')) as {
      packages: Record<string, object>;
    };
    // npm installs the locked versions and leaves out what the root does not ask for.
    assert.equal(loader.packages[''], { dependencies: { tsx: '4.0.0', '@noble/curves': '2.0.0' } });
    assert.equal(loader.packages['node_modules/tsx'], DEVELOPMENT['node_modules/tsx']);
    assert.equal(before('--runtime'), []);
    assert.equal(before(), ['ci --ignore-scripts --include=dev']);
    assert.equal(before(), []);
  },
);

installing('a start of compiled code installs no loader, until a source changes', ({ before, clone }) => {
  mkdirSync(join(clone, 'dist'));
  writeFileSync(join(clone, 'dist/build.json'), JSON.stringify({ sources: fingerprintSources(clone) }));
  assert.equal(before('--runtime'), ['ci --ignore-scripts --omit=dev']);
  writeFileSync(join(clone, 'src/main.ts'), '');
  assert.equal(before('--runtime'), ['ci --ignore-scripts --no-audit --no-fund']);
});

installing('a start does not change a developer’s packages', ({ before }) => {
  before();
  assert.equal(before('--runtime'), []);
});

installing('every script that needs packages installs them first', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  // npm runs prepack with the packages that `npm run build` installs.
  const names = Object.keys(scripts).filter((name) => !(name.startsWith('pre') && name.slice(3) in scripts));
  const bare = names.filter((name) => !scripts[`pre${name}`]?.startsWith(`node ${SCRIPT}`));
  assert.equal(bare, ['prepack']);
});

installing.run();
