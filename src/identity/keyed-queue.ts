import { Refusal } from '../commands/refusal.ts';

/** Work that is done one at a time for each key, in the order in which it came. So much may wait in all. */
export class KeyedQueue {
  private readonly last = new Map<string, Promise<void>>();
  /** The number of tasks that wait or are being done. */
  waiting = 0;

  constructor(private readonly maxWaiting: number) {}

  /** @throws Refusal rate_limited when too much waits; else as `work` does */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.waiting >= this.maxWaiting) {
      const message = 'Too many people sign in at once: try again in a moment.';
      throw new Refusal('rate_limited', message, { retry_after_seconds: 2 });
    }
    this.waiting += 1;
    const done = (this.last.get(key) ?? Promise.resolve()).then(work);
    const settled = done.then(nothing, nothing);
    this.last.set(key, settled);
    try {
      return await done;
    } finally {
      this.waiting -= 1;
      if (this.last.get(key) === settled) this.last.delete(key);
    }
  }
}

const nothing = () => undefined;
