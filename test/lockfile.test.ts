import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const lockfile = suite('package-lock.json');

interface Locked {
  resolved?: string;
  integrity?: string;
  optionalDependencies?: Record<string, string>;
}

const packages: Record<string, Locked> = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
).packages;
const dependencies = Object.entries(packages).filter(([path]) => path !== '');

lockfile('has no download addresses, so that any registry can serve it', () => {
  assert.ok(dependencies.length > 0);
  const addressed = dependencies.filter(([, entry]) => entry.resolved !== undefined).map(([path]) => path);
  assert.equal(addressed, []);
});

lockfile('has a checksum of every package, so that every registry must serve the same', () => {
  const unchecked = dependencies.filter(([, entry]) => !entry.integrity?.startsWith('sha512-')).map(([path]) => path);
  assert.equal(unchecked, []);
});

lockfile('lists the packages of every platform, not only of the one it was made on', () => {
  const optional = dependencies.flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {}));
  assert.ok(optional.includes('@biomejs/cli-win32-x64'));
  const missing = optional.filter((name) => packages[`node_modules/${name}`] === undefined);
  assert.equal(missing, []);
});

lockfile.run();
