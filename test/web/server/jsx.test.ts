import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url));

const test = suite('JSX runtime');

// tsx reads tsconfig.json from the current folder. That may belong to another project, so each file names its runtime.
test('every page file names the JSX runtime in its first line', () => {
  const pages = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'));
  assert.ok(pages.length > 10);
  const without = pages.filter(
    (page) => !readFileSync(SRC + page, 'utf8').startsWith('/** @jsxRuntime automatic @jsxImportSource preact */\n'),
  );
  assert.equal(without, []);
});

test.run();
