/**
 * Runs three instances under mixed load, and kills one of them each minute:
 *
 *     SOAK_MINUTES=30 npm run test:soak
 *
 * Not in CI: it takes half an hour, and on a busy machine its times mean nothing.
 */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callTool, firstOrganization } from '../support/mcp/call-tool.ts';
import { until } from '../support/run/wait.ts';
import { type Service, startService } from '../support/service.ts';
import { checkStores } from '../support/stores/check-stores.ts';
import { sharedPair } from '../support/stores/shared-pair.ts';
import { Writers } from '../support/stores/writers.ts';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 30);
const WRITERS = 24;
const READERS = 40;
/**
 * The pause of each client between two calls, in milliseconds. FerretDB reads a whole collection for each document that
 * it changes, so it becomes slower as the data grows. 64 clients without pauses stop it within minutes.
 */
const PAUSE_MS = process.env.MONGODB_URL ? { writer: 0, reader: 0 } : { writer: 40_000, reader: 10_000 };
/** Acknowledged writes of a minute, at least. */
const MIN_WRITES = process.env.MONGODB_URL ? 100 : 10;
const ROUND_MS = 60_000;
/** The instance is killed so long after its round has begun. */
const KILL_AFTER_MS = 40_000;
const TAKE_OVER_MS = 15_000;

/** The calls that a reader makes, in turn. */
const READS: readonly [tool: string, args: object][] = [
  ['listVendors', {}],
  ['listVendors', { filter: { status: ['APPROVED'] }, view: 'COUNT' }],
  ['listChanges', { size: 20 }],
  ['listOrganizations', {}],
];

/** One minute's measurements. */
interface Round {
  writes: number;
  reads: number;
  /** The milliseconds of reads through the instance that is never killed. */
  p99: number;
  /** Memory of the instance that is never killed, in MiB. */
  rssMiB: number;
}

const test = suite('a soak of three instances');

test(`${MINUTES} minutes of 64 clients lose nothing, with an instance killed each minute`, async () => {
  const pair = await sharedPair();
  if (pair === null) throw new Error('A MongoDB is needed: set MONGODB_URL, or build test/support/ferretdb.');
  const rounds = await runRounds(pair.env).finally(() => pair.close());
  assertFlat(rounds, ({ rssMiB }) => rssMiB, 1.3, 'memory');
  if (process.env.MONGODB_URL) assertFlat(rounds, ({ p99 }) => p99, 2, 'p99 of reads');
});

/** Runs all rounds, and checks afterwards that nothing was lost. */
async function runRounds(env: Record<string, string>): Promise<Round[]> {
  const steady = await startService(env);
  const { token } = steady;
  const mortals = [await startService(env), await startService(env)];
  const organization = await firstOrganization(steady.url, token);
  const writers = await Writers.create(steady.url, token, organization);
  const rounds: Round[] = [];
  for (let minute = 0; minute < MINUTES; minute++) {
    const victim = minute % mortals.length;
    const firstWrite = writers.writes.length;
    const round = await runRound({ steady, mortals, victim, writers, token });
    console.log(JSON.stringify({ minute, ...round }));
    assert.ok(round.writes >= MIN_WRITES, `${round.writes} writes were acknowledged in minute ${minute}`);
    mortals[victim] = await startService(env);
    await writers.repeat(steady.url, token, writers.writes.slice(firstWrite));
    rounds.push(round);
  }
  await Promise.all([steady, ...mortals].map((service) => service.stop()));
  await checkStores(env, writers);
  return rounds;
}

interface RoundOptions {
  steady: Service;
  mortals: readonly Service[];
  /** The index in `mortals` of the instance to kill. */
  victim: number;
  writers: Writers;
  token: string;
}

/** Runs all clients for a minute, and kills an instance in it. */
async function runRound({ steady, mortals, victim, writers, token }: RoundOptions): Promise<Round> {
  const urls = [steady, ...mortals].map(({ url }) => url);
  const before = writers.acknowledgedCount;
  const endsAt = performance.now() + ROUND_MS;
  const killsAt = endsAt - ROUND_MS + KILL_AFTER_MS;
  const durations = { steady: [] as number[], mortal: [] as number[] };
  writers.start(urls, token, WRITERS, PAUSE_MS.writer);
  const readers = Array.from({ length: READERS }, async (_, index) => {
    const url = urls[index % urls.length]!;
    const times = url === steady.url ? durations.steady : durations.mortal;
    for (let call = index; performance.now() < endsAt; call++) {
      const [tool, args] = READS[call % READS.length]!;
      const startedAt = performance.now();
      const reply = await callTool(url, token, tool, args).catch(() => null);
      // Only the killed instance may break a connection.
      if (reply === null && url !== mortals[victim]!.url) throw new Error(`${tool} got no answer from ${url}`);
      if (reply === null) return;
      assert.ok(reply.status === 200 || reply.code === 'unavailable', `${tool}: ${JSON.stringify(reply.body)}`);
      times.push(performance.now() - startedAt);
      await setTimeout(Math.min(PAUSE_MS.reader, Math.max(0, endsAt - performance.now())));
    }
  });
  await until(() => performance.now() >= killsAt, ROUND_MS, 'the time of the kill');
  await mortals[victim]!.kill();
  await Promise.all(readers);
  await writers.stop();
  await until(() => isServing(steady.url), TAKE_OVER_MS, 'the steady instance serves');
  return {
    writes: writers.acknowledgedCount - before,
    reads: durations.steady.length + durations.mortal.length,
    p99: Math.round(percentile(durations.steady, 0.99)),
    rssMiB: Math.round(rssMiBOf(steady.pid)),
  };
}

async function isServing(url: string): Promise<boolean> {
  return (await fetch(`${url}/readyz`)).ok;
}

/** Compares the median of the last third with that of the third before it: the first third warms up. */
function assertFlat(rounds: readonly Round[], measure: (round: Round) => number, limit: number, what: string): void {
  const third = Math.floor(rounds.length / 3);
  if (third === 0) return;
  const [middle, last] = [rounds.slice(third, 2 * third), rounds.slice(-third)].map((part) =>
    percentile(part.map(measure), 0.5),
  ) as [number, number];
  assert.ok(last <= middle * limit, `${what} grew from ${middle} to ${last}`);
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** Returns a process's resident memory, from /proc. */
function rssMiBOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}

test.run();
