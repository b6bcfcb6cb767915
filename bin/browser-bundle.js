// Bundles the code that runs in browsers. Fails if it imports something that only Node.js has.
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Packages that `npm start` installs in a clone, see scripts/ensure-installed.mjs. */
const LOADER_PACKAGES = 'node_modules/.loader/node_modules';

/** Modules that stand in for those of Node.js, so that browsers can rebuild a change with the projections' own code. */
const NODE_STAND_INS = { 'node:crypto': 'node-crypto.ts', 'node:util': 'node-util.ts' };

/** Returns a module of the project and all its imports as one script. @param root the project's folder */
export function bundleForBrowser(root, module) {
  const { outputFiles } = loadEsbuild(root).buildSync({
    entryPoints: [join(root, module)],
    nodePaths: [join(root, LOADER_PACKAGES)],
    alias: Object.fromEntries(
      Object.entries(NODE_STAND_INS).map(([name, file]) => [name, join(root, 'src/browser/stand-ins', file)]),
    ),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0].text;
}

function loadEsbuild(root) {
  try {
    return createRequire(join(root, 'package.json'))('esbuild');
  } catch {
    return createRequire(join(root, LOADER_PACKAGES, 'tsx/package.json'))('esbuild');
  }
}
