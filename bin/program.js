import { fileURLToPath } from 'node:url';
import { isBuildCurrent } from './build-state.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Runs a program of this project, such as `cli/main`. Uses dist/ if it is current; otherwise tsx runs the TypeScript
 * in src/. So a clone needs no build and never runs old code.
 */
export async function runProgram(name) {
  if (isBuildCurrent(ROOT)) return import(`../dist/${name}.js`);
  const { register } = await importLoader();
  register({ tsconfig: false });
  return import(`../src/${name}.ts`);
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
  console.error('veritrail has no current build, and tsx, which runs its TypeScript, is not installed. Run: npm ci');
  process.exit(1);
}
