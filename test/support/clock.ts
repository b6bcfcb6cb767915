import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LastRun } from '../../src/app/clock/last-run.ts';
import { machineClocks } from '../../src/clock/service-clock.ts';

/** Leaves in a data folder what a service leaves there that trusted the clock. Otherwise the first write takes 30 s. */
export function rememberClock(folder: string): void {
  if (!existsSync(folder) || existsSync(join(folder, 'clock.json'))) return;
  new LastRun(folder).save(machineClocks.wallMs() - machineClocks.bootMs());
}

/** Runs with a Date.now and a `monotonicMs` that the test can move forward, by whole milliseconds. */
export async function withClock(run: (forward: (ms: number) => void) => Promise<void>): Promise<void> {
  const realNow = Date.now;
  const realTime = process.hrtime.bigint;
  let shift = 0;
  Date.now = () => realNow() + shift;
  process.hrtime.bigint = () => realTime() + BigInt(shift) * 1_000_000n;
  try {
    await run((ms) => {
      shift += ms;
    });
  } finally {
    Date.now = realNow;
    process.hrtime.bigint = realTime;
  }
}
