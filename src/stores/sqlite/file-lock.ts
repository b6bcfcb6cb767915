import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../../clock/monotonic.ts';
import { StoreUnavailable } from '../errors.ts';

/** Another connection, mostly another process's, has locked the file. Nothing was written. */
export class FileLocked extends StoreUnavailable {}

/** The longest wait for another connection's lock, such as that of a `veritrail` command. */
export const LOCK_WAIT_MS = 1_000;

/** Pause between two attempts. Other connections hold a lock for one commit, which takes some milliseconds. */
export const LOCK_RETRY_MS = 5;

/**
 * Runs work on a file, and again by a timer while the file is locked, at most for LOCK_WAIT_MS. SQLite could wait by itself,
 * but then the thread would stand still: a lock of some seconds would stop every request.
 * @throws FileLocked if the lock lasts longer; otherwise as `work` does
 */
export async function whenUnlocked<T>(work: () => T): Promise<T> {
  const giveUpAt = new GiveUpTime();
  for (;;) {
    try {
      return work();
    } catch (error) {
      giveUpAt.check(error);
    }
    await pause(LOCK_RETRY_MS);
  }
}

/** Does the same, but stands still meanwhile: for files that are opened before anybody is served. */
export function whenUnlockedInPlace<T>(work: () => T): T {
  const giveUpAt = new GiveUpTime();
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    try {
      return work();
    } catch (error) {
      giveUpAt.check(error);
    }
    Atomics.wait(nothing, 0, 0, LOCK_RETRY_MS);
  }
}

/** The end of a wait, which begins with the first failure. */
class GiveUpTime {
  private at: number | undefined;

  /** @throws the error if it isn't a lock, or no time is left */
  check(error: unknown): void {
    if (!(error instanceof FileLocked)) throw error;
    this.at ??= monotonicMs() + LOCK_WAIT_MS;
    if (monotonicMs() >= this.at) throw error;
  }
}
