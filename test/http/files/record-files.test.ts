/** Files of records and changes: same content and access as the lists, resumable after any line. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILY_DESCRIPTIONS } from '../../../src/register/families.ts';
import { valueAt } from '../../../src/reports/sections/report-columns.ts';
import { writeSmallRegister } from '../../support/histories/small-register.ts';
import type { Session } from '../../support/mcp/mcp-client.ts';
import { csvRows, type FileResponse, linesOf, requestFile } from '../../support/mcp/request-file.ts';
import { readWorkbook } from '../../support/read-workbook.ts';
import { folderOfTest } from '../../support/run/installed.ts';
import { until } from '../../support/run/wait.ts';
import { embeddedPair, type ServedPair, serve } from '../../support/stores/pairs.ts';

interface Context extends ServedPair {
  auditor: Session;
  viewer: Session;
}

const LISTED_FAMILIES = FAMILY_DESCRIPTIONS.filter(({ tools }) => tools.list).map(({ plural }) => plural);
const toolOf = (family: string) => FAMILY_DESCRIPTIONS.find(({ plural }) => plural === family)!.tools.list!.name;

const test = suite<Context>('files of records and changes');

test.before(async (context) => {
  Object.assign(context, await serve(embeddedPair()));
  await writeSmallRegister(context.owner, context.organizationId);
  context.auditor = await context.as('AUDITOR');
  context.viewer = await context.as('VIEWER');
});
test.after((served) => served.close());

const getFile = ({ url, token, organizationId }: Context, path: string, query: object = {}): Promise<FileResponse> =>
  requestFile(url, token, organizationId, path, query);

/** Reads all pages of a list. */
async function readAllPages(session: Session, tool: string, member: string, args: object): Promise<object[]> {
  const all: object[] = [];
  let cursor: string | undefined;
  do {
    const page = await session.ok(tool, { ...args, size: 7, view: 'FULL', ...(cursor ? { cursor } : {}) });
    all.push(...(page as unknown as Record<string, object[]>)[member]!);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return all;
}

test('a file has the same records as the family’s list, in the same order', async (context) => {
  for (const family of LISTED_FAMILIES) {
    const { lines, position, headers } = await getFile(context, `records/${family}`);
    const args = { organization_id: context.organizationId, as_of: position };
    const expected = await readAllPages(context.owner, toolOf(family), family, args);
    assert.ok(expected.length > 0, family);
    assert.equal(lines, expected, family);
    assert.is(headers.get('content-type'), 'application/x-ndjson');
    const name = `veritrail-${family}-${headers.get('veritrail-date')}-${position}.jsonl`;
    assert.is(headers.get('content-disposition'), `attachment; filename="${name}"`);
    const now = await readAllPages(context.owner, toolOf(family), family, { organization_id: context.organizationId });
    assert.equal(lines, now, `${family}: nothing changed since`);
  }
});

/** Downloads a file as a workbook, and reads its only sheet. */
async function getSheet({ url, token, organizationId }: Context, path: string, position: string) {
  const address = `${url}/api/v1/organizations/${organizationId}/${path}?format=xlsx&as_of=${position}`;
  const response = await fetch(address, { headers: { Authorization: `Bearer ${token}` } });
  const file = join(folderOfTest(), 'downloaded.xlsx');
  writeFileSync(file, Buffer.from(await response.arrayBuffer()));
  const [sheet, ...others] = await readWorkbook(file);
  assert.is(others.length, 0);
  return { headers: response.headers, ...sheet! };
}

const LINK_COLUMNS = ['risks', 'vendors', 'controls', 'measures', 'obligations', 'nonconformities', 'evidence'];

/** A spreadsheet has no difference between a day and its midnight. */
const withoutMidnight = (value: unknown) =>
  typeof value === 'string' ? value.replace(/^(\d{4}-\d\d-\d\d)T00:00:00\.000Z$/, '$1') : value;

test('a workbook has the same values as the lines, cell by cell, with their types', async (context) => {
  const { owner, organizationId: organization_id } = context;
  const hostile = { name: '=1+1', description: '2026-02-31', inherent_likelihood: 2, inherent_impact: 3 };
  await owner.ok('addRisk', { organization_id, ...hostile, next_review_due: '2027-01-31' });
  for (const path of [...LISTED_FAMILIES.map((family) => `records/${family}`), 'records/evidence', 'changes']) {
    const { lines, position } = await getFile(context, path);
    const { headers, name, rows } = await getSheet(context, path, position);
    assert.is(headers.get('content-type'), 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
    assert.match(String(headers.get('content-disposition')), new RegExp(`-${position}\\.xlsx"$`));
    assert.is(name, path.split('/').at(-1));
    assert.is(rows.length, lines.length + 1, path);
    const columns = rows[0]!.map((cell) => String(cell!.value));
    for (const [index, line] of lines.entries()) {
      for (const [place, column] of columns.entries()) {
        // A workbook names linked records, and lines don't.
        if (LINK_COLUMNS.includes(column)) continue;
        const value = valueAt({ ...line }, column);
        const cell = rows[index + 1]![place];
        if (value === null || value === undefined || value === '') assert.is(cell, undefined, `${path} ${column}`);
        else if (typeof value === 'object') assert.is(cell?.kind, value.toString() === '' ? undefined : 'text');
        else assert.is(cell?.value, withoutMidnight(value), `${path} ${column}`);
      }
    }
  }
  const { position } = await getFile(context, 'records/risks');
  const { rows } = await getSheet(context, 'records/risks', position);
  const added = rows.find((cells) => cells.some((cell) => cell?.value === '=1+1'))!;
  const kindOf = (value: unknown) => added.find((cell) => cell?.value === value)?.kind;
  assert.equal(['=1+1', '2026-02-31', 6, '2027-01-31'].map(kindOf), ['text', 'text', 'number', 'date']);
});

test('a workbook can’t be resumed after a line, but is repeated whole by its cursor', async (context) => {
  const { headers, lines } = await getFile(context, 'records/risks');
  const cursor = headers.get('veritrail-cursor');
  const after = (lines[0] as { id: string }).id;
  const refused = await getFile(context, 'records/risks', { format: 'xlsx', cursor, after });
  assert.is(refused.status, 400);
  assert.is(refused.error?.field, 'after');
  assert.is((await getFile(context, 'records/risks', { format: 'xlsx', cursor })).status, 200);
});

test('the file of evidence has what getRecords answers, now and at a past position', async (context) => {
  const { organizationId, owner } = context;
  const measures = (await getFile(context, 'records/measures')).lines as { id: string }[];
  const record_ids = measures.slice(0, 2).map(({ id }) => id);
  const fields = { organization_id: organizationId, record_ids, url: 'https://example.org/a-photo' };
  const added = await owner.ok('addEvidence', { ...fields, name: 'A photo', valid_until: '2020-01-01' });
  const { id } = (added as unknown as { evidence: { id: string } }).evidence;
  const readEvidence = async (query: object = {}) => {
    const { lines, position } = await getFile(context, 'records/evidence', query);
    return { position, records: lines as { id: string; name: string }[] };
  };
  const idsOf = async (query: object) => (await readEvidence(query)).records.map((record) => record.id);
  const { records, position } = await readEvidence();
  const names = records.map(({ name }) => name);
  assert.equal(names, [...names].sort(), 'in the order of names');
  const all = records.map((record) => record.id);
  const other = all.find((otherId) => otherId !== id)!;
  const answersOf = async (ids: readonly string[]) => {
    const answer = await owner.ok('getRecords', { ids });
    return answer.records.map(({ type: _type, ...record }) => record);
  };
  assert.equal(records, await answersOf(all));
  const linkedIds = records.map((record) => (record as { record_ids?: string[] }).record_ids ?? []);
  assert.ok(linkedIds.filter((ids) => ids.length > 0).length > 1, 'several have links');
  await owner.ok('archiveRecords', { ids: [record_ids[1]], action: 'ARCHIVE', reason: 'a test' });
  assert.equal((await readEvidence()).records, await answersOf(all), 'archived records are not among the links');
  await owner.ok('archiveRecords', { ids: [record_ids[1]], action: 'RESTORE', reason: 'a test' });
  await owner.ok('linkRecords', {
    links: [{ from_id: id, to_id: record_ids[0] }],
    action: 'UNLINK',
    reason: 'Found out',
  });
  await owner.ok('archiveRecords', { ids: [other], action: 'ARCHIVE', reason: 'a test' });
  assert.equal((await readEvidence({ as_of: position })).records, records);
  const remaining = all.filter((remainingId) => remainingId !== other);
  assert.equal(await idsOf({}), remaining);
  assert.equal(await idsOf({ kind: 'URL' }), [id]);
  assert.equal(
    await idsOf({ kind: ['TEXT', 'FILE'] }),
    remaining.filter((other) => other !== id),
  );
  assert.equal(await idsOf({ valid_until_before: '2020-01-02' }), [id]);
  assert.equal(await idsOf({ valid_until_before: '2020-01-01' }), []);
  assert.equal(await idsOf({ linked_to: record_ids[0]!, query: 'photo' }), [], 'unlinked');
  assert.equal(await idsOf({ linked_to: record_ids[1]!, query: 'photo' }), [id]);
});

test('the file of changes has the rows of listChanges: one for an event that concerns several records', async (context) => {
  const filters = [
    {},
    { record_types: ['RISK', 'MEASURE', 'VENDOR'] },
    { event_types: ['RiskAdded'] },
    { actor_id: ['ME'] },
  ];
  for (const filter of filters) {
    const { lines, position } = await getFile(context, 'changes', { filter: JSON.stringify(filter) });
    const args = { organization_id: context.organizationId, filter, as_of: position };
    const expected = await readAllPages(context.owner, 'listChanges', 'changes', args);
    assert.ok(expected.length > 3);
    assert.equal(lines, expected);
  }
});

test('accepts the list’s filters, as JSON or as query parameters', async (context) => {
  const { organizationId, owner } = context;
  const [risk] = (await owner.ok('listRisks', { organization_id: organizationId, filter: { query: 'ransom' } })).risks;
  const [measure] = (await getFile(context, 'records/measures', { linked_to: risk!.id })).lines as { name: string }[];
  assert.is(measure?.name, 'Daily backups kept off-site');
  const cases: [string, object, string | string[][]][] = [
    ['risks', { query: 'phish' }, 'query=phish'],
    ['risks', { status: ['IN_TREATMENT', 'OPEN'] }, 'status=IN_TREATMENT&status=OPEN'],
    [
      'vendors',
      { processes_personal_data: true, country: ['Germany'] },
      'processes_personal_data=true&country=Germany',
    ],
    ['risks', { missing: ['OWNER'], include_archived: true }, 'missing=OWNER&include_archived=true'],
  ];
  for (const [family, filter, query] of cases) {
    const args = { organization_id: organizationId, filter };
    const expected = await readAllPages(owner, toolOf(family), family, args);
    assert.ok(expected.length > 0, JSON.stringify(filter));
    assert.equal((await getFile(context, `records/${family}`, { filter: JSON.stringify(filter) })).lines, expected);
    const recordsByName = Object.fromEntries(
      [...new URLSearchParams(query)].map(([name]) => [name, new URLSearchParams(query).getAll(name)]),
    );
    assert.equal((await getFile(context, `records/${family}`, recordsByName)).lines, expected);
  }
});

test('refuses what the list refuses, with the same message', async (context) => {
  const { organizationId, owner } = context;
  for (const filter of [{ statuss: ['OPEN'] }, { status: ['NO_SUCH'] }, { owner_id: ['nobody'] }]) {
    const refusal = await owner.refused('listRisks', { organization_id: organizationId, filter });
    const { status, error } = await getFile(context, 'records/risks', { filter: JSON.stringify(filter) });
    assert.is(status, 400);
    assert.equal(error, refusal);
  }
  const invalidRequests: [string, object, number, string?][] = [
    ['records/evidences', {}, 404],
    ['records/constructor', {}, 404],
    ['records/risks', { format: 'xls' }, 400, 'format'],
    ['records/risks', { filter: '[1]' }, 400, 'filter'],
    ['records/risks', { filter: '{"query":"a"}', query: 'b' }, 400, 'query'],
    ['records/risks', { query: ['a', 'b'] }, 400, 'query'],
    ['records/risks', { as_of: '2999-01-01' }, 400, 'as_of'],
    ['records/risks', { as_of: '1\r\nSet-Cookie: a=b' }, 400, 'as_of'],
    ['records/risks', { cursor: 'W10.nonsense' }, 400, 'cursor'],
    ['records/risks', { after: 'rsk_1' }, 400, 'cursor'],
    ['changes', { record_types: 'ACCESS' }, 400, 'filter.record_types'],
  ];
  for (const [path, query, expected, field] of invalidRequests) {
    const { status, error } = await getFile(context, path, query);
    assert.equal([status, error?.field], [expected, field], `${path} ${JSON.stringify(query)}`);
  }
});

for (const format of ['jsonl', 'csv']) {
  test(`resumes an interrupted file after any line while records change: ${format}`, async (context) => {
    const { owner, organizationId } = context;
    for (const [path, id, column] of [
      ['records/risks', 'id', 0],
      ['changes', 'position', 0],
    ] as const) {
      const fullFile = await getFile(context, path, { format });
      const cursor = fullFile.headers.get('veritrail-cursor')!;
      const texts = format === 'csv' ? csvRows(fullFile.text) : linesOf(fullFile.text);
      await owner.ok('addRisk', { organization_id: organizationId, name: `A${Math.random()} newer risk` });
      let received = '';
      for (const [index, text] of texts.entries()) {
        received += format === 'csv' ? `${text}\r\n` : `${text}\n`;
        if (format === 'csv' && index === 0) continue;
        if (index % 3 !== 1) continue;
        const after = format === 'csv' ? text.split(',')[column]! : String(JSON.parse(text)[id]);
        const remaining = await getFile(context, path, { format, cursor, after });
        assert.is(received + remaining.text, fullFile.text, `${path} after ${after}`);
      }
      const repeated = await getFile(context, path, { format, as_of: fullFile.position });
      assert.is(repeated.text, fullFile.text, 'a file as of the same position is the same');
      const other = await getFile({ ...context, token: context.auditor.token }, path, { format, cursor });
      assert.is(other.text, fullFile.text, 'another credential of the same account can resume the file');
      assert.is((await getFile(context, path, { format, cursor, query: 'x', actor_id: 'ME' })).status, 400);
    }
  });
}

test('escapes formulas and line breaks in CSV cells', async (context) => {
  const { owner, organizationId } = context;
  const names = ['=HYPERLINK("https://example.org")', '+1', '-1', '@x', 'plain, "quoted"', 'two\nlines'];
  const rows = names.map((description, index) => ({ name: `Odd vendor ${index}`, description }));
  for (const row of rows) await owner.ok('addVendor', { organization_id: organizationId, ...row });
  const { text, headers } = await getFile(context, 'records/vendors', { format: 'csv', query: 'odd vendor' });
  assert.is(headers.get('content-type'), 'text/csv; charset=utf-8');
  for (const name of names.slice(0, 4)) assert.ok(text.includes(`'${name.replaceAll('"', '""')}`), name);
  assert.not.match(text, /(?:^|,|\r\n)"?[=+@-]/);
  assert.ok(text.includes('"plain, ""quoted"""') && text.includes('"two\nlines"'));
  assert.is(csvRows(text).length, names.length + 1);
  const reasons = await getFile(context, 'changes', { format: 'csv', record_types: 'VENDOR' });
  assert.not.match(reasons.text, /(?:^|,|\r\n)"?[=+@-]/);
});

test('a CSV begins with a byte order mark; a resumed part doesn’t', async ({ url, organizationId, token }) => {
  const address = `${url}/api/v1/organizations/${organizationId}/records/measures?format=csv`;
  const bytes = async (query = '') => {
    const answer = await fetch(`${address}${query}`, { headers: { Authorization: `Bearer ${token}` } });
    return { cursor: answer.headers.get('veritrail-cursor')!, bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  const fullFile = await bytes();
  const [, first] = csvRows(fullFile.bytes.toString('utf8'));
  const remaining = await bytes(`&${new URLSearchParams({ cursor: fullFile.cursor, after: first!.split(',')[0]! })}`);
  assert.equal([...fullFile.bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
  assert.ok(
    remaining.bytes.length > 0 && fullFile.bytes.toString('utf8').endsWith(`\r\n${remaining.bytes.toString('utf8')}`),
  );
});

test('each field of an acceptance or a review has its own CSV column', async (context) => {
  const { owner, organizationId } = context;
  const risk = { organization_id: organizationId, name: 'Taken', inherent_likelihood: 1, inherent_impact: 1 };
  const { id } = (await owner.ok('addRisk', risk)).risk as { id: string };
  const until = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
  await owner.ok('decideRisk', { id, decision: 'ACCEPT', until, reason: 'Small, and, "so far", rare' });
  const { text } = await getFile(context, 'records/risks', { format: 'csv', query: 'taken' });
  const [row] = parse(text, { columns: true }) as Record<string, string>[];
  assert.is(row!['acceptance.until'], until);
  assert.is(row!['acceptance.reason'], 'Small, and, "so far", rare');
  assert.match(row!['acceptance.approver_id']!, /^acc_/);
  const vendors = await getFile(context, 'records/vendors', { format: 'csv' });
  assert.match(csvRows(vendors.text)[0]!, ',review.outcome,');
});

test('separates the cells of a CSV by semicolons on request, and neither delimiter makes a formula', async (context) => {
  const { owner, organizationId: organization_id } = context;
  await owner.ok('addRisk', { organization_id, name: 'Semi, colon; taken', description: 'a,=1+1;=2' });
  const query = { format: 'csv', query: 'semi colon' };
  const { text } = await getFile(context, 'records/risks', { ...query, delimiter: ';' });
  const [row] = parse(text, { columns: true, delimiter: ';', bom: true }) as Record<string, string>[];
  assert.equal([row!.name, row!.description], ['Semi, colon; taken', "a,'=1+1;'=2"]);
  const commas = await getFile(context, 'records/risks', { ...query, delimiter: ',' });
  assert.equal(commas.text, (await getFile(context, 'records/risks', query)).text);
  for (const wrong of [
    { ...query, delimiter: '|' },
    { format: 'xlsx', delimiter: ';' },
  ]) {
    assert.is((await getFile(context, 'records/risks', wrong)).status, 400);
  }
});

test('has a CSV column for every field of a record', async (context) => {
  for (const family of [...LISTED_FAMILIES.map((name) => `records/${name}`), 'records/evidence', 'changes']) {
    const header = csvRows((await getFile(context, family, { format: 'csv' })).text)[0]!.split(',');
    const fields = (await getFile(context, family)).lines.flatMap((line) => Object.keys(line));
    const columns = new Set(header.map((column) => column.split('.')[0]));
    assert.equal(
      [...new Set(fields)].filter((field) => !columns.has(field)),
      [],
      family,
    );
  }
});

test('serves records, past states and changes to every role', async (context) => {
  const { viewer } = context;
  const statusOf = (session: Session, path: string, query: object = {}) =>
    getFile({ ...context, token: session.token }, path, query).then(({ status }) => status);
  for (const [path, query] of [
    ['records/risks', {}],
    ['records/risks', { as_of: '3' }],
    ['changes', {}],
  ] as const) {
    assert.is(await statusOf(viewer, path, query), 200, path);
  }
});

test('another organization looks like an unknown one, and another person’s cursor is refused', async (context) => {
  const { url, token, organizationId } = context;
  const foreignOrganization = await context.foreignOrganization();
  for (const path of ['records/risks', 'changes']) {
    const otherOrganization = await requestFile(url, token, foreignOrganization.id, path);
    const unknownOrganization = await requestFile(url, token, `${foreignOrganization.id.slice(0, -3)}000`, path);
    assert.equal([otherOrganization.status, otherOrganization.error], [404, unknownOrganization.error]);
    assert.is((await requestFile(url, foreignOrganization.owner.token, foreignOrganization.id, path)).status, 200);
    const cursor = (await requestFile(url, token, organizationId, path)).headers.get('veritrail-cursor')!;
    assert.is(
      (await requestFile(url, foreignOrganization.owner.token, foreignOrganization.id, path, { cursor })).status,
      400,
    );
    assert.is((await requestFile(url, 'vtr_nonsense', organizationId, path)).status, 401);
  }
  const ourRisks = (await getFile(context, 'records/risks')).lines as { id: string }[];
  const theirFile = await requestFile(url, foreignOrganization.owner.token, foreignOrganization.id, 'records/risks');
  const cursor = theirFile.headers.get('veritrail-cursor')!;
  const { status } = await requestFile(url, foreignOrganization.owner.token, foreignOrganization.id, 'records/risks', {
    cursor,
    after: ourRisks[0]!.id,
  });
  assert.is(status, 400);
});

test('answers HEAD with headers only, and serves files only to GET', async ({ url, token, organizationId }) => {
  const address = `${url}/api/v1/organizations/${organizationId}/records/risks`;
  const headers = { Authorization: `Bearer ${token}` };
  const head = await fetch(address, { method: 'HEAD', headers });
  assert.equal([head.status, await head.text(), head.headers.get('accept-ranges')], [200, '', 'none']);
  assert.match(head.headers.get('veritrail-position')!, /^\d+$/);
  const posted = await fetch(address, { method: 'POST', headers });
  assert.equal([posted.status, posted.headers.get('allow')], [405, 'HEAD, GET']);
});

test('logs each download with its caller', async (context) => {
  const { owner, organizationId } = context;
  const { position } = await getFile(context, 'records/audits', { format: 'csv', query: 'audit' });
  const filter = { record_types: ['ACCESS'], event_types: ['EXPORT_DOWNLOADED'], actor_id: ['ME'] };
  const readEntry = async () => {
    const { changes } = await owner.ok('listChanges', { organization_id: organizationId, filter });
    const rows = changes.map((row) => Object.fromEntries(row.changes.map(({ field, to }) => [field, to])));
    return rows.find(({ type, format, filter: query }) => type === 'audits' && format === 'csv' && query !== undefined);
  };
  const facts = await until(readEntry, 5_000, 'the file is logged');
  assert.match(String(facts?.token_id), /^tok_/);
  assert.equal([facts?.format, String(facts?.position), facts?.filter], ['csv', position, '{"query":"audit"}']);
});

test.run();
