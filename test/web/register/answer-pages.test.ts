/** The `url` of an answer: its page shows the same records, in the same order, at the same moment. */

import * as fc from 'fast-check';
import * as assert from 'uvu/assert';
import { readReportInput, reportTypeOf } from '../../../src/http/files/report-input.ts';
import { FAMILY_DESCRIPTIONS } from '../../../src/register/families.ts';
import { readWholeReport } from '../../../src/reports/whole-report.ts';
import { FAMILY_TOOLS } from '../../../src/tools/all-family-tools.ts';
import { fullSchema } from '../../../src/tools/schema/json-schema.ts';
import { writeSmallRegister } from '../../support/histories/small-register.ts';
import type { ToolCaller } from '../../support/mcp/mcp-client.ts';
import { daysAgo } from '../../support/past.ts';
import { type PageContext, webSuite } from '../../support/web/web-suite.ts';

interface Answer {
  url?: string;
  [member: string]: unknown;
}

interface Context extends PageContext {
  organization_id: string;
  /** A position in the middle of the history. */
  middle: string;
}

const PAGE_SIZE = 50;
const PLURALS = FAMILY_DESCRIPTIONS.map(({ plural }) => plural);

const test = webSuite<Context>('pages of answers', async ({ web }) => {
  const organization_id = web.organizationId;
  const caller = { ok: (tool: string, args: object) => web.call(tool, args) } as ToolCaller;
  await writeSmallRegister(caller, organization_id);
  const middle = String(Math.round(web.reader.snapshot().newestPosition(organization_id) * 0.9));
  return { organization_id, middle };
});

/** Opens an answer's page, and returns its HTML. */
async function open({ web, owner }: Context, { url }: Answer): Promise<string> {
  assert.ok(url?.startsWith(`${web.baseUrl}/organizations/`), url);
  const { status, text } = await owner.get(url!.slice(web.baseUrl.length));
  assert.is(status, 200, `${url}\n${text}`);
  return text;
}

/** Returns the ids of the records in a page's table, in order. */
function idsIn(html: string): string[] {
  const table = /<table.*<\/table>/s.exec(html)?.[0] ?? '';
  const rows = [...table.matchAll(/<th scope="row"[^>]*>(?:<input[^>]*> )?<a href="[^"]*\/(\w+)\/(\w+)(?:\?[^"]*)?"/g)];
  return rows.filter(([, plural]) => PLURALS.includes(plural!)).map(([, , id]) => id!);
}

interface Schema {
  type?: string;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
}

interface ListTool {
  name: string;
  plural: string;
  filters: Record<string, Schema>;
  orders: readonly string[];
}

const LISTS: readonly ListTool[] = FAMILY_TOOLS.flatMap(({ list, family: { plural } }) => {
  if (list === undefined) return [];
  const { filter, order_by } = (fullSchema(list.input) as Schema).properties!;
  const orders = order_by!.properties!.field!.enum as string[];
  return [{ name: list.name, plural, filters: filter!.properties!, orders }];
});

/** Returns values for a filter that some records of the small register have, and some don't. */
function filterValues(name: string, { type, items, enum: values }: Schema, records: readonly Answer[]): unknown[] {
  const [first] = records;
  const texts = [...new Set(records.flatMap((record) => (typeof record[name] === 'string' ? [record[name]] : [])))];
  if (name === 'ids') return [records.slice(0, 2).map(({ id }) => id)];
  if (name === 'owner_id') return [['ME']];
  if (name === 'linked_to') return [String(first!.id)];
  if (name === 'linked_framework_id') return [[String(first!.framework_id)]];
  if (name === 'query') return ['a', 'the & ü+% of'];
  if (type === 'boolean') return [true, false];
  if (type === 'integer') return [4];
  if (type === 'array' && items!.enum !== undefined) return [items!.enum.slice(0, 1), items!.enum.slice(1)];
  if (type === 'array') return texts.length > 0 ? [texts.slice(0, 1), texts] : [['Sonstiges & Übriges']];
  assert.is(values, undefined, `${name} is no enum`);
  return [daysAgo(0), daysAgo(-100)];
}

/** Fails unless the page of a list shows the tool's records in the tool's order. */
async function assertSameList(context: Context, { name, plural }: ListTool, input: object): Promise<number> {
  const { web, organization_id } = context;
  const answer = await web.call<Answer>(name, { organization_id, size: PAGE_SIZE, ...input });
  const ids = (answer[plural] as { id: string }[]).map(({ id }) => id);
  assert.equal(idsIn(await open(context, answer)), ids, answer.url);
  const count = await web.call<Answer>(name, { organization_id, ...input, view: 'COUNT' });
  assert.is(count.url, answer.url);
  return ids.length;
}

for (const list of LISTS) {
  test(`the page of ${list.name} has its filters, order and moment`, async (context) => {
    const { web, organization_id, middle } = context;
    const all = await web.call<Answer>(list.name, { organization_id, view: 'FULL', size: PAGE_SIZE });
    const { relation, ...filters } = list.filters;
    const samples = Object.entries(filters).map(
      ([name, schema]) => [name, filterValues(name, schema, all[list.plural] as Answer[])] as const,
    );
    // It needs the framework.
    if (relation !== undefined) {
      const { linked_framework_id } = Object.fromEntries(samples);
      const filter = { linked_framework_id: linked_framework_id![0], relation: relation.items!.enum };
      await assertSameList(context, list, { filter });
    }
    let listed = 0;
    for (const [name, values] of samples) {
      for (const value of values) listed += await assertSameList(context, list, { filter: { [name]: value } });
    }
    assert.ok(listed > 0, 'the filters find records');
    const inputs = fc.record(
      {
        filter: fc
          .subarray(samples, { maxLength: 3 })
          .chain((chosen) =>
            fc.record(Object.fromEntries(chosen.map(([name, values]) => [name, fc.constantFrom(...values)]))),
          ),
        order_by: fc.record(
          { field: fc.constantFrom(...list.orders), direction: fc.constantFrom('ASC', 'DESC') },
          { requiredKeys: [] },
        ),
        as_of: fc.constantFrom(middle, daysAgo(0), daysAgo(1), new Date().toISOString()),
      },
      { requiredKeys: ['order_by'] },
    );
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        // The whole register of controls is shown by framework and section.
        if (list.plural === 'controls' && Object.keys(input.filter ?? {}).length === 0 && !input.order_by.field) return;
        await assertSameList(context, list, input);
      }),
      { numRuns: 6 },
    );
  });
}

