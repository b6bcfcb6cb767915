import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertRefuses, rowsOf, sheetFolder } from '../support/sheets.ts';
import { STYLES, type TestCell, xlsxFiles, xlsxOf } from '../support/xlsx.ts';
import { zipOf } from '../support/zip.ts';

const xlsx = suite('XLSX');
const files = sheetFolder();
xlsx.after(files.remove);

const sheetOf = (...rows: TestCell[][]) => [{ rows }];
const xml = (text: string): TestCell => ({ xml: text });

/** The cells of one row below headers A, B, …, with their kinds. */
async function cellsOf(cells: TestCell[], options?: { date1904: boolean }): Promise<unknown[]> {
  const headers = cells.map((_, index) => String.fromCharCode(65 + index));
  const sheet = await files.open(xlsxOf(sheetOf(headers, cells), options));
  for await (const row of sheet.rows) return headers.map((header) => row.cells.get(header));
  return [];
}

xlsx('is read with its texts, numbers, booleans and blank cells and rows', async () => {
  const sheet = await files.open(
    xlsxOf(
      sheetOf(['Name', 'Staff', 'Personal data', 'Note'], ['A & <B>', 12.5, true, null], [], [null, null, false, 'x']),
    ),
  );
  assert.equal(sheet.headers, ['Name', 'Staff', 'Personal data', 'Note']);
  assert.equal(await rowsOf(sheet), [
    { row: 2, Name: 'A & <B>', Staff: 12.5, 'Personal data': true },
    { row: 4, 'Personal data': false, Note: 'x' },
  ]);
  assert.is(sheet.progress(), 1);
});

xlsx('reads texts of every kind', async () => {
  assert.equal(
    await cellsOf([
      xml('<c r="A2" t="inlineStr"><is><t>plain</t></is></c>'),
      xml(
        '<c r="B2" t="inlineStr"><is><r><rPr><b/></rPr><t>two </t></r><r><t>runs</t></r><rPh><t>spoken</t></rPh></is></c>',
      ),
      xml('<c r="C2" t="str"><f>A1&amp;"x"</f><v>of a formula</v></c>'),
      xml('<c r="D2" t="str"><v>line_x000D_\nbreak</v></c>'),
      xml('<c r="E2"><f>1+1</f><v>2</v></c>'),
      xml('<c r="F2" t="e"><f>A99</f><v>#REF!</v></c>'),
      xml('<c r="G2" t="d" s="1"><v>2026-12-31</v></c>'),
      xml('<c r="H2" s="1"/>'),
      xml('<c r="I2" t="inlineStr"><is><t> </t></is></c>'),
      xml('<c r="J2"><f>1+1</f><v/></c>'),
      xml('<c r="K2" t="str"><f>""</f><v></v></c>'),
    ]),
    [
      { kind: 'text', value: 'plain' },
      { kind: 'text', value: 'two runs' },
      { kind: 'text', value: 'of a formula' },
      { kind: 'text', value: 'line\nbreak' },
      { kind: 'number', value: 2 },
      { kind: 'error', value: '#REF!' },
      { kind: 'date', value: '2026-12-31' },
      undefined,
      undefined,
      { kind: 'error', value: '=…' },
      undefined,
    ],
  );
});

xlsx('joins the runs of shared texts, without their phonetic hints', async () => {
  const parts = xlsxFiles(sheetOf(['Name'], ['Acme']));
  const item = '<si><r><t>Ac</t></r><r><t xml:space="preserve">me </t></r><rPh sb="0" eb="1"><t>ak</t></rPh></si>';
  parts['xl/sharedStrings.xml'] = `<sst><si><t>Name</t></si>${item}</sst>`;
  assert.equal(await rowsOf(await files.open(zipOf(parts))), [{ row: 2, Name: 'Acme ' }]);
});

const styled = (style: keyof typeof STYLES, serial: number, column: string): TestCell =>
  xml(`<c r="${column}2" s="${STYLES[style]}"><v>${serial}</v></c>`);

