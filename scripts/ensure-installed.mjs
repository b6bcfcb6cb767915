// Runs before `npm start` and `npm test`. Installs missing packages, so that both can be the first command after a clone.
// `--runtime` checks and installs only the packages of the service itself. Plain JavaScript, because no loader is installed yet.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

const root = new URL('..', import.meta.url);
const runtimeOnly = process.argv.includes('--runtime');

const needed = readJson('package.json').engines.node.replace('>=', '');
if (!isAtLeast(process.versions.node, needed)) {
  console.error(
    `veritrail needs Node.js ${needed} or newer; this is ${process.versions.node}. See https://nodejs.org.`,
  );
  process.exit(1);
}
if (!isInstalled()) install();

function install() {
  console.log('Installing dependencies …');
  const args = ['ci', '--ignore-scripts', runtimeOnly ? '--omit=dev' : '--include=dev'];
  const npm = process.env.npm_execpath;
  const [command, before] = npm ? [process.execPath, [npm]] : ['npm', []];
  const { status, error } = spawnSync(command, [...before, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status === 0) return;
  console.error(`Installing failed${error ? ` (${error.message})` : ''}. Check the network and run: npm ci`);
  process.exit(1);
}

/** Returns true if every package of the lock file is installed in its version. Optional ones are for other platforms. */
function isInstalled() {
  const wanted = readJson('package-lock.json').packages;
  const present = readJson('node_modules/.package-lock.json')?.packages;
  if (!present) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    const isOptional = path === '' || entry.optional || (runtimeOnly && (entry.dev || entry.devOptional));
    return isOptional || present[path]?.version === entry.version;
  });
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(new URL(path, root), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

function isAtLeast(version, minimum) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minMajor = 0, minMinor = 0] = minimum.split('.').map(Number);
  return major > minMajor || (major === minMajor && minor >= minMinor);
}
