/** Comparisons: every figure's difference is the sum of the records that moved it, by event or by the day alone. */

import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addDays } from '../../src/commands/engine/dates.ts';
import { randomId } from '../../src/commands/engine/ids.ts';
import type { Caller } from '../../src/commands/organization/caller.ts';
import { ClientGone } from '../../src/http/http-errors.ts';
import { familyQueryOfType } from '../../src/queries/family-query.ts';
import { listRecords } from '../../src/queries/lists/list-records.ts';
import { type Comparison, compareMoments } from '../../src/reports/comparison/compare-moments.ts';
import { MOVEMENTS, type MovedRecords, type Movement } from '../../src/reports/comparison/moved-records.ts';
import { adopt, exclude, newest, ok, update } from '../support/controls.ts';
import { makeEvents } from '../support/histories/events.ts';
import { daysAgo, writePast } from '../support/past.ts';
import {
  callerAs,
  ORGANIZATION,
  OWNER,
  startRegister,
  type TestRegister,
  temporaryFolder,
} from '../support/register.ts';
import { rejection } from '../support/run/take.ts';
import { until } from '../support/run/wait.ts';

const [HIGH, LOW, GONE, LATE, OVERDUE, VENDOR] = [
  randomId('rsk'),
  randomId('rsk'),
  randomId('rsk'),
  randomId('rsk'),
  randomId('msr'),
  randomId('vnd'),
];
const [SOON, ENDED] = [randomId('evd'), randomId('evd')];
const COLLEAGUE = randomId('acc');
const rated = (likelihood: number) => ({ inherent_likelihood: likelihood, inherent_impact: 5 });

const evidenceUntil = (name: string, valid_until: string) =>
  ({ type: 'AddEvidence', fields: { name, record_ids: [OVERDUE], text: 'Seen', valid_until } }) as const;

const test = suite<{ folder: string; register: TestRegister; compared: Comparison }>('comparison');