xlsx('recognizes dates, times and numbers by their format', async () => {
  assert.equal(
    await cellsOf([
      styled('date', 46387, 'A'),
      styled('dateTime', 46387.604166666664, 'B'),
      styled('dateTime', 46387, 'C'),
      styled('customDate', 46387.75, 'D'),
      styled('minutes', 1.5, 'E'),
      styled('coloured', 46387, 'F'),
      styled('general', 46387, 'G'),
    ]),
    [
      { kind: 'date', value: '2026-12-31' },
      { kind: 'timestamp', value: '2026-12-31T14:30:00.000Z' },
      { kind: 'date', value: '2026-12-31' },
      { kind: 'timestamp', value: '2026-12-31T18:00:00.000Z' },
      { kind: 'number', value: 1.5, shown: '36:00' },
      { kind: 'number', value: 46387, shown: '46387.00 days' },
      { kind: 'number', value: 46387 },
    ],
  );
});

for (const [serial, date1904, expected] of [
  [1, false, { kind: 'date', value: '1900-01-01' }],
  [59, false, { kind: 'date', value: '1900-02-28' }],
  [60, false, { kind: 'number', value: 60 }],
  [61, false, { kind: 'date', value: '1900-03-01' }],
  [0, false, { kind: 'number', value: 0 }],
  [2958465, false, { kind: 'date', value: '9999-12-31' }],
  [2958466, false, { kind: 'number', value: 2958466 }],
  [0, true, { kind: 'date', value: '1904-01-01' }],
  [60, true, { kind: 'date', value: '1904-03-01' }],
  [44925, true, { kind: 'date', value: '2026-12-31' }],
] as const) {
  xlsx(`day ${serial} of the ${date1904 ? 1904 : 1900} system is ${expected.value}`, async () => {
    assert.equal(await cellsOf([styled('date', serial, 'A')], { date1904 }), [expected]);
  });
}

xlsx('is read from the first visible sheet, or from the requested one', async () => {
  const book = xlsxOf([
    { name: 'Lists', hidden: true, rows: [['Name'], ['hidden']] },
    { name: 'Vendors', rows: [['Name'], ['Acme']] },
    { name: 'Old', rows: [['Name'], ['Beta']] },
  ]);
  assert.equal(await rowsOf(await files.open(book)), [{ row: 2, Name: 'Acme' }]);
  assert.equal(await rowsOf(await files.open(book, 'old')), [{ row: 2, Name: 'Beta' }]);
  assert.equal(await rowsOf(await files.open(book, 'Lists')), [{ row: 2, Name: 'hidden' }]);
  await assertRefuses(() => files.open(book, 'New'), /no sheet "New"\. Give one of Lists, Vendors, Old/);
});

xlsx('may have prefixed names, rows and cells without a reference, and neither formats nor shared texts', async () => {
  const parts = xlsxFiles(sheetOf(['Name']));
  parts['xl/worksheets/sheet1.xml'] =
    '<x:worksheet xmlns:x="m"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>Name</x:t></x:is></x:c><x:c t="str"><x:v>Staff</x:v></x:c></x:row>' +
    '<x:row><x:c t="str"><x:v>Acme</x:v></x:c><x:c><x:v>7</x:v></x:c></x:row></x:sheetData></x:worksheet>';
  parts['xl/_rels/workbook.xml.rels'] = parts['xl/_rels/workbook.xml.rels']!.replace(
    /<Relationship Id="rId[SF]".*?>/g,
    '',
  );
  assert.equal(await rowsOf(await files.open(zipOf(parts))), [{ row: 2, Name: 'Acme', Staff: 7 }]);
});

xlsx('has characters that XML refers to by number', async () => {
  const cell = xml('<c r="A2" t="inlineStr"><is><t>&#228; &#8364; &#x1f61c; &#128540;</t></is></c>');
  assert.equal(await rowsOf(await files.open(xlsxOf(sheetOf(['Name'], [cell])))), [{ row: 2, Name: 'ä € 😜 😜' }]);
});

xlsx('can be closed in the middle, or before its first row', async () => {
  const book = xlsxOf(sheetOf(['Name'], ...Array.from({ length: 2_000 }, (_, index) => [`Vendor ${index}`])));
  const sheet = await files.open(book);
  for await (const { row } of sheet.rows) if (row === 3) break;
  assert.ok(sheet.progress() > 0 && sheet.progress() < 1);
  (await files.open(book)).close();
  assert.equal(files.openFilesInFolder(), []);
});

xlsx.run();
