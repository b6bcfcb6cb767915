import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/commands/engine/refusal.ts';
import { readFrameworkTable, type TableOptions } from '../../src/library/formats/framework-table.ts';
import { sheetFolder } from '../support/sheets.ts';
import { xlsxOf } from '../support/xlsx.ts';

const CONTROLS = [
  { section_title: '1.1', name: 'Keep a log', description: 'Daily' },
  { section_title: '1.2', name: 'Lock up' },
];

const files = sheetFolder();

const read = (content: string | Uint8Array, options: TableOptions = {}) =>
  readFrameworkTable(files.save(content), options);

async function refusalOf(content: string | Uint8Array, options: TableOptions = {}): Promise<Refusal> {
  try {
    await read(content, options);
  } catch (error) {
    assert.instance(error, Refusal);
    assert.is((error as Refusal).code, 'invalid_input');
    return error as Refusal;
  }
  throw new Error('the file was not refused');
}

const table = suite('framework tables');
table.after(files.remove);

for (const [variant, text] of [
  ['number, title, description', 'number,title,description\n1.1,Keep a log,Daily\n1.2,Lock up,\n'],
  ['columns in another order', 'Text,Name,Section\nDaily,Keep a log,1.1\n,Lock up,1.2'],
  ['the wire’s field names as headers', 'section_title,name,description\n1.1,Keep a log,Daily\n1.2,Lock up,'],
  [
    'headers in capitals and with blanks',
    ' SECTION TITLE , Control-Name ,Description\n1.1,Keep a log,Daily\n1.2,Lock up,',
  ],
  ['semicolons', 'id;title;text\n1.1;Keep a log;Daily\n1.2;Lock up;\n'],
  ['a byte order mark and CRLF', '\uFEFFnumber,title,text\r\n1.1,Keep a log,Daily\r\n1.2,Lock up,\r\n'],
  ['line ends of two kinds', 'number,title,text\n1.1,Keep a log,Daily\r\n1.2,Lock up,\r\n'],
  ['quotes', '"number","title","text"\n"1.1","Keep a log","Daily"\n"1.2","Lock up",""\n'],
  ['a byte order mark before a quote', '\uFEFF"number",title,text\n1.1,Keep a log,Daily\n1.2,Lock up,\n'],
  ['blank rows', 'number,title,text\n\n1.1,Keep a log,Daily\n,,\n1.2,Lock up\n\n'],
  ['blanks around cells', 'number,title,text\n 1.1 , Keep  a log , Daily \n1.2,Lock up, \n'],
  ['blank cells beyond the last column', 'number,title,text\n1.1,Keep a log,Daily,,\n1.2,Lock up,,,\n'],
] as const) {
  table(`readFrameworkTable reads ${variant}`, async () => assert.equal((await read(text)).controls, CONTROLS));
}

table('a framework CSV may have separators, quotes and line breaks in quoted cells', async () => {
  const text = 'number;title;text\r\n1;"Locks; and ""keys""";"first\r\nsecond"\r\n';
  assert.equal((await read(text)).controls, [
    { section_title: '1', name: 'Locks; and "keys"', description: 'first\nsecond' },
  ]);
});

table('a framework CSV may have the other separator in a quoted header', async () => {
  const { controls, notices } = await read('number;"owner, unit";title\n1;IT;Keep a log\n');
  assert.equal(controls, [{ section_title: '1', name: 'Keep a log' }]);
  assert.ok(notices.includes('Ignored columns: owner, unit.'));
});

table('readFrameworkTable names the columns that it used and ignored', async () => {
  const { notices } = await read('Control Number,Owner,Title,\n1,me,Keep a log,\n');
  assert.equal(notices, [
    'Columns: section_title from "Control Number", name from "Title".',
    'Ignored columns: Owner.',
  ]);
});

table('a table may have groups and the numbers of the controls above', async () => {
  const { controls } = await read('Number,Title,Family,Part of\nL-1,Lamp,Light,\nL-1(1),Wick,Light,L-1\n');
  assert.equal(controls, [
    { section_title: 'L-1', name: 'Lamp', group: 'Light' },
    { section_title: 'L-1(1)', name: 'Wick', group: 'Light', parent: 'L-1' },
  ]);
});

table('a workbook’s sheet and heading row are found, and columns are mapped', async () => {
  const rows = [
    ['Rules of the lighthouse'],
    [],
    ['Nr', 'What to do', 'ID'],
    ['1', 'Keep a log', 'x'],
    ['2', 'Lock up', 'y'],
  ];
  const workbook = xlsxOf([
    { name: 'Cover', rows: [['Nothing here']] },
    { name: 'Rules', rows },
  ]);
  const options = {
    map: new Map([
      ['section_title', 'Nr'],
      ['name', 'What to do'],
    ]),
    ignored: ['ID'],
  };
  const { controls, notices } = await read(workbook, options);
  assert.equal(controls, [
    { section_title: '1', name: 'Keep a log' },
    { section_title: '2', name: 'Lock up' },
  ]);
  assert.match(notices.join(' '), /Sheet "Rules" was read/);
  assert.match(notices.join(' '), /Row 3 has the headings/);
  assert.equal((await read(workbook, { ...options, sheet: 'Rules', headingRow: 3 })).controls, controls);
});

