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
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
).packages;
const dependencies = Object.entries(packages).filter(([path]) => path !== '');

lockfile('package-lock.json has no download addresses, so any registry can serve it', () => {
  assert.ok(dependencies.length > 0);
  const addressed = dependencies.filter(([, entry]) => entry.resolved !== undefined).map(([path]) => path);
  assert.equal(addressed, []);
});

lockfile('package-lock.json has a checksum of every package, so every registry must serve the same', () => {
  const unchecked = dependencies.filter(([, entry]) => !entry.integrity?.startsWith('sha512-')).map(([path]) => path);
  assert.equal(unchecked, []);
});

lockfile('package-lock.json lists the packages of every platform', () => {
  const optional = dependencies.flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {}));
  assert.ok(optional.includes('@biomejs/cli-win32-x64'));
  const missing = optional.filter((name) => packages[`node_modules/${name}`] === undefined);
  assert.equal(missing, []);
});

lockfile.run();
