import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ClockInDoubt } from '../../src/clock/clock-in-doubt.ts';
import {
  type ClockState,
  followTime,
  hasPassed,
  type MachineClocks,
  ServiceClock,
} from '../../src/clock/service-clock.ts';

const test = suite('service clock');

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 10, 26, 12);

/** Clocks that the test sets. `bootReadings` counts how often the slow one was read. */
class FakeClocks implements MachineClocks {
  wall = NOON;
  boot = HOUR;
  slept = 0;
  bootReadings = 0;
  readonly wallMs = () => this.wall;
  readonly monotonicMs = () => this.boot - this.slept;
  readonly bootMs = () => {
    this.bootReadings += 1;
    return this.boot;
  };

  pass(ms: number): void {
    this.wall += ms;
    this.boot += ms;
  }

  sleep(ms: number): void {
    this.pass(ms);
    this.slept += ms;
  }
}

function started(): { clocks: FakeClocks; clock: ServiceClock; states: ClockState['status'][] } {
  const clocks = new FakeClocks();
  const states: ClockState['status'][] = [];
  return { clocks, states, clock: new ServiceClock({ clocks, onChange: ({ status }) => states.push(status) }) };
}

test('the time goes on as before the jump, and writes are refused with the cause', () => {
  const { clocks, clock, states } = started();
  clock.requireTrust();
  clocks.wall += 10 * 365 * 24 * HOUR;
  clocks.pass(2_000);
  assert.is(clock.now().getTime(), NOON + 2_000);
  const error = refusalOf(clock);
  assert.match(error.message, /^The clock of this machine jumped\. Writes wait until it is right, or has kept still/);
  assert.is(error.retryAfterSeconds, 30);
  assert.not(clock.isTrusted());
  assert.is(clock.trustedDifference, null);
  clocks.wall = NOON + 2_000;
  clock.requireTrust();
  assert.is(clock.now().getTime(), NOON + 2_000);
  assert.equal(states, ['JUMPED', 'TRUSTED']);
});

test('the refusal says how long the clock must still keep still', () => {
  const { clocks, clock } = started();
  clocks.wall -= HOUR;
  refusalOf(clock);
  for (let i = 0; i < 12; i++) {
    clocks.pass(1_000);
    refusalOf(clock);
  }
  assert.is(refusalOf(clock).retryAfterSeconds, 18);
  assert.equal(clock.state, { status: 'JUMPED', off_by_ms: -HOUR, trusted_in_ms: 18_000 });
});

test('a jump is seen by the next question for the time, without waiting for the next second', () => {
  const { clocks, clock, states } = started();
  clocks.wall += HOUR;
  assert.is(clock.now().getTime(), NOON);
  assert.equal(states, ['JUMPED']);
});

test('a sleep of the machine changes nothing but the time', () => {
  const { clocks, clock, states } = started();
  clocks.sleep(9 * HOUR);
  assert.is(clock.now().getTime(), NOON + 9 * HOUR);
  clock.requireTrust();
  assert.equal(states, []);
});

test('a jump back by as long as the machine slept is seen before a write', () => {
  const { clocks, clock } = started();
  clocks.sleep(HOUR);
  clocks.wall -= HOUR;
  refusalOf(clock);
});

test('the slow clock is read for writes, not for each question for the time', () => {
  const { clocks, clock } = started();
  const { bootReadings } = clocks;
  for (let i = 0; i < 100; i++) {
    clocks.pass(10);
    clock.now();
  }
  assert.is(clocks.bootReadings, bootReadings);
  clock.requireTrust();
  assert.is(clocks.bootReadings, bootReadings + 1);
});

test('readings of the clocks that were interrupted count for nothing', () => {
  const { clocks, clock, states } = started();
  let interruptions = 3;
  const readBoot = clocks.bootMs;
  const slow = Object.assign(clocks, {
    bootMs: () => {
      const boot = readBoot();
      if (interruptions-- > 0) clocks.pass(6_000);
      return boot;
    },
  });
  clock.requireTrust();
  assert.is(clock.now().getTime(), slow.wall);
  assert.equal(states, []);
});

test('expired is what either clock calls expired, and what only the doubted one does is worth a retry', () => {
  const { clocks, clock } = started();
  clocks.wall += HOUR;
  assert.ok(hasPassed(NOON, clock.now));
  assert.not(hasPassed(NOON + HOUR + 1, clock.now));
  assert.throws(() => hasPassed(new Date(NOON + HOUR).toISOString(), clock.now), isClockInDoubt);
  clocks.wall -= 2 * HOUR;
  assert.ok(hasPassed(NOON, clock.now));
  assert.not(hasPassed(NOON + 1, clock.now));
});

test('other threads have the same time, and see a jump before the main thread does', () => {
  const { clocks, clock } = started();
  const threadNow = followTime(clock.shared.memory, clocks);
  clocks.pass(4_321);
  assert.is(threadNow().getTime(), NOON + 4_321);
  clocks.wall += HOUR;
  assert.is(threadNow().getTime(), NOON + 4_321);
  clock.isTrusted();
  clocks.pass(1_000);
  assert.is(threadNow().getTime(), NOON + 5_321);
  assert.is(clock.now().getTime(), threadNow().getTime());
  for (let i = 0; i < 30; i++) {
    clocks.pass(1_000);
    clock.isTrusted();
  }
  assert.is(threadNow().getTime(), clocks.wall);
});

test('a start in doubt uses the machine’s time while none is known to be right', () => {
  const clocks = new FakeClocks();
  const evidence = { lastRun: null, database: null, newestEvent: null, isLogEmpty: false };
  const clock = new ServiceClock({ clocks, evidence });
  assert.is(clock.now().getTime(), NOON);
  assert.is(followTime(clock.shared.memory, clocks)().getTime(), NOON);
  assert.equal(clock.state, { status: 'NOT_CONFIRMED', off_by_ms: null, trusted_in_ms: 30_000 });
});

const isClockInDoubt = (error: unknown) => error instanceof ClockInDoubt;

function refusalOf(clock: ServiceClock): ClockInDoubt {
  try {
    clock.requireTrust();
  } catch (error) {
    if (error instanceof ClockInDoubt) return error;
    throw error;
  }
  throw new Error('the clock is trusted');
}

test.run();
