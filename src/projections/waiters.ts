/** Calls that wait for something to come true, each with its own bound. */
export class Waiters {
  private readonly waiting = new Set<() => void>();

  /** True as soon as `condition` holds (tried now and after each `check`), false after `ms`. */
  until(condition: () => boolean, ms: number): Promise<boolean> {
    if (condition()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (held: boolean) => {
        clearTimeout(timer);
        this.waiting.delete(attempt);
        resolve(held);
      };
      const attempt = () => {
        if (condition()) end(true);
      };
      const timer = setTimeout(() => end(false), ms);
      this.waiting.add(attempt);
    });
  }

  check(): void {
    for (const attempt of [...this.waiting]) attempt();
  }

  get size(): number {
    return this.waiting.size;
  }
}
