/**
 * Compiles src/ into dist/, which packages and images run:
 *
 *     npm run build
 *
 * With `--if-stale`, it does so only if the sources have changed since the last build.
 *
 * Each program becomes one bundle, and what programs share becomes further files, so that a start loads few files. Packages
 * are not bundled. Types are left to `npm run typecheck`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { bundleForBrowser } from '../bin/browser-bundle.js';
import { BUILD_FILE, fingerprintSources, INPUTS, isBuildCurrent } from '../bin/build-state.js';
import { PROGRAMS } from '../bin/programs.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SRC = join(ROOT, 'src');
const DIST = join(ROOT, 'dist');
const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

/** Gives a bundled module the address below dist/ that it has below src/. Data files lie next to it there. */
const moduleAddress = {
  name: 'module address',
  setup({ onLoad }) {
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const address = `new URL(${JSON.stringify(relative(SRC, path))}, import.meta.url).href`;
      return { contents: text.replaceAll('import.meta.url', address), loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

const BUNDLE_OPTIONS = {
  tsconfig: join(ROOT, 'tsconfig.json'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  plugins: [moduleAddress],
  logLevel: 'warning',
};

if (process.argv.includes('--if-stale') && isBuildCurrent(ROOT)) process.exit(0);

// Before compiling: a source that changes meanwhile makes this build out of date.
const sources = fingerprintSources(ROOT);
rmSync(DIST, { recursive: true, force: true });
await bundlePrograms();
// The entry of the package that other programs import has its types.
compile('--project', 'tsconfig.trail.json');
cpSync(SRC, DIST, { recursive: true, filter: (path) => !/\.tsx?$/.test(path) });
// Browsers get one file for src/browser and what it imports.
const assets = join(DIST, 'web/assets');
writeFileSync(join(assets, 'verify.js'), bundleForBrowser(ROOT, 'src/browser/verify.ts'));
await compressAssets();
writeFileSync(join(ROOT, BUILD_FILE), `${JSON.stringify({ sources, commit: committedAs() })}\n`);

/** Writes the brotli form of each asset that pages load, as the service's own module makes it. */
async function compressAssets() {
  const outfile = join(DIST, 'assets.js');
  await build({ ...BUNDLE_OPTIONS, entryPoints: [join(SRC, 'web/server/assets.ts')], outfile });
  const { ASSET_NAMES, assetText } = await import(outfile);
  for (const name of ASSET_NAMES) writeFileSync(join(assets, `${name}.br`), brotliCompressSync(assetText(name)));
  rmSync(outfile);
}

/**
 * Returns the first 8 hex digits of the commit that has these sources: of COMMIT, which the build of an image is given, or
 * of git. Returns undefined if neither knows, or if the sources were edited.
 */
function committedAs() {
  const given = process.env.COMMIT;
  if (given) return given.slice(0, 8);
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : null;
  };
  const isClean = git('rev-parse', '--show-prefix') === '' && git('status', '--porcelain', '--', ...INPUTS) === '';
  return isClean ? git('rev-parse', '--short=8', 'HEAD').slice(0, 8) : undefined;
}

/** Bundles the programs, and the entry of the package. Their files are directly in dist/: see `moduleAddress`. */
async function bundlePrograms() {
  const entryPoints = { ...PROGRAMS, 'trail/index': 'trail/index' };
  await build({
    entryPoints: Object.entries(entryPoints).map(([out, module]) => ({ in: join(SRC, `${module}.ts`), out })),
    ...BUNDLE_OPTIONS,
    outdir: DIST,
    chunkNames: '[name]-[hash]',
    splitting: true,
    sourcemap: true,
    sourcesContent: false,
  });
}

/** Runs tsc, which prints the errors that it finds. Exits this process if there is one. */
function compile(...args) {
  const { status, error } = spawnSync(process.execPath, [TSC, ...args], { cwd: ROOT, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(1);
}
