/** Each program loads at its start only what it then needs. A module that is needed later is imported when it is. */
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PROGRAMS } from '../../bin/programs.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The packages that each program loads at its start. A package that is needed later costs each start up to 0.1 s. */
const PACKAGES: Record<keyof typeof PROGRAMS, readonly string[]> = {
  main: [
    ...['@koa/router', 'd3-scale', 'koa', 'libsql', 'lru-cache', 'otpauth', 'pino', 'preact'],
    ...['preact-render-to-string', 'preact/jsx-runtime', 'uqr', 'zod'],
  ],
  cli: [],
  'projection-thread': ['lru-cache', 'pino'],
  'reporting-thread': ['lru-cache', 'pino'],
  'write-thread': ['libsql', 'lru-cache', 'pino'],
  'reading-process': [],
  'read-thread': ['d3-scale', 'lru-cache', 'pino', 'preact-render-to-string', 'preact/jsx-runtime', 'zod'],
};

/** The folders that the threads don't need. The read thread writes files of records and of reports. */
const UNNEEDED: Partial<Record<keyof typeof PROGRAMS, RegExp>> = {
  'projection-thread': /^src\/(?:mcp|web|http|reports|queries|identity|sheets|library)\//,
  'write-thread': /^src\/(?:commands|projections|mcp|web|http|reports|queries|identity|sheets|library)\//,
  'reading-process': /^src\/(?:projections|mcp|web|http|reports|queries|identity|library)\//,
  'read-thread': /^src\/(?:web|cli|demo)\//,
};

/** The modules and packages that a program loads at its start, before any `import()`. */
interface StartImports {
  modules: readonly string[];
  packages: readonly string[];
}

/** Bundles a program as a build does, and returns what its first files contain and import. */
async function startImportsOf(module: string): Promise<StartImports> {
  const { metafile } = await build({
    ...{ entryPoints: [`src/${module}.ts`], absWorkingDir: ROOT, outdir: 'dist', write: false, metafile: true },
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', packages: 'external', logLevel: 'error' },
  });
  const { outputs } = metafile;
  const [entry] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === `src/${module}.ts`)!;
  const loaded = [...loadedFrom(outputs, entry)].map((path) => outputs[path]!);
  const packages = loaded.flatMap(({ imports }) =>
    imports.filter(({ external, kind }) => external && kind === 'import-statement').map(({ path }) => path),
  );
  return {
    modules: loaded.flatMap(({ inputs }) => Object.keys(inputs)),
    packages: [...new Set(packages)].filter((name) => !name.startsWith('node:')).sort(),
  };
}

/** Returns a file and all files that its static imports load. */
function loadedFrom(outputs: Metafile['outputs'], path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const { path: imported, kind, external } of outputs[path]!.imports) {
    if (kind === 'import-statement' && !external) loadedFrom(outputs, imported, found);
  }
  return found;
}

const test = suite('imports at the start');

for (const [name, module] of Object.entries(PROGRAMS) as [keyof typeof PROGRAMS, string][]) {
  test(`${name} loads only what it needs`, async () => {
    const { modules, packages } = await startImportsOf(module);
    assert.equal(packages, PACKAGES[name]);
    assert.ok(modules.includes(`src/${module}.ts`));
    const unneeded = UNNEEDED[name];
    assert.equal(
      modules.filter((path) => unneeded?.test(path)),
      [],
    );
  });
}

test.run();
