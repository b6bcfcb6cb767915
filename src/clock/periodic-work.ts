/** Work that runs at once and then after each interval, never twice at the same time. */
export abstract class PeriodicWork {
  protected isStopped = false;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly intervalMs: number) {}

  /** Starts the runs. Does nothing after `stop`. */
  start(): void {
    if (this.isStopped) return;
    this.timer ??= setInterval(() => void this.run(), this.intervalMs).unref();
    void this.run();
  }

  /** Runs once, after the run in progress. Never rejects: the next run retries. */
  run(): Promise<void> {
    this.running = this.running.then(() => this.work()).catch((error: unknown) => this.onFailure(error));
    return this.running;
  }

  /** Ends the runs, and waits for the one in progress. `isStopped` tells it to leave the rest. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.running;
  }

  protected abstract work(): Promise<void>;
  protected abstract onFailure(error: unknown): void;
}
