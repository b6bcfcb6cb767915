/** Calls that wait for a condition, each with its own time limit. */
export class Waiters {
  /** Each function checks its call's condition. With `last`, it ends the wait in any case. */
  private readonly waiting = new Set<(last: boolean) => void>();
  private ended = false;

  /** Returns true as soon as `condition` is true (tested now and at each `check`), false after `ms` or at the end. */
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

  /** Ends all waits with false, and all later ones at once. */
  end(): void {
    this.ended = true;
    this.giveUp();
  }

  /** Ends the current waits with false. Later calls may wait again. */
  giveUp(): void {
    for (const attempt of [...this.waiting]) attempt(true);
  }

  get size(): number {
    return this.waiting.size;
  }
}
