import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as trail from '../src/trail/index.ts';

const test = suite('veritrail/trail');

test('is an entry of the package', async () => {
  const entry = 'veritrail/trail';
  const found = (await import(entry)) as typeof trail;
  assert.is(found.verifyExport, trail.verifyExport);
});

test('needs nothing but node:crypto', () => {
  const folder = new URL('../src/trail/', import.meta.url);
  const imports = readdirSync(folder).flatMap((file) =>
    [...readFileSync(new URL(file, folder), 'utf8').matchAll(/\bfrom '([^']+)'/g)].map((found) => found[1]!),
  );
  assert.ok(imports.length > 30);
  const others = imports.filter((name) => !/^\.\/[\w-]+\.ts$/.test(name));
  assert.equal([...new Set(others)], ['node:crypto']);
});

test.run();
