import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type ClockDoubt, ClockInDoubt } from './clock-in-doubt.ts';
import { type ClockReading, ClockTrust, JUMP_MS, type StartEvidence } from './clock-trust.ts';
import { monotonicMs } from './monotonic.ts';

/** The clock is looked at this often, and at each write. */
const LOOK_INTERVAL_MS = 1_000;
const WAIT_INTERVAL_MS = 200;
/** `now` looks at once when the wall clock moved by this against the monotonic clock. */
const SUSPICIOUS_MS = 1_000;
/** Reading all clocks takes microseconds. A longer reading was interrupted, and says nothing. */
const MAX_READING_MS = 100;

/** The state of the machine's clock, as health shows it. */
export interface ClockState {
  status: 'TRUSTED' | ClockDoubt;
  /** The machine's clock minus the trusted time; null while no time is known to be right. */
  off_by_ms: number | null;
  /** Writes wait this long, if the clock keeps still. 0 if it is trusted. */
  trusted_in_ms: number;
}

interface ServiceClockOptions {
  /** By default, the clock is trusted as it is. */
  evidence?: StartEvidence;
  clocks?: MachineClocks;
  /** Called when a doubt begins or ends. */
  onChange?: (state: ClockState) => void;
}

/**
 * The time of the service: that of the machine's wall clock while it is trusted. A wall clock that jumps is often set right
 * again within seconds. Until then, or until it has kept still for 30 s, nothing is written that would hold its time.
 * Everything else goes on with the time as it was before the jump.
 */
export class ServiceClock {
  /** The same time for the other threads of this process. */
  readonly shared = new SharedTime();
  private readonly clocks: MachineClocks;
  private readonly trust: ClockTrust;
  /** The wall clock minus the monotonic clock, at the last look. */
  private sinceLook = 0;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(private readonly options: ServiceClockOptions = {}) {
    this.clocks = options.clocks ?? machineClocks;
    this.trust = new ClockTrust(this.read(), options.evidence);
    this.share();
  }

  /** Looks at the clock each second until `stop`. @param onLook called after each look */
  start(onLook: () => void = () => undefined): void {
    const look = () => {
      this.look();
      onLook();
    };
    look();
    this.timer ??= setInterval(look, LOOK_INTERVAL_MS).unref();
  }

  stop(): void {
    this.isStopped = true;
    clearInterval(this.timer);
  }

  /** Returns the time: the machine's, or in a doubt the one that goes on from before. */
  readonly now: TimeSource = Object.assign(() => new Date(this.timeMs()), {
    refuseDoubtful: (timeMs: number) => {
      if (this.trust.cause !== null && timeMs <= this.clocks.wallMs()) throw this.error(this.trust.cause);
    },
  });

  /** Must be called with each decision about an event or a seal. @throws ClockInDoubt */
  readonly requireTrust = (): void => {
    this.look();
    if (this.trust.cause !== null) throw this.error(this.trust.cause);
  };

  readonly isTrusted = (): boolean => {
    this.look();
    return this.trust.cause === null;
  };

  /** Waits until the machine's clock is trusted. Returns false if `stop` was called before that. */
  async whenTrusted(): Promise<boolean> {
    while (!this.isStopped && !this.isTrusted()) await pause(WAIT_INTERVAL_MS);
    return !this.isStopped;
  }

  /** The trusted difference of wall clock and boot clock; null in a doubt. */
  get trustedDifference(): number | null {
    return this.trust.cause === null ? this.trust.difference : null;
  }

  get state(): ClockState {
    const { difference } = this.look();
    const { cause, difference: right, remainingMs } = this.trust;
    return {
      status: cause ?? 'TRUSTED',
      off_by_ms: right === null ? null : Math.round(difference - right),
      trusted_in_ms: Math.ceil(remainingMs),
    };
  }

  private timeMs(): number {
    const wall = this.clocks.wallMs();
    const moved = wall - this.clocks.monotonicMs() - this.sinceLook;
    // Most calls end here, without the boot clock, which takes microseconds to read.
    if (this.trust.cause === null && Math.abs(moved) < SUSPICIOUS_MS) return wall;
    const { difference, boot } = this.look();
    return Math.round(boot + (this.trust.cause === null ? difference : (this.trust.difference ?? difference)));
  }

