import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openWorkbook } from '../../src/sheets/open-workbook.ts';
import { readSheet } from '../../src/sheets/read-sheet.ts';
import { odsOf } from '../support/ods.ts';
import { assertRefuses, rowsOf, sheetFolder } from '../support/sheets.ts';
import { xlsxFiles, xlsxOf } from '../support/xlsx.ts';
import { zipOf } from '../support/zip.ts';

const hostile = suite('files that are damaged or hostile');
const files = sheetFolder();
hostile.after(files.remove);

const SHEET_PATH = 'xl/worksheets/sheet1.xml';
const STRINGS_PATH = 'xl/sharedStrings.xml';
const BOOK = [{ rows: [['Name'], ['Acme']] }];

/** Returns a workbook with one part replaced or removed. */
function damagedWorkbook(part: string, content: string | Buffer | undefined): Buffer {
  const { [part]: _, ...others } = xlsxFiles(BOOK);
  return zipOf(content === undefined ? others : { ...others, [part]: content });
}

const sheetXml = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`;
const ODS_TEXT = (attributes: string) => `<table:table-cell ${attributes}><text:p>Name</text:p></table:table-cell>`;
const table = (cell: string) =>
  `<body><table:table table:name="a"><table:table-row>${ODS_TEXT('')}${cell}</table:table-row></table:table></body>`;
const HEADER_ROW = '<row r="1"><c r="A1" t="str"><v>Name</v></c></row>';

for (const [name, content] of [
  ['cut off', xlsxOf(BOOK).subarray(0, 400)],
  ['with overwritten bytes', Buffer.from(xlsxOf(BOOK)).fill(0xff, 60, 120)],
  ['without a sheet', damagedWorkbook(SHEET_PATH, undefined)],
  ['without its shared texts', damagedWorkbook(STRINGS_PATH, undefined)],
  ['that is another zip', zipOf({ 'word/document.xml': '<a/>' })],
  ['that refers to a missing shared text', damagedWorkbook(STRINGS_PATH, '<sst></sst>')],
  ['with an unknown cell type', damagedWorkbook(SHEET_PATH, sheetXml('<row r="1"><c r="A1" t="q"><v>1</v></c></row>'))],
  ['with a number that is none', damagedWorkbook(SHEET_PATH, sheetXml('<row r="1"><c r="A1"><v>x</v></c></row>'))],
] as const) {
  hostile(`a workbook ${name} is refused`, () =>
    assertRefuses(async () => rowsOf(await files.open(content)), /damaged or not a spreadsheet/),
  );
}

for (const [name, content] of [
  ['with ill-formed XML', '<worksheet><sheetData></worksheet>'],
  ['with XML that ends early', `<worksheet><sheetData>${HEADER_ROW}`],
  ['with bytes that are not UTF-8', Buffer.from([0x83, 0x01, 0xff])],
  ['nested too deep', '<a>'.repeat(100_000) + '</a>'.repeat(100_000)],
] as const) {
  hostile(`a sheet ${name} counts as empty`, () =>
    assertRefuses(() => files.open(damagedWorkbook(SHEET_PATH, content)), /The sheet is empty/),
  );
}

hostile('entities are not expanded', async () => {
  const rows = '<row r="2"><c r="A2" t="str"><v>&b;</v></c></row>';
  const xml = `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]>${sheetXml(HEADER_ROW + rows)}`;
  assert.equal(await rowsOf(await files.open(damagedWorkbook(SHEET_PATH, xml))), [{ row: 2, Name: '&b;' }]);
});

hostile('a workbook with a part that unzips to far more is refused', async () => {
  const bomb = `<sst>${'<si><t>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa</t></si>'.repeat(1_100_000)}</sst>`;
  await assertRefuses(
    () => files.open(damagedWorkbook(STRINGS_PATH, bomb)),
    /part that is 200 times as large unzipped\. Save the sheet as CSV/,
  );
});

hostile('a workbook whose parts unzip to too much in all is refused before it is unzipped', async () => {
  const book = xlsxOf(BOOK);
  book.writeUInt32LE(300 * 1_048_576, book.indexOf('PK\x01\x02') + 24);
  await assertRefuses(() => files.open(book), /more than 256 MiB unzipped\. Save the sheet as CSV/);
});

hostile('a part that unzips to another size than the directory states is refused', async () => {
  const book = xlsxOf(BOOK);
  book.writeUInt32LE(100, book.indexOf('PK\x01\x02') + 24);
  await assertRefuses(() => files.open(book), /damaged or not a spreadsheet/);
});

hostile('a workbook with too many parts is refused', async () => {
  const parts = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`part${index}`, 'a']));
  await assertRefuses(() => files.open(zipOf({ ...xlsxFiles(BOOK), ...parts })), /damaged or not a spreadsheet/);
});

hostile('a row too long for memory is refused', async () => {
  const cells = `<c t="str"><v>${'a'.repeat(60_000)}</v></c>`.repeat(30);
  await assertRefuses(
    async () =>
      rowsOf(await files.open(damagedWorkbook(SHEET_PATH, sheetXml(`${HEADER_ROW}<row r="2">${cells}</row>`)))),
    /Row 2/,
  );
});

hostile('cells that are repeated or merged beyond a row’s length are refused', async () => {
  const text = 'a'.repeat(100_000);
  const repeated = {
    xml: `<table:table-cell table:number-columns-repeated="1000"><text:p>${text}</text:p></table:table-cell>`,
  };
  const rows = async (content: Buffer) => rowsOf(await files.open(content));
  const headings = Array.from({ length: 20 }, (_, column) => `Name ${column}`);
  await assertRefuses(() => rows(odsOf([{ name: 'a', rows: [headings, [repeated]] }])), /Row 2 has more than/);
  const spanning = (row: number) => ({
    xml: `${'<table:table-cell/>'.repeat(row)}<table:table-cell table:number-rows-spanned="90"><text:p>${text}</text:p></table:table-cell>`,
  });
  const steps = Array.from({ length: 20 }, (_, row) => [spanning(row)]);
  await assertRefuses(() => rows(odsOf([{ name: 'a', rows: [['Name'], ...steps] }])), /Row 1\d has more than/);
  const letters = [...'ABCDEFGHIJKLMNOPQRST'];
  const merged = letters.map((_, row) => [...Array.from({ length: row }, () => null), text]);
  const merges = letters.map((letter, row) => `${letter}${row + 2}:${letter}99`);
  await assertRefuses(() => rows(xlsxOf([{ rows: [['Name'], ...merged], merges }])), /Row 1\d has more than/);
});

for (const [name, content] of [
  ['without a table', '<office:document-content/>'],
  ['with a bad number', table('<table:table-cell office:value-type="float" office:value="x">x</table:table-cell>')],
  [
    'with a bad date',
    table('<table:table-cell office:value-type="date" office:date-value="soon">x</table:table-cell>'),
  ],
] as const) {
  hostile(`an ODS ${name} is refused`, () =>
    assertRefuses(
      async () => rowsOf(await files.open(zipOf({ 'META-INF/manifest.xml': '<manifest/>', 'content.xml': content }))),
      /damaged or not a spreadsheet/,
    ),
  );
}

hostile('an old workbook that is cut off is not read as a CSV', () =>
  assertRefuses(() => files.open(Buffer.from('d0cf11e0a1b11ae1', 'hex')), /damaged or not a spreadsheet/),
);

hostile('a missing file and a folder are refused', async () => {
  await assertRefuses(() => readSheet(openWorkbook, join(tmpdir(), 'veritrail-no-such-file.csv')), /can’t be read/);
  await assertRefuses(() => readSheet(openWorkbook, tmpdir()), /can’t be read/);
});

hostile.run();
