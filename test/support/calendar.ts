const DAY_MS = 86_400_000;

/** The days of a test: what reads the clock in this process reads this one. */
export interface Calendar {
  /** Lets days go by. */
  forward(days: number): void;
}

/** Runs with a clock that begins so many days ago and goes on as it is told to; timers keep their own. */
export async function withCalendar<T>(daysAgo: number, run: (calendar: Calendar) => Promise<T>): Promise<T> {
  const Real = Date;
  let shift = -daysAgo * DAY_MS;
  class Shifted extends Real {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [Real.now() + shift] : given) as [number]));
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
