import { Refusal } from '../commands/engine/refusal.ts';

/** Runs tasks of the same key one after another, in order. At most `maxWaiting` tasks wait in all. */
export class KeyedQueue {
  private readonly last = new Map<string, Promise<void>>();
  /** The number of tasks that wait or run. */
  waiting = 0;

  constructor(private readonly maxWaiting: number) {}

  /** @throws Refusal rate_limited when too many tasks wait; otherwise as `work` does */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.waiting >= this.maxWaiting) {
      const message = 'Too many people are signing in. Try again shortly.';
      throw new Refusal('rate_limited', message, { retry_after_seconds: 2 });
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
