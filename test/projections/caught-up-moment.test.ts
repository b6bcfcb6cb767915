import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CaughtUpMoment } from '../../src/projections/engine/generation-progress.ts';

const test = suite('the moment up to which all is applied');
const NOON = Date.parse('2026-11-26T12:00:00Z');
const DAY_MS = 86_400_000;

test('is the latest one that was noted', () => {
  const moment = new CaughtUpMoment(() => new Date(NOON));
  assert.is(moment.value, 0);
  moment.include(NOON - 2_000);
  moment.include(NOON - 3_000);
  assert.is(moment.value, NOON - 2_000);
});

test('is set back when the clock that gave it was ahead', () => {
  let now = NOON + DAY_MS;
  const moment = new CaughtUpMoment(() => new Date(now));
  moment.include(now);
  assert.is(moment.value, NOON + DAY_MS);
  now = NOON;
  assert.is(moment.value, 0, 'as-of reads wait');
  moment.include(NOON);
  now += 2 * DAY_MS;
  assert.is(moment.value, NOON, 'also once the wrong time has come');
});

test('is not taken from another instance whose clock is ahead by more than clocks may differ', () => {
  const moment = new CaughtUpMoment(() => new Date(NOON));
  moment.include(NOON + 5_001);
  assert.is(moment.value, 0);
  moment.include(NOON + 5_000);
  assert.is(moment.value, NOON + 5_000);
});

test.run();
