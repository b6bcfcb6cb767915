import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { etagMatches } from '../../src/http/etag.ts';

const test = suite('entity tags');

for (const [ifNoneMatch, expected] of [
  ['"a1"', true],
  ['W/"a1"', true],
  ['"other", W/"a1"', true],
  ['"a1-gzip"', true],
  ['W/"a1-br"', true],
  ['*', true],
  ['"a1-x"', false],
  ['"a1-gzip-gzip"', false],
  ['"a"', false],
  ['', false],
] as const)
  test(`${ifNoneMatch || 'nothing'} ${expected ? 'matches' : 'does not match'} W/"a1"`, () => {
    assert.is(etagMatches(ifNoneMatch, 'W/"a1"'), expected);
  });

test.run();
