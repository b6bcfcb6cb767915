/*
 * Compiles src/ as a build does, for programs that tsx runs. tsx names each function anew whenever it is created, which
 * the service that `npm start` runs doesn't do. Use it with `--import`, after tsx.
 */
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { transform } from 'esbuild';

const SOURCE = new URL('../src/', import.meta.url).href;
const COMPILER_OPTIONS = { jsx: 'react-jsx', jsxImportSource: 'preact' };

// Node.js loads this file again in its thread for hooks.
if (isMainThread) register(import.meta.url);

/** The hook of Node.js that loads modules. */
export async function load(url, context, nextLoad) {
  const loader = /\.(tsx?)$/.exec(url)?.[1];
  if (loader === undefined || !url.startsWith(SOURCE)) return nextLoad(url, context);
  const text = await readFile(fileURLToPath(url), 'utf8');
  const { code } = await transform(text, {
    loader,
    target: 'node20',
    tsconfigRaw: { compilerOptions: COMPILER_OPTIONS },
  });
  return { format: 'module', source: code, shortCircuit: true };
}
