import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { csvCell } from '../../src/reports/formats/report-csv.ts';
import { decodeText } from '../../src/sheets/decode-text.ts';
import { openWorkbook } from '../../src/sheets/open-workbook.ts';
import { readSheet } from '../../src/sheets/read-sheet.ts';
import { until } from '../support/run/wait.ts';
import { assertRefuses, rowsOf, sheetFolder } from '../support/sheets.ts';

const csv = suite('CSV');
const files = sheetFolder();
csv.after(files.remove);

const TWO_ROWS = [
  { row: 2, Name: 'Acme', Country: 'DE' },
  { row: 3, Name: 'Beta', Country: 'FR' },
];

for (const [name, text] of [
  ['commas', 'Name,Country\nAcme,DE\nBeta,FR\n'],
  ['semicolons', 'Name;Country\nAcme;DE\nBeta;FR\n'],
  ['tabs', 'Name\tCountry\nAcme\tDE\nBeta\tFR\n'],
  ['no line break at the end', 'Name,Country\nAcme,DE\nBeta,FR'],
  ['CRLF', 'Name,Country\r\nAcme,DE\r\nBeta,FR\r\n'],
  ['a byte order mark', '\ufeffName,Country\nAcme,DE\nBeta,FR\n'],
  ['blank cells and columns at the end', 'Name,Country,,\nAcme,DE,,\nBeta,FR,,,\n'],
  ['a column without a header', 'Name,,Country\nAcme,?,DE\nBeta,,FR\n'],
  ['quotes around everything', '"Name","Country"\n"Acme","DE"\n"Beta","FR"\n'],
] as const) {
  csv(`is read with ${name}`, async () => {
    const sheet = await files.open(text);
    assert.equal(sheet.headers, ['Name', 'Country']);
    assert.equal(await rowsOf(sheet), TWO_ROWS);
    assert.is(sheet.progress(), 1);
  });
}

csv('is read in UTF-16 as Excel writes it', async () => {
  const text = Buffer.from('\ufeffName\tOrt\r\nMüller 🏭\tKöln\r\n', 'utf16le');
  assert.equal(await rowsOf(await files.open(text)), [{ row: 2, Name: 'Müller 🏭', Ort: 'Köln' }]);
});

csv('in UTF-8 with a byte of another encoding keeps its letters, and tells the row', async () => {
  const text = Buffer.concat([Buffer.from('Name,City\nMüller,Köln\nCaf'), Buffer.from([0xe9]), Buffer.from(',Łódź\n')]);
  const sheet = await readSheet(openWorkbook, files.save(text), { namesField: () => true });
  const rows = [];
  for await (const row of sheet.rows) rows.push(row);
  assert.equal(
    rows.map(({ cells, problem }) => [cells.get('City'), problem?.slice(0, 29)]),
    [
      [{ kind: 'text', value: 'Köln' }, undefined],
      [{ kind: 'text', value: 'Łódź' }, "has a byte that isn't UTF-8, "],
    ],
  );
});

csv('in another encoding is read as windows-1252, or as the caller says', async () => {
  const text = 'Name,Ort\nMüller – Söhne,Köln\n';
  const row = { row: 2, Name: 'Müller – Söhne', Ort: 'Köln' };
  const western = Buffer.from(text.replace('–', '\x96'), 'latin1');
  const guessed = await files.open(western);
  assert.equal(await rowsOf(guessed), [row]);
  assert.match(guessed.notices[0]!, /not UTF-8, so it was read as windows-1252/);
  const latin1AfterAscii = Buffer.concat([Buffer.from(`Name\n${'Acme\n'.repeat(50_000)}`), western]);
  const late = await files.open(latin1AfterAscii);
  assert.match(late.notices[0]!, /windows-1252/);
  late.close();
  const polish = Buffer.from([0x4e, 0x0a, 0xb3, 0xf3, 0x64, 0x9f, 0x0a]);
  assert.equal(await rowsOf(await readSheet(openWorkbook, files.save(polish), { encoding: 'windows-1250' })), [
    { row: 2, N: 'łódź' },
  ]);
  await assertRefuses(
    () => readSheet(openWorkbook, files.save(western), { encoding: 'utf-8' }),
    /not utf-8\. Give another --encoding/,
  );
  await assertRefuses(
    () => readSheet(openWorkbook, files.save(western), { encoding: 'ebcdic' }),
    /not a known encoding/,
  );
  await assertRefuses(
    () => files.open(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0xff])),
    /not a text/,
  );
});

