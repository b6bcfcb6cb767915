/** A call that arrives while the service starts is held so long at most. */
const MAX_HOLD_MS = 5_000;

/** Holds what arrives before it can be answered: a client whose service restarts sees a slow answer, not an error. */
export class Readiness {
  private isReady = false;
  private release!: () => void;
  private readonly whenReady = new Promise<void>((resolve) => {
    this.release = resolve;
  });

  /** Lets everything through from now on. */
  ready(): void {
    this.isReady = true;
    this.release();
  }

  /** Returns null when nothing has to wait; else resolves when it need not any more, or after 5 s. */
  wait(): Promise<void> | null {
    if (this.isReady) return null;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, MAX_HOLD_MS);
    });
    return Promise.race([this.whenReady, timeout]).finally(() => clearTimeout(timer));
  }
}
