const DAY_MS = 86_400_000;

/** A test's calendar. Everything in this process that reads the clock reads this one. */
export interface Calendar {
  /** Moves the clock forward by some days. */
  forward(days: number): void;
}

/** Runs with a clock that starts some days ago and is moved by the test. Timers keep real time. */
export async function withCalendar<T>(daysAgo: number, run: (calendar: Calendar) => Promise<T>): Promise<T> {
  const Real = Date;
  let shift = -daysAgo * DAY_MS;
  class Shifted extends Real {
    constructor(...args: unknown[]) {
      super(...((args.length === 0 ? [Real.now() + shift] : args) as [number]));
    }

    static override now(): number {
      return Real.now() + shift;
    }
  }
  globalThis.Date = Shifted as DateConstructor;
  try {
    return await run({
      forward(days) {
        shift = Math.min(0, shift + days * DAY_MS);
      },
    });
  } finally {
    globalThis.Date = Real;
  }
}
