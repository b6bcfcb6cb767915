import { parse } from 'csv-parse/sync';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NONCONFORMITY } from '../../../src/register/nonconformity.ts';
import { VENDOR } from '../../../src/register/vendor.ts';
import { csvCell, csvLine, reportCsv } from '../../../src/reports/formats/report-csv.ts';
import { reportHtml } from '../../../src/reports/formats/report-html.tsx';
import { reportJson } from '../../../src/reports/formats/report-json.ts';
import { reportMarkdown, reportMarkdownFile } from '../../../src/reports/formats/report-markdown.ts';
import { cellText, figureCells, recentChangeText } from '../../../src/reports/formats/report-text.ts';
import type { ReportHead, ReportPage } from '../../../src/reports/pages/report-page.ts';
import type { Figure, ReportRow, ReportSection } from '../../../src/reports/report-type.ts';
import { column, detail, familyColumns, ID, prose, withBelow } from '../../../src/reports/sections/report-columns.ts';
import { textOf } from '../../../src/texts/value-text.ts';
import { codesAsWords, codeWords } from '../../../src/texts/words.ts';
import { rejection } from '../../support/run/take.ts';

const test = suite('report renderers');

const HEAD: ReportHead = {
  report_version: 1,
  type: 'RISK_REGISTER',
  title: 'Risk register',
  organization: { id: 'org_1', name: 'Acme' },
  inputs: { owner_id: 'acc_1' },
  about: [{ label: 'Owner', value: 'acc_1' }],
  as_of: '2026-08-21T08:16:00.000Z',
  position: '12',
  today: '2026-08-21',
  generated_at: '2026-11-21T19:00:01.000Z',
  digest: 'd'.repeat(64),
  incomplete: true,
  pending_seal: true,
};

const figure = (kind: Figure['kind'], value: number | null, days_30: number | null): Figure => {
  return {
    name: 'one',
    group: 'Risks',
    label: 'Open',
    kind,
    value,
    counts: 'risks that are OPEN',
    change: { days_30 },
  };
};

const GROUP_COLUMNS = [
  column('record_type', 'Type'),
  column('record_name', 'Record'),
  column('record_id', 'Record id'),
];

const SECTION: Omit<ReportSection, 'rows'> = {
  name: 'changes',
  title: 'Changes',
  group: GROUP_COLUMNS,
  columns: [
    ...GROUP_COLUMNS,
    ...[column('recorded_at', 'When'), prose('text', 'Text'), column('overdue', 'Overdue')],
    ...[{ field: 'owner_id', title: 'Owner', person: true } as const, detail('note', 'Note'), ID],
  ],
};

const row = (id: string, overrides: ReportRow): ReportRow => ({
  ...{ record_type: 'RISK', record_name: 'Fire', record_id: id, recorded_at: '2026-08-21T08:16:00.000Z' },
  ...{ id: `rsk_${id}`, owner_id: 'acc_1', overdue: false, ...overrides },
});

function pageOf(rows: ReportRow[], overrides: Partial<ReportPage> = {}): ReportPage {
  const section: ReportSection = { ...SECTION, rows: async function* () {} };
  return {
    sections: [section],
    figures: [],
    summary: [],
    parts: [{ section, rows, firstIndex: 0, rowsAfter: 0 }],
    people: new Map([['acc_1', 'Anna Ek']]),
    trend: undefined,
    isContinuation: false,
    nextRow: null,
    isTruncated: false,
    ...overrides,
  };
}

const contentOf = async (format: typeof reportHtml, page: ReportPage): Promise<string> =>
  ((await format.write(HEAD, page)) as { content: string }).content;

test('documents say that the time of a state is unknown, and leave it empty in another state', () => {
  const [closed] = familyColumns(NONCONFORMITY, ['closed_at']);
  const [reviewed] = familyColumns(VENDOR, ['last_reviewed']);
  const cell = (row: ReportRow, shown = closed!) => cellText(row, shown, { people: new Map(), toTheMinute: true });
  assert.is(cell({ status: 'CLOSED' }), 'unknown');
  assert.is(cell({ status: 'OPEN' }), '');
  assert.is(cell({ status: 'CLOSED', closed_at: '2026-03-01T09:30:00.000Z' }), '2026-03-01 09:30');
  assert.is(cell({ review: { outcome: 'APPROVED' } }, reviewed), 'unknown');
  assert.is(cell({}, reviewed), '');
});

