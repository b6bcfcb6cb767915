/** Calls that wait for something to come true, each with its own bound. */
export class Waiters {
  /** Each tries its condition once more, and with `last` goes either way. */
  private readonly waiting = new Set<(last: boolean) => void>();
  private ended = false;

  /** True as soon as `condition` holds (tried now and after each `check`), false after `ms` or at the end. */
  until(condition: () => boolean, ms: number): Promise<boolean> {
    if (this.ended || condition()) return Promise.resolve(condition());
    return new Promise((resolve) => {
      const attempt = (last: boolean) => {
        const held = condition();
        if (!held && !last) return;
        clearTimeout(timer);
        this.waiting.delete(attempt);
        resolve(held);
      };
      const timer = setTimeout(attempt, ms, true);
      this.waiting.add(attempt);
    });
  }

  check(): void {
    for (const attempt of [...this.waiting]) attempt(false);
  }

  /** Nothing more will come true: whoever waits is told so now. */
  end(): void {
    this.ended = true;
    this.giveUp();
  }

  /** Whoever waits now is told that it has not come true; others may wait again. */
  giveUp(): void {
    for (const attempt of [...this.waiting]) attempt(true);
  }

  get size(): number {
    return this.waiting.size;
  }
}
