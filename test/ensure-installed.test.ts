/** What is installed before a start and before tests, with an npm that only writes down how it was called. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const SCRIPT = fileURLToPath(new URL('../scripts/ensure-installed.mjs', import.meta.url));
const RUNTIME = { 'node_modules/koa': { version: '3.0.0' } };
const DEVELOPMENT = { 'node_modules/uvu': { version: '0.5.0', dev: true } };
/** Installs what the lock file names, as npm does. */
const NPM = `
const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const wanted = Object.entries(packages).filter(([, { dev }]) => !(dev && process.argv.includes('--omit=dev')));
mkdirSync('node_modules', { recursive: true });
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(wanted) }));
`;

const installing = suite<{ clone: string; before(...args: string[]): string[] }>('what is installed');

installing.before.each((context) => {
  const clone = mkdtempSync(join(tmpdir(), 'veritrail-clone-'));
  const write = (path: string, text: string) => writeFileSync(join(clone, path), text);
  mkdirSync(join(clone, 'scripts'));
  cpSync(SCRIPT, join(clone, 'scripts/ensure-installed.mjs'));
  write('package.json', JSON.stringify({ engines: { node: '>=20.19' } }));
  write('package-lock.json', JSON.stringify({ packages: { '': {}, ...RUNTIME, ...DEVELOPMENT } }));
  write('npm.cjs', NPM);
  context.clone = clone;
  context.before = (...args) => {
    rmSync(join(clone, 'calls'), { force: true });
    const env = { ...process.env, npm_execpath: join(clone, 'npm.cjs') };
    const script = join(clone, 'scripts/ensure-installed.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: clone, env, encoding: 'utf8' });
    assert.is(status, 0, stderr);
    const calls = join(clone, 'calls');
    return existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
  };
});
installing.after.each(({ clone }) => rmSync(clone, { recursive: true }));

installing('a start installs no development packages; tests then add them', ({ before }) => {
  assert.equal(before('--runtime'), ['ci --ignore-scripts --omit=dev']);
  assert.equal(before('--runtime'), []);
  assert.equal(before(), ['ci --ignore-scripts --include=dev']);
  assert.equal(before(), []);
});

installing('a start leaves a developer’s packages as they are', ({ before }) => {
  before();
  assert.equal(before('--runtime'), []);
});

installing.run();
