// Says whether the compiled code in dist/ is that of the sources, so that no program runs old code.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Everything that a build reads besides node_modules. */
export const INPUTS = ['src', 'bin/programs.js', 'scripts/build.mjs', 'tsconfig.json', 'tsconfig.trail.json'];
/** Written by a build: the fingerprint of the sources that it compiled, and their commit. */
export const BUILD_FILE = 'dist/build.json';

/**
 * Returns true if a project folder's dist/ may run: its sources have not changed since the build, or there are none, as
 * in a package and in an image.
 */
export function isBuildCurrent(root) {
  if (!existsSync(join(root, BUILD_FILE))) return false;
  if (!existsSync(join(root, 'src'))) return true;
  return JSON.parse(readFileSync(join(root, BUILD_FILE), 'utf8')).sources === fingerprintSources(root);
}

/**
 * Returns a digest over the path, size and modification time of every source file. Like Git's index it notices an edited,
 * added, removed or older file without reading one: comparing the newest time alone would miss a file that was put back.
 */
export function fingerprintSources(root) {
  const digest = createHash('sha256');
  for (const path of INPUTS.flatMap((input) => filesIn(root, input))) {
    const { size, mtimeMs } = statSync(join(root, path));
    digest.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return digest.digest('hex');
}

function filesIn(root, path) {
  if (!existsSync(join(root, path))) return [];
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
}
