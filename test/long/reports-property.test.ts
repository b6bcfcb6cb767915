import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AccountNames } from '../../src/identity/accounts/account-names.ts';
import { COLLECTIONS } from '../../src/projections/models.ts';
import { CursorKey } from '../../src/queries/lists/cursor.ts';
import { Reader, type ReadProgress, type Snapshot, type SnapshotOptions } from '../../src/queries/moments/snapshot.ts';
import { FAMILY_DESCRIPTIONS } from '../../src/register/families.ts';
import type { ReportRequest } from '../../src/reports/all-reports.ts';
import { riskTrend } from '../../src/reports/figures/risk-scores.ts';
import { getReport as generateReport } from '../../src/reports/report.ts';
import type { AccountStore } from '../../src/stores/account-store.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import type { ReadModels, ReadStore } from '../../src/stores/read-store.ts';
import { openSqliteReadStore } from '../../src/stores/sqlite/read-store.ts';
import { applyInBatches } from '../support/histories/derived-checks.ts';
import { derivedHistory } from '../support/histories/derived-histories.ts';
import { playHistory } from '../support/histories/derived-player.ts';
import {
  naiveAt,
  naiveCoverage,
  naiveDueItems,
  naiveEvidence,
  naiveFigures,
  naiveMatrix,
  naiveReasonFigures,
  naiveStatement,
  naiveStatementFigures,
  positionOn,
} from '../support/histories/naive-reports.ts';
import { callerAs, temporaryFolder } from '../support/register.ts';
import { digestOfAnswer, figuresOf, type GetReport, rowsOf, wholeReport } from '../support/reports.ts';

/** Compares reports of random histories, at many moments, with the naive register. */

interface Context {
  folder: string;
  reads: ReadStore;
  models: ReadModels;
}

const RUNS = 15;
/** Moments of each history. */
const MOMENTS = 4;

/** The order of records in a report of changes. */
const RANKS: readonly string[] = [...FAMILY_DESCRIPTIONS.map(({ type }) => type), 'ORGANIZATION'];

const test = suite<Context>('reports of random histories');

test.before(async (context) => {
  const folder = temporaryFolder();
  const reads = openSqliteReadStore(folder);
  const models = await reads.open('one', COLLECTIONS);
  await models.buildIndexes();
  Object.assign(context, { folder, reads, models });
});
test.after(async ({ folder, reads }) => {
  await reads.close();
  rmSync(folder, { recursive: true, force: true });
});

async function reportGenerator(models: ReadModels, organization_id: string): Promise<GetReport> {
  const checkpoint = (await models.checkpoint(organization_id))!;
  const progress = { waitUntilCaughtUp: async () => true, checkpoint: () => checkpoint, caughtUpAt: Date.now() };
  const accounts = { get: async () => null, find: async () => [] } as unknown as AccountStore;
  const names = new AccountNames(accounts);
  const now = () => new Date(checkpoint.logTime);
  const options = { events: {}, names, cursorKey: new CursorKey(Buffer.from('k')), now } as unknown as SnapshotOptions;
  const reader = new Reader(() => ({ models, progress: progress as unknown as ReadProgress }), options);
  const caller = callerAs('OWNER', { roles: new Map([[organization_id, 'OWNER']]) });
  return (input) =>
    generateReport(reader, caller, { organization_id, ...input } as ReportRequest, { onGenerated: () => undefined });
}

/** A history, with one of its positions to read at. */
interface Moment {
  getReport: GetReport;
  log: readonly StoredEvent[];
  position: number;
}

/** Plays histories and checks some of their moments, including the newest. */
async function atMoments({ models }: Context, check: (moment: Moment) => Promise<void>): Promise<void> {
  const fractions = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: MOMENTS, maxLength: MOMENTS });
  const property = fc.asyncProperty(derivedHistory(50), fractions, async (steps, parts) => {
    const { store, organization } = await playHistory(steps);
    await applyInBatches(store, models);
    const getReport = await reportGenerator(models, organization);
    const { log } = store;
    const positions = new Set([log.length, ...parts.map((part) => 2 + Math.floor(part * (log.length - 2)))]);
    for (const position of positions) await check({ getReport, log, position });
  });
  await fc.assert(property, { numRuns: RUNS, includeErrorInReport: true });
}

