// Installs missing packages before `npm start` and `npm test`, so that both can be the first command after a clone. With
// `--runtime`, it installs the packages of the service only, and tsx where nothing is compiled. It is plain JavaScript,
// because tsx is not installed yet.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isBuildCurrent } from '../bin/build-state.js';

const root = new URL('..', import.meta.url);
const runtimeOnly = process.argv.includes('--runtime');
const LOADER_FOLDER = 'node_modules/.loader/';

const needed = readJson('package.json').engines.node.replace('>=', '');
if (!isAtLeast(process.versions.node, needed)) {
  console.error(
    `veritrail needs Node.js ${needed} or newer; this is ${process.versions.node}. See https://nodejs.org.`,
  );
  process.exit(1);
}
if (!isInstalled()) {
  console.log('Installing dependencies …');
  install(root, runtimeOnly ? '--omit=dev' : '--include=dev');
}
if (runtimeOnly && !isBuildCurrent(fileURLToPath(root)) && !isLoaderInstalled()) installLoader();

function install(folder, ...options) {
  const args = ['ci', '--ignore-scripts', ...options];
  const npm = process.env.npm_execpath;
  const [command, before] = npm ? [process.execPath, [npm]] : ['npm', []];
  const { status, error } = spawnSync(command, [...before, ...args], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status === 0) return;
  console.error(`Installing failed${error ? ` (${error.message})` : ''}. Check the network and run: npm ci`);
  process.exit(1);
}

/**
 * Installs tsx, which runs TypeScript, without the other packages for development. They are twice as many as the service
 * needs. The lock file goes along, so that npm checks the same versions and hashes; npm leaves out what tsx doesn't need.
 */
function installLoader() {
  const lock = readJson('package-lock.json');
  const loader = { dependencies: { tsx: lock.packages['node_modules/tsx'].version } };
  const folder = new URL(LOADER_FOLDER, root);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('package.json', folder), JSON.stringify(loader));
  writeFileSync(
    new URL('package-lock.json', folder),
    JSON.stringify({ ...lock, packages: { ...lock.packages, '': loader } }),
  );
  // bin/program.js finds tsx by this.
  writeFileSync(new URL('tsx.mjs', folder), "export * from 'tsx/esm/api';\n");
  install(folder, '--no-audit', '--no-fund');
}

function isLoaderInstalled() {
  const { version } = readJson('package-lock.json').packages['node_modules/tsx'];
  return ['', LOADER_FOLDER].some(
    (folder) => readJson(`${folder}node_modules/.package-lock.json`)?.packages['node_modules/tsx']?.version === version,
  );
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
