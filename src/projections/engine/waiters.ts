/** Calls that wait for a condition, each with its own time limit. */
export class Waiters {
  /** Each function checks its call's condition. With `isLast`, it ends the wait in any case. */
  private readonly attempts = new Set<(isLast: boolean) => void>();
  private isEnded = false;

  /** Returns true as soon as `condition` is true (tested now and at each `check`), or false after `ms` or at the end. */
  until(condition: () => boolean, ms: number): Promise<boolean> {
    if (this.isEnded || condition()) return Promise.resolve(condition());
    return new Promise((resolve) => {
      const attempt = (isLast: boolean) => {
        const isTrue = condition();
        if (!isTrue && !isLast) return;
        clearTimeout(timer);
        this.attempts.delete(attempt);
        resolve(isTrue);
      };
      const timer = setTimeout(attempt, ms, true);
      this.attempts.add(attempt);
    });
  }

  check(): void {
    for (const attempt of [...this.attempts]) attempt(false);
  }

  /** Ends all waits. Later calls return at once. */
  end(): void {
    this.isEnded = true;
    this.giveUp();
  }

  /** Ends the current waits. Later calls can wait again. */
  giveUp(): void {
    for (const attempt of [...this.attempts]) attempt(true);
  }

  get size(): number {
    return this.attempts.size;
  }
}
