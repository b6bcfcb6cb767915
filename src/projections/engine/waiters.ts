/** Calls that wait for a condition, each with its own time limit. */
export class Waiters {
  /** One function for each waiting call. It ends the wait if the condition is true, or in any case if `isLast`. */
  private readonly pending = new Set<(isLast: boolean) => void>();

  /** @param signal ends all waits. Later calls return at once */
  constructor(private readonly signal: AbortSignal) {
    signal.addEventListener('abort', () => this.endCurrent(), { once: true });
  }

  /** Waits until `condition` is true; tests it now and at each `check`. Returns false if `ms` pass or the wait is ended first. */
  until(condition: () => boolean, ms: number): Promise<boolean> {
    if (this.signal.aborted || condition()) return Promise.resolve(condition());
    return new Promise((resolve) => {
      const settle = (isLast: boolean) => {
        const isTrue = condition();
        if (!isTrue && !isLast) return;
        clearTimeout(timer);
        this.pending.delete(settle);
        resolve(isTrue);
      };
      const timer = setTimeout(settle, ms, true);
      this.pending.add(settle);
    });
  }

  /** Tests the condition of every waiting call. */
  check(): void {
    for (const settle of [...this.pending]) settle(false);
  }

  /** Ends the current waits. Later calls can wait again. */
  endCurrent(): void {
    for (const settle of [...this.pending]) settle(true);
  }

  get size(): number {
    return this.pending.size;
  }
}
