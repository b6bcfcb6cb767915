import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tokensOf } from '../../../bench/tokens.ts';
import { maxTokenCount } from '../../../src/reports/formats/max-token-count.ts';

const test = suite('the most tokens of a text');

/** First and last letters of many scripts, of one to four bytes each. */
const SCRIPTS: readonly (readonly [script: string, first: number, last: number])[] = [
  ['ASCII', 0x20, 0x7e],
  ['lower case', 0x61, 0x7a],
  ['capitals', 0x41, 0x5a],
  ['digits', 0x30, 0x39],
  ['Latin', 0xc0, 0x24f],
  ['Greek', 0x391, 0x3c9],
  ['Cyrillic', 0x410, 0x44f],
  ['Armenian', 0x531, 0x586],
  ['Hebrew', 0x5d0, 0x5ea],
  ['Arabic', 0x621, 0x64a],
  ['Devanagari', 0x904, 0x939],
  ['Tamil', 0xb85, 0xbb9],
  ['Thai', 0xe01, 0xe2e],
  ['Georgian', 0x10d0, 0x10f0],
  ['Ethiopic', 0x1200, 0x1248],
  ['Khmer', 0x1780, 0x17a2],
  ['signs', 0x2010, 0x27bf],
  ['kana', 0x3041, 0x30fa],
  ['Han', 0x4e00, 0x9fa5],
  ['Hangul', 0xac00, 0xd7a3],
  ['wide', 0xff01, 0xff5e],
  ['emoji', 0x1f300, 0x1faff],
];

const letter = (first: number, last: number) =>
  fc.integer({ min: first, max: last }).map((code) => String.fromCodePoint(code));
const word = fc
  .constantFrom(...SCRIPTS)
  .chain(([, first, last]) => fc.array(letter(first, last), { minLength: 1, maxLength: 12 }))
  .map((letters) => letters.join(''));
const between = fc.constantFrom(
  ' ',
  ' ',
  ' ',
  '',
  ' | ',
  ' |\n| ',
  '_',
  '-',
  ', ',
  '. ',
  "'s ",
  "'",
  '\n\n',
  '\\_',
  '  ',
);
const text = fc.array(fc.tuple(word, between), { maxLength: 40 }).map((words) => words.flat().join(''));

test('is never below the number of tokens, in any script', () => {
  fc.assert(
    fc.property(text, (one) => {
      const [most, tokens] = [maxTokenCount(one), tokensOf(one)];
      assert.ok(most >= tokens, `${most} of ${tokens} tokens: ${JSON.stringify(one)}`);
    }),
    { numRuns: 600 },
  );
});

for (const [script, first, last] of SCRIPTS) {
  test(`holds for long texts of ${script}, which no space breaks`, () => {
    fc.assert(
      fc.property(fc.array(letter(first, last), { minLength: 100, maxLength: 700 }), (letters) => {
        assert.ok(maxTokenCount(letters.join('')) >= tokensOf(letters.join('')));
      }),
      { numRuns: 15 },
    );
  });
}

test('is exact for tables of English text and ids', () => {
  const rows = [
    '| R-012 | A key of the hospital interface leaks | Security | IN_TREATMENT | 8 | MEDIUM | 2026-11-07 | Mateo Vargas |',
    '| M-25 | Second hosting region | IN_PROGRESS | msr_3NY9ZHQQJNG72BA3A0S9ABKTVA | yes | 2026-12-31 |',
  ].join('\n');
  assert.is(maxTokenCount(rows), tokensOf(rows));
});

test('counts bytes in long runs with or without spaces, whose encoding would take minutes', () => {
  assert.is(maxTokenCount('x'.repeat(1_000_000)), 1_000_001);
  assert.is(maxTokenCount(`${' '.repeat(1_000_000)}`), 1_000_001);
});

test('treats special tokens of models as plain text', () => {
  assert.ok(maxTokenCount('<|endoftext|>') > 1);
});

test.run();