test('the report of evidence has the rows and figures of the naive register, with any filter', (context) =>
  atMoments(context, async ({ getReport, log, position }) => {
    const register = naiveAt(log, position);
    const [measure] = register.ofType('MEASURE').filter((record) => register.archivedAt(record) === null);
    const filters = [
      {},
      ...['TEXT', 'URL', 'FILE'].map((kind) => ({ kind })),
      { valid_until_before: register.today },
      ...(measure === undefined ? [] : [{ linked_to: measure.id }]),
    ];
    for (const filter of filters) {
      const kinds = 'kind' in filter ? { kind: [filter.kind] } : {};
      const input = { type: 'EVIDENCE', as_of: String(position), filter: { ...filter, ...kinds } };
      const report = await wholeReport(getReport, input);
      const expected = naiveEvidence(register, filter);
      const rows = rowsOf(report, 'evidence').map(({ id, kind, expired, records }) => ({
        ...{ id: String(id), kind: String(kind), expired: expired as boolean },
        records: (records as { id: string }[]).map((record) => record.id).sort(),
      }));
      const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
      assert.equal(rows.sort(byId), [...expected].sort(byId));
      const expired = expected.filter((row) => row.expired).length;
      assert.equal(figuresOf(report), { evidence: expected.length, evidence_expired: expired });
    }
  }));

test('the posture report’s figures and their changes equal the naive register’s', (context) =>
  atMoments(context, async ({ getReport, log, position }) => {
    const report = await wholeReport(getReport, { type: 'POSTURE', as_of: String(position) });
    const register = naiveAt(log, position);
    const expected = naiveFigures(register);
    assert.equal(figuresOf(report), expected);
    assert.is(report.today, register.today);
    for (const days of [30, 90, 365]) {
      const lastDay = new Date(Date.parse(register.today) - days * 86_400_000).toISOString().slice(0, 10);
      const before = positionOn(log, lastDay);
      const pastRegister = naiveAt(log, before, lastDay);
      const previousFigures = before === 0 ? {} : { ...naiveFigures(pastRegister), ...naiveCoverage(pastRegister) };
      for (const { name, value, change } of report.data.figures) {
        const than = previousFigures[name] ?? null;
        assert.is(change![`days_${days}`], value === null || than === null ? null : value - than, `${name} ${days}`);
      }
    }
  }));

/** Returns the last days of the months of a log that are before a day. */
function monthEndsOf(log: readonly StoredEvent[], today: string): string[] {
  const months = new Set(log.map(({ metadata }) => metadata.recorded_at.slice(0, 7)));
  const end = (month: string) => new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0));
  return [...months]
    .sort()
    .map((month) => end(month).toISOString().slice(0, 10))
    .filter((day) => day < today);
}

test('the trend of risk scores equals counting at the end of each month', (context) =>
  atMoments(context, async ({ log, position }) => {
    const { today } = naiveAt(log, position);
    const snapshot = { models: context.models } as unknown as Snapshot;
    const organizationId = log[0]!.metadata.organization_id;
    const points = await riskTrend({ snapshot, organizationId, moment: { today, position }, inputs: {} });
    const expected = [...monthEndsOf(log, today), today].map((day) => {
      const register = naiveAt(log, Math.min(position, positionOn(log, day)), day);
      const {
        risks_low: LOW,
        risks_medium: MEDIUM,
        risks_high: HIGH,
        risks_critical: CRITICAL,
        ...others
      } = naiveFigures(register);
      const cells = Object.entries(naiveMatrix(register)).map(([cell, risks]) => [
        ...cell.split('x').map(Number),
        risks,
      ]);
      const risks = cells.reduce((sum, [, , count]) => sum + count!, 0);
      const total = cells.reduce((sum, [likelihood, impact, count]) => sum + likelihood! * impact! * count!, 0);
      const mean = risks === 0 ? null : total / risks;
      return { day, counts: { LOW, MEDIUM, HIGH, CRITICAL }, mean, unrated: others.risks_without_score };
    });
    assert.equal(points, expected);
  }));

