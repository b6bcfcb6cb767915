/** Tests that one file reads the wall clock. The others get the time that the service trusts, or measure with `monotonicMs`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('the wall clock');

const SRC = fileURLToPath(new URL('../../src', import.meta.url));
const CLOCK_FILE = join('clock', 'service-clock.ts');
/** Code that runs in browsers, beside no service. */
const BROWSER = /^(?:browser|web[/\\]assets)[/\\]/;
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*/g;
/** `Date.now` also without a call, `new Date` without a value, `Date()` as a function, and the origin of `performance`. */
const WALL_CLOCK = /\bDate\.now\b|\bnew Date(?:\(\s*\)|\s*(?![\s(<\w]))|(?<!new )\bDate\(\s*\)|\btimeOrigin\b/;

test('is read by one file', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(?:tsx?|js)$/.test(file));
  const readers = files
    .filter((file) => !BROWSER.test(file))
    .filter((file) => WALL_CLOCK.test(readFileSync(join(SRC, file), 'utf8').replace(COMMENT, '')));
  assert.equal(readers, [CLOCK_FILE]);
});

test('is recognised in each form', () => {
  for (const code of ['Date.now()', 'now = Date.now', 'new Date()', 'new Date;', 'Date()', 'performance.timeOrigin'])
    assert.match(code, WALL_CLOCK, code);
  for (const code of ['new Date(ms)', 'Date.parse(text)', 'Date.UTC(2026)', 'now: () => Date', 'performance.now()'])
    assert.not.match(code, WALL_CLOCK, code);
});

test.run();
