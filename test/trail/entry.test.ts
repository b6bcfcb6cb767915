import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('veritrail/trail');

test('src/trail imports only node:crypto', () => {
  const folder = new URL('../../src/trail/', import.meta.url);
  const imports = readdirSync(folder).flatMap((file) =>
    [...readFileSync(new URL(file, folder), 'utf8').matchAll(/\bfrom '([^']+)'/g)].map((match) => match[1]!),
  );
  assert.ok(imports.length > 30);
  const outsideImports = imports.filter((name) => !/^\.\/[\w-]+\.ts$/.test(name));
  assert.equal([...new Set(outsideImports)], ['node:crypto']);
});

test.run();
