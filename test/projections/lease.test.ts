import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LEASE_MS, type Lease, LeaseHold, type LeaseOptions } from '../../src/projections/engine/lease.ts';
import { StoreUnavailable } from '../../src/stores/errors.ts';
import type { ReadStore } from '../../src/stores/read-store.ts';
import { openSqliteReadStore } from '../../src/stores/sqlite/read-store.ts';
import { temporaryFolder } from '../support/register.ts';
import { rejection } from '../support/run/take.ts';
import { withOverrides } from '../support/with-overrides.ts';

interface Context {
  folder: string;
  reads: ReadStore;
  /** The observers' monotonic clock. */
  clock: { ms: number };
  lease(holder: string, options?: Partial<LeaseOptions>): LeaseHold;
}

const test = suite<Context>('lease');
const LOOK_MS = 500;

test.before.each((context) => {
  context.folder = temporaryFolder();
  context.reads = openSqliteReadStore(context.folder);
  context.clock = { ms: 1_000 };
  context.lease = (holder, options = {}) => {
    const now = () => context.clock.ms;
    return new LeaseHold({ reads: context.reads, generation: 'g', holder, exclusive: false, now, ...options });
  };
});
test.after.each(async ({ reads, folder }) => {
  await reads.close();
  rmSync(folder, { recursive: true });
});

/** Looks at the lease every half second until it is taken, and returns the time that took. */
async function timeToTake({ clock }: Context, lease: LeaseHold, limitMs = 60_000): Promise<number> {
  const begun = clock.ms;
  while (!(await lease.take())) {
    clock.ms += LOOK_MS;
    if (clock.ms - begun > limitMs) return Number.POSITIVE_INFINITY;
  }
  return clock.ms - begun;
}

test('of a dead holder is taken within 6 s, whatever its clock said', async (context) => {
  const dead = context.lease('dead');
  assert.ok(await dead.take());
  // Its clock was a year ahead when it wrote this.
  assert.ok(await dead.renew(Date.now() + 365 * 86_400_000));
  const observer = context.lease('observer');
  assert.not(await observer.take());
  const ms = await timeToTake(context, observer);
  assert.ok(ms >= LEASE_MS - LOOK_MS && ms <= 6_000 - LOOK_MS, `${ms} ms`);
  assert.not(await dead.renew(0));
});

test('of a live holder is never taken, whatever the clocks of both say', async (context) => {
  const live = context.lease('live');
  assert.ok(await live.take());
  const observer = context.lease('observer');
  for (let look = 0; look < 100; look++) {
    assert.not(await observer.take());
    context.clock.ms += LOOK_MS;
    if (look % 4 === 0) assert.ok(await live.renew(0));
  }
});

test('is observed over a whole term anew after an outage of the store, and after a pause of the observer', async (context) => {
  assert.ok(await context.lease('dead').take());
  let isDown = false;
  const reads = withOverrides(context.reads, {
    sharedEntry: async <T>(name: string) => {
      if (isDown) throw new StoreUnavailable('away');
      return context.reads.sharedEntry<T>(name);
    },
  } as Partial<ReadStore>);
  const observer = context.lease('observer', { reads });
  assert.is(await timeToTake(context, observer, LEASE_MS - 2 * LOOK_MS), Number.POSITIVE_INFINITY);
  isDown = true;
  assert.instance(await rejection(observer.take()), StoreUnavailable);
  isDown = false;
  context.clock.ms += LOOK_MS;
  assert.is(await timeToTake(context, observer, LEASE_MS - 2 * LOOK_MS), Number.POSITIVE_INFINITY);
  // Perhaps the holder was paused too, as when the machine sleeps.
  context.clock.ms += 3_600_000;
  const ms = await timeToTake(context, observer);
  assert.ok(ms >= LEASE_MS, `${ms} ms`);
});

test('is taken at once after a clean stop, by the same holder, and by the sole user of a folder', async ({ lease }) => {
  const first = lease('first');
  assert.ok(await first.take());
  assert.ok(await lease('first').take(), 'the same holder');
  assert.ok(await lease('sole', { exclusive: true }).take(), 'the sole user');
  const second = lease('sole');
  assert.ok(await second.take());
  await second.release();
  assert.ok(await lease('next').take(), 'after a release');
});

test('an instance paused past its lease can’t take it back from the current holder', async ({ reads, lease }) => {
  const sleeper = lease('sleeper');
  assert.ok(await sleeper.take());
  const current: Lease = { holder: 'other', caught_up_at: 7 };
  assert.ok(await reads.compareAndSet('runner:g', 1, current));
  for (let attempt = 0; attempt < 3; attempt++) {
    assert.not(await sleeper.renew(1));
    assert.not(await sleeper.take());
  }
  await sleeper.release();
  assert.equal((await reads.sharedEntry<Lease>('runner:g'))!.value, current);
});

test.run();
