/** The same table in every format that spreadsheet programs write. The library's writer makes the files. */
import { type BookType, CFB, utils, write } from '@e965/xlsx';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readCell } from '../../src/sheets/cells/read-cell.ts';
import { openWorkbook } from '../../src/sheets/open-workbook.ts';
import { readSheet } from '../../src/sheets/read-sheet.ts';
import { assertRefuses, rowsOf, sheetFolder } from '../support/sheets.ts';
import { zipOf } from '../support/zip.ts';

const test = suite('formats of spreadsheets');
const files = sheetFolder();
test.after(files.remove);

/** A workbook with a hidden sheet, a date, a merged cell, and a clause that is a number shown as 5.10. */
function book() {
  const sheet = utils.aoa_to_sheet([
    ['Name', 'Clause', 'Until', 'Personal data'],
    ['Müller & Søn', { t: 'n', v: 5.1, z: '0.00' }, { t: 'n', v: 46387, z: 'yyyy-mm-dd' }, true],
    [null, 7, null, false],
  ]);
  sheet['!merges'] = [{ s: { r: 1, c: 0 }, e: { r: 2, c: 0 } }];
  const workbook = utils.book_new(sheet, 'Register');
  utils.book_append_sheet(workbook, utils.aoa_to_sheet([['Name'], ['hidden']]), 'Lists');
  utils.book_set_sheet_visibility(workbook, 1, 1);
  return workbook;
}

const ROWS = [
  { row: 2, Name: 'Müller & Søn', Clause: 5.1, Until: '2026-12-31', 'Personal data': true },
  { row: 3, Name: 'Müller & Søn', Clause: 7, 'Personal data': false },
];

for (const bookType of ['xlsx', 'xlsm', 'xlsb', 'biff8', 'xlml'] as BookType[]) {
  test(`${bookType} is read with its values, and texts show numbers as the sheet does`, async () => {
    const sheet = await files.open(write(book(), { bookType, type: 'buffer' }));
    assert.is(sheet.name, 'Register');
    assert.equal(sheet.notices, []);
    const { cells } = sheet.sample[0]!;
    assert.equal(readCell(cells.get('Clause'), { name: 'clause', kind: 'text' }), { value: '5.10' });
    assert.equal(await rowsOf(sheet), ROWS);
  });
}

test('ODS is read with its values', async () => {
  const sheet = await files.open(write(book(), { bookType: 'ods', type: 'buffer' }), 'Register');
  assert.equal(await rowsOf(sheet), ROWS);
});

test('a table in HTML is read as its texts, in the encoding that the page states', async () => {
  const rows =
    '<tr><th>Name</th><th>Code</th><th>Due</th></tr><tr><td>K\xf6ln &amp; Co</td><td>007</td><td>03/04/2026</td></tr>';
  const page = `<html><head><meta charset="windows-1252"></head><body><table>${rows}</table></body></html>`;
  const expected = [{ row: 2, Name: 'Köln & Co', Code: '007', Due: '03/04/2026' }];
  assert.equal(await rowsOf(await files.open(Buffer.from(page, 'latin1'))), expected);
  const [, body] = page.split('</head>');
  assert.equal(await rowsOf(await files.open(Buffer.from(`\ufeff<html>${body}`))), expected);
  assert.equal(await rowsOf(await files.open(Buffer.from(`\ufeff<html>${body}`, 'utf16le'))), expected);
});

test('a workbook with a password is refused as such', async () => {
  const container = CFB.utils.cfb_new();
  for (const name of ['/EncryptionInfo', '/EncryptedPackage']) CFB.utils.cfb_add(container, name, Buffer.alloc(5_000));
  const content = CFB.write(container, { type: 'buffer' }) as Buffer;
  await assertRefuses(() => openWorkbook(files.save(content)), /has a password\. Save it without one/);
});

test('a file that is no table is refused as what it is', async () => {
  const contents = {
    'is a PDF': '%PDF-1.4\n1 0 obj\n<<"a" b>>',
    'is JSON': '[{"name":"Fire","impact":4}]',
    'is a zip archive with old/list\\.csv in it': zipOf({ 'old/list.csv': 'Name\nFire' }),
  };
  for (const [problem, content] of Object.entries(contents)) {
    await assertRefuses(() => openWorkbook(files.save(content)), new RegExp(problem));
  }
});

test('a table in Markdown is read', async () => {
  const sheet = await files.open('| Name | Impact |\n|:---|---:|\n| Fire, fast | 4 |\n| Flood | 2 |\n');
  const rows = (await rowsOf(sheet)).map((row) => [
    row.row,
    ...Object.values(row)
      .slice(1)
      .map((cell) => String(cell).trim()),
  ]);
  assert.equal(rows, [
    [3, 'Fire, fast', '4'],
    [4, 'Flood', '2'],
  ]);
});

test('columns without headings have letters', async () => {
  const path = files.save('Acme;FR\nBeta;DE;4\n');
  const sheet = await readSheet(openWorkbook, path, { headingRow: 0, namesField: () => false });
  assert.equal([sheet.headingRow, sheet.headers, sheet.notices], [0, ['A', 'B', 'C'], []]);
  assert.equal(await rowsOf(sheet), [
    { row: 1, A: 'Acme', B: 'FR' },
    { row: 2, A: 'Beta', B: 'DE', C: '4' },
  ]);
});

test.run();
