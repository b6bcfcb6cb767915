/** The reporting database of a service has the records, changes, links and figures that its tools and reports have. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILY_DESCRIPTIONS } from '../../src/register/families.ts';
import { RECORD_TABLES } from '../../src/reporting/family-tables.ts';
import { writeSmallRegister } from '../support/histories/small-register.ts';
import {
  openReportingDatabase,
  type ReportingDatabase,
  type ReportingRow,
} from '../support/reporting/reporting-database.ts';
import { reportCaller, wholeReport } from '../support/reports.ts';
import { until } from '../support/run/wait.ts';
import { type ServedPair, serve, startPairs } from '../support/stores/pairs.ts';

const PAGE = readFileSync(new URL('../../docs/read-models.md', import.meta.url), 'utf8');

interface Context extends ServedPair {
  database: ReportingDatabase;
  /** A position before the register's last changes. */
  before: number;
}

for (const pair of await startPairs()) {
  const test = suite<Context>(`the reporting database, on ${pair.name}`);

  test.before(async (context) => {
    const served = await serve(pair);
    const { owner, organizationId: organization_id } = served;
    await writeSmallRegister(owner, organization_id);
    const { risks } = (await owner.ok('listRisks', { organization_id })) as unknown as { risks: { id: string }[] };
    const [accepted, archived] = risks.map(({ id }) => id) as [string, string];
    const untilDay = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const answer = await owner.ok('decideRisk', {
      id: accepted,
      decision: 'ACCEPT',
      until: untilDay,
      reason: 'It costs more',
    });
    await owner.ok('archiveRecords', { ids: [archived], action: 'ARCHIVE', reason: 'It is another’s' });
    const { changes } = await owner.ok('listChanges', { organization_id, size: 1 });
    const database = await until(() => openReportingDatabase(pair.env).catch(() => null), 20_000, 'it exists');
    await until(() => hasReached(database, Number(changes[0]!.position)), 20_000, 'it follows the register');
    Object.assign(context, served, { database, before: Number(answer.position) });
  });

  test.after(async ({ database, close }: Partial<Pick<Context, 'database'>> & Context) => {
    await database?.close();
    await close?.();
  });

  test('each family’s table equals the answer of its list tool', async ({ owner, organizationId, database }) => {
    for (const { type, plural } of FAMILY_DESCRIPTIONS) {
      const records =
        type === 'EVIDENCE' ? await readEvidence(owner, organizationId) : await list(owner, plural, organizationId);
      assert.ok(records.length > 0, plural);
      compare(plural, await database.rows(plural), records);
    }
  });

  test('each history at a position equals the list as of that position', async (context) => {
    const { owner, organizationId, database, before } = context;
    for (const { plural } of FAMILY_DESCRIPTIONS.filter(({ type }) => type !== 'EVIDENCE')) {
      const rows = (await database.rows(`${plural}_history`)).filter(
        ({ from_position, until_position }) =>
          Number(from_position) <= before && (until_position === null || Number(until_position) > before),
      );
      compare(plural, rows, await list(owner, plural, organizationId, { as_of: String(before) }));
    }
  });

  test('versions follow each other without a gap, at the times of their events', async ({ database }) => {
    const times = new Map((await database.rows('changes')).map(({ position, log_time }) => [position, log_time]));
    for (const { history } of RECORD_TABLES) {
      const versions = await database.rows(history.name);
      for (const { id, from_position, until_position, from_time, until_time } of versions) {
        assert.is(from_time, times.get(from_position), history.name);
        assert.is(until_time, until_position === null ? null : times.get(until_position), history.name);
        if (until_position === null) continue;
        assert.is(versions.filter((next) => next.id === id && next.from_position === until_position).length, 1);
      }
    }
  });

  test('changes are the events of listChanges, with a row for each changed field', async (context) => {
    const { owner, organizationId: organization_id, database } = context;
    const changes = (await owner.walk('listChanges', 'changes', { organization_id, size: 100 })) as unknown as Change[];
    const rows = (await database.rows('changes')).sort((a, b) => Number(b.position) - Number(a.position));
    assert.is(rows.length, changes.length);
    for (const [index, row] of rows.entries()) {
      const { position, record, linked, recorded_at, ...change } = changes[index]!;
      assert.equal([row.position, row.record_id, row.record_type], [Number(position), record.id, record.type]);
      assert.equal([row.record_name, row.linked_id], [record.name, linked?.id ?? null]);
      assert.is(row.recorded_at, asCell('TIMESTAMP', recorded_at));
      for (const field of ['event_type', 'revision', 'reason']) assert.equal(row[field], change[field], field);
    }
    const fields = await database.rows('change_fields');
    const expected = changes.flatMap(({ position, changes: ofEvent }) =>
      ofEvent.filter(({ field }) => !field.startsWith('tokens.')).map(({ field }) => `${position} ${field}`),
    );
    assert.equal(fields.map(({ position, field }) => `${position} ${field}`).sort(), expected.sort());
  });

  test('change_records has the whole history of each record', async (context) => {
    const { owner, organizationId: organization_id, database } = context;
    const rows = await database.rows('change_records');
    for (const { plural } of FAMILY_DESCRIPTIONS) {
      for (const { id } of await database.rows(plural)) {
        const input = { organization_id, filter: { record_id: [id] }, size: 100 };
        const changes = (await owner.walk('listChanges', 'changes', input)) as unknown as Change[];
        const positions = rows.filter(({ record_id }) => record_id === id).map(({ position }) => Number(position));
        const expected = changes.map(({ position }) => Number(position));
        assert.equal(positions.sort(ascending), expected.sort(ascending), `${plural} ${id}`);
      }
    }
  });

  test('links has each pair once', async ({ database }) => {
    const links = await database.rows('links');
    assert.ok(links.length > 0);
    assert.is(new Set(links.map(({ record_id, other_id }) => [record_id, other_id].sort().join())).size, links.length);
    const measures = new Map((await database.rows('measures')).map(({ id, name }) => [id, name]));
    const evidence = await database.rows('evidence');
    const linked = links.filter(({ other_id, record_id }) =>
      evidence.some(({ id }) => id === other_id || id === record_id),
    );
    assert.ok(linked.some((link) => measures.has(link.record_id as string) || measures.has(link.other_id as string)));
  });

  test('figures_daily has the figures of POSTURE, now and as of the first event', async (context) => {
    const { owner, organizationId, database } = context;
    const { data, today } = await wholeReport(reportCaller(owner, organizationId), { type: 'POSTURE' });
    const rows = await database.rows('figures_daily');
    const newest = rows.map(({ day }) => String(day)).sort(descending)[0];
    assert.is(newest, today);
    const values = new Map(rows.filter(({ day }) => day === newest).map(({ figure, value }) => [figure, value]));
    assert.ok(data.figures.length > 50);
    for (const { name, value } of data.figures) assert.is(values.get(name), value, name);
    const meanings = new Set((await database.rows('figures')).map(({ figure }) => figure));
    assert.equal(
      [...values.keys()].filter((figure) => !meanings.has(figure)),
      [],
    );
  });

  test('due dates are those of the report DUE_ITEMS', async ({ owner, organizationId, database }) => {
    const until = `${new Date().getUTCFullYear() + 1}-12-31`;
    const report = await wholeReport(reportCaller(owner, organizationId), { type: 'DUE_ITEMS', until });
    const items = report.data.sections.flatMap(({ rows }) => rows);
    const expected = items.map(({ id, what, due }) => `${id} ${what} ${due}`);
    assert.ok(expected.length > 0);
    const rows = (await database.rows('due_dates')).filter(
      ({ due_date }) => due_date !== null && String(due_date) <= until,
    );
    assert.equal(
      rows.map(({ record_id, what, due_date }) => `${record_id} ${what} ${due_date}`).sort(),
      expected.sort(),
    );
  });

  test('people are the members, and enum values have their order', async ({ accountId, organizationId, database }) => {
    const people = await until(async () => {
      const rows = await database.rows('people');
      return rows.length > 0 && rows;
    });
    assert.equal(people, [{ organization_id: organizationId, id: accountId, display_name: 'First owner', present: 1 }]);
    const priorities = (await database.rows('enum_values')).filter(
      ({ table_name, column_name }) => table_name === 'risks' && column_name === 'priority',
    );
    const sorted = priorities.sort((a, b) => Number(a.sort_order) - Number(b.sort_order));
    assert.equal(
      sorted.map(({ value, label }) => [value, label]),
      [
        ['LOW', 'Low'],
        ['MEDIUM', 'Medium'],
        ['HIGH', 'High'],
        ['CRITICAL', 'Critical'],
      ],
    );
  });

  test('each query of docs/read-models.md runs, and finds rows', async (context) => {
    const { organizationId: organization, database } = context;
    const risk = (await database.rows('risks')).find(({ measure_count }) => Number(measure_count) > 0);
    const day = new Date().toISOString().slice(0, 10);
    const parameters = { organization, day, position: 1, record: risk!.id };
    const queries = [...PAGE.matchAll(/```sql\n(.*?)\n```/gs)].map(([, sql]) => sql!);
    assert.is(queries.length, 8);
    for (const sql of queries) {
      const named = Object.fromEntries(Object.entries(parameters).filter(([name]) => sql.includes(`:${name}`)));
      const rows = database.query(sql, named);
      if (rows !== null) assert.ok(rows.length > 0, sql);
    }
  });

  test('each aggregation of the examples runs on MongoDB, and finds what the tables have', async (context) => {
    const { owner, organizationId: organization, database } = context;
    await import(new URL('../../examples/reporting/figures.mongodb.js', import.meta.url).href);
    const { figures } = globalThis as unknown as { figures(input: object): Record<string, [string, object[]]> };
    const day = new Date().toISOString().slice(0, 10);
    const answers = new Map<string, ReportingRow[]>();
    const input = { organization, day, position: 1, evidence: [] as unknown[], evidenced: [] as unknown[] };
    for (const name of Object.keys(figures(input))) {
      const [collection, stages] = figures(input)[name]!;
      const rows = await database.aggregate(collection, stages);
      if (rows === null) return;
      assert.ok(rows.length > 0, name);
      answers.set(name, rows);
      if (name === 'valid_evidence') input.evidence = rows.map(({ id }) => id);
      if (name === 'links_of_evidence')
        input.evidenced = rows.flatMap(({ record_id, other_id }) => [record_id, other_id]);
    }
    const missing = { organization_id: organization, filter: { missing: ['EVIDENCE'] }, size: 100 };
    assert.equal(
      answers.get('controls_without_valid_evidence')!.map(({ id }) => id),
      (await owner.walk('listControls', 'controls' as 'risks', missing)).map(({ id }) => id).sort(),
    );
    const coverage = new Map(
      answers
        .get('coverage_by_framework')!
        .reverse()
        .map((row) => [row.framework_id, row.value]),
    );
    for (const framework of await owner.walk('listFrameworks', 'frameworks' as 'risks', {
      organization_id: organization,
    }))
      assert.is(coverage.get(framework.id), (framework as unknown as ReportingRow).coverage);
    const due = (await database.rows('due_dates')).filter(
      ({ due_date }) => due_date !== null && String(due_date) <= day,
    );
    assert.is(answers.get('due_until_a_day')!.length, due.length);
    const changes = await database.rows('changes');
    const counted = answers.get('changes_by_person')!.reduce((sum, row) => sum + Number(row.changes), 0);
    assert.is(counted, changes.length);
    const live = (await database.rows('risks')).filter(({ archived_at }) => archived_at === null);
    assert.is(answers.get('risks_by_score_and_owner')!.length, live.length);
  });

  test.run();
}