  private look(): ClockReading {
    const reading = this.read();
    const hasChanged = this.trust.look(reading);
    this.share();
    if (hasChanged) this.options.onChange?.(this.state);
    return reading;
  }

  /** Reads the clocks at one moment. */
  private read(): ClockReading {
    for (;;) {
      const before = this.clocks.monotonicMs();
      const boot = this.clocks.bootMs();
      const wall = this.clocks.wallMs();
      const after = this.clocks.monotonicMs();
      if (after - before > MAX_READING_MS) continue;
      this.sinceLook = wall - after;
      return { boot, difference: wall - boot };
    }
  }

  private share(): void {
    this.shared.set(this.trust.difference, this.trust.cause !== null);
  }

  private error(cause: ClockDoubt): ClockInDoubt {
    return new ClockInDoubt(cause, Math.ceil(this.trust.remainingMs / 1_000));
  }
}

const DIFFERENCE = 0;
const IS_DOUBTED = 1;

/**
 * The memory by which the threads of a process share one clock. The main thread decides which difference of wall clock and
 * boot clock is right.
 */
class SharedTime {
  readonly memory = new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT);
  private readonly values = new Float64Array(this.memory);

  /** @param difference null while none is known to be right */
  set(difference: number | null, isDoubted: boolean): void {
    this.values[DIFFERENCE] = difference ?? Number.NaN;
    this.values[IS_DOUBTED] = Number(isDoubted);
  }
}

/** Returns the time of the main thread's clock, for another thread. A jump that the main thread hasn't seen yet counts too. */
export function followTime(memory: SharedArrayBuffer, clocks: MachineClocks = machineClocks): () => Date {
  const values = new Float64Array(memory);
  return () => {
    const boot = clocks.bootMs();
    const wall = clocks.wallMs();
    const right = boot + values[DIFFERENCE]!;
    const isRight = values[IS_DOUBTED] === 0 && Math.abs(wall - right) <= JUMP_MS;
    return new Date(isRight || Number.isNaN(right) ? wall : Math.round(right));
  };
}

/** Returns the time that everything is judged by. */
export interface TimeSource {
  (): Date;
  /** While the machine's clock is in doubt: throws, if the machine's clock is later than this time. Absent in tests. */
  refuseDoubtful?(timeMs: number): void;
}

/**
 * Returns true if a time has passed. While the machine's clock is in doubt, a time counts as passed if either clock says so.
 * @throws ClockInDoubt if only the machine's clock says so: the caller should repeat the call, not lose its credential
 */
export function hasPassed(time: string | number, now: TimeSource): boolean {
  const timeMs = typeof time === 'number' ? time : Date.parse(time);
  if (timeMs <= now().getTime()) return true;
  now.refuseDoubtful?.(timeMs);
  return false;
}

/** The clocks of a machine, in milliseconds. */
export interface MachineClocks {
  /** The time of day, since the epoch. People and programs can set it, also wrongly. */
  wallMs(): number;
  /** Time since some fixed moment, which nobody can set. It counts the time that the machine sleeps. */
  bootMs(): number;
  /** Like `bootMs`, but it may stand still while the machine sleeps. It is forty times as fast to read. */
  monotonicMs(): number;
}

const isLinux = process.platform === 'linux';

/**
 * The clocks of this machine. No other file reads the wall clock: test/project/wall-clock.test.ts. Node.js has a boot clock that
 * counts sleep on Linux only. Elsewhere a sleep looks like a jump of the wall clock.
 */
export const machineClocks: MachineClocks = {
  wallMs: () => Date.now(),
  bootMs: isLinux ? () => uptime() * 1_000 : monotonicMs,
  monotonicMs,
};

/** Returns the end of a time-out for libraries that want it as a time of day, in epoch milliseconds. */
export function wallDeadline(ms: number): number {
  return machineClocks.wallMs() + ms;
}

/** Returns the id of this start of the machine; null if the system doesn't tell. */
export function readBootId(): string | null {
  if (!isLinux) return null;
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}
