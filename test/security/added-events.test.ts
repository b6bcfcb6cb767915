/** An insider who writes to the event store adds events that nobody decided. All that reads the log gives a notice. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { organizationStream } from '../../src/commands/families.ts';
import type { TrailEvent } from '../../src/trail/event.ts';
import { type EventOptions, makeEvents } from '../support/histories/events.ts';
import { folderOfTest } from '../support/run/installed.ts';
import { until } from '../support/run/wait.ts';
import { type Pair, type ServedPair, serve, startPairs, withOpenPair } from '../support/stores/pairs.ts';
import { runOnPair } from '../support/stores/run-on-pair.ts';

interface Verification {
  verdict: string;
  recorded_out_of_order?: { events: number; runs: number; first: { from: string; until: string; text: string }[] };
}

for (const pair of await startPairs()) {
  const test = suite<{ served: ServedPair }>(`added events, on ${pair.name}`);

  test.before(async (context) => {
    context.served = await serve(pair);
  });
  test.after(({ served }) => served.close());

  test('a log of this service alone has no notice', async ({ served }) => {
    await served.owner.ok('addRisk', { organization_id: served.organizationId, name: 'Fire' });
    assert.is((await verificationOf(served)).recorded_out_of_order, undefined);
    assert.is((await healthOf(served)).projections.out_of_order_events, 0);
  });

  test('a forged role of 2020 is told by listChanges, health and the log of the service', async ({ served }) => {
    const { organizationId, accountId } = served;
    const data = { account_id: accountId, from: 'OWNER', to: 'ADMIN' };
    await insert(pair, served, organizationStream(organizationId), {
      type: 'MemberRoleChanged',
      data,
      metadata: { recorded_at: '2020-01-01T00:00:00.000Z' },
    });
    await until(async () => (await healthOf(served)).projections.out_of_order_events === 1, 10_000, 'health counts it');
    const { verdict, recorded_out_of_order: notices } = await verificationOf(served);
    assert.equal([verdict, notices?.events, notices?.runs], ['VALID', 1, 1]);
    assert.match(
      notices!.first[0]!.text,
      /^position \d+, recorded at 2020-01-01T00:00:00.000Z, after an event or seal of 2/,
    );
    await until(() => served.service.output().includes('recorded out of order'), 10_000, 'the handler logs it');
    assert.is((await healthOf(served)).status, 'ok', 'a notice doesn’t make the service degraded');
  });

  test('a run is one notice, also in an export, and events ahead of the clock are told', async ({ served }) => {
    const { organizationId } = served;
    await served.owner.ok('addRisk', { organization_id: organizationId, name: 'Flood' });
    await insert(pair, served, 'risk-rsk_added', {
      type: 'RiskImagined',
      count: 100,
      data: {},
      metadata: { recorded_at: '2025-03-01T00:00:00.000Z' },
    });
    const ahead = new Date(Date.now() + 86_400_000).toISOString();
    await insert(pair, served, 'risk-rsk_ahead', { type: 'RiskImagined', metadata: { recorded_at: ahead } });
    await until(async () => (await healthOf(served)).projections.parked_events === 101, 10_000, 'all are applied');
    const notices = (await verificationOf(served)).recorded_out_of_order!;
    // A seal after the event ahead has an earlier time, and so its own notice.
    assert.ok(notices.events >= 102 && notices.runs >= 3, JSON.stringify(notices));
    const [, run, future] = notices.first;
    assert.is(Number(run!.until) - Number(run!.from), 99);
    assert.match(future!.text, new RegExp(`, recorded at ${ahead}, ahead of the clock of the reader$`));
    const { problems } = await healthOf(served);
    assert.match(String(problems), /The clock of this machine is before the time of an event in the log/);
    const folder = folderOfTest();
    const { DATA_DIR = folder, EVENTSTORE_URL = null, MONGODB_URL = null } = pair.env;
    const settings = { dataDir: DATA_DIR, eventStoreUrl: EVENTSTORE_URL, mongodbUrl: MONGODB_URL };
    const exported = await runOnPair(settings, folder, 'export', organizationId, '--to', 'log.jsonl.gz');
    assert.is(exported.code, 0, exported.err);
    const key = (await runOnPair(settings, folder, 'seal-key')).out.trim();
    const text = (await runOnPair(settings, folder, 'verify', 'log.jsonl.gz', '--key', key)).out;
    for (const notice of notices.first) assert.ok(text.includes(notice.text), notice.text);
  });

  test.run();
}

/** Appends events directly to the log, as an insider does. */
async function insert(pair: Pair, served: ServedPair, stream: string, options: EventOptions): Promise<void> {
  const { organizationId, accountId } = served;
  await withOpenPair(pair.env, async ({ events }) => {
    const after = (await events.readStream(stream)).at(-1) as TrailEvent | undefined;
    const metadata = { organization_id: organizationId, actor_id: accountId, ...options.metadata };
    await events.append(stream, makeEvents(stream, { ...options, after, metadata }), after?.revision ?? -1);
  });
}

async function verificationOf({ owner, organizationId }: ServedPair): Promise<Verification> {
  const input = { organization_id: organizationId, size: 1, verify: true };
  return (await owner.ok('listChanges', input)).verification as unknown as Verification;
}

interface Health {
  status: string;
  problems?: string[];
  projections: { parked_events: number; out_of_order_events: number };
}

async function healthOf({ url, token }: ServedPair): Promise<Health> {
  const response = await fetch(`${url}/api/mcp/v1/health`, { headers: { Authorization: `Bearer ${token}` } });
  return (await response.json()) as Health;
}