test('the trend of the posture report equals counting at the end of each month', (context) =>
  atMoments(context, async ({ getReport, log, position }) => {
    const register = naiveAt(log, position);
    const frameworks = Object.keys(naiveFigures(register)).filter((name) => name.startsWith('coverage:'));
    const names = ['risks_not_closed', 'measures_overdue', 'evidence_expired', 'coverage', ...frameworks].slice(0, 6);
    const input = { type: 'POSTURE', trend: 'MONTH', trend_figures: names.join(','), as_of: String(position) };
    const report = await wholeReport(getReport, input);
    assert.is(digestOfAnswer(report), report.digest);
    const days = monthEndsOf(log, register.today);
    const expected = [...days, register.today].map((day) => {
      const earlierRegister = naiveAt(log, Math.min(position, positionOn(log, day)), day);
      const values: Record<string, number | null> = {
        ...naiveFigures(earlierRegister),
        ...naiveCoverage(earlierRegister),
      };
      return {
        day,
        ...Object.fromEntries(names.flatMap((name) => (values[name] == null ? [] : [[name, values[name]]]))),
      };
    });
    assert.equal(rowsOf(report, 'trend'), expected);
  }));

test('the risk register and its matrix equal the naive register’s', (context) =>
  atMoments(context, async ({ getReport, log, position }) => {
    const report = await wholeReport(getReport, { type: 'RISK_REGISTER', as_of: String(position) });
    const register = naiveAt(log, position);
    const live = register.ofType('RISK').filter((risk) => register.archivedAt(risk) === null);
    assert.equal(
      rowsOf(report, 'risks')
        .map(({ id }) => id)
        .sort(),
      live.map(({ id }) => id).sort(),
    );
    const cells = rowsOf(report, 'matrix');
    assert.is(cells.length, 25);
    const filledCells = cells.filter(({ risks }) => risks !== 0);
    assert.equal(
      Object.fromEntries(filledCells.map(({ likelihood, impact, risks }) => [`${likelihood}x${impact}`, risks])),
      naiveMatrix(register),
    );
  }));

test('each statement of applicability equals the naive register’s', (context) =>
  atMoments(context, async ({ getReport, log, position }) => {
    const register = naiveAt(log, position);
    for (const framework of register.ofType('FRAMEWORK')) {
      const input = { type: 'STATEMENT_OF_APPLICABILITY', framework_id: framework.id, as_of: String(position) };
      const ids = (value: unknown) => (value as { id: string }[]).map(({ id }) => id).sort();
      const report = await wholeReport(getReport, input);
      const rows = rowsOf(report, 'controls').map(({ id, reasons, ...row }) => [
        id,
        {
          implementation: row.implementation,
          measures: ids(row.measures),
          evidence: ids(row.evidence),
          reasons,
          risks: ids(row.risks),
          obligations: ids(row.obligations),
        },
      ]);
      assert.equal(Object.fromEntries(rows), naiveStatement(register, framework.id));
      assert.equal(figuresOf(report), naiveReasonFigures(register, framework.id));
      const first = await wholeReport(getReport, { ...input, report_version: '1' });
      assert.equal(figuresOf(first), naiveStatementFigures(register, framework.id));
      const { archived_at } = rowsOf(report, 'framework')[0]!;
      assert.is(archived_at ?? null, register.archivedAt(framework));
    }
  }));