test('a share is a percentage, its change is in percentage points, and zero has no sign', () => {
  assert.equal(figureCells(figure('SHARE', 0, -0.0001)), ['0.0 %', '0.0 points']);
  assert.equal(figureCells(figure('SHARE', 1, -0.069)), ['100.0 %', '−6.9 points']);
  assert.equal(figureCells(figure('SHARE', null, null)), ['–', '–']);
  assert.equal(figureCells(figure('COUNT', 1, 2)), ['1', '+2']);
  assert.equal(figureCells(figure('COUNT', 0, -3)), ['0', '−3']);
  assert.is(recentChangeText(figure('COUNT', 4, 0)), 'unchanged in 30 days');
  assert.is(recentChangeText(figure('COUNT', 4, null)), null);
});

test('a share in a row is a percentage in text, and a number in CSV', async () => {
  const section: ReportSection = {
    name: 'trend',
    title: 'Trend',
    columns: [{ field: 'coverage', title: 'Coverage', kind: 'SHARE' }],
    rows: async function* () {},
  };
  const rows = [{ coverage: 0.25 }];
  const parts = [{ section, rows, firstIndex: 0, rowsAfter: 0 }];
  const page = pageOf([], { sections: [section], parts });
  assert.match(((await reportMarkdown.write(HEAD, page)) as { content: string }).content, '| 25.0 % |');
  assert.match(((await reportCsv.write(HEAD, page)) as { content: string }).content, /trend,.*0\.25/);
});

test('codes and field names are shown as words', () => {
  assert.equal(['IN_TREATMENT', 'RecordsLinked', 'owner_id', 'NONE'].map(codeWords), [
    'In treatment',
    'Records linked',
    'Owner',
    'None',
  ]);
  assert.is(codesAsWords('risks OPEN or IN_TREATMENT of A to Z'), 'risks open or in treatment of A to Z');
});

test('a linked record is shown with its state and validity', () => {
  const measure = { id: 'msr_1', reference_id: 'M-25', name: 'Second region', state: 'IN_PROGRESS' };
  const evidence = { id: 'evd_1', name: 'Rules', valid_until: '2026-06-19', expired: true };
  const people = new Map();
  assert.is(textOf([measure, evidence], { people }), 'M-25 Second region (IN_PROGRESS); Rules (expired 2026-06-19)');
  assert.is(textOf(measure, { people, codesInWords: true }), 'M-25 Second region (in progress)');
  assert.is(
    textOf({ ...evidence, expired: false }, { people, showIds: true }),
    'Rules (valid until 2026-06-19, evd_1)',
  );
});

test('a change leaves out the linked record’s id and an empty old value', () => {
  const changes = [
    { field: 'linked', from: null, to: 'msr_1' },
    { field: 'status', from: 'OPEN', to: 'IN_TREATMENT' },
    { field: 'category', from: null, to: 'IT' },
    { field: 'note', from: 'x', to: null },
    { field: 'treatment', from: 'MITIGATED', to: 'ACCEPTED' },
  ];
  const change = { changes, linked: { id: 'msr_1', name: 'Plan' } };
  const people = new Map();
  assert.is(
    cellText(change, prose('changes', 'Changes'), { people }),
    'status: OPEN → IN_TREATMENT; category: IT; note: x → –; treatment: MITIGATED → ACCEPTED',
  );
  const text = cellText(change, prose('changes', 'Changes'), { people, codesInWords: true });
  assert.is(text, 'Status: Open → In treatment; Category: IT; Note: x → –; Treatment: Mitigate → Accept');
});

test('a Markdown answer says what it leaves out, and a file leaves out nothing', async () => {
  const fullText = await contentOf(reportMarkdown, pageOf([row('1', { text: 'short' })]));
  assert.not.match(fullText, /cut|left out/i);
  const long = pageOf([row('1', { text: 'words '.repeat(60), note: 'beside' })]);
  const cut = await contentOf(reportMarkdown, long);
  assert.match(cut, 'are cut at 160 characters');
  assert.match(cut, 'Columns left out: Note (Changes).');
  const file = await contentOf(reportMarkdownFile, long);
  assert.not.match(file, /… |left out/);
  assert.match(file, '| beside |');
});

