import * as assert from 'uvu/assert';
import { StoreUnavailable } from '../../src/stores/errors.ts';
import type { StorePosition } from '../../src/stores/event-store.ts';
import type { Commit, ReadModels } from '../../src/stores/read-store.ts';
import { envelopeFor, INSTALLATION_ID, ORGANIZATION } from '../support/register.ts';
import { until } from '../support/run/wait.ts';
import {
  assertEqualsSinglePass,
  leads,
  type RunnersContext,
  runnersSuite,
  waitUntilProjected,
} from '../support/runners.ts';
import { writeVendor } from '../support/stores/write-events.ts';
import { withOverrides } from '../support/with-overrides.ts';

/** More than two batches. */
const CATCH_UP_EVENTS = 1_100;

const test = runnersSuite('the projection runner');

test('applies stored and new events, and reports its position', async (context) => {
  const { run, handler } = context;
  const before = await writeVendor(handler, 'vnd_A');
  const runner = await run();
  assert.ok(await waitUntilProjected(runner, before));
  const started = Date.now();
  assert.ok(await waitUntilProjected(runner, await writeVendor(handler, 'vnd_B')));
  assert.ok(await runner.waitUntilCaughtUp(started, 5_000));
  assert.is(runner.checkpoint(ORGANIZATION)?.position, 4);
  assert.equal([runner.role, runner.lag, runner.parked, runner.lastError], ['LEADER', 0, 0, null]);
  assert.equal(runner.organizations, [ORGANIZATION]);
  assert.is(runner.checkpoint(ORGANIZATION)?.installation, INSTALLATION_ID);
  await assertEqualsSinglePass(context);
});

test('stops immediately at any step', async ({ run, handler, models }) => {
  await writeVendor(handler, 'vnd_A');
  const real = await models();
  for (const step of ['recover', 'checkpoints'] as const) {
    let resolveStart = () => {};
    const firstRead = new Promise<void>((resolve) => {
      resolveStart = resolve;
    });
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = withOverrides(real, {
      [step]: async () => {
        resolveStart();
        await gate;
        return real[step]();
      },
    });
    const runner = await run({ models: slow, exclusive: true });
    await firstRead;
    const stopped = runner.stop();
    release();
    const bound = new Promise<string>((resolve) => setTimeout(resolve, 5_000, 'still running').unref());
    assert.is(await Promise.race([stopped.then(() => 'stopped'), bound]), 'stopped', step);
  }
});

test('waits no longer than its time limit', async ({ run, handler, stores }) => {
  const runner = await run();
  await waitUntilProjected(runner, await writeVendor(handler, 'vnd_A'));
  const startedAt = performance.now();
  assert.not(await waitUntilProjected(runner, '999999' as StorePosition, 50));
  assert.not(await runner.waitUntilProjected('org_OTHER', '1' as StorePosition, 50));
  const silentStore = withOverrides(stores.events, { head: () => new Promise<never>(() => undefined) });
  const stuck = await run({ events: silentStore, exclusive: true });
  await leads(stuck);
  assert.not(await stuck.waitUntilCaughtUp(Date.now(), 50));
  assert.ok(performance.now() - startedAt < 1_500, 'each within its limit');
});

test('continues at its checkpoint, and commits nothing twice', async (context) => {
  const { run, handler, models } = context;
  const first = await run();
  await waitUntilProjected(first, await writeVendor(handler, 'vnd_A'));
  await first.stop();
  await writeVendor(handler, 'vnd_B');
  const commits: Commit[] = [];
  const second = await run({ models: recording(await models(), commits) });
  await waitUntilProjected(second, await writeVendor(handler, 'vnd_A', 'Renamed'));
  assert.equal(commits.at(-1)!.checkpoint.position, 5);
  const changes = commits.flatMap(({ puts }) => puts.filter(({ collection }) => collection === 'changes'));
  assert.equal(
    changes.map(({ document }) => document.keys.position),
    [4, 5],
  );
  await assertEqualsSinglePass(context);
});

function recording(models: ReadModels, commits: Commit[]): ReadModels {
  return withOverrides(models, {
    commit: async (batch) => {
      await models.commit(batch);
      commits.push(batch);
    },
  });
}

