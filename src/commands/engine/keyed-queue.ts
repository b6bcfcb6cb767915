import { Refusal } from './refusal.ts';

/** Runs tasks of the same key one after another, in order. At most `maxWaiting` tasks wait in all. */
export class KeyedQueue {
  private readonly last = new Map<string, Promise<void>>();
  /** The number of tasks that wait or run. */
  waiting = 0;

  /** @param refusal the message while too many tasks wait */
  constructor(
    private readonly maxWaiting: number,
    private readonly refusal: string,
  ) {}

  /** @throws Refusal rate_limited when too many tasks wait; otherwise as `work` does */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.waiting >= this.maxWaiting) {
      throw new Refusal('rate_limited', this.refusal, { retry_after_seconds: 2 });
    }
    this.waiting += 1;
    const result = (this.last.get(key) ?? Promise.resolve()).then(work);
    const settled = result.then(ignoreOutcome, ignoreOutcome);
    this.last.set(key, settled);
    try {
      return await result;
    } finally {
      this.waiting -= 1;
      if (this.last.get(key) === settled) this.last.delete(key);
    }
  }
}

const ignoreOutcome = () => undefined;