test('the report of due items equals the naive register’s', (context) =>
  atMoments(context, async ({ getReport, log, position }) => {
    const register = naiveAt(log, position);
    for (const until of ['2026-01-02', '2026-02-15', register.today, '2027-12-31']) {
      const report = await wholeReport(getReport, { type: 'DUE_ITEMS', until, as_of: String(position) });
      const rows = rowsOf(report, 'due_items');
      const days = rows.map(({ due }) => due);
      assert.equal(days, days.toSorted());
      const items = rows.map(({ due, overdue, what, id }) => `${due} ${overdue} ${what} ${id}`).sort();
      assert.equal(items, naiveDueItems(register, until));
      const { due, overdue, ...kinds } = figuresOf(report);
      assert.equal([due, overdue], [rows.length, rows.filter((row) => row.overdue).length]);
      const countedKinds = rows.map(({ what }) => `due_${String(what).toLowerCase()}`);
      for (const [name, value] of Object.entries(kinds)) {
        assert.is(value, countedKinds.filter((kind) => kind === name).length, name);
      }
    }
  }));

test('due items of some kinds, and by owner, are those of the whole report', (context) =>
  atMoments(context, async ({ getReport, position }) => {
    const input = { type: 'DUE_ITEMS', until: '2027-12-31', as_of: String(position) };
    const all = rowsOf(await wholeReport(getReport, input), 'due_items');
    const kinds = ['MEASURE', 'VENDOR_CONTRACT_ENDS'];
    const some = await wholeReport(getReport, { ...input, kinds });
    assert.equal(
      rowsOf(some, 'due_items'),
      all.filter(({ what }) => kinds.includes(String(what))),
    );
    assert.is(figuresOf(some).due, rowsOf(some, 'due_items').length);
    assert.equal(Object.keys(figuresOf(some)), ['due', 'overdue', 'due_vendor_contract_ends', 'due_measure']);
    assert.is((await wholeReport(getReport, { ...input, kinds: kinds.toReversed().join() })).data.sections.length, 1);
    const grouped = await wholeReport(getReport, { ...input, group_by: 'OWNER' });
    assert.is(digestOfAnswer(grouped), grouped.digest);
    const byText = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();
    assert.equal(byText(rowsOf(grouped, 'due_items')), byText(all));
    for (const owner of rowsOf(grouped, 'by_owner')) {
      const ofOwner = rowsOf(grouped, 'due_items').filter(({ owner_id }) => owner_id === owner.owner_id);
      assert.equal([owner.due, owner.overdue], [ofOwner.length, ofOwner.filter(({ overdue }) => overdue).length]);
      assert.is(owner.due_measure, ofOwner.filter(({ what }) => what === 'MEASURE').length);
    }
    assert.is(new Set(all.map(({ owner_id }) => owner_id)).size, rowsOf(grouped, 'by_owner').length);
  }));

test('days to closure equal those of the naive register, row by row and by severity', (context) =>
  atMoments(context, async ({ getReport, log, position }) => {
    const input = { type: 'NONCONFORMITIES', group_by: 'SEVERITY', as_of: String(position) };
    const report = await wholeReport(getReport, input);
    assert.is(digestOfAnswer(report), report.digest);
    const register = naiveAt(log, position);
    const live = register.ofType('NONCONFORMITY').filter((finding) => register.archivedAt(finding) === null);
    const daysOf = ({ fields }: (typeof live)[number]) => {
      const { date_identified: found, closed_at: closed } = fields as Record<string, string | null | undefined>;
      return found && closed ? (Date.parse(closed.slice(0, 10)) - Date.parse(found)) / 86_400_000 : undefined;
    };
    for (const { id, days_to_closure } of rowsOf(report, 'nonconformities')) {
      assert.is(days_to_closure, daysOf(live.find((finding) => finding.id === id)!));
    }
    const severities = rowsOf(report, 'by_severity').map(({ severity }) => severity);
    assert.equal(
      severities,
      ['MAJOR', 'MINOR', 'OBSERVATION', undefined].filter((severity) => severities.includes(severity)),
    );
    for (const row of rowsOf(report, 'by_severity')) {
      const group = live.filter(({ fields }) => (fields.severity ?? undefined) === row.severity);
      const days = group.flatMap((finding) => daysOf(finding) ?? []).sort((a, b) => a - b);
      const open = group.filter(({ fields }) => fields.status !== 'CLOSED').length;
      assert.equal([row.nonconformities, row.open, row.closed_with_days], [group.length, open, days.length]);
      if (days.length === 0) continue;
      const middle = [days[Math.floor((days.length - 1) / 2)]!, days[Math.ceil((days.length - 1) / 2)]!];
      assert.is(row.days_to_closure_median, (middle[0]! + middle[1]!) / 2);
      const mean = days.reduce((sum, count) => sum + count, 0) / days.length;
      assert.ok(Math.abs(Number(row.days_to_closure_mean) - mean) <= 0.05, 'the mean, rounded');
      assert.is(row.days_to_closure_max, Math.max(...days));
    }
  }));

