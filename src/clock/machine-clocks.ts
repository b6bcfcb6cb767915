import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { monotonicMs } from './monotonic.ts';

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
