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
