import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { REPORT_TYPES } from '../../../src/reports/all-reports.ts';
import { writeSmallRegister } from '../../support/histories/small-register.ts';
import { readWorkbook } from '../../support/read-workbook.ts';
import { digestOfAnswer, reportCaller, type WholeReport, wholeReport } from '../../support/reports.ts';
import { folderOfTest } from '../../support/run/installed.ts';
import { until } from '../../support/run/wait.ts';
import { embeddedPair, type ServedPair, serve } from '../../support/stores/pairs.ts';
import { formsIn, OWNER, TestBrowser } from '../../support/web/web.ts';

/** Report files, by token, on the embedded stores. */

const EVIL = `</title></text><script>alert(1)</script><img src="https://evil.example/x" onerror='alert(2)'> =1+1`;
const CHROMIUM = '/usr/bin/chromium';

const test = suite<ServedPair>('report files');

test.before(async (context) => {
  Object.assign(context, await serve(embeddedPair()));
  const { owner, organizationId: organization_id } = context;
  await writeSmallRegister(owner, organization_id);
  const risk = { name: EVIL, inherent_likelihood: 5, inherent_impact: 5, next_review_due: '2020-01-01' };
  await owner.ok('addRisk', { organization_id, name: '@formula', category: '=1+1' });
  await owner.ok('addRisk', { organization_id, description: EVIL, category: EVIL, ...risk });
});
test.after((served) => served.close());

function file({ url, organizationId, token }: ServedPair, path: string, headers: Record<string, string> = {}) {
  const all = { Authorization: `Bearer ${token}`, ...headers };
  return fetch(`${url}/api/v1/organizations/${organizationId}/reports/${path}`, { headers: all });
}

test('returns a complete JSON report with the tool’s digest', async (served) => {
  const fromTool = await wholeReport(reportCaller(served.owner, served.organizationId), { type: 'RISK_REGISTER' });
  const answer = await file(served, `risk-register?as_of=${fromTool.position}`);
  assert.is(answer.status, 200);
  assert.is(answer.headers.get('cache-control'), 'no-store');
  assert.match(answer.headers.get('etag') ?? '', new RegExp(`^W/"${fromTool.digest}-json-[\\w-]{10}"$`));
  assert.match(
    String(answer.headers.get('content-disposition')),
    /^attachment; filename="My organization Risk register \d/,
  );
  const { report } = (await answer.json()) as { report: WholeReport };
  assert.is(report.digest, fromTool.digest);
  assert.is(digestOfAnswer(report), fromTool.digest);
  assert.equal(report.data, fromTool.data);
});

test('serves every type in every format that needs no browser, with one digest', async (served) => {
  const { audits } = (await served.owner.ok('listAudits', {
    organization_id: served.organizationId,
    filter: { state: ['COMPLETED'] },
  })) as unknown as { audits: { id: string }[] };
  const extraQuery: Record<string, string> = { AUDIT_PACK: `&audit_id=${audits[0]!.id}`, CHANGES_BETWEEN: '&from=1' };
  for (const type of REPORT_TYPES) {
    const path = `${type}?as_of=${type === 'AUDIT_PACK' ? '' : '20'}${extraQuery[type] ?? ''}`;
    const digests = new Set<string>();
    for (const format of ['json', 'markdown', 'csv', 'html']) {
      const answer = await file(served, `${path}&format=${format}`);
      const text = await answer.text();
      assert.is(answer.status, 200, `${type} ${format}: ${text.slice(0, 300)}`);
      const digest = /"([0-9a-f]{64})-/.exec(String(answer.headers.get('etag')))![1]!;
      assert.ok(text.includes(digest), `${type} ${format} tells its digest`);
      digests.add(digest);
    }
    assert.is(digests.size, 1, type);
  }
});

