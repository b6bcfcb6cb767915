import * as assert from 'uvu/assert';
import type { Commit, ReadModels, ReadStore } from '../../src/stores/read-store.ts';
import { until } from '../support/run/wait.ts';
import { assertEqualsSinglePass, leads, runnersSuite, waitUntilProjected } from '../support/runners.ts';
import { writeVendor } from '../support/stores/write-events.ts';
import { withOverrides } from '../support/with-overrides.ts';

const test = runnersSuite('two runners of one generation');

/** A dead holder's lease is taken within 6 s. */
const TAKEOVER_MS = 8_000;

/** Delays an instance's writes while it is paused. */
function createPauses() {
  let pauseEnd = Promise.resolve();
  let wake = () => {};
  let waiting = 0;
  const wait = async <T>(work: () => Promise<T>): Promise<T> => {
    waiting += 1;
    await pauseEnd;
    waiting -= 1;
    return work();
  };
  return {
    sleep() {
      pauseEnd = new Promise((resolve) => {
        wake = resolve;
      });
    },
    wake: () => wake(),
    get waiting() {
      return waiting;
    },
    models: (models: ReadModels) =>
      withOverrides(models, { commit: (batch: Commit) => wait(() => models.commit(batch)) }),
    reads: (reads: ReadStore) =>
      withOverrides(reads, { compareAndSet: (...args) => wait(() => reads.compareAndSet(...args)) }),
  };
}

test('another runner replaces a paused leader, which changes nothing when it continues', async (context) => {
  const { run, handler, stores, models } = context;
  const pauses = createPauses();
  const pausedLeader = await run({ models: pauses.models(await models()), reads: pauses.reads(stores.reads) });
  await leads(pausedLeader);
  assert.ok(await waitUntilProjected(pausedLeader, await writeVendor(handler, 'vnd_A')));
  pauses.sleep();
  const writeDuringPause = await writeVendor(handler, 'vnd_A', 'While it sleeps');
  await until(() => pauses.waiting > 0);
  const successor = await run();
  assert.not(await waitUntilProjected(successor, writeDuringPause, 50), 'the lease is still valid');
  assert.ok(await waitUntilProjected(successor, writeDuringPause, TAKEOVER_MS));
  assert.is(successor.role, 'LEADER');
  const laterEvents = await writeVendor(handler, 'vnd_B');
  assert.ok(await waitUntilProjected(successor, laterEvents));
  pauses.wake();
  assert.ok(await waitUntilProjected(pausedLeader, laterEvents), 'the old leader reads the event');
  await until(() => pausedLeader.role === 'FOLLOWER');
  const last = await writeVendor(handler, 'vnd_A', 'Afterwards');
  assert.ok((await waitUntilProjected(successor, last)) && (await waitUntilProjected(pausedLeader, last)));
  assert.equal([successor.role, pausedLeader.role], ['LEADER', 'FOLLOWER']);
  await assertEqualsSinglePass(context);
});

test('a delayed stamp never claims more than readers can see', async ({ run, handler, models }) => {
  const pauses = createPauses();
  const leader = await run({ models: pauses.models(await models()) });
  await leads(leader);
  assert.ok(await waitUntilProjected(leader, await writeVendor(handler, 'vnd_A')));
  const follower = await run();
  pauses.sleep();
  const storePosition = await writeVendor(handler, 'vnd_A', 'B');
  const moment = Date.now();
  await until(() => pauses.waiting > 0);
  // Longer than a stamp waits for a current write.
  assert.not(await leader.waitUntilCaughtUp(moment, 1_300));
  assert.not(await follower.waitUntilCaughtUp(moment, 100));
  assert.not(await waitUntilProjected(follower, storePosition, 20));
  pauses.wake();
  assert.ok(await leader.waitUntilCaughtUp(moment, 5_000));
  assert.ok(await follower.waitUntilCaughtUp(moment, 5_000));
  assert.ok(follower.caughtUpAt >= moment);
  assert.ok(
    await waitUntilProjected(follower, storePosition, 0),
    'the stamp and the events it covers become visible together',
  );
});

test('two runners that both lead commit each batch once', async (context) => {
  const { run, handler } = context;
  const runners = [await run({ exclusive: true }), await run({ exclusive: true })];
  let storePosition = await writeVendor(handler, 'vnd_0');
  for (let n = 0; n < 40; n++) {
    storePosition = await writeVendor(handler, `vnd_${n % 4}`, `Name ${n}`);
    if (n % 10 === 0) await waitUntilProjected(runners[n % 20 === 0 ? 0 : 1]!, storePosition);
  }
  for (const runner of runners) assert.ok(await waitUntilProjected(runner, storePosition));
  await assertEqualsSinglePass(context);
});

test.run();
