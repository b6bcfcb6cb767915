/** The tasks of a `FairQueue` that run at once. */
export interface FairQueueLimits {
  total: number;
  /** For one key. */
  perKey: number;
}

interface WaitingTask {
  start(): void;
}

/**
 * Runs a limited number of tasks at once. The keys take turns: however many tasks one of them has waiting, the next task of
 * another key waits for one of them at most.
 */
export class FairQueue {
  /** The keys with waiting tasks, in the order of their turns. */
  private readonly waiting = new Map<string, WaitingTask[]>();
  private readonly running = new Map<string, number>();
  private runningTotal = 0;

  constructor(private readonly limits: FairQueueLimits) {}

  /**
   * Runs a task when it is its turn.
   * @param signal removes a task that still waits. The task itself must observe it
   * @throws the signal's reason if it is aborted before the task runs; otherwise as `task` does
   */
  async run<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.turn(key, signal);
    try {
      return await task();
    } finally {
      this.end(key);
    }
  }

  private turn(key: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const tasks = this.waiting.get(key) ?? [];
      const onAbort = () => {
        tasks.splice(tasks.indexOf(task), 1);
        if (tasks.length === 0) this.waiting.delete(key);
        reject(signal?.reason);
      };
      const task: WaitingTask = {
        start: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      tasks.push(task);
      this.waiting.set(key, tasks);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.startNext();
    });
  }

  private end(key: string): void {
    const running = this.running.get(key)! - 1;
    if (running === 0) this.running.delete(key);
    else this.running.set(key, running);
    this.runningTotal -= 1;
    this.startNext();
  }

  /** Starts waiting tasks as long as the limits allow it. */
  private startNext(): void {
    while (this.runningTotal < this.limits.total) {
      const next = [...this.waiting].find(([key]) => (this.running.get(key) ?? 0) < this.limits.perKey);
      if (next === undefined) return;
      const [key, tasks] = next;
      const task = tasks.shift()!;
      // The key's next turn comes after those of all other keys.
      this.waiting.delete(key);
      if (tasks.length > 0) this.waiting.set(key, tasks);
      this.running.set(key, (this.running.get(key) ?? 0) + 1);
      this.runningTotal += 1;
      task.start();
    }
  }
}
