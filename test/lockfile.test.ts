import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const lockfile = suite('package-lock.json');

interface Locked {
  resolved?: string;
  integrity?: string;
}

const packages: Record<string, Locked> = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
).packages;
const dependencies = Object.entries(packages).filter(([path]) => path !== '');

lockfile('names no download addresses, so that any registry can serve it', () => {
  assert.ok(dependencies.length > 0);
  const addressed = dependencies.filter(([, entry]) => entry.resolved !== undefined).map(([path]) => path);
  assert.equal(addressed, []);
});

lockfile('holds a checksum of every package, so that any registry must serve the same', () => {
  const unchecked = dependencies.filter(([, entry]) => !entry.integrity?.startsWith('sha512-')).map(([path]) => path);
  assert.equal(unchecked, []);
});

lockfile.run();
