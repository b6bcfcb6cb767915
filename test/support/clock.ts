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