test('serves every type as a workbook: its head, its figures, and each section with all rows', async (served) => {
  const { audits } = (await served.owner.ok('listAudits', {
    organization_id: served.organizationId,
    filter: { state: ['COMPLETED'] },
  })) as unknown as { audits: { id: string }[] };
  const extraQuery: Record<string, string> = { AUDIT_PACK: `audit_id=${audits[0]!.id}`, CHANGES_BETWEEN: 'from=1' };
  for (const type of REPORT_TYPES) {
    const path = `${type}?${extraQuery[type] ?? ''}`;
    const readReport = async () => ((await (await file(served, path)).json()) as { report: WholeReport }).report;
    const name = join(folderOfTest(), `${type}.xlsx`);
    // The audit's completion is sealed soon, which may be between two files.
    const readBoth = async () => {
      const before = await readReport();
      const answer = await file(served, `${path}&format=xlsx`);
      writeFileSync(name, Buffer.from(await answer.arrayBuffer()));
      return (await readReport()).digest === before.digest && before;
    };
    const report = await until(readBoth, 10_000, 'two files of the same moment');
    const [head, ...sheets] = await readWorkbook(name);
    const about = new Map(head!.rows.map((cells) => [cells[0]!.value, cells[1]?.value]));
    assert.is(about.get('Report digest'), report.digest, type);
    const { figures, sections } = report.data;
    const figureSheet = figures.length === 0 ? undefined : sheets.shift();
    if (figureSheet) {
      const values = figureSheet.rows.slice(1).map((cells) => cells[2]?.value);
      assert.equal(
        values,
        figures.map(({ value }) => value ?? undefined),
      );
    }
    // Lines to fill in by hand are no data.
    if (sheets.at(-1)?.name === 'Approval') sheets.pop();
    assert.equal(
      sheets.map(({ rows }) => Math.max(0, rows.length - 1)),
      sections.map(({ rows }) => rows.length),
      type,
    );
  }
});

test('a workbook shows statuses in words, people by name, numbers as numbers, and no formula', async (served) => {
  const answer = await file(served, 'risk-register?format=xlsx');
  const name = join(folderOfTest(), 'risks.xlsx');
  writeFileSync(name, Buffer.from(await answer.arrayBuffer()));
  const sheets = await readWorkbook(name);
  const about = sheets.find((sheet) => sheet.name === 'Report')!.rows.map((cells) => cells.map((cell) => cell?.value));
  assert.match(String(about.find(([label]) => label === 'Risk treatment plan')?.[1]), /^Risks that are not closed/);
  const risks = sheets.find((sheet) => sheet.name === 'Risks')!;
  const headings = risks.rows[0]!.map((cell) => cell!.value);
  const rows = risks.rows.slice(1).map((cells) => new Map(headings.map((heading, column) => [heading, cells[column]])));
  const evil = rows.find((row) => row.get('Description')?.value === EVIL)!;
  assert.equal(evil.get('Score'), { kind: 'number', value: 25 });
  assert.equal(evil.get('Status'), { kind: 'text', value: 'Open' });
  assert.equal(evil.get('Next review'), { kind: 'date', value: '2020-01-01' });
  assert.equal(evil.get('Review overdue'), { kind: 'text', value: 'overdue' });
  const formula = rows.find((row) => row.get('Risk')?.value === '@formula')!;
  assert.equal(formula.get('Category'), { kind: 'text', value: '=1+1' });
});

