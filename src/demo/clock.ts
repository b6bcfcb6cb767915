const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A text that begins with a day relative to the start: `today`, `today-190`, `today+210T12:00:00.000Z`. */
const RELATIVE_DAY = /^today([+-]\d+)?(?=T|$)/;

/** A clock of the past that only moves forward. */
export class DemoClock {
  readonly #midnight: number;
  #time = 0;

  constructor(today: Date) {
    this.#midnight = Math.floor(today.getTime() / DAY_MS) * DAY_MS;
  }

  now = (): Date => new Date(this.#time);

  /** Moves to the morning of the day, or 13 minutes on if the clock is already later. */
  goTo(day: string): void {
    const midnight = Date.parse(day);
    const daysAgo = (this.#midnight - midnight) / DAY_MS;
    const morning = midnight + (7 * 60 + ((daysAgo * 53) % 120)) * MINUTE_MS;
    this.#time = Math.max(morning, this.#time + 13 * MINUTE_MS);
  }

  /** Returns the text with its relative day as a date, such as 2026-05-20 for `today-190`. Other texts stay. */
  date(text: string): string {
    return text.replace(RELATIVE_DAY, (_, days = '0') => {
      return new Date(this.#midnight + Number(days) * DAY_MS).toISOString().slice(0, 10);
    });
  }
}
