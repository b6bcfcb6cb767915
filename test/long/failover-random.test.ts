import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FakeCluster } from '../support/fake-eventstoredb/nodes.ts';
import { callTool, callUntilAccepted, firstOrganization } from '../support/mcp/call-tool.ts';
import { startHere } from '../support/run/in-process.ts';
import { rounds } from '../support/run/rounds.ts';
import { until } from '../support/run/wait.ts';
import { checkStores } from '../support/stores/check-stores.ts';
import { Writers } from '../support/stores/writers.ts';

/** Runs the service on a cluster of three nodes, which repeatedly loses its leader in random ways at random moments. */
const test = suite('random failovers of the log');

const FOR_MS = rounds(20_000, 60_000);
const NODES = 3;
const WRITERS = 4;
/** The threads of the service that use the log: it is appended to in one, and projected in another. */
const THREADS = 2;
/** Limit for any answer, with some allowance for a busy machine. */
const ANSWER_MS = 6_500;

const random = (from: number, to: number) => from + Math.random() * (to - from);
const oneOf = <T>(all: readonly T[]) => all[Math.floor(Math.random() * all.length)]!;
const SAYINGS = ['NOT_READY', 'NO_LEADER'] as const;

/** Each kind of leader loss. The other nodes elect the next leader 0.5 to 3 s later. */
const LOSSES: Record<string, (cluster: FakeCluster) => unknown> = {
  killed: (cluster) => cluster.killLeader(),
  hung: (cluster) => cluster.hangLeader(),
  resigned: (cluster) => cluster.removeLeader(oneOf(SAYINGS)),
  'killed, noticed': async (cluster) => {
    await cluster.killLeader();
    await pause(random(0, 500));
    cluster.removeLeader(oneOf(SAYINGS));
  },
};

test('random failovers lose and duplicate no acknowledged write, and current reads keep working', async () => {
  const cluster = await FakeCluster.start(NODES);
  const folder = mkdtempSync(join(tmpdir(), 'veritrail-failovers-'));
  const env = { DATA_DIR: join(folder, 'data'), EVENTSTORE_URL: cluster.url };
  const { url, token, stop } = await startHere(env);
  const organization_id = await firstOrganization(url, token);
  const writers = await Writers.create(url, token, organization_id);
  const delay = monitorEventLoopDelay();
  delay.enable();

  let isOver = false;
  let slowest = 0;
  const reads = { well: 0, errors: [] as string[] };
  const unavailable = { writes: 0 };
  const callTimed = async (tool: string, args: object) => {
    const from = performance.now();
    const reply = await callTool(url, token, tool, args);
    slowest = Math.max(slowest, performance.now() - from);
    return reply;
  };
  const read = async (tool: string, args: object) => {
    while (!isOver) {
      const { status, body } = await callTimed(tool, args);
      if (status === 200) reads.well += 1;
      else reads.errors.push(JSON.stringify(body));
    }
  };
  const write = async () => {
    while (!isOver) {
      const { status, code } = await callTimed('addVendor', writers.newAddition('Timed'));
      if (status !== 200) assert.is(code, 'unavailable');
      if (status !== 200) unavailable.writes += 1;
    }
  };
  const callers = [read('listVendors', { organization_id }), read('listOrganizations', {}), write()];

  let leader = 0;
  const rounds: string[] = [];
  for (const end = performance.now() + FOR_MS; performance.now() < end; ) {
    const before = writers.acknowledgedCount;
    writers.start([url], token, WRITERS);
    await until(() => writers.acknowledgedCount > before + 10, 20_000, 'writers make progress');
    const lossName = oneOf(Object.keys(LOSSES));
    rounds.push(lossName);
    await LOSSES[lossName]!(cluster);
    await pause(random(500, 3_000));
    const next = (leader + oneOf([1, 2])) % NODES;
    cluster.elect(next);
    await callUntilAccepted(url, token, 'addVendor', writers.newAddition(`After ${rounds.length}`));
    await writers.stop();
    // It returns as a follower, which names the new leader.
    await cluster.reconnect(leader);
    leader = next;
  }
  isOver = true;
  await Promise.all(callers);
  delay.disable();
  const heldUp = delay.max / 1e6;
  console.log(
    JSON.stringify({
      rounds,
      acknowledged: writers.acknowledgedCount,
      reads: reads.well,
      unavailable,
      slowest,
      heldUp,
    }),
  );
  assert.equal(reads.errors, []);
  assert.ok(slowest < ANSWER_MS + 2 * heldUp, `the slowest answer took ${Math.round(slowest)} ms`);

  await writers.repeat(url, token);
  await until(() => cluster.connections() === THREADS, 10_000, 'one connection of each thread is left');
  await stop();
  await checkStores(env, writers);
  await cluster.close();
  rmSync(folder, { recursive: true });
});

test.run();
