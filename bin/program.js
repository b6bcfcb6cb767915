import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { isBuildCurrent } from './build-state.js';
import { PROGRAMS } from './programs.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Where a process says to its threads which code it runs. */
const IS_COMPILED = 'veritrail: compiled code';

/**
 * Runs one of PROGRAMS. Uses dist/ if it is current; otherwise tsx runs the TypeScript in src/. So a clone needs no build
 * and never runs old code. A thread runs what its process runs, though a source may have changed since.
 */
export async function runProgram(name) {
  const isCompiled = getEnvironmentData(IS_COMPILED) ?? isBuildCurrent(ROOT);
  setEnvironmentData(IS_COMPILED, isCompiled);
  if (isCompiled) {
    // Stack traces then name the files of src/.
    process.setSourceMapsEnabled(true);
    return import(`../dist/${name}.js`);
  }
  const { register } = await importLoader();
  // By default, tsx takes the tsconfig.json of the current folder, which may be another project's.
  register({ tsconfig: join(ROOT, 'tsconfig.json') });
  return import(`../src/${PROGRAMS[name]}.ts`);
}

async function importLoader() {
  // In a clone without the packages for development, `npm start` installs tsx there: see scripts/ensure-installed.mjs.
  for (const place of ['tsx/esm/api', '../node_modules/.loader/tsx.mjs']) {
    try {
      return await import(place);
    } catch (error) {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    }
  }
  console.error(
    'veritrail has no current build, and tsx, which runs its TypeScript, is not installed.\n' +
      'On a server, run: npm ci && npm run build && npm prune --omit=dev\n' +
      'To develop, run: npm ci',
  );
  process.exit(1);
}