csv('in UTF-8 stays so, though it contains the letter that stands for wrong bytes', async () => {
  const sheet = await files.open('Name\nLost \uFFFD letter\n');
  assert.equal(await rowsOf(sheet), [{ row: 2, Name: 'Lost \uFFFD letter' }]);
  assert.equal(sheet.notices, []);
  const late = `Name\n${'Acme\n'.repeat(50_000)}Caf\u00e9 \uFFFD\uFFFD\n`;
  const opened = await files.open(late);
  assert.equal(opened.notices, []);
  opened.close();
});

csv('finds the delimiter below a title, and where Excel declares it', async () => {
  const titled = 'Suppliers, as of 12.01.2026, draft\n\nName;Country\nAcme, Inc.;DE\nBeta;FR\n';
  const isHeading = (text: string) => ['Name', 'Country'].includes(text);
  const sheet = await readSheet(openWorkbook, files.save(titled), { namesField: isHeading });
  assert.equal(await rowsOf(sheet), [
    { row: 4, Name: 'Acme, Inc.', Country: 'DE' },
    { row: 5, Name: 'Beta', Country: 'FR' },
  ]);
  const declared = await readSheet(openWorkbook, files.save('sep=;\nName;Country\nAcme;DE\n'), {
    namesField: isHeading,
  });
  assert.equal(await rowsOf(declared), [{ row: 3, Name: 'Acme', Country: 'DE' }]);
});

csv('ignores delimiters within quotes when it detects the delimiter', async () => {
  const sheet = await files.open('"Name, legal, full";"Country"\n"Acme, Inc.";DE\n');
  assert.equal(await rowsOf(sheet), [{ row: 2, 'Name, legal, full': 'Acme, Inc.', Country: 'DE' }]);
});

csv('finds the delimiter in a header with line breaks', async () => {
  const sheet = await files.open('"Name\nlegal, full";Country\nAcme;DE\n');
  assert.equal(await rowsOf(sheet), [{ row: 2, 'Name legal, full': 'Acme', Country: 'DE' }]);
});

csv('is decoded correctly when characters are split between chunks', async () => {
  for (const encoding of ['utf8', 'utf16le'] as const) {
    const bytes = Buffer.from('\ufeffMüller 🏭', encoding);
    let text = '';
    for await (const piece of decodeText(Readable.from([...bytes].map((byte) => Buffer.of(byte))))) text += piece;
    assert.is(text, 'Müller 🏭');
  }
});

csv('of one column needs no delimiter', async () => {
  assert.equal(await rowsOf(await files.open('Name\nAcme\n')), [{ row: 2, Name: 'Acme' }]);
});

csv('keeps line breaks, quotes and delimiters within quotes, and counts rows as a spreadsheet does', async () => {
  const sheet = await files.open('Name,"Data\n shared"\n"Acme\n""Best""\n",a\n\n"Beta, Gamma",\n,\nDelta,b\n');
  assert.equal(sheet.headers, ['Name', 'Data shared']);
  assert.equal(await rowsOf(sheet), [
    { row: 2, Name: 'Acme\n"Best"\n', 'Data shared': 'a' },
    { row: 4, Name: 'Beta, Gamma' },
    { row: 6, Name: 'Delta', 'Data shared': 'b' },
  ]);
});

