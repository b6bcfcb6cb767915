/**
 * Returns milliseconds on a clock that never jumps, for time-outs, ages and pauses. Its zero is the same in all threads of
 * the process, and means nothing outside it. It may stand still while the machine sleeps.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
