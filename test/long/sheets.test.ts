import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openWorkbookInProcess } from '../../src/app/reading/files-in-process.ts';
import type { SheetField } from '../../src/sheets/cells/read-cell.ts';
import { ColumnReader } from '../../src/sheets/columns/column-reader.ts';
import { openWorkbook } from '../../src/sheets/open-workbook.ts';
import { readSheet } from '../../src/sheets/read-sheet.ts';
import type { OpenWorkbook } from '../../src/sheets/workbook.ts';
import { sheetFolder } from '../support/sheets.ts';
import { xlsxOf } from '../support/xlsx.ts';

const long = suite('spreadsheets of any length');
const files = sheetFolder();
long.after(files.remove);

const ROWS = 150_000;
/** Far below the size of the rows: each has a different text of 200 characters. */
const GROWTH_BYTES = 12_000_000;
const NOTE = 200;
const FIELDS: readonly SheetField[] = [
  { name: 'name', kind: 'text' },
  { name: 'description', kind: 'text' },
  { name: 'criticality', kind: 'enum', values: ['LOW', 'HIGH'] },
];

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const noteOf = (row: number) => `note of row ${row} `.padEnd(NOTE, '.');

/** Reads all rows, and measures the heap after garbage collection at every 10,000th. */
async function readAll(path: string, open: OpenWorkbook = openWorkbook): Promise<{ rows: number; growth: number }> {
  const sheet = await readSheet(open, path);
  let rows = 0;
  let first: number | undefined;
  let most = 0;
  const reader = new ColumnReader(sheet, FIELDS);
  for await (const row of sheet.rows) {
    rows++;
    const { values, errors } = reader.read(row);
    assert.equal([row.row, errors], [rows + 1, []]);
    assert.is(values.description, noteOf(row.row));
    if (rows % 10_000 !== 0) continue;
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    first ??= heapUsed + external;
    most = Math.max(most, heapUsed + external);
  }
  assert.is(sheet.progress(), 1);
  return { rows, growth: most - first! };
}

long(`a CSV of ${ROWS} rows is read in constant memory`, async () => {
  const path = files.save('');
  const lines = function* () {
    yield 'Name,Description,Criticality\n';
    for (let row = 2; row <= ROWS + 1; row++) yield `Vendor ${row},${noteOf(row)},High\n`;
  };
  await pipeline(Readable.from(lines()), createWriteStream(path));
  const { rows, growth } = await readAll(path);
  console.log(`CSV: ${rows} rows, heap grew by ${(growth / 1e6).toFixed(1)} MB`);
  assert.is(rows, ROWS);
  assert.ok(growth < GROWTH_BYTES, `grew by ${growth} bytes`);
});

long(`a workbook of ${ROWS} rows is read in a process, and in constant memory here`, async () => {
  const texts = (row: number) => ({ xml: `<c r="B${row}" t="inlineStr"><is><t>${noteOf(row)}</t></is></c>` });
  const body = Array.from({ length: ROWS }, (_, index) => [index, texts(index + 2), 'High']);
  const path = files.save(xlsxOf([{ rows: [['Name', 'Description', 'Criticality'], ...body] }]));
  body.length = 0;
  const { rows, growth } = await readAll(path, openWorkbookInProcess);
  console.log(`XLSX: ${rows} rows, heap grew by ${(growth / 1e6).toFixed(1)} MB`);
  assert.is(rows, ROWS);
  assert.ok(growth < GROWTH_BYTES, `grew by ${growth} bytes`);
});

long.run();
