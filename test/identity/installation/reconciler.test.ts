import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Difference, Reconciler } from '../../../src/identity/installation/reconciler.ts';
import { StoreUnavailable } from '../../../src/stores/errors.ts';
import { MINUTE_MS } from '../../support/identity/reconcile.ts';

const test = suite('the reconciler');

/** A reconciler of differences that the test sets. A repair removes the difference. */
function start() {
  const open = new Set<string>();
  const broken = new Map<string, Error>();
  const repaired: string[] = [];
  const warnings: string[] = [];
  const clock = { elapsed: 1_000, trusted: true };
  const toDifference = (key: string): Difference => ({
    key,
    repair: async () => {
      const error = broken.get(key);
      if (error !== undefined) throw error;
      open.delete(key);
      repaired.push(key);
    },
  });
  const reconciler = new Reconciler({
    find: async () => [...open].map(toDifference),
    isTrusted: () => clock.trusted,
    log: { warn: (_details, message) => void warnings.push(message) },
    elapsed: () => clock.elapsed,
  });
  const runAfter = async (ms: number) => {
    clock.elapsed += ms;
    await reconciler.run();
  };
  return { open, broken, repaired, warnings, clock, reconciler, runAfter };
}

test('repairs a difference that two runs at least 5 minutes apart saw', async () => {
  const { open, repaired, reconciler, runAfter } = start();
  open.add('a');
  await runAfter(0);
  await runAfter(5 * MINUTE_MS - 1);
  assert.equal([repaired, reconciler.state], [[], { differences: 1, failed: 0 }]);
  open.add('b');
  await runAfter(1);
  assert.equal([repaired, reconciler.state], [['a'], { differences: 1, failed: 0 }]);
  await runAfter(5 * MINUTE_MS);
  assert.equal([repaired, reconciler.state], [['a', 'b'], { differences: 0, failed: 0 }]);
});

test('begins anew for a difference that was gone in between, or changed', async () => {
  const { open, repaired, runAfter } = start();
  open.add('token of today');
  await runAfter(0);
  open.clear();
  await runAfter(2 * MINUTE_MS);
  open.add('token of today');
  await runAfter(4 * MINUTE_MS);
  assert.equal(repaired, []);
  await runAfter(5 * MINUTE_MS);
  assert.equal(repaired, ['token of today']);
});

test('compares nothing while log and clock are not trusted, and begins anew afterwards', async () => {
  const { open, repaired, clock, reconciler, runAfter } = start();
  open.add('a');
  await runAfter(0);
  clock.trusted = false;
  await runAfter(5 * MINUTE_MS);
  assert.equal([repaired, reconciler.state], [[], { differences: 0, failed: 0 }]);
  clock.trusted = true;
  await runAfter(5 * MINUTE_MS);
  assert.equal(repaired, []);
  await runAfter(5 * MINUTE_MS);
  assert.equal(repaired, ['a']);
});

test('stops between two repairs when it is no longer trusted', async () => {
  const { open, repaired, clock, reconciler, runAfter } = start();
  for (const key of ['a', 'b']) open.add(key);
  await runAfter(0);
  const running = runAfter(5 * MINUTE_MS);
  const trusted = [true, true, false];
  Object.defineProperty(clock, 'trusted', { get: () => trusted.shift() ?? false });
  await running;
  assert.equal([repaired, reconciler.state.differences], [['a'], 1]);
});

test('repairs at most 100 in a run, and says how many are left', async () => {
  const { open, repaired, reconciler, runAfter } = start();
  for (let n = 0; n < 250; n += 1) open.add(`difference ${n}`);
  await runAfter(0);
  const seen: number[] = [];
  for (let run = 0; run < 3; run += 1) {
    await runAfter(5 * MINUTE_MS);
    seen.push(repaired.length, reconciler.state.differences);
  }
  assert.equal(seen, [100, 150, 200, 50, 250, 0]);
});

test('tells once of one that stays, and tries it after the others', async () => {
  const { open, broken, repaired, warnings, reconciler, runAfter } = start();
  for (let n = 0; n < 100; n += 1) {
    open.add(`broken ${n}`);
    broken.set(`broken ${n}`, new Error('the last OWNER'));
  }
  open.add('sound');
  await runAfter(0);
  await runAfter(5 * MINUTE_MS);
  assert.equal([repaired, reconciler.state, warnings.length], [[], { differences: 101, failed: 100 }, 100]);
  await runAfter(2 * MINUTE_MS);
  assert.equal([repaired, reconciler.state], [['sound'], { differences: 100, failed: 100 }]);
  assert.is(warnings.filter((message) => /stays/.test(message)).length, 100);
});

test('goes on after an outage, without a word in the log', async () => {
  const { open, broken, repaired, warnings, reconciler, runAfter } = start();
  for (const key of ['a', 'b']) open.add(key);
  broken.set('a', new StoreUnavailable('away'));
  await runAfter(0);
  await runAfter(5 * MINUTE_MS);
  assert.equal([repaired, warnings, reconciler.state.differences], [[], [], 2]);
  await runAfter(2 * MINUTE_MS);
  assert.equal(repaired, ['b'], 'one that stays away keeps no other waiting');
  broken.clear();
  await runAfter(2 * MINUTE_MS);
  assert.equal(repaired, ['b', 'a']);
});

test.run();
