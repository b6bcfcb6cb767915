import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createRegister, type Register } from '../../src/app/create-register.ts';
import { ServiceClock } from '../../src/clock/service-clock.ts';
import type { Caller } from '../../src/commands/organization/caller.ts';
import { AccountNames } from '../../src/identity/accounts/account-names.ts';
import type { TrailEvent } from '../../src/trail/event.ts';
import { closeStores, openStores, SILENT_LOG, type Stores } from '../support/register.ts';
import { digestOfAnswer, type GetReport, type WholeReport, wholeReport } from '../support/reports.ts';
import { folderOfTest } from '../support/run/installed.ts';

/**
 * Digests and figures of reports about recorded events. They must never change: customers compare a report with one that
 * they generate again years later. A figure that counts something else gets a new name, and other data needs a new
 * `report_version`.
 */
const GOLDEN = new URL('../fixtures/reports.json', import.meta.url);
/** The same for the reports whose data have a second version. The first version stays available. */
const GOLDEN_2 = new URL('../fixtures/reports-version-2.json', import.meta.url);
/** The wording of the figures. It may change: then edit this file to match. */
const WORDING = new URL('../fixtures/report-wording.json', import.meta.url);
const EVENTS = ['events-v1.jsonl', 'events-families.jsonl'];

interface Golden {
  request: Record<string, string>;
  today: string;
  digest: string;
  figures: [name: string, value: number | null][];
}

const test = suite<{ stores: Stores; register: Register; getReport: GetReport }>('reports of events recorded once');

/** Returns the recorded events in the order of their times and revisions. */
function recordedEvents(): TrailEvent[] {
  const events = EVENTS.flatMap((file) => {
    const lines = readFileSync(new URL(`../fixtures/${file}`, import.meta.url), 'utf8')
      .trimEnd()
      .split('\n');
    return lines.map((line) => JSON.parse(line) as TrailEvent);
  });
  const time = ({ metadata }: TrailEvent) => metadata.recorded_at;
  return events.sort((a, b) => (time(a) === time(b) ? a.revision - b.revision : time(a) < time(b) ? -1 : 1));
}

test.before(async (context) => {
  const stores = openStores(folderOfTest());
  const events = recordedEvents();
  for (const event of events) await stores.events.append(event.stream, [event], event.revision - 1);
  const { organization_id, actor_id } = events[0]!.metadata;
  const { installation } = events[0]!.data as { installation: string };
  const parts = { exclusive: true, cursorKey: Buffer.alloc(32), riskAcceptanceMaxDays: 366, writeWaitMs: 5_000 };
  const names = new AccountNames(stores.accounts);
  const register = createRegister({ ...stores, names, clock: new ServiceClock(), ...parts, log: SILENT_LOG });
  await register.projections.start(installation);
  assert.ok(await register.projections.progress.waitUntilCaughtUp(Date.now(), 10_000));
  const roles = new Map([[organization_id, 'OWNER' as const]]);
  const caller: Caller = {
    ...{ account_id: actor_id, token_id: null, client: null },
    ...{ roles, members: roles, read_only: false },
  };
  const getReport: GetReport = async (input) => {
    const { json, status } = await register.tools.call('getReport', { organization_id, ...input }, { caller });
    assert.is(status, 200, json);
    return JSON.parse(json);
  };
  Object.assign(context, { stores, register, getReport });
});

test.after(async ({ register, stores }) => {
  await register.projections.stop();
  await closeStores(stores);
});

const readGolden = (file: URL) => JSON.parse(readFileSync(file, 'utf8')) as Golden[];
const golden2 = readGolden(GOLDEN_2);
const hasVersion2 = new Set(golden2.map(({ request }) => request.type));
const golden = readGolden(GOLDEN).map(({ request, ...facts }) => ({
  request: hasVersion2.has(request.type) ? { ...request, report_version: '1' } : request,
  ...facts,
}));

const factsOf = ({ today, digest, data }: WholeReport): Omit<Golden, 'request'> => ({
  today,
  digest,
  figures: data.figures.map(({ name, value }) => [name, value]),
});

for (const { request, ...facts } of [...golden, ...golden2]) {
  test(`${Object.values(request).join(' ')} always has the same data`, async ({ getReport }) => {
    const report = await wholeReport(getReport, request);
    assert.equal(factsOf(report), facts);
    assert.is(digestOfAnswer(report), facts.digest);
  });
}

test('every report type is recorded', () => {
  assert.is(new Set(golden.map(({ request }) => request.type)).size, 10);
});

test('figures have the expected wording', async ({ getReport }) => {
  const expected = JSON.parse(readFileSync(WORDING, 'utf8')) as Record<string, object>;
  const wording: Record<string, object> = {};
  for (const { request } of [...golden, ...golden2]) {
    const { type, data } = await wholeReport(getReport, request);
    for (const { name, group, label, counts } of data.figures) {
      wording[`${type}.${name}`] = { group, label, counts: counts.replace(/\d{4}-\d\d-\d\d/g, 'DATE') };
    }
  }
  assert.equal(wording, expected);
});

test.run();
