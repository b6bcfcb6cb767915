import { setImmediate as nextTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withTimeout } from '../../src/clock/with-timeout.ts';
import { rejection } from '../support/run/take.ts';

const NEVER = new Promise<never>(() => undefined);
const HOUR_MS = 3_600_000;

const test = suite('withTimeout');

test('settles as the work does, and leaves no timer behind', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  const error = new Error('failed');
  assert.is(await withTimeout(HOUR_MS, Promise.resolve('done'), () => 'late'), 'done');
  assert.is(await rejection(withTimeout(HOUR_MS, Promise.reject(error), () => 'late')), error);
  assert.ok(timers() <= before);
});

test('settles as onTimeout does after the time, or at once if the time is negative', async () => {
  const error = new Error('late');
  assert.is(await withTimeout(1, NEVER, () => 'late'), 'late');
  assert.is(await withTimeout(-HOUR_MS, NEVER, () => 'late'), 'late');
  const failing = withTimeout(1, NEVER, () => {
    throw error;
  });
  assert.is(await rejection(failing), error);
});

test('returns an answer that arrived while the process was blocked', async () => {
  // After a turn, the timer is due before the next immediate.
  await nextTurn();
  const answer = new Promise<string>((resolve) => setImmediate(resolve, 'done'));
  const result = withTimeout(1, answer, () => 'late');
  const blockedUntil = performance.now() + 20;
  while (performance.now() < blockedUntil);
  assert.is(await result, 'done');
});

test.run();
