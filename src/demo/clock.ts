const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Steps through working days of the past, always forward. */
export class DemoClock {
  readonly #midnight: number;
  #time = 0;

  constructor(today: Date) {
    this.#midnight = Math.floor(today.getTime() / DAY_MS) * DAY_MS;
  }

  now = (): Date => new Date(this.#time);

  /** So many days ago in the morning, or a few minutes later where that is past. */
  goTo(daysAgo: number): void {
    const morning = this.#midnight - daysAgo * DAY_MS + (7 * 60 + ((daysAgo * 53) % 120)) * MINUTE_MS;
    this.#time = Math.max(morning, this.#time + 13 * MINUTE_MS);
  }

  /** The date so many days from today. */
  day(offset: number): string {
    return new Date(this.#midnight + offset * DAY_MS).toISOString().slice(0, 10);
  }
}
