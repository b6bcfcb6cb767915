/**
 * Compiles src/ into dist/, which packages and images run:
 *
 *     npm run build
 *
 * tsc compiles file by file, so stack traces name the files of src/, and data files lie next to the code as in src/. It
 * leaves types to `npm run typecheck`, so it is five times as fast.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleForBrowser } from '../bin/browser-bundle.js';
import { BUILD_FILE, fingerprintSources } from '../bin/build-state.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
const DIST = join(ROOT, 'dist');

// Before compiling: a source that changes meanwhile makes this build out of date.
const sources = fingerprintSources(ROOT);
rmSync(DIST, { recursive: true, force: true });
compile('--project', 'tsconfig.build.json');
// The entry of the package that other programs import has its types.
compile('--project', 'tsconfig.trail.json');
cpSync(join(ROOT, 'src'), DIST, { recursive: true, filter: (path) => !/\.tsx?$/.test(path) });
// Browsers get one file for src/browser and what it imports.
writeFileSync(join(DIST, 'web/assets/verify.js'), bundleForBrowser(ROOT, 'src/browser/verify.ts'));
writeFileSync(join(ROOT, BUILD_FILE), `${JSON.stringify({ sources })}\n`);

/** Runs tsc, which prints the errors that it finds. Exits this process if there is one. */
function compile(...args) {
  const { status, error } = spawnSync(process.execPath, [TSC, ...args], { cwd: ROOT, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(1);
}