test('serves an HTML page without external content or scripts, with all values escaped', async (served) => {
  for (const type of ['risk-register', 'posture', 'due-items?until=2027-03-01', 'statement-of-applicability']) {
    const answer = await file(served, type, { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    assert.is(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(String(answer.headers.get('content-disposition')), /^inline; /);
    const policy = String(answer.headers.get('content-security-policy'));
    assert.match(policy, /^default-src 'none'; style-src 'unsafe-inline'; img-src data:; .*sandbox$/);
    const page = await answer.text();
    // Inside a tag: the same texts in content are escaped and stay data.
    assert.not.match(page, /<script|<img|<link|<iframe|<[^>]*\son\w+=["']|<[^>]*javascript:/i, type);
    const back = `<p class="back"><a href="${served.url}/organizations/${served.organizationId}">`;
    assert.is(page.split(back).length, 2, type);
    const withoutOwnLinks = page
      .replace(back, '')
      .replaceAll(`<a href="${served.url}/organizations/${served.organizationId}/`, '')
      .replaceAll('http://www.w3.org/', '')
      .replaceAll('<a href="#section-', '')
      .replaceAll(`<a href="${served.url}/organizations/${served.organizationId}/`, '');
    assert.not.match(withoutOwnLinks, /(?:src|href|action)=["']|url\((?!#)/, type);
    assert.is(page.match(/<h1>/g)?.length, 1);
    assert.match(page, /<svg [^>]*role="(?:img|group)" aria-labelledby="\w+-title \w+-text"><title id=/, type);
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    assert.is(new Set(ids).size, ids.length, `${type}: ids are there once`);
  }
  const page = await (await file(served, 'risk-register?format=html')).text();
  assert.ok(page.includes('&lt;/title>&lt;/text>&lt;script>'));
});

test('renders the same HTML each time, except for the time of generation', async (served) => {
  const htmlWithoutTime = async () => {
    const page = await (await file(served, 'risk-register?format=html&as_of=20')).text();
    return page.replace(/<dt>Generated<\/dt><dd>.*?<\/dd>/, '');
  };
  assert.is(await htmlWithoutTime(), await htmlWithoutTime());
});

test('begins a CSV with a byte order mark, and escapes formulas', async (served) => {
  const bytes = new Uint8Array(await (await file(served, 'risk-register?format=csv')).arrayBuffer());
  assert.equal([...bytes.slice(0, 3)], [0xef, 0xbb, 0xbf]);
  const text = new TextDecoder().decode(bytes);
  assert.match(text, "'=1+1");
  assert.not.match(text, /(?:^|,)"?[=+@]/m);
});

test('answers 304 to a client with the current version, without generating it again', async (served) => {
  const path = 'obligations?as_of=19';
  const etag = String((await file(served, path)).headers.get('etag'));
  const repeated = await file(served, path, { 'If-None-Match': `"other", ${etag}` });
  assert.equal([repeated.status, await repeated.text(), repeated.headers.get('etag')], [304, '', etag]);
  for (const tag of [etag.replace(/"$/, '-gzip"'), '*'])
    assert.is((await file(served, path, { 'If-None-Match': tag })).status, 304, tag);
  assert.is((await file(served, `${path}&format=csv`, { 'If-None-Match': etag })).status, 200);
  const filter = { record_types: ['ACCESS'], event_types: ['REPORT_GENERATED'] };
  const list = { organization_id: served.organizationId, filter, size: 100 };
  const formats = async () => {
    const { changes } = await served.owner.ok('listChanges', list);
    const rows = changes.map((row) => Object.fromEntries(row.changes.map(({ field, to }) => [field, to])));
    const entries = rows.filter(({ type, position }) => type === 'OBLIGATIONS' && String(position) === '19');
    return entries.length > 1 && entries.map(({ format }) => format).sort();
  };
  const logged = await until(formats, 5_000, 'the reports are logged');
  assert.equal(logged, ['CSV', 'JSON']);
});

/* Access to files is in file-admission.test.ts. */
test('logs each report with its format and filter', async ({ owner, organizationId: organization_id }) => {
  const filter = { record_types: ['ACCESS'], event_types: ['REPORT_GENERATED'] };
  const { changes } = await owner.ok('listChanges', { organization_id, filter, size: 100 });
  const formats = changes.flatMap((row) => row.changes.filter(({ field }) => field === 'format').map(({ to }) => to));
  for (const format of ['HTML', 'CSV', 'JSON']) assert.ok(formats.includes(format), `${formats}`);
  const until = changes.flatMap((row) => row.changes.filter(({ field }) => field === 'until').map(({ to }) => to));
  assert.equal(until, ['2027-03-01'], 'and its filter');
});

test('serves reports to a page session, which opens nothing else of the API', async (served) => {
  const { url, organizationId, service } = served;
  const path = `/api/v1/organizations/${organizationId}/reports/posture`;
  const browser = new TestBrowser(url, new URL(url).host, url);
  const stranger = await browser.get(path);
  assert.equal([stranger.status, stranger.to], [303, `/sign-in?next=${encodeURIComponent(path)}`]);
  const key = /\/welcome\?key=([\w-]+)/.exec(service.output())![1]!;
  await browser.get(`/welcome?key=${key}`);
  assert.is((await browser.send('/welcome/new', OWNER)).status, 303);
  const { text } = await browser.get(`/organizations/${organizationId}/reports/posture`);
  const form = formsIn(text).find(({ fields }) => fields.has('owner_id'))!;
  const opened = await browser.get(`${form.action}?${form.fields}&format=html`);
  assert.is(opened.to, `${path}?format=html`);
  const page = await browser.get(opened.to!);
  assert.is(page.status, 200, page.text.slice(0, 300));
  assert.match(page.text, '<h1>Posture</h1>');
  assert.is((await browser.request('POST', `/api/mcp/tools/listRisks`, null, {})).status, 401);
});

test('refuses wrong parameters with the next step', async (served) => {
  for (const [path, field, status] of [
    ['posture?format=docx', 'format', 400],
    ['nothing', 'type', 400],
    ['audit-pack', 'audit_id', 400],
    ['posture?until=2027-01-01', 'until', 400],
    ['posture?cursor=x', 'cursor', 400],
    ['posture?__proto__=x', '__proto__', 400],
    ['posture?as_of=2999-01-01', 'as_of', 400],
  ] as const) {
    const answer = await file(served, path);
    const { error } = (await answer.json()) as { error: { field?: string; message: string } };
    assert.equal([answer.status, error.field], [status, field], `${path}: ${error.message}`);
  }
});

test('lists the report names when the name is unknown', async (served) => {
  const { error } = (await (await file(served, 'changes')).json()) as { error: { allowed: string[] } };
  assert.ok(error.allowed.includes('changes-between'));
  assert.is((await file(served, 'CHANGES_BETWEEN?from=2020-01-01')).status, 200, 'the same as the tool’s');
});

test('generates PDF with a browser, and says what to do without one', async (served) => {
  const answer = await file(served, 'risk-register?format=pdf');
  if (existsSync(CHROMIUM)) {
    assert.is(answer.status, 200, await answer.clone().text());
    assert.is(answer.headers.get('content-type'), 'application/pdf');
    assert.is(
      Buffer.from(await answer.arrayBuffer())
        .subarray(0, 5)
        .toString(),
      '%PDF-',
    );
  } else {
    assert.is(answer.status, 501);
    assert.match(await answer.text(), 'CHROMIUM_PATH');
  }
});

test('never offers PDF on a machine without a browser', async () => {
  const pair = embeddedPair();
  const served = await serve({ ...pair, env: { ...pair.env, CHROMIUM_PATH: '/nowhere/chromium' } });
  try {
    const document = await (await fetch(`${served.url}/api/mcp/openapi.json`)).text();
    assert.match(document, '"text/csv"');
    assert.not.match(document, /"pdf"|application\/pdf/);
    const response = await file(served, 'posture?format=pdf');
    assert.equal([response.status, /print it/.test(await response.text())], [501, true]);
    const negotiated = await file(served, 'posture', { Accept: 'application/pdf, text/html;q=0.9' });
    assert.equal([negotiated.status, negotiated.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    const { error } = (await (await file(served, 'posture?format=docx')).json()) as { error: { allowed: string[] } };
    assert.equal(error.allowed, ['json', 'markdown', 'csv', 'xlsx', 'html']);
  } finally {
    await served.close();
  }
});

test.run();