table('the long table is found beside lists of terms and sources whose headings name more', async () => {
  const rules = Array.from({ length: 30 }, (_, index) => [`1.${index + 1}`, `Rule ${index + 1}`]);
  const workbook = xlsxOf([
    {
      name: 'Definitions',
      rows: [
        ['Ref', 'Title', 'Text'],
        ['a', 'Lamp', 'A light'],
        ['b', 'Log', 'A book'],
      ],
    },
    { name: 'Rules', rows: [['Number', 'Title'], ...rules] },
    {
      name: 'References',
      rows: [
        ['No', 'Title', 'Category'],
        ['1', 'ISO', 'Norm'],
      ],
    },
  ]);
  const { controls, notices } = await read(workbook);
  assert.is(controls.length, 30);
  assert.match(notices.join(' '), /Sheet "Rules" was read, because it has the most filled cells under headings/);
});

table('a CSV may be in another encoding', async () => {
  const bytes = Buffer.from('number,title\n1,Gerät\n', 'latin1');
  const { controls, notices } = await read(bytes);
  assert.is(controls[0]!.name, 'Gerät');
  assert.match(notices.join(' '), /windows-1252/);
});

table('the number of a parent obeys the rules of other numbers', async () => {
  const { message } = await refusalOf(`number,title,part of\n1,Log,\n1.1,Keep it,${'1'.repeat(201)}\n`);
  assert.match(message, /row 3 has a parent of 201 characters, 200 are allowed/);
});

table('titles that are long or absent are taken from the texts', async () => {
  const { controls } = await read(`number,title,text\n1,,Lock the door.\n2,,\n3,${'lamp '.repeat(41)},Trim it.\n`);
  assert.equal(
    controls.map(({ name }) => name.length),
    ['Lock the door.'.length, 1, 195],
  );
  assert.equal(controls[2]!.description, `${'lamp '.repeat(41).trim()}\n\nTrim it.`);
});

table('notes and repeated headings are left out, and controls after a blank row are not', async () => {
  const rows = [
    'Number,Title,Text',
    '1,Keep a log,',
    '',
    'Chapter two,,',
    '2,Lock up,',
    'Number,Title,Text',
    '3,Count,',
  ];
  const { controls, notices } = await read(rows.join('\n'));
  assert.equal(
    controls.map(({ section_title }) => section_title),
    ['1', '2', '3'],
  );
  assert.ok(notices.includes('Rows 4, 6 lie beside the table and were left out.'));
});

table('readFrameworkTable reports all bad rows at once, numbered as in a spreadsheet', async () => {
  const rows = [
    'number,title,text',
    '1,Keep a log,',
    ',Lock up,Now',
    '',
    '1,Again,',
    '4,Eat, drink, sleep',
    `${'x'.repeat(201)},Long,`,
    `6,Long,${'x'.repeat(10_001)}`,
  ];
  assert.equal((await refusalOf(rows.join('\n'))).more.issues, [
    { field: 'row 3', message: 'has no number' },
    { field: 'row 5', message: 'has the same number 1 as row 2' },
    {
      field: 'row 6',
      message: 'has more cells than the header. Put texts that contain the delimiter in quotation marks',
    },
    { field: 'row 7', message: 'has a number of 201 characters, 200 are allowed' },
    { field: 'row 8', message: 'has a description of 10001 characters, 10000 are allowed' },
  ]);
});

table('a refused table names at most 20 rows in the message, and all in issues', async () => {
  const { message, more } = await refusalOf(`number,title,text\n${',x,y\n'.repeat(30)}`);
  assert.match(message, /row 21 has no number; and 10 more\.$/);
  assert.is(more.issues!.length, 30);
});

for (const [problem, text, message] of [
  ['without text', '', /empty/],
  ['with only a header row', 'number,title\n', /no controls/],
  ['without a header row', '1.1,Keep a log\n', /No column has the name of a field/],
  ['without titles', 'number,owner\n1,x\n', /No column fills name.*--map name=COLUMN.*number, owner/],
  ['without numbers', 'title,owner\n1,x\n', /No column fills section_title.*--map section_title=COLUMN/],
  [
    'with two columns for the number',
    'section_title,Section title,title\n1,2,x\n',
    /section_title.* all match section_title/,
  ],
  ['with a quote that is never closed', 'number,title\n1,"Keep\n2,Lock\n', /quotation mark in row 2/],
  ['with a text behind a quoted one', 'number,title\n1,"a" log\n', /quotation mark in row 2/],
] as const) {
  table(`readFrameworkTable rejects a file ${problem}`, async () =>
    assert.match((await refusalOf(text)).message, message),
  );
}

table('the requirement is the title, and never its discussion', async () => {
  const rows = '1.1,Limit access to users,Who needs access is a question of roles\n1.2,Log it,Logs help\n';
  const known = await read(`Identifier,Security Requirement,Description\n${rows}`);
  assert.equal(
    known.controls.map(({ name }) => name),
    ['Limit access to users', 'Log it'],
  );
  const { message } = await refusalOf(`Identifier,Duty,Description\n${rows}`);
  assert.match(message, /No heading means the title .*--map name="Duty" or --map name="Description"\.$/);
  const mapped = await read(`Identifier,Duty,Description\n${rows}`, { map: new Map([['name', 'Duty']]) });
  assert.is(mapped.controls[0]!.name, 'Limit access to users');
  const alone = await read('Identifier,Description,Points\n1.1,Limit access,3\n1.2,Log it,5\n');
  assert.is(alone.controls[0]!.name, 'Limit access');
});

table('rows without a number are headings of groups', async () => {
  const { controls, notices } = await read(
    'Number,Title,Text\n,Organisation,\n1.1,Policy,Write one\n,People,\n2.1,Training,\n',
  );
  assert.equal(
    controls.map(({ section_title }) => section_title),
    ['1.1', '2.1'],
  );
  assert.ok(notices.includes('Rows without a number are headings of groups: 2.'), notices.join());
});

table.run();