test('an audit pack is the same at every later moment', (context) =>
  atMoments(context, async ({ getReport, log, position }) => {
    const register = naiveAt(log, position);
    for (const { id, fields } of register.ofType('AUDIT')) {
      if (fields.completed_position === null) continue;
      const input = { type: 'AUDIT_PACK', audit_id: id };
      const pack = await wholeReport(getReport, { ...input, as_of: String(position) });
      assert.is(pack.position, fields.completed_position);
      assert.is((await wholeReport(getReport, { ...input, as_of: pack.position })).digest, pack.digest);
      assert.is(digestOfAnswer(pack), pack.digest);
    }
  }));

test('a report of changes has each change once per record that it is about', (context) =>
  atMoments(context, async ({ getReport, log, position }) => {
    for (const [from, to] of [
      [Math.ceil(position / 2), position],
      [1, Math.ceil(position / 3)],
    ] as const) {
      const input = { type: 'CHANGES_BETWEEN', from: String(from), to: String(to), as_of: String(position) };
      const report = await wholeReport(getReport, input);
      assert.is(figuresOf(report).changes, to - from + 1);
      const rows = rowsOf(report, 'changes');
      const positions = new Set(rows.map(({ position }) => Number(position)));
      assert.equal(positions.size, to - from + 1);
      for (const { position, event_type } of rows) assert.is(event_type, log[Number(position) - 1]!.type);
      const records = rows.map(({ record_id }) => String(record_id));
      assert.is(figuresOf(report).records_changed, new Set(records).size);
      const firstRows = rows.filter(({ record_id }, at) => record_id !== rows[at - 1]?.record_id);
      assert.is(firstRows.length, new Set(records).size, 'record by record');
      const types = firstRows.map(({ record_type }) => RANKS.indexOf(String(record_type)));
      assert.equal(
        types,
        types.toSorted((a, b) => a - b),
      );
    }
  }));

test('changes of some types of records are those of the whole report', (context) =>
  atMoments(context, async ({ getReport, position }) => {
    const input = { type: 'CHANGES_BETWEEN', from: '2', as_of: String(position) };
    const all = rowsOf(await wholeReport(getReport, input), 'changes');
    const record_types = ['CONTROL', 'MEASURE', 'RISK'];
    const some = await wholeReport(getReport, { ...input, record_types });
    const rows = rowsOf(some, 'changes');
    assert.equal(
      rows,
      all.filter(({ record_type }) => record_types.includes(String(record_type))),
    );
    const { changes, records_changed, actors } = figuresOf(some);
    const distinct = (field: string) => new Set(rows.map((row) => row[field])).size;
    assert.equal(
      [changes, records_changed, actors],
      [distinct('position'), distinct('record_id'), distinct('actor_id')],
    );
    assert.is(digestOfAnswer(some), some.digest);
  }));

test.run();