test('an account filter names the caller, because somebody else may open the page', async ({
  web,
  organization_id,
}) => {
  const filter = { owner_id: ['ME'], country: ['ME'] };
  const vendors = await web.call<Answer>('listVendors', { organization_id, filter });
  assert.is(new URL(vendors.url!).search, `?country=ME&owner_id=${web.ownerId}`);
  const changes = await web.call<Answer>('listChanges', { organization_id, filter: { actor_id: ['ME', 'SYSTEM'] } });
  assert.is(new URL(changes.url!).search, `?actor_id=${web.ownerId}&actor_id=SYSTEM`);
});

test('an answer whose address would be too long has none', async ({ web, organization_id }) => {
  const input = (length: number) => ({ organization_id, filter: { query: 'x'.repeat(length) } });
  assert.ok((await web.call<Answer>('listRisks', input(1_900))).url);
  const answer = await web.call<Answer>('listRisks', input(2_000));
  assert.equal(Object.keys(answer), ['risks']);
});

test('an answer about one record leads to its page, at its moment', async (context) => {
  const { web, organization_id, middle } = context;
  const added = await web.call<Answer & { risk: { id: string } }>('addRisk', { organization_id, name: 'Flood' });
  const { id } = added.risk;
  assert.is(added.url, `${web.baseUrl}/organizations/${organization_id}/risks/${id}`);
  assert.match(await open(context, added), />Flood</);
  for (const write of [
    await web.call<Answer>('updateRisk', { id, name: 'High water' }),
    await web.call<Answer>('decideRisk', { id, decision: 'CLOSE', reason: 'Moved uphill' }),
    await web.call<Answer>('getRecords', { ids: [id] }),
  ]) {
    assert.is(write.url, added.url);
  }
  const past = await web.call<Answer>('getRecords', { ids: [id], as_of: String(added.position) });
  assert.is(past.url, `${added.url}?as_of=${added.position}`);
  assert.match(await open(context, past), /You are viewing.*>Flood</s);
  for (const { name, plural } of LISTS) {
    const [first] = (await web.call<Answer>(name, { organization_id, size: 1 }))[plural] as { id: string }[];
    const one = await web.call<Answer>('getRecords', { ids: [first!.id], as_of: daysAgo(0) });
    assert.ok((await open(context, one)).includes(`/${plural}/${first!.id}`), plural);
  }
  const evidence = { name: 'Photo of the dam', text: 'A dam', record_ids: [id] };
  assert.match(await open(context, await web.call<Answer>('addEvidence', { organization_id, ...evidence })), />A dam</);
  const several = await web.call<Answer>('getRecords', { ids: [id, `vnd_${id.slice(4)}`] });
  const none = await web.call<Answer>('getRecords', { ids: [id], as_of: middle });
  assert.equal([several.url, none.url, none.not_found], [undefined, undefined, [id]]);
});