test('lets requests in between the batches of a catch-up', async ({ run, handler, models }) => {
  const vendors = Array.from({ length: CATCH_UP_EVENTS }, (_, index) => `vnd_${index}`);
  await Promise.all(vendors.map((id) => writeVendor(handler, id)));
  const real = await models();
  let turn = 0;
  let isWatching = true;
  const countTurn = () => {
    turn += 1;
    if (isWatching) setImmediate(countTurn);
  };
  countTurn();
  const turns: number[] = [];
  const watched = withOverrides(real, {
    commit: async (batch: Commit) => {
      await real.commit(batch);
      turns.push(turn);
    },
  });
  const runner = await run({ models: watched });
  assert.ok(await waitUntilProjected(runner, await writeVendor(handler, 'vnd_last')));
  isWatching = false;
  assert.ok(turns.length > 2, `${turns.length} batches`);
  assert.is(new Set(turns).size, turns.length, 'each batch in a turn of its own');
});

/** Writes 64 vendors at once, and returns the number of events of each commit. */
async function commitSizes(
  { run, handler, models }: RunnersContext,
  envelopeOf: () => ReturnType<typeof envelopeFor>,
): Promise<number[]> {
  const commits: Commit[] = [];
  const runner = await run({ models: recording(await models(), commits) });
  assert.ok(await waitUntilProjected(runner, await writeVendor(handler, 'vnd_first')));
  const ids = Array.from({ length: 64 }, (_, index) => `vnd_${index}`);
  const written = await Promise.all(ids.map((id) => writeVendor(handler, id, id, envelopeOf())));
  for (const one of written) assert.ok(await waitUntilProjected(runner, one));
  const positions = commits.map(({ checkpoint }) => checkpoint.position);
  return positions.map((position, index) => position - (positions[index - 1] ?? 0));
}

test('applies writes that arrive together in parts, so that the first needn’t wait for the last', async (context) => {
  const sizes = await commitSizes(context, envelopeFor);
  assert.ok(
    sizes.every((size) => size <= 32),
    `parts of ${sizes}`,
  );
});

test('applies the writes of one call together, because its caller waits for all', async (context) => {
  const { correlation_id } = envelopeFor();
  const sizes = await commitSizes(context, () => ({ ...envelopeFor(), correlation_id }));
  assert.is(sizes.at(-1), 64, `parts of ${sizes}`);
});

test('retries after a store was unavailable, and clears the error once it has caught up', async (context) => {
  const { run, handler, models } = context;
  const readModels = await models();
  let failures = 0;
  const flaky = withOverrides(readModels, {
    commit: async (batch: Commit) => {
      if (failures++ === 0) throw new StoreUnavailable('away');
      await readModels.commit(batch);
      // The commit is done, but its answer is lost.
      if (failures === 3) throw new StoreUnavailable('away', true);
    },
  });
  const runner = await run({ models: flaky });
  await until(() => runner.lastError !== null);
  assert.ok(await waitUntilProjected(runner, await writeVendor(handler, 'vnd_A')));
  assert.ok(await waitUntilProjected(runner, await writeVendor(handler, 'vnd_B')));
  assert.ok(await runner.waitUntilCaughtUp(Date.now(), 5_000));
  assert.ok(failures >= 3);
  assert.is(runner.lastError, null);
  await assertEqualsSinglePass(context);
});

test('reports an error from when the log stops answering until it has caught up again', async ({
  run,
  handler,
  stores,
}) => {
  let isDown = false;
  let refused = 0;
  const flaky = withOverrides(stores.events, {
    head: () => {
      if (!isDown) return stores.events.head(null);
      refused++;
      return Promise.reject(new StoreUnavailable('away'));
    },
  });
  const runner = await run({ events: flaky });
  assert.ok(await waitUntilProjected(runner, await writeVendor(handler, 'vnd_A')));
  assert.ok(await runner.waitUntilCaughtUp(Date.now(), 5_000));
  isDown = true;
  await until(() => runner.lastError !== null);
  // It begins to lead again before each refusal, which must not look like a recovery.
  await until(() => {
    assert.is(runner.lastError, 'away');
    return refused >= 4;
  });
  const restored = Date.now();
  isDown = false;
  await until(() => runner.lastError === null);
  assert.ok(runner.caughtUpAt >= restored);
});

