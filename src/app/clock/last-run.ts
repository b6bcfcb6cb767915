import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JUMP_MS } from '../../clock/clock-trust.ts';
import { readBootId } from '../../clock/service-clock.ts';

/** The file in the data folder. Without it, the writes of the next start wait for 30 s. */
const FILE = 'clock.json';
/** A difference is stored again when it moved by this. The boot clock is precise to 10 ms. */
const PRECISION_MS = 100;

interface StoredClock {
  /** The start of the machine; null if the system doesn't tell. */
  boot_id: string | null;
  difference_ms: number;
}

/** Keeps the trusted difference of wall clock and boot clock in the data folder, for the next start. */
export class LastRun {
  private readonly file: string;
  private saved: number | null = null;

  constructor(
    folder: string,
    private readonly bootId = readBootId(),
  ) {
    this.file = join(folder, FILE);
  }

  /**
   * Returns the difference that was trusted last; null if there is none since the machine started.
   * @param current the difference now. Where the system doesn't tell when the machine started, a far one is of an earlier start
   */
  read(current: number): number | null {
    let stored: StoredClock;
    try {
      stored = JSON.parse(readFileSync(this.file, 'utf8')) as StoredClock;
    } catch {
      return null;
    }
    const { boot_id, difference_ms } = stored;
    if (boot_id !== this.bootId || !Number.isFinite(difference_ms)) return null;
    return boot_id === null && Math.abs(difference_ms - current) > JUMP_MS ? null : difference_ms;
  }

  /** Stores a trusted difference, if it moved. Several processes may do so at the same time. */
  save(difference: number): void {
    if (this.saved !== null && Math.abs(difference - this.saved) < PRECISION_MS) return;
    const content: StoredClock = { boot_id: this.bootId, difference_ms: Math.round(difference) };
    const part = `${this.file}.${process.pid}`;
    try {
      writeFileSync(part, `${JSON.stringify(content)}\n`, { mode: 0o600 });
      renameSync(part, this.file);
      this.saved = difference;
    } catch {
      // The disk may be full. The next second tries again.
    }
  }
}
