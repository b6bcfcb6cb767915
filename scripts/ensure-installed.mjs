// Installs missing packages before `npm start` and `npm test`, so that both can be the first command after a clone. With
// `--runtime`, it installs the packages of the service only, and where nothing is compiled, those that compile on demand. It
// is plain JavaScript, because tsx is not installed yet.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isBuildCurrent } from '../bin/build-state.js';

const root = new URL('..', import.meta.url);
const runtimeOnly = process.argv.includes('--runtime');
const LOADER_FOLDER = 'node_modules/.loader/';
/** The packages that run TypeScript, and those of the script for browsers, which is bundled on demand. */
const LOADER_PACKAGES = ['tsx', '@noble/curves'];

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
 * Installs the loader's packages without the others for development, which are twice as many as the service needs. The lock
 * file goes along, so that npm checks the same versions and hashes; npm leaves out what the loader doesn't need.
 */
function installLoader() {
  const lock = readJson('package-lock.json');
  const versions = LOADER_PACKAGES.map((name) => [name, lock.packages[`node_modules/${name}`].version]);
  const loader = { dependencies: Object.fromEntries(versions) };
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
  const locked = readJson('package-lock.json').packages;
  return ['', LOADER_FOLDER].some((folder) => {
    const installed = readJson(`${folder}node_modules/.package-lock.json`)?.packages;
    return LOADER_PACKAGES.map((name) => `node_modules/${name}`).every(
      (path) => installed?.[path]?.version === locked[path].version,
    );
  });
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
