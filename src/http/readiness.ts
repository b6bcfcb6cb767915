/** The longest time that a call waits while the service starts. */
const MAX_HOLD_MS = 5_000;

/** Lets calls wait until they can be answered. During a restart, clients then see a slow answer instead of an error. */
export class Readiness {
  private isReady = false;
  private release!: () => void;
  private readonly whenReady = new Promise<void>((resolve) => {
    this.release = resolve;
  });

  /** Releases all waiting calls. */
  ready(): void {
    this.isReady = true;
    this.release();
  }

  /** Returns null once ready; before, a promise that resolves when ready, or after 5 s. */
  wait(): Promise<void> | null {
    if (this.isReady) return null;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, MAX_HOLD_MS);
    });
    return Promise.race([this.whenReady, timeout]).finally(() => clearTimeout(timer));
  }
}