test('an answer about changes leads to the same changes', async (context) => {
  const { web, organization_id, middle } = context;
  const { vendors } = await web.call<{ vendors: { id: string }[] }>('listVendors', { organization_id });
  for (const input of [
    {},
    { as_of: middle },
    { filter: { record_id: vendors.map(({ id }) => id), from: '5' } },
    { filter: { record_types: ['RISK', 'AUDIT'], event_types: ['RiskAdded', 'AuditCompleted'], to: daysAgo(0) } },
    { filter: { actor_id: ['ME'], from: daysAgo(1) }, as_of: middle },
  ]) {
    const answer = await web.call<Answer>('listChanges', { organization_id, size: PAGE_SIZE, ...input });
    const positions = (answer.changes as { position: string }[]).map(({ position }) => position);
    const shown = [...(await open(context, answer)).matchAll(/<li id="change-(\d+)"/g)].map(([, position]) => position);
    assert.ok(positions.length > 0);
    assert.equal(shown, positions, answer.url);
  }
});

test('the access log has a page for its days, not for other filters', async (context) => {
  const { web, organization_id } = context;
  const list = (filter: object) =>
    web.call<Answer>('listChanges', { organization_id, filter: { record_types: ['ACCESS'], ...filter } });
  const days = await list({ from: daysAgo(3), to: daysAgo(0) });
  assert.is(days.url, `${web.baseUrl}/organizations/${organization_id}/access?from=${daysAgo(3)}&to=${daysAgo(0)}`);
  await open(context, days);
  assert.is((await list({ event_types: ['SIGNED_IN'] })).url, undefined);
});

test('a report of changes leads to the comparison of the same positions', async (context) => {
  const { web, organization_id, middle } = context;
  const report = (input: object) =>
    web.call<Answer>('getReport', { organization_id, type: 'CHANGES_BETWEEN', ...input });
  const page = `${web.baseUrl}/organizations/${organization_id}/compare`;
  const newest = web.reader.snapshot().newestPosition(organization_id);
  for (const [input, query] of [
    [{ from: middle }, `from=${Number(middle) - 1}`],
    [{ from: '3', to: middle }, `from=2&until=${middle}`],
    [{ from: '2000-01-01', as_of: middle }, `from=0&until=${middle}`],
    [{ from: '3', to: daysAgo(0) }, `from=2&until=${newest}`],
  ] as const) {
    const answer = await report(input);
    assert.is(answer.url, `${page}?${query}`);
    await open(context, answer);
  }
});

test('any other report leads to the same report in HTML', async (context) => {
  const { web, owner, organization_id, middle } = context;
  const { frameworks } = await web.call<{ frameworks: { id: string }[] }>('listFrameworks', { organization_id });
  const caller = await web.members.callerOf(web.ownerId);
  const { signal } = new AbortController();
  for (const input of [
    { type: 'POSTURE', trend: 'MONTH', trend_figures: 'risks_open', as_of: middle },
    { type: 'RISK_REGISTER', owner_id: 'ME', format: 'CSV' },
    { type: 'VENDORS', as_of: daysAgo(1) },
    { type: 'STATEMENT_OF_APPLICABILITY', framework_id: frameworks[0]!.id, as_of: middle, format: 'JSON' },
    { type: 'DUE_ITEMS', until: daysAgo(-100), as_of: new Date().toISOString() },
  ]) {
    const answer = await web.call<Answer & { report: { digest: string } }>('getReport', { organization_id, ...input });
    const { to } = await owner.get(answer.url!.slice(web.baseUrl.length));
    const file = new URL(to!, web.baseUrl);
    const segment = input.type.toLowerCase().replaceAll('_', '-');
    assert.is(file.pathname, `/api/v1/organizations/${organization_id}/reports/${segment}`);
    const request = readReportInput(organization_id, reportTypeOf(segment), file.searchParams);
    assert.is(request.format, 'html');
    const { head } = await readWholeReport(web.reader, caller, request.input, signal);
    assert.is(head.digest, answer.report.digest, answer.url);
    assert.not.match(answer.url!, /=ME/);
  }
});

test('an audit pack leads to its page, also after the audit was completed again', async (context) => {
  const { web, organization_id } = context;
  const { audits } = await web.call<{ audits: { id: string }[] }>('listAudits', {
    organization_id,
    filter: { kind: ['CERTIFICATION'] },
  });
  const { id } = audits[0]!;
  const pack = (input: object) =>
    web.call<Answer & { report: { digest: string; position: string } }>('getReport', {
      organization_id,
      type: 'AUDIT_PACK',
      audit_id: id,
      ...input,
    });
  const first = await pack({});
  assert.ok((await open(context, first)).includes(first.report.digest));
  const reopened = { id, state: 'IN_PROGRESS', reason: 'A site was forgotten' };
  await web.call('updateAudit', reopened);
  await web.call('updateAudit', { id, state: 'COMPLETED', reason: 'Found out' });
  const second = await pack({});
  assert.is(second.url, first.url);
  assert.ok((await open(context, second)).includes(second.report.digest));
  const earlier = await pack({ as_of: first.report.position });
  assert.is(earlier.report.digest, first.report.digest);
  assert.is(earlier.url, `${first.url}?as_of=${first.report.position}`);
  assert.ok((await open(context, earlier)).includes(first.report.digest));
});

test.run();
