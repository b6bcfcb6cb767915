import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SimilarWords } from '../../../src/queries/lists/similar-words.ts';

for (const [word, similar, others] of [
  ['center', ['centre', 'cent', 'centers'], ['dentre', 'cinder', 'corner']],
  ['organization', ['organisation', 'organsation', 'organisatoin'], ['organism', 'organs']],
  ['colours', ['colors', 'colour'], ['collars', 'color s']],
  ['licence', ['license'], ['silence']],
  ['mfa', ['mfa', 'mf'], ['mfb', 'm20']],
  ['r005', ['r005', 'r00'], ['r006', 'r015', 'r05']],
  ['x'.repeat(30), ['x'.repeat(30)], [`${'x'.repeat(29)}y`]],
] as const) {
  test(`words like ${word}`, () => {
    const words = new SimilarWords(['other', word]);
    for (const searched of similar) assert.ok(words.has(searched), searched);
    for (const searched of others) assert.not.ok(words.has(searched), searched);
  });
}

test('a word is compared once, and only with words of its first letter', () => {
  const words = new SimilarWords(['apple', 'angle', 'berry']);
  for (let round = 0; round < 3; round += 1) assert.ok(words.has('appel'));
  assert.is(words.compared, 2);
});

test.run();