test('Markdown prints the heading of a group once', async () => {
  const text = await contentOf(reportMarkdown, pageOf([row('1', {}), row('1', {}), row('2', {})]));
  assert.is(text.match(/\| \*\*RISK · Fire\*\* \|/g)?.length, 2);
  assert.match(text, '\n| When (UTC) | Text | Overdue | Owner | Id |');
  assert.match(text, '\n| 2026-08-21 08:16 |  | no | Anna Ek | rsk_1 |');
  assert.match(text, '- Owner: Anna Ek\n- As of: 2026-08-21, up to change 12');
  assert.match(text, '- Generated: 2026-11-21 19:00 UTC');
});

test('HTML has words, times to the minute, details below their row, and a footer with its title', async () => {
  const text = await contentOf(reportHtml, pageOf([row('1', { overdue: true, note: 'beside' })]));
  assert.match(text, 'Risk · Fire</th>');
  assert.match(text, '<th scope="row" class="word">2026-08-21 08:16</th>');
  assert.match(text, '<td class="alarm">overdue</td>');
  assert.match(text, '<b>Note</b> beside');
  assert.match(text, 'content: "Risk register · Acme · change 12 · dddddddddddd"');
});

test('HTML writes columns below their row that would make the table too wide', async () => {
  const page = pageOf([row('1', { text: 'long' })]);
  const [part] = page.parts;
  const section = { ...part!.section, columns: withBelow(part!.section.columns, ['text']) };
  const text = await contentOf(reportHtml, { ...page, parts: [{ ...part!, section }] });
  assert.not.match(text, /<th [^>]*>Text</);
  assert.match(text, /<tr class="below"><td [^>]*><div><span class="word"><b>Text<\/b> long<\/span>/);
});

test('HTML has each of many rows once, in order, and writing stops when the client disconnects', async () => {
  const rows = Array.from({ length: 601 }, (_, index) =>
    row(`${index}`, { text: index === 300 ? '\u0001' : `${index}` }),
  );
  const text = await contentOf(reportHtml, pageOf(rows));
  const ids = [...text.matchAll(/<b>Id<\/b> rsk_(\d+)</g)].map(([, id]) => Number(id));
  assert.equal(ids, [...rows.keys()]);
  assert.match(text, '<td class="prose">\uFFFD</td>');
  const disconnect = new AbortController();
  const writing = rejection(Promise.resolve(reportHtml.write(HEAD, pageOf(rows), disconnect.signal)));
  disconnect.abort(new Error('gone'));
  assert.is(((await writing) as Error).message, 'gone');
});