csv('may have blank rows before its header', async () => {
  assert.equal(await rowsOf(await files.open('\n,,\nName,Country\nAcme,DE\n')), [
    { row: 4, Name: 'Acme', Country: 'DE' },
  ]);
});

csv('reports a row with more cells than the header', async () => {
  const sheet = await files.open('Name,Country\nAcme, Inc.,DE\nBeta\n');
  const problems: [number, string | undefined][] = [];
  for await (const { row, problem } of sheet.rows) problems.push([row, problem]);
  assert.is(problems.length, 2);
  assert.match(problems[0]![1]!, /more cells than the header/);
  assert.equal(problems[1], [3, undefined]);
});

for (const [name, text, message] of [
  ['a text after a quote', 'Name\n"Acme" Ltd\n', /row 2 begins a cell and doesn’t end it/],
  ['a quote left open', 'Name\nBeta\n"Acme\nGamma\n', /row 3 /],
  ['a quote that is closed in the next row', 'Name,Country\n"Acme,DE\n"Beta",FR\n', /row 2 begins a cell/],
  [
    'a quote that swallows a long file',
    `Name\n"Acme\n${'Gamma\n'.repeat(200_000)}`,
    /Row 2 has more than .* quotation/,
  ],
  ['nothing', '', /empty/],
  ['blank rows only', '\n\n,,\n', /empty/],
] as const) {
  csv(`with ${name} is refused`, () => assertRefuses(async () => rowsOf(await files.open(text)), message));
}

csv('keeps a quotation mark inside a text, as spreadsheet programs do', async () => {
  const sheet = await files.open('Name,Note\n19" rack,The "Best" Ltd\n"""Quoted"" x","a ""b"""\n');
  assert.equal(await rowsOf(sheet), [
    { row: 2, Name: '19" rack', Note: 'The "Best" Ltd' },
    { row: 3, Name: '"Quoted" x', Note: 'a "b"' },
  ]);
});

csv('may mix line ends', async () => {
  assert.equal(await rowsOf(await files.open('Name\r\nA\nB\r\nC\rD')), [
    { row: 2, Name: 'A' },
    { row: 3, Name: 'B' },
    { row: 4, Name: 'C' },
    { row: 5, Name: 'D' },
  ]);
});

csv('may have bars between its cells', async () => {
  const sheet = await files.open('Name|Note\nAcme|a, b\nBeta|c; d\n');
  assert.equal(await rowsOf(sheet), [
    { row: 2, Name: 'Acme', Note: 'a, b' },
    { row: 3, Name: 'Beta', Note: 'c; d' },
  ]);
});

csv('numbers equal headings', async () => {
  const sheet = await files.open('Name,Note, Name \nAcme,a,b\n');
  assert.equal(await rowsOf(sheet), [{ row: 2, Name: 'Acme', Note: 'a', 'Name (2)': 'b' }]);
});

csv('drops the apostrophe that keeps a text from being a formula', async () => {
  assert.equal(await rowsOf(await files.open("Name,Note\n'=A1,'tis\n")), [{ row: 2, Name: '=A1', Note: "'tis" }]);
  const text = "Do:\n=A1\n-1; 'tis\n- last;@x";
  const sheet = await files.open(`Name,Note\nA,${csvCell(text)}\n`);
  assert.equal(await rowsOf(sheet), [{ row: 2, Name: 'A', Note: text }], 'also within a text');
});

csv('has no sheets to choose from', () => assertRefuses(() => files.open('Name\nAcme\n', 'Vendors'), /no sheets/));

csv('closes its file when reading stops early or never starts', async () => {
  const sheet = await files.open(`Name\n${'Acme\n'.repeat(50_000)}`);
  for await (const { row } of sheet.rows) if (row === 3) break;
  assert.ok(sheet.progress() < 1);
  sheet.close();
  const unread = await files.open(`Name\n${'Acme\n'.repeat(50_000)}`);
  unread.close();
  await until(() => files.openFilesInFolder().length === 0);
});

csv.run();