interface Change extends ReportingRow {
  position: string;
  record: { id: string; type: string; name: string };
  linked?: { id: string };
  changes: { field: string }[];
}

const ascending = (a: number, b: number) => a - b;
const descending = (a: string, b: string) => (a < b ? 1 : -1);

async function hasReached(database: ReportingDatabase, position: number): Promise<boolean> {
  const progress = await database.rows('progress').catch(() => []);
  return progress.length > 0 && progress.every((row) => Number(row.position) >= position);
}

/** Returns every record of a family, including archived ones. */
async function list(owner: ServedPair['owner'], plural: string, organization_id: string, more = {}) {
  const tool = `list${plural[0]!.toUpperCase()}${plural.slice(1)}`;
  const input = { organization_id, filter: { include_archived: true }, view: 'FULL', size: 100, ...more };
  return (await owner.walk(tool, plural as 'risks', input)) as unknown as ReportingRow[];
}

/** Returns all evidence. It has no list, so its ids come from the changes. */
async function readEvidence(owner: ServedPair['owner'], organization_id: string): Promise<ReportingRow[]> {
  const changes = await owner.walk('listChanges', 'changes', { organization_id, size: 100 });
  const additions = (changes as unknown as ReportingRow[]).filter(({ event_type }) => event_type === 'EvidenceAdded');
  const answer = await owner.ok('getRecords', { ids: additions.map(({ record }) => (record as ReportingRow).id) });
  return (answer as unknown as { records: ReportingRow[] }).records;
}

/** Compares the columns of rows with the fields of a tool's records. */
function compare(plural: string, rows: readonly ReportingRow[], records: readonly ReportingRow[]): void {
  assert.is(rows.length, records.length, plural);
  const { columns } = RECORD_TABLES.find(({ current }) => current.name === plural)!;
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const record of records) {
    const row = byId.get(record.id)!;
    for (const { name, type, path } of columns) {
      if (name === 'position') continue;
      const value = path.reduce<unknown>((holder, member) => (holder as ReportingRow | null)?.[member] ?? null, record);
      const expected =
        name === 'stale' ? (value ?? false) : type === 'INTEGER' && value !== null ? Number(value) : value;
      assert.equal(row[name], asCell(type, expected), `${plural}.${name}`);
    }
  }
}

function asCell(type: string, value: unknown): unknown {
  if (type === 'BOOLEAN') return typeof value === 'boolean' ? Number(value) : value;
  if (type === 'TIMESTAMP' && value !== null)
    return new Date(String(value)).toISOString().replace('T', ' ').slice(0, -1);
  return value;
}