test('texts from the register are escaped in each format', async () => {
  const evil = '</style></title><script>alert(1)</script>\n"\\ | **bold** [a](https://evil.example)';
  const page = pageOf([], { figures: [{ ...figure('COUNT', 1, 0), label: evil }] });
  const [html, markdown] = [
    (
      (await reportHtml.write({ ...HEAD, title: evil, about: [{ label: 'Audit', value: evil }] }, page)) as {
        content: string;
      }
    ).content,
    (
      reportMarkdown.write({ ...HEAD, title: evil, about: [{ label: 'Audit', value: evil }] }, page) as {
        content: string;
      }
    ).content,
  ];
  assert.not.match(html, /<script|<\/style>[\s\S]*<\/style>|<\/title>[\s\S]*<\/title>/);
  assert.match(html, 'content: "\\3c /style>');
  assert.not.match(markdown.replace(/\\[\s\S]/g, '').replaceAll('| **Risks** |', ''), /[<>[\]*]|:\/\//);
  assert.is(markdown.split('\n').filter((line) => line.startsWith('# ')).length, 1);
});

test('HTML escapes a text wherever a row shows it: as group, first cell, prose, name and detail', async () => {
  const evil = '<b title="x">&amp; (expired 2026-01-01) \u0007';
  const texts = { record_name: evil, recorded_at: evil, text: evil, owner_id: evil, note: evil, id: evil };
  const html = await contentOf(reportHtml, pageOf([row('1', texts)]));
  const table = html.slice(html.indexOf('<tbody>'), html.indexOf('</table>'));
  const shown = table.replace(/<\/?(?:tbody|tr|th|td|div|span|b)(?: (?:class|scope|colspan)="[\w ]+")*>/g, '');
  assert.not.match(shown, /[<"\u0007]|&(?!amp;|lt;|quot;)/);
  assert.is(shown.split('&lt;b title=&quot;x&quot;>&amp;amp; (expired 2026-01-01) \uFFFD').length - 1, 6);
});

test('CSV has rows about the report, names with ids, and no formulas', async () => {
  const page = pageOf([row('1', {})], { nextRow: 1, isTruncated: true });
  page.parts[0]!.rowsAfter = 3;
  const answer = reportCsv.write(HEAD, page) as { content: string; left_out: object; truncated: true; whole: string };
  for (const line of [
    'type,RISK_REGISTER',
    'organization_id,org_1',
    'generated_at,2026',
    'seal,pending',
    'incomplete,yes',
  ])
    assert.match(answer.content, `report,${line.replace(',', ',,')}`);
  assert.match(answer.content.split('\r\n')[0]!, ',owner,owner_id,');
  assert.equal([answer.left_out, answer.truncated], [{ changes: 3 }, true]);
  assert.match(answer.whole, 'GET /api/v1/organizations/org_1/reports/RISK_REGISTER?as_of=12');
  assert.equal((reportJson.write(HEAD, page) as { whole: string }).whole, answer.whole);
  assert.equal(
    ['a;=1', '＝1', '-1', 'plain', -1].map((value) => csvCell(value)),
    ['"a;\'=1"', "'＝1", "'-1", 'plain', '-1'],
  );
});

test('a cell never becomes a formula, even with a look-alike sign or invisible characters in front', () => {
  const signs = '= + - @ ＝ ＋ － ＠ \uFE66 \uFE62 \uFE63 \uFE6B \u2212 \u207A \u207B \u207C \u208A \u208B \u208C';
  const otherMinusSigns = '\u2010 \u2011 \u02D7 \u2795 \u2796 \uFB29 \uA78A \u2E40 \u30A0';
  const invisible = [
    '',
    ' ',
    '\u00A0',
    '\u200B',
    '\u200C',
    '\u200D',
    '\u2060',
    '\uFEFF',
    '\u00AD',
    '\u200E',
    '\u180E',
    '\u034F',
  ];
  for (const sign of `${signs} ${otherMinusSigns}`.split(' ')) {
    for (const before of [...invisible, '\u200B \uFEFF', '\u{E0020}', '\uFE0F', '\u3164']) {
      const text = `${before}${sign}1+1`;
      assert.is(csvCell(text), `'${text}`, JSON.stringify(text));
    }
  }
  for (const text of ['a=1', '1-1', '\u200Ba=1', 'm\u{1F469}\u200D\u{1F4BB}', '–', '']) assert.is(csvCell(text), text);
  assert.equal(
    [-1, -0.5].map((value) => csvCell(value)),
    ['-1', '-0.5'],
    'numbers stay numbers',
  );
});

test('no part of a cell becomes a formula where another delimiter splits it', () => {
  const texts = [
    "Semi;=cmd|'/C calc'!A1",
    'Tab\t+1',
    'Line\n-1',
    'Lines\r\n\r\n@SUM(1)',
    ';;=1',
    'Quoted;"=1"',
    'a; \u200B＝1',
  ];
  const table = texts.map((text) => csvLine(['R-1', text, 'last'])).join('');
  for (const delimiter of [';', '\t', ',']) {
    const rows: string[][] = parse(table, { delimiter, relax_quotes: true, relax_column_count: true });
    const cells = rows.flat();
    assert.ok(cells.length > texts.length, delimiter);
    for (const cell of cells) assert.not.match(cell, /^["\s\u200B]*[=+\-@＝]/, JSON.stringify(cell));
  }
  const rows: string[][] = parse(table);
  assert.equal(
    rows.map(([, text]) => text!.replaceAll("'", '')),
    texts.map((text) => text.replaceAll("'", '')),
    'whole cells where commas split',
  );
  // Would not end in time if breaks without a formula took quadratic time.
  const breaks = `a${'\n\t; '.repeat(1_000_000)}b`;
  assert.is(csvCell(breaks), `"${breaks}"`);
  for (const text of ['a; b', 'one\ntwo=2', 'x;1-1', 'Do:\n- first\n- second']) assert.is(csvCell(text), `"${text}"`);
  assert.is(csvCell("Do:\n- cmd|'/C calc'!A1"), `"Do:\n'- cmd|'/C calc'!A1"`, 'no line of a list');
});

test.run();
