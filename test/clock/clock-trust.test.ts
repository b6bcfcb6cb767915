import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ClockTrust, type StartEvidence } from '../../src/clock/clock-trust.ts';

const test = suite('clock trust');

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
const TEN_YEARS = 3_652 * DAY;
/** The difference of the clocks on a machine that started an hour ago. */
const RIGHT = 1_800_000_000_000;
const NOTHING: StartEvidence = { lastRun: null, database: null, newestEvent: null, isLogEmpty: false };

/** A machine whose clocks the test sets, looked at each second as the service does. */
class Machine {
  boot = HOUR;
  difference = RIGHT;
  readonly trust: ClockTrust;

  constructor(evidence?: StartEvidence, difference = RIGHT) {
    this.difference = difference;
    this.trust = new ClockTrust({ difference, boot: this.boot }, evidence);
  }

  look(): string {
    this.trust.look({ difference: this.difference, boot: this.boot });
    return this.trust.cause ?? 'TRUSTED';
  }

  /** Lets time pass. @param driftPerSecond what the difference changes by each second */
  pass(seconds: number, driftPerSecond = 0): string {
    for (let i = 0; i < seconds; i++) {
      this.boot += SECOND;
      this.difference += driftPerSecond;
      this.look();
    }
    return this.trust.cause ?? 'TRUSTED';
  }

  set(byMs: number): string {
    this.difference += byMs;
    return this.look();
  }
}

test('a clock that is ten years ahead for three seconds is never trusted', () => {
  const machine = new Machine();
  assert.is(machine.set(TEN_YEARS), 'JUMPED');
  assert.is(machine.trust.difference, RIGHT);
  assert.is(machine.pass(3), 'JUMPED');
  assert.is(machine.set(-TEN_YEARS), 'TRUSTED');
  assert.is(machine.trust.difference, RIGHT);
});

test('a jump back is a jump too', () => {
  const machine = new Machine();
  assert.is(machine.set(-HOUR), 'JUMPED');
  assert.is(machine.trust.difference, RIGHT);
});

test('a change of up to 5 s is none, and one of more is one', () => {
  assert.is(new Machine().set(5 * SECOND), 'TRUSTED');
  assert.is(new Machine().set(-5 * SECOND), 'TRUSTED');
  assert.is(new Machine().set(5 * SECOND + 1), 'JUMPED');
  assert.is(new Machine().set(-5 * SECOND - 1), 'JUMPED');
});

test('a jump is over when the clock is back within a second, not within five', () => {
  const machine = new Machine();
  machine.set(HOUR);
  assert.is(machine.set(-HOUR + 1_001), 'JUMPED');
  assert.is(machine.set(-2), 'TRUSTED');
});

test('a clock that keeps still for 30 s is trusted as it is then', () => {
  const machine = new Machine();
  machine.set(HOUR);
  assert.is(machine.pass(29), 'JUMPED');
  assert.is(machine.trust.remainingMs, SECOND);
  assert.is(machine.pass(1), 'TRUSTED');
  assert.is(machine.trust.difference, RIGHT + HOUR);
});

test('a clock that moves again must keep still for 30 s anew', () => {
  const machine = new Machine();
  machine.set(HOUR);
  machine.pass(29);
  machine.set(SECOND);
  assert.is(machine.pass(29), 'JUMPED');
  assert.is(machine.pass(1), 'TRUSTED');
});

test('many steps of less than a second, which add up, are no stillness', () => {
  const machine = new Machine();
  machine.set(HOUR);
  for (let i = 0; i < 60; i++) assert.is(machine.pass(1, 400), 'JUMPED');
});

test('time in which nobody looked is no stillness', () => {
  const machine = new Machine();
  machine.set(HOUR);
  machine.boot += 40 * SECOND;
  assert.is(machine.look(), 'JUMPED');
  assert.is(machine.pass(29), 'JUMPED');
  assert.is(machine.pass(1), 'TRUSTED');
});

test('corrections of drift by NTP are no jump, however long they go on', () => {
  const machine = new Machine();
  assert.is(machine.pass(2 * 86_400, 0.5), 'TRUSTED');
  assert.ok(Math.abs(machine.trust.difference! - machine.difference) < 10);
  assert.is(machine.set(HOUR), 'JUMPED');
});

test('a sleep of the machine moves both clocks, so it is no jump', () => {
  const machine = new Machine();
  machine.boot += 9 * HOUR;
  assert.is(machine.look(), 'TRUSTED');
});

test('a sleep hides no jump', () => {
  const machine = new Machine();
  machine.boot += 9 * HOUR;
  assert.is(machine.set(6 * SECOND), 'JUMPED');
});

test('a restored virtual machine, whose clocks both stood still, is trusted after 30 s', () => {
  const machine = new Machine();
  assert.is(machine.set(3 * DAY), 'JUMPED');
  assert.is(machine.pass(30), 'TRUSTED');
});

test('a start trusts a clock that agrees with the last run', () => {
  assert.is(new Machine({ ...NOTHING, lastRun: RIGHT - 5 * SECOND }).look(), 'TRUSTED');
});

test('a start doubts a clock that differs from the last run, until it is back', () => {
  const machine = new Machine({ ...NOTHING, lastRun: RIGHT, database: RIGHT + HOUR }, RIGHT + HOUR);
  assert.is(machine.look(), 'DIFFERS_FROM_LAST_RUN');
  assert.is(machine.trust.difference, RIGHT);
  assert.is(machine.set(-HOUR), 'TRUSTED');
});

test('a start without a last run asks the database', () => {
  assert.is(new Machine({ ...NOTHING, database: RIGHT + 4 * SECOND }).look(), 'TRUSTED');
  const machine = new Machine({ ...NOTHING, database: RIGHT - 6 * SECOND });
  assert.is(machine.look(), 'DIFFERS_FROM_DATABASE');
  assert.is(machine.trust.difference, RIGHT - 6 * SECOND);
  assert.is(machine.pass(30), 'TRUSTED');
});

test('a start without any evidence waits for 30 s of stillness, unless the log is empty', () => {
  const machine = new Machine(NOTHING);
  assert.is(machine.pass(29), 'NOT_CONFIRMED');
  assert.is(machine.trust.difference, null);
  assert.is(machine.pass(1), 'TRUSTED');
  assert.is(new Machine({ ...NOTHING, isLogEmpty: true }).look(), 'TRUSTED');
});

test('a start before the newest event waits, whatever else agrees', () => {
  const evidence = { ...NOTHING, lastRun: RIGHT, newestEvent: RIGHT + HOUR + 5 * SECOND + 1 };
  const machine = new Machine(evidence);
  assert.is(machine.pass(29), 'BEFORE_NEWEST_EVENT');
  assert.is(machine.pass(1), 'TRUSTED');
  assert.is(new Machine({ ...evidence, newestEvent: RIGHT + HOUR + 5 * SECOND }).look(), 'TRUSTED');
});

test('a clock that is set right during a start without evidence must keep still from then on', () => {
  const machine = new Machine(NOTHING, 0);
  machine.pass(20);
  machine.set(RIGHT);
  assert.is(machine.pass(29), 'NOT_CONFIRMED');
  assert.is(machine.pass(1), 'TRUSTED');
  assert.is(machine.trust.difference, RIGHT);
});

test.run();
