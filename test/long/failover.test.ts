import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FakeCluster } from '../support/fake-eventstoredb/nodes.ts';
import { callTool, type Reply } from '../support/mcp/call-tool.ts';
import { until } from '../support/run/wait.ts';
import { type ServedPair, serve, withOpenPair } from '../support/stores/pairs.ts';

/** The service on a cluster of three nodes. The leader is killed or hangs, until another one is elected. */
interface Context {
  cluster: FakeCluster;
  served: ServedPair;
  /** Another owner's token. It is unused, so the service hasn't cached its role. */
  freshToken(): Promise<string>;
}

const test = suite<Context>('failover of the log');

test.before.each(async (context) => {
  const cluster = await FakeCluster.start();
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-failover-'));
  const env = { DATA_DIR: join(folder, 'data'), EVENTSTORE_URL: cluster.url };
  const close = async () => rmSync(folder, { recursive: true, force: true });
  const served = await serve({ name: 'a cluster of three', env, close });
  const freshToken = async () => {
    const { organizationId, accountId } = served;
    const newToken = { name: 'fresh', account_id: accountId, role: 'ADMIN' as const, organizations: [organizationId] };
    return (await withOpenPair(env, ({ tokens }) => tokens.create(newToken))).token;
  };
  Object.assign(context, { cluster, served, freshToken });
});
test.after.each(async ({ served, cluster }) => {
  await served.close();
  await cluster.close();
});

/** Returns the errors among the answers, as texts. */
function errorsIn(replies: readonly Reply[]): string[] {
  return replies.filter(({ status }) => status !== 200).map(({ status, body }) => `${status} ${JSON.stringify(body)}`);
}

const ELECTION_MS = 3_000;

test('current reads and single writes have no error in a failover of 3 s', async ({ cluster, served, freshToken }) => {
  const { url, organizationId: organization_id } = served;
  const warm = await freshToken();
  const uncachedToken = await freshToken();
  const first = await callTool(url, warm, 'addVendor', { organization_id, name: 'Before' });
  const { id } = first.body.vendor as { id: string };
  // The used token's role is read now, and once more during the calls.
  let isOver = false;
  const replies: Reply[] = [];
  const repeat = async (work: () => Promise<Reply>) => {
    while (!isOver) replies.push(await work());
  };
  const addedIds: string[] = [];
  const add = async (token: string, name: string) => {
    addedIds.push(name);
    return callTool(url, token, 'addVendor', { organization_id, name, idempotency_key: name });
  };
  const running = [
    repeat(() => callTool(url, warm, 'listVendors', { organization_id })),
    repeat(() => callTool(url, warm, 'getRecords', { ids: [id], include: ['LINKS'] })),
    repeat(() => callTool(url, warm, 'listOrganizations')),
    repeat(() => add(warm, `Warm ${addedIds.length}`)),
  ];
  await until(() => replies.length > 20);
  await cluster.killLeader();
  const repliesBeforeKill = replies.length;
  const withCold = [
    repeat(() => callTool(url, uncachedToken, 'listVendors', { organization_id })),
    repeat(() => add(uncachedToken, `Cold ${addedIds.length}`)),
  ];
  await wait(ELECTION_MS);
  const callsDuringFailover = replies.length - repliesBeforeKill;
  cluster.elect(1);
  const elected = performance.now();
  await callTool(url, warm, 'addVendor', { organization_id, name: 'After' });
  const backMs = performance.now() - elected;
  isOver = true;
  await Promise.all([...running, ...withCold]);
  assert.equal(errorsIn(replies), []);
  assert.ok(callsDuringFailover > 0, 'reads continued without a leader');
  assert.ok(backMs < 2_000, `writes were back ${Math.round(backMs)} ms after the election`);
  const list = await callTool(url, warm, 'listVendors', { organization_id, view: 'COUNT' });
  assert.is(list.body.total, addedIds.length + 2, 'each was added once');
});

test('without a leader for long, writes fail within their limit, then at once', async ({ cluster, served }) => {
  const { url, token, organizationId: organization_id } = served;
  await callTool(url, token, 'addVendor', { organization_id, name: 'Before' });
  cluster.hangLeader();
  const add = async (name: string) => {
    const startedAt = performance.now();
    const reply = await callTool(url, token, 'addVendor', { organization_id, name, idempotency_key: name });
    return { reply, ms: performance.now() - startedAt };
  };
  const first = await add('First');
  assert.is(first.reply.code, 'unavailable');
  assert.ok(first.ms < 6_500, `refused after ${Math.round(first.ms)} ms`);
  // The log has been unavailable for 6 s by now.
  const second = await add('Second');
  assert.is(second.reply.code, 'unavailable');
  assert.ok(second.ms < 1_700, `refused after ${Math.round(second.ms)} ms`);
  cluster.elect(2);
  const elected = performance.now();
  await until(async () => (await add('First')).reply.status === 200, 5_000, 'writes succeed again');
  assert.ok(performance.now() - elected < 2_500);
});

test('calls other than current reads need the log, and are unavailable without it', async ({ cluster, served }) => {
  const { url, token, organizationId: organization_id } = served;
  await callTool(url, token, 'addVendor', { organization_id, name: 'Before' });
  cluster.hangLeader();
  const listPast = () => callTool(url, token, 'listVendors', { organization_id, as_of: '1' });
  await until(async () => (await listPast()).code === 'unavailable', 5_000, 'the role is no longer fresh');
  const [today, then, changes, report, members] = await Promise.all([
    callTool(url, token, 'listVendors', { organization_id }),
    listPast(),
    callTool(url, token, 'listChanges', { organization_id }),
    callTool(url, token, 'getReport', { organization_id, type: 'VENDORS' }),
    callTool(url, token, 'listOrganizations', { include_members: true }),
  ]);
  assert.is(today.status, 200);
  assert.is(then.code, 'unavailable');
  assert.is(changes.code, 'unavailable');
  assert.is(report.code, 'unavailable');
  assert.is(members.code, 'unavailable');
});

test.run();
