import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
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
const separator = fc.constantFrom(
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
const text = fc.array(fc.tuple(word, separator), { maxLength: 40 }).map((words) => words.flat().join(''));

test('is never below the number of tokens, in any script', () => {
  fc.assert(
    fc.property(text, (sample) => {
      const [most, tokens] = [maxTokenCount(sample), tokensOf(sample)];
      assert.ok(most >= tokens, `${most} of ${tokens} tokens: ${JSON.stringify(sample)}`);
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

test('is at most a quarter above for tables of English text and ids', () => {
  const rows = [
    '| R-012 | A key of the hospital interface leaks | Security | IN_TREATMENT | 8 | MEDIUM | 2026-11-07 | Mateo Vargas |',
    '| M-25 | Second hosting region | IN_PROGRESS | msr_3NY9ZHQQJNG72BA3A0S9ABKTVA | yes | 2026-12-31 |',
  ].join('\n');
  assert.ok(maxTokenCount(rows) <= 1.25 * tokensOf(rows), `${maxTokenCount(rows)} of ${tokensOf(rows)} tokens`);
});

test('is at most 40 % above for English prose', () => {
  const prose = [
    'The laboratory depends on one hosting provider. If its region fails, findings reach the clinics late.',
    'A second region is being set up, and the restore of backups is rehearsed every quarter.',
    'Until then the contract allows a delay of four hours, which the clinics have accepted in writing.',
    'The vendor’s certificate expires in March; the review of its subcontractors is overdue.',
  ].join(' ');
  assert.ok(maxTokenCount(prose) >= tokensOf(prose));
  assert.ok(maxTokenCount(prose) <= 1.4 * tokensOf(prose), `${maxTokenCount(prose)} of ${tokensOf(prose)} tokens`);
});

test('knows the first 10,000 tokens of the encoding', () => {
  const file = new URL('../../../src/reports/formats/first-tokens.json', import.meta.url);
  const { tokens } = JSON.parse(readFileSync(file, 'utf8')) as { tokens: string };
  // Each line of the ranks begins with an exclamation mark and the rank of its first token.
  const [, first, ...all] = cl100k.bpe_ranks.split('\n')[0]!.split(' ');
  assert.is(first, '0');
  assert.is(tokens, all.slice(0, 10_000).join(' '));
});

test('counts bytes in long runs with or without spaces, whose encoding would take minutes', () => {
  assert.is(maxTokenCount('x'.repeat(1_000_000)), 1_000_001);
  assert.is(maxTokenCount(`${' '.repeat(1_000_000)}`), 1_000_001);
});

test('treats special tokens of models as plain text', () => {
  assert.ok(maxTokenCount('<|endoftext|>') > 1);
});

test.run();
