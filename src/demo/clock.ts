const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A clock of the past that only moves forward. */
export class DemoClock {
  readonly #midnight: number;
  #time = 0;

  constructor(today: Date) {
    this.#midnight = Math.floor(today.getTime() / DAY_MS) * DAY_MS;
  }

  now = (): Date => new Date(this.#time);

  /** Moves to the morning `daysAgo` days ago, or 13 minutes on if the clock is already later. */
  goTo(daysAgo: number): void {
    const morning = this.#midnight - daysAgo * DAY_MS + (7 * 60 + ((daysAgo * 53) % 120)) * MINUTE_MS;
    this.#time = Math.max(morning, this.#time + 13 * MINUTE_MS);
  }

  /** Returns the date `offset` days from today. */
  day(offset: number): string {
    return new Date(this.#midnight + offset * DAY_MS).toISOString().slice(0, 10);
  }
}
