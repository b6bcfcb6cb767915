import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/commands/engine/refusal.ts';
import { readFrameworkCsv } from '../../src/library/framework-csv.ts';

const CONTROLS = [
  { section_title: '1.1', name: 'Keep a log', description: 'Daily' },
  { section_title: '1.2', name: 'Lock up' },
];

function refusalOf(csv: string): Refusal {
  try {
    readFrameworkCsv(csv);
  } catch (error) {
    assert.instance(error, Refusal);
    assert.is((error as Refusal).code, 'invalid_input');
    return error as Refusal;
  }
  throw new Error('the file was not refused');
}

const csv = suite('framework CSV');

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
  csv(`readFrameworkCsv reads ${variant}`, () =>
    assert.equal(readFrameworkCsv(text), { controls: CONTROLS, ignored: [] }),
  );
}

csv('a framework CSV may have separators, quotes and line breaks in quoted cells', () => {
  const text = 'number;title;text\r\n1;"Locks; and ""keys""";"first\r\nsecond"\r\n';
  assert.equal(readFrameworkCsv(text).controls, [
    { section_title: '1', name: 'Locks; and "keys"', description: 'first\nsecond' },
  ]);
});

csv('a framework CSV may have the other separator in a quoted header', () => {
  const { controls, ignored } = readFrameworkCsv('number;"owner, unit";title\n1;IT;Keep a log\n');
  assert.equal(controls, [{ section_title: '1', name: 'Keep a log' }]);
  assert.equal(ignored, ['owner, unit']);
});

csv('readFrameworkCsv returns the ignored columns', () => {
  assert.equal(readFrameworkCsv('number,Owner,title,\n1,me,Keep a log,\n').ignored, ['Owner']);
});

csv('readFrameworkCsv reports all bad rows at once, numbered as in a spreadsheet', () => {
  const rows = [
    'number,title,text',
    '1,Keep a log,',
    '',
    ',Lock up,',
    '3,,',
    '1,Again,',
    '4,Eat, drink, sleep',
    `5,${'x'.repeat(201)},`,
    `6,Long,${'x'.repeat(10_001)}`,
  ];
  assert.equal(refusalOf(rows.join('\n')).more.issues, [
    { field: 'row 4', message: 'has no number' },
    { field: 'row 5', message: 'has no title' },
    { field: 'row 6', message: 'has the same number 1 as row 2' },
    {
      field: 'row 7',
      message: 'has more cells than the header row. Put quotation marks around texts that contain the separator',
    },
    { field: 'row 8', message: 'has a title of 201 characters, 200 are allowed' },
    { field: 'row 9', message: 'has a description of 10001 characters, 10000 are allowed' },
  ]);
});

csv('a refused CSV names at most 20 rows in the message, and all in issues', () => {
  const { message, more } = refusalOf(`number,title\n${',x\n'.repeat(30)}`);
  assert.match(message, /row 21 has no number; and 10 more\.$/);
  assert.is(more.issues!.length, 30);
});

for (const [problem, text, message] of [
  ['without text', '', /first row must name the columns/],
  ['with only a header row', 'number,title\n', /no controls/],
  ['without a header row', '1.1,Keep a log\n', /first row must name the columns/],
  ['without titles', 'number,description\n1,x\n', /first row must name the columns/],
  ['with two columns for the number', 'number,Control ID,title\n1,2,x\n', /number and Control ID both mean the number/],
  ['with a quote that is never closed', 'number,title\n1,"Keep\n2,Lock\n', /cannot be read at line \d+/],
  ['with a quote in the middle of a cell', 'number,title\n1,a "log\n', /cannot be read at line 2/],
  ['not in UTF-8', 'number,title\n1,Gerät\n'.replace('ä', '\uFFFD'), /UTF-8/],
] as const) {
  csv(`readFrameworkCsv rejects a file ${problem}`, () => assert.match(refusalOf(text).message, message));
}

csv.run();
