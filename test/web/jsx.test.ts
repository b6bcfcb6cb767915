import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

const test = suite('pages as they are started');

// tsx reads the settings of the folder that a program is started in, which need not be this project's.
test('every page says by itself what its elements are made by', () => {
  const pages = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'));
  assert.ok(pages.length > 10);
  const without = pages.filter(
    (page) => !readFileSync(SRC + page, 'utf8').startsWith('/** @jsxRuntime automatic @jsxImportSource preact */\n'),
  );
  assert.equal(without, []);
});

test.run();