test('reports the age of the oldest waiting event as its lag', async ({ run, handler, models }) => {
  const readModels = await models();
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = withOverrides(readModels, { commit: (batch: Commit) => gate.then(() => readModels.commit(batch)) });
  const runner = await run({ models: slow });
  const storePosition = await writeVendor(handler, 'vnd_A');
  await until(() => runner.lag >= 20);
  release();
  assert.ok(await waitUntilProjected(runner, storePosition));
  await until(() => runner.lag === 0);
});

test('after its clock was a day ahead, it claims no more than it has applied', async ({ run, handler, models }) => {
  const readModels = await models();
  let isLocked = false;
  const lockable = withOverrides(readModels, {
    commit: async (batch: Commit) => {
      if (isLocked) throw new StoreUnavailable('locked');
      await readModels.commit(batch);
    },
  });
  let aheadMs = 86_400_000;
  const now = () => new Date(Date.now() + aheadMs);
  const leader = await run({ models: lockable, now });
  assert.ok(await leader.waitUntilCaughtUp(Date.now() + aheadMs, 5_000));
  aheadMs = 0;
  isLocked = true;
  const position = await writeVendor(handler, 'vnd_A');
  const afterWrite = Date.now() + 1;
  assert.not(await leader.waitUntilCaughtUp(afterWrite, 100), 'the event is not applied');
  // Its lease still has the moment of the wrong clock.
  const follower = await run();
  assert.not(await follower.waitUntilCaughtUp(afterWrite, 100));
  isLocked = false;
  assert.ok(await waitUntilProjected(leader, position));
  assert.ok(await leader.waitUntilCaughtUp(afterWrite, 5_000));
  assert.ok(leader.caughtUpAt < Date.now() + 5_000);
});

test('is the only leader; a follower can wait for what the leader has applied', async (context) => {
  const { run, handler } = context;
  const leader = await run();
  await leads(leader);
  const follower = await run();
  for (let n = 0; n < 5; n++) {
    const moment = Date.now();
    const storePosition = await writeVendor(handler, 'vnd_A', `Name ${n}`);
    assert.ok(await waitUntilProjected(follower, storePosition));
    assert.is(follower.checkpoint(ORGANIZATION)?.position, 3 + n);
    if (n === 0) assert.ok(await follower.waitUntilCaughtUp(moment, 5_000));
  }
  assert.equal([leader.role, follower.role], ['LEADER', 'FOLLOWER']);
  assert.not(await follower.waitUntilProjected(ORGANIZATION, '999999' as StorePosition, 50));
});

test('is replaced by a follower at once when it stops', async (context) => {
  const { run, handler } = context;
  const leader = await run();
  await leads(leader);
  const follower = await run();
  assert.ok(await waitUntilProjected(follower, await writeVendor(handler, 'vnd_A')));
  await leader.stop();
  const stopped = performance.now();
  assert.ok(await waitUntilProjected(follower, await writeVendor(handler, 'vnd_B')));
  assert.is(follower.role, 'LEADER');
  assert.ok(performance.now() - stopped < 2_000, 'the lease was released');
  await assertEqualsSinglePass(context);
});

test('ends all waits when it stops, and leaves no timer', async ({ run, handler }) => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const runner = await run();
  await waitUntilProjected(runner, await writeVendor(handler, 'vnd_A'));
  const follower = await run();
  const waiting = [
    waitUntilProjected(runner, '999999' as StorePosition, 60_000),
    waitUntilProjected(follower, '999999' as StorePosition, 60_000),
  ];
  await Promise.all([runner.stop(), follower.stop()]);
  assert.equal(await Promise.all(waiting), [false, false]);
  assert.not(
    await waitUntilProjected(runner, '999999' as StorePosition, 60_000),
    'a wait after the stop ends immediately',
  );
  assert.is(timers(), before);
});

test.run();
