/** Workbooks that veritrail writes, read with its own reader. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Cell } from '../../src/sheets/cells/cell.ts';
import type { SheetValue } from '../../src/sheets/xlsx/sheet-xml.ts';
import { type NewSheet, writeXlsx } from '../../src/sheets/xlsx/write-xlsx.ts';
import { readWorkbook, type SheetRead } from '../support/read-workbook.ts';
import { folderOfTest } from '../support/run/installed.ts';

const test = suite('writing XLSX');
const file = join(folderOfTest(), 'written.xlsx');

function sheet(name: string, headings: readonly string[], values: readonly (readonly SheetValue[])[]): NewSheet {
  async function* rows() {
    yield* values;
  }
  return { name, headings, rows: rows() };
}

async function writeAndRead(sheets: readonly NewSheet[], maxSheetRows?: number): Promise<SheetRead[]> {
  await pipeline(writeXlsx(sheets, maxSheetRows), createWriteStream(file));
  return readWorkbook(file);
}

/** The library reads a line break of Windows as one of Unix. */
const readable = (value: string) => value.replaceAll('\r\n', '\n');
const text = (value: string): Cell => ({ kind: 'text', value: readable(value) });

test('each value has its type', async () => {
  const values = ['Text', 12.5, true, false, { share: 0.25 }, null, '', '2026-02-28', '2026-11-23T06:45:01.250Z'];
  const [read] = await writeAndRead([sheet('Types', ['A', 'B'], [values, [null, -1e-7]])]);
  assert.is(read!.name, 'Types');
  assert.equal(read!.rows, [
    [text('A'), text('B')],
    [
      text('Text'),
      { kind: 'number', value: 12.5 },
      { kind: 'boolean', value: true },
      { kind: 'boolean', value: false },
      { kind: 'number', value: 0.25, shown: '25.0%' },
      undefined,
      undefined,
      { kind: 'date', value: '2026-02-28' },
      { kind: 'timestamp', value: '2026-11-23T06:45:01.250Z' },
    ],
    [undefined, { kind: 'number', value: -1e-7 }],
  ]);
});

test('texts stay as they are: formulas, numbers, days that never were, markup, and characters that XML can’t hold', async () => {
  const texts = [
    ...[
      '=1+1',
      '@SUM(A1)',
      '-3',
      '007',
      '1,5',
      'TRUE',
      '#REF!',
      '2026-02-31',
      '1900-02-28',
      '0001-01-01',
      '2026-01-01T25:00:00Z',
    ],
    ...[
      '<b>&amp; "Q" \'s</b>',
      ' spaced ',
      'line\nbreak',
      'carriage\r\nreturn',
      'tab\tbed',
      'bell\u0007',
      '_x0041_',
      '😀',
      'é',
    ],
  ];
  const [read] = await writeAndRead([sheet('Texts', texts, [texts])]);
  for (const row of read!.rows) assert.equal(row, texts.map(text));
});

test('any text comes back', async () => {
  const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 30 }), async (texts) => {
      const [read] = await writeAndRead([sheet('S', ['H'], [texts])]);
      const isBlank = (value: string) => value.trim() === '';
      const expected = texts.map((value) => (isBlank(value) ? undefined : readable(value)));
      const cells = read!.rows[1] ?? [];
      const values = expected.map((_, column) => cells[column]?.value);
      assert.equal(values, expected);
    }),
    { numRuns: 40 },
  );
});

test('a text longer than a cell holds is cut, with a sign', async () => {
  const [read] = await writeAndRead([sheet('Long', ['H'], [['a'.repeat(32_767)], ['b'.repeat(40_000)]])]);
  assert.is(read!.rows[1]![0]!.value, 'a'.repeat(32_767));
  assert.is(read!.rows[2]![0]!.value, `${'b'.repeat(32_766)}…`);
});

test('sheets get names that are allowed and different, in their order', async () => {
  const names = ['Risks', 'risks', 'A/B: [c]*?', "'quoted'", '', 'n'.repeat(40), 'n'.repeat(41), 'A & B'];
  const read = await writeAndRead(names.map((name) => sheet(name, ['H'], [])));
  const expected = ['Risks', 'risks 2', 'A B c', 'quoted', 'Sheet', 'n'.repeat(31), `${'n'.repeat(29)} 2`, 'A & B'];
  assert.equal(
    read.map(({ name }) => name),
    expected,
  );
});

test('rows beyond the end of a sheet go to another one, under the same headings', async () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, index) => [index]);
  const read = await writeAndRead([sheet('Log', ['N'], numbered(7)), sheet('Full', ['N'], numbered(3))], 4);
  const summary = read.map(({ name, rows }) => [name, ...rows.map(([cell]) => cell!.value)]);
  assert.equal(summary, [
    ['Log', 'N', 0, 1, 2],
    ['Log 2', 'N', 3, 4, 5],
    ['Log 3', 'N', 6],
    ['Full', 'N', 0, 1, 2],
  ]);
});

test('columns beyond Z have two and three letters', async () => {
  const wide = Array.from({ length: 705 }, (_, index) => index);
  const [read] = await writeAndRead([sheet('Wide', ['H'], [wide])]);
  assert.equal(
    read!.rows[1]!.map((cell) => cell!.value),
    wide,
  );
});

test('50,000 rows need no more memory than the reader takes at a time', async () => {
  let written = 0;
  let mostAhead = 0;
  async function* rows() {
    for (let row = 0; row < 50_000; row++) {
      written = row;
      yield [row, `row ${row}`, '2026-01-01'];
    }
  }
  let bytes = 0;
  for await (const chunk of writeXlsx([{ name: 'Many', headings: ['N', 'T', 'D'], rows: rows() }])) {
    // A row has at least two packed bytes, so rows far ahead of the bytes are in memory.
    bytes += chunk.length;
    mostAhead = Math.max(mostAhead, written - bytes / 2);
  }
  assert.is(written, 49_999);
  assert.ok(mostAhead < 10_000, `${mostAhead} rows ahead`);
});

test('an error of the rows ends the file', async () => {
  async function* rows() {
    yield ['one'];
    throw new Error('the store is away');
  }
  const write = async () => {
    for await (const _ of writeXlsx([{ name: 'S', headings: ['H'], rows: rows() }]));
  };
  const error = await write().catch((thrown: Error) => thrown);
  assert.is(error?.message, 'the store is away');
});

test.run();
