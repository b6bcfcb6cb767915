/** Runs with a Date.now that the test can move forward. */
export async function withClock(run: (forward: (ms: number) => void) => Promise<void>): Promise<void> {
  const real = Date.now;
  let shift = 0;
  Date.now = () => real() + shift;
  try {
    await run((ms) => {
      shift += ms;
    });
  } finally {
    Date.now = real;
  }
}