test.before(async (context) => {
  const folder = temporaryFolder();
  const due = daysAgo(20);
  await writePast(folder, [
    { days: 60, id: HIGH, command: { type: 'AddRisk', fields: { name: 'High', ...rated(4) } } },
    { days: 60, id: LOW, command: { type: 'AddRisk', fields: { name: 'Low', owner_id: OWNER, ...rated(1) } } },
    { days: 60, id: GONE, command: { type: 'AddRisk', fields: { name: 'Gone', ...rated(5) } } },
    {
      days: 60,
      id: OVERDUE,
      command: { type: 'AddMeasure', fields: { name: 'Overdue', due_date: due, owner_id: OWNER } },
    },
    { days: 60, id: VENDOR, command: { type: 'AddVendor', fields: { name: 'Vendor', next_review_due: due } } },
    { days: 60, id: SOON, command: evidenceUntil('Ends soon', daysAgo(-25)) },
    { days: 60, id: ENDED, command: evidenceUntil('Has ended', daysAgo(5)) },
    {
      days: 10,
      id: HIGH,
      command: { type: 'UpdateRisk', changes: { inherent_likelihood: 1, owner_id: OWNER }, reason: 'Found out' },
    },
    {
      days: 10,
      id: LOW,
      command: { type: 'UpdateRisk', changes: { inherent_likelihood: 3, owner_id: COLLEAGUE }, reason: 'Found out' },
    },
    { days: 10, id: GONE, command: { type: 'Archive', reason: 'Sold' } },
    { days: 10, id: LATE, command: { type: 'AddRisk', fields: { name: 'Late', ...rated(5) } } },
  ]);
  const register = await startRegister(folder);
  const input = { organization_id: ORGANIZATION, from: daysAgo(30) };
  const compared = await compareMoments(register.reader, callerAs(), input);
  Object.assign(context, { folder, register, compared });
});
test.after(async ({ folder, register }) => {
  await register.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the ids of the records that moved a part of a figure. */
const idsOf = ({ records }: MovedRecords) =>
  Object.fromEntries(MOVEMENTS.map((kind) => [kind, records![kind].map(({ id }) => id)])) as Record<Movement, string[]>;

/** Returns a figure of one part. */
const figureOf = ({ figures }: Comparison, name: string) => {
  const { parts } = figures.find(({ figure }) => figure.name === name)!;
  assert.is(parts.length, 1);
  return parts[0]!;
};

test('finds the records that were added, entered, left or were archived', ({ compared }) => {
  const { moved } = figureOf(compared, 'risks_critical');
  assert.is(moved.total, 4);
  assert.equal(moved.records, {
    added: [{ id: LATE, name: 'Late' }],
    entered: [{ id: LOW, name: 'Low' }],
    left: [{ id: HIGH, name: 'High' }],
    archived: [{ id: GONE, name: 'Gone' }],
  });
  assert.equal(idsOf(figureOf(compared, 'risks').moved), { added: [LATE], entered: [], left: [], archived: [GONE] });
});

test('finds the records whose counted days began or ended between the moments', ({ compared }) => {
  const { before, after, moved } = figureOf(compared, 'evidence_expiring_in_30_days');
  assert.equal([before, after], [1, 1]);
  assert.equal(idsOf(moved), { added: [], entered: [SOON], left: [ENDED], archived: [] });
});

test('finds the records that the day alone has moved', ({ compared }) => {
  for (const [name, id] of [
    ['measures_overdue', OVERDUE],
    ['vendors_review_overdue', VENDOR],
  ] as const) {
    const { before, after, moved } = figureOf(compared, name);
    assert.equal([before, after], [0, 1], name);
    assert.equal(idsOf(moved).entered, [id], name);
  }
});

const PERIODS = [
  [70, 61],
  [70, 30],
  [60, 10],
  [30, 5],
  [10, 0],
] as const;

/** Asserts that each figure's difference is the sum of the records that moved it. Returns the sum of all these records. */
function sumOfMoves(figures: Comparison['figures']): number {
  let moving = 0;
  for (const { figure, parts } of figures) {
    for (const { part, before, after, moved } of parts) {
      const { added, entered, left, archived } = idsOf(moved);
      const what = `${figure.name}: ${part.label}`;
      assert.is(after - before, added.length + entered.length - left.length - archived.length, what);
      assert.is(moved.total, added.length + entered.length + left.length + archived.length, what);
      moving += moved.total!;
    }
  }
  return moving;
}

test('leads with what got worse, apart from what got better', ({ compared }) => {
  assert.equal(compared.headline, {
    worse: ['overdue 0 → 3', 'vendors past review 0 → 1', '1 risk score up', 'and 2 more figures in the table'],
    better: ['1 risk score down'],
    other: ['1 risk added', '1 risk archived'],
  });
});

test('names controls that lost or gained their implementation, though their number stays', async () => {
  const register = await startRegister();
  const { ids } = await adopt(register, 'House rules', ['A.1', 'A.2', 'A.3']);
  const organization_id = ORGANIZATION;
  const measureFor = async (control: string): Promise<string> => {
    const added = await ok(register, 'addMeasure', { organization_id, name: control, state: 'IN_PROGRESS' });
    const { id } = added.measure as { id: string };
    await ok(register, 'updateMeasure', { id, state: 'IMPLEMENTED', reason: 'Done' });
    await ok(register, 'linkRecords', { organization_id, links: [{ from_id: ids[control], to_id: id }] });
    return id;
  };
  const [lost] = [await measureFor('A.1'), await measureFor('A.2')];
  const newest = () => String(register.reader.snapshot().newestPosition(organization_id));
  const compare = (from: string) => compareMoments(register.reader, callerAs(), { organization_id, from });
  const from = newest();
  await ok(register, 'updateMeasure', { id: lost, state: 'IN_PROGRESS', reason: 'Not kept up' });
  const excluding = newest();
  await exclude(register, ids['A.2']!);
  const excluded = await compare(excluding);
  await measureFor('A.3');
  const { headline, figures, listed } = await compare(from);
  await register.stop();
  const full = figures.find(({ figure }) => figure.name === 'controls_full')!;
  assert.equal([full.before, full.after], [2, 1]);
  assert.equal(headline, {
    worse: ['1 control lost its full implementation', 'coverage of House rules 66.7 % → 50.0 %'],
    better: ['1 control gained full implementation'],
    other: ['1 measure added'],
  });
  const controls = listed!.families.find(({ family }) => family.type === 'CONTROL')!.records;
  assert.equal(
    controls.map(({ id, fields, events }) => [id, fields.map(({ field }) => field), events.length]),
    [
      [ids['A.2'], ['status', 'exclusion_justification'], 1],
      [ids['A.3'], ['measure_count', 'implementation'], 1],
      [ids['A.1'], ['implementation'], 0],
    ],
  );
  assert.equal(excluded.headline.worse, ['coverage of House rules 33.3 % → 0.0 %', 'and 1 more figure in the table']);
});

test('counts the controls that began with their framework, also those without a change of their own', async () => {
  const register = await startRegister();
  await adopt(register, 'Earlier', ['E.1']);
  const from = await newest(register);
  const { ids } = await adopt(register, 'House rules', ['A.1', 'A.2', 'A.3']);
  await exclude(register, ids['A.3']!);
  await update(register, ids['A.2']!, { owner_id: OWNER });
  await ok(register, 'addVendor', { organization_id: ORGANIZATION, name: 'Acme' });
  const compare = (filters: object) =>
    compareMoments(register.reader, callerAs(), { organization_id: ORGANIZATION, from, ...filters });
  const controlsOf = ({ listed }: Comparison) =>
    listed?.families
      .find(({ family }) => family.type === 'CONTROL')
      ?.records.map(({ id, outcome, events }) => [id, outcome, events.length]);
  const all = await compare({});
  const [own, ofControls, ofVendors] = [
    await compare({ owner_id: OWNER }),
    await compare({ record_types: ['CONTROL'] }),
    await compare({ record_types: ['VENDOR'] }),
  ];
  await register.stop();
  const added = [
    [ids['A.2'], 'ADDED', 1],
    [ids['A.3'], 'ADDED', 1],
    [ids['A.1'], 'ADDED', 0],
  ];
  assert.equal(controlsOf(all), added);
  assert.equal(all.headline.other.at(-1), '1 vendor, 1 framework and 3 controls added');
  assert.equal(controlsOf(own), [[ids['A.2'], 'ADDED', 1]]);
  assert.equal(controlsOf(ofControls), added);
  assert.is(controlsOf(ofVendors), undefined);
});

test('adds up for every figure, between any two days, with and without filters', async ({ register }) => {
  const moving: number[] = [];
  for (const filters of [{}, { owner_id: 'ME' }, { record_types: ['RISK', 'MEASURE'] }]) {
    let sum = 0;
    for (const [from, until] of PERIODS) {
      const input = { organization_id: ORGANIZATION, from: daysAgo(from), until: daysAgo(until), ...filters };
      sum += sumOfMoves((await compareMoments(register.reader, callerAs(), input)).figures);
    }
    moving.push(sum);
  }
  const [all = 0, owned = 0, ofTypes = 0] = moving;
  assert.ok(all > 10 && owned > 2 && ofTypes > 2, String(moving));
  assert.ok(owned < all && ofTypes < all, String(moving));
});

test('counts a record as entered or left when its owner changes', async ({ register }) => {
  const input = { organization_id: ORGANIZATION, from: daysAgo(30), owner_id: 'ME' };
  const owned = await compareMoments(register.reader, callerAs(), input);
  assert.equal(idsOf(figureOf(owned, 'risks').moved), { added: [], entered: [HIGH], left: [LOW], archived: [] });
  assert.equal([figureOf(owned, 'risks').before, figureOf(owned, 'risks').after], [1, 1]);
});

test('shows each changed record with its outcome, and only fields that differ', ({ compared }) => {
  const risks = compared.listed!.families.find(({ family }) => family.type === 'RISK')!.records;
  const outcomes = Object.fromEntries(risks.map(({ title, outcome }) => [title, outcome]));
  assert.equal(outcomes, { Gone: 'ARCHIVED', High: 'CHANGED', Late: 'ADDED', Low: 'CHANGED' });
  const { fields, events } = risks.find(({ title }) => title === 'High')!;
  assert.equal(
    fields.find(({ field }) => field === 'score'),
    { field: 'score', from: 20, to: 5 },
  );
  assert.not.ok(fields.some(({ field }) => field === 'name'));
  assert.is(events.length, 2, 'the rating and the owner are two events');
});

test('has the digest of the report CHANGES_BETWEEN', async ({ register, compared }) => {
  const { type, from, to, as_of } = compared.report!;
  const { report } = await register.call<{ report: { digest: string } }>('getReport', {
    organization_id: ORGANIZATION,
    ...{ type, from, to, as_of },
  });
  assert.is(compared.listed!.digest, report.digest);
});

test('has a report of the days that were compared, and of the changes between them', async ({ register }) => {
  for (const [from, until] of [
    [daysAgo(30), daysAgo(5)],
    [daysAgo(30), undefined],
    [daysAgo(70), daysAgo(9)],
  ] as const) {
    const input = { organization_id: ORGANIZATION, from, until };
    const { before, after, report, listed } = await compareMoments(register.reader, callerAs(), input);
    assert.is(report!.from, addDays(from, 1));
    assert.is(report!.to, until ?? String(after.position));
    const answer = await register.call<{ report: { digest: string; inputs: object } }>('getReport', { ...report! });
    assert.is(answer.report.digest, listed!.digest);
    const { from_position, to_position } = answer.report.inputs as Record<string, string>;
    assert.equal([from_position, to_position], [String(before.position + 1), String(after.position)]);
  }
});

test('opens exactly the moved records by their ids', async ({ register, compared }) => {
  for (const { part, moved } of compared.figures.flatMap(({ parts }) => parts)) {
    const query = familyQueryOfType(part.type);
    const { added, entered, left, archived } = idsOf(moved);
    for (const [ids, as_of] of [
      [[...added, ...entered], undefined],
      [[...left, ...archived], daysAgo(30)],
    ] as const) {
      if (ids.length === 0) continue;
      const input = { organization_id: ORGANIZATION, filter: { ids }, as_of, size: 50, view: 'COUNT' } as const;
      assert.equal(await listRecords(register.reader, query, 'x', callerAs(), input), {
        total: ids.length,
        ...(as_of === undefined ? {} : { as_of: { position: String(compared.before.position), date: as_of } }),
      });
    }
  }
});

test('leaves out a record whose first event is parked', async () => {
  const register = await startRegister();
  const from = String(register.reader.snapshot().newestPosition(ORGANIZATION));
  const stream = `vendor-${VENDOR}`;
  const events = makeEvents(stream, { type: 'VendorImagined', metadata: { organization_id: ORGANIZATION } });
  await register.stores.events.append(stream, events, -1);
  const { progress: runner } = register.projections;
  await until(() => runner.checkpoint(ORGANIZATION)?.parked === 1, 5_000, 'the event is parked');
  await register.call('addVendor', { organization_id: ORGANIZATION, name: 'New' });
  const input = { organization_id: ORGANIZATION, from };
  const { changes, listed } = await compareMoments(register.reader, callerAs(), input);
  await register.stop();
  assert.is(changes, 2);
  assert.equal(
    listed!.families.map(({ records }) => records.map(({ title, outcome }) => [title, outcome])),
    [[['New', 'ADDED']]],
  );
});

test('gives other calls a turn, and stops when the client is gone', async ({ register }) => {
  const leaving = new AbortController();
  setImmediate(() => leaving.abort(new ClientGone()));
  const input = { organization_id: ORGANIZATION, from: daysAgo(30) };
  const comparing = compareMoments(register.reader, callerAs(), input, leaving.signal);
  assert.instance(await rejection(comparing), ClientGone);
});

test('refuses a stranger, and moments in the wrong order', async ({ register }) => {
  const compare = (caller: Caller, from: string, until: string) =>
    compareMoments(register.reader, caller, { organization_id: ORGANIZATION, from, until }).catch(
      ({ code }: { code: string }) => code,
    );
  const stranger = callerAs('OWNER', { roles: new Map() });
  assert.is(await compare(stranger, daysAgo(30), daysAgo(0)), 'not_found');
  assert.is(await compare(callerAs('VIEWER'), daysAgo(5), daysAgo(30)), 'invalid_input');
});

test.run();
