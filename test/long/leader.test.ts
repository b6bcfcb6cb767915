import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LEASE_MS } from '../../src/projections/engine/lease.ts';
import { callUntilAccepted, firstOrganization } from '../support/mcp/call-tool.ts';
import { rounds } from '../support/run/rounds.ts';
import { until } from '../support/run/wait.ts';
import { type Service, startService } from '../support/service.ts';
import { checkStores } from '../support/stores/check-stores.ts';
import { canStartMongo } from '../support/stores/mongodb.ts';
import type { Pair } from '../support/stores/pairs.ts';
import { roleOf, sharedPair } from '../support/stores/shared-pair.ts';
import { Writers } from '../support/stores/writers.ts';

const test = suite('the leader');

/** A little longer than a lease. */
const TAKE_OVER_MS = 10_000;
/** Less than what is left of a lease that nobody gave back: it is renewed each second. */
const HANDOVER_MS = LEASE_MS - 1_500;

/** Between a writer's calls: their number at the end decides how long the checks take. */
const PAUSE_MS = 50;

interface Services {
  pair: Pair;
  leader: Service;
  follower: Service;
  token: string;
  writers: Writers;
}

async function startTwo(): Promise<Services> {
  const pair = (await sharedPair())!;
  const leader = await startService(pair.env);
  const { token, url } = leader;
  await until(async () => (await roleOf(url, token)) === 'LEADER');
  const follower = await startService(pair.env);
  const writers = await Writers.create(url, token, await firstOrganization(url, token));
  return { pair, leader, follower, token, writers };
}

test('after the leader is killed, the follower takes over, and no write is lost or done twice', async () => {
  const { pair, leader, follower, token, writers } = await startTwo();
  writers.start([leader.url, follower.url], token, 6, PAUSE_MS);
  await until(() => writers.acknowledgedCount > 40, 20_000, 'writers make progress');
  await leader.kill();
  const killedAt = performance.now();
  await writers.stop();
  const hasTakenOver = async () => (await roleOf(follower.url, token)) === 'LEADER';
  await until(hasTakenOver, TAKE_OVER_MS, 'the follower leads');
  const led = Math.round(performance.now() - killedAt);
  const { body } = await callUntilAccepted(follower.url, token, 'addVendor', writers.newAddition('After'));
  assert.is(body.pending, undefined);
  console.log(`took over ${led} ms after the kill, readable after ${Math.round(performance.now() - killedAt)} ms`);
  await writers.repeat(follower.url, token);
  await follower.stop();
  await checkStores(pair.env, writers);
  await pair.close();
});

test('after the leader is stopped, the follower takes over at once, and no write waits for long', async () => {
  const { pair, leader, follower, token, writers } = await startTwo();
  writers.start([follower.url], token, 4, PAUSE_MS);
  await until(() => writers.acknowledgedCount > 20, 20_000, 'writers make progress');
  await leader.stop();
  const stopped = performance.now();
  await until(async () => (await roleOf(follower.url, token)) === 'LEADER', HANDOVER_MS, 'the follower leads');
  console.log(`took over ${Math.round(performance.now() - stopped)} ms after the stop`);
  await writers.stop();
  assert.ok(writers.writes.every(({ answer }) => answer === null || answer.body.pending === undefined));
  await writers.repeat(follower.url, token);
  await follower.stop();
  await checkStores(pair.env, writers);
  await pair.close();
});

test('a leader paused past its lease changes nothing when it continues', async () => {
  const { pair, leader, follower, token, writers } = await startTwo();
  for (let round = 0; round < rounds(2, 3); round++) {
    const [paused, other] = round % 2 === 0 ? [leader, follower] : [follower, leader];
    await until(async () => (await roleOf(paused.url, token)) === 'LEADER', TAKE_OVER_MS, 'leads');
    writers.start([paused.url, other.url], token, 6, PAUSE_MS);
    const before = writers.acknowledgedCount;
    const writesBefore = writers.writes.length;
    await until(() => writers.acknowledgedCount > before + 20, 20_000, 'writers make progress');
    process.kill(paused.pid, 'SIGSTOP');
    const stopped = performance.now();
    await until(async () => (await roleOf(other.url, token)) === 'LEADER', TAKE_OVER_MS, 'the follower leads');
    console.log(`took over ${Math.round(performance.now() - stopped)} ms after the pause`);
    const acknowledgedBefore = writers.acknowledgedCount;
    await until(
      () => writers.acknowledgedCount > acknowledgedBefore + 20,
      20_000,
      'writers make progress without the paused instance',
    );
    process.kill(paused.pid, 'SIGCONT');
    // A writer ends at a call without an answer, and those of the paused instance may have had one.
    await writers.stop();
    writers.start([paused.url, other.url], token, 6, PAUSE_MS);
    const woken = writers.acknowledgedCount;
    await until(() => writers.acknowledgedCount > woken + 20, 20_000, 'writers make progress with both instances');
    await writers.stop();
    await until(async () => (await roleOf(paused.url, token)) === 'FOLLOWER', TAKE_OVER_MS, 'one instance leads');
    assert.is(await roleOf(other.url, token), 'LEADER');
    await writers.repeat(paused.url, token, writers.writes.slice(writesBefore));
  }
  await Promise.all([leader.stop(), follower.stop()]);
  await checkStores(pair.env, writers);
  await pair.close();
});

if (canStartMongo()) test.run();
