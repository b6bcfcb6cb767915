import { Worker } from 'node:worker_threads';

/** What does the work: Argon2, or a test that counts. */
export interface Hasher {
  hash(password: string): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
}

/** What is asked of the thread: a hash to make, or (with `hash`) one to compare with. */
type Question = { password: string; cost: object } | { password: string; hash: string };

interface Waiting {
  resolve(answer: never): void;
  reject(error: unknown): void;
}

/**
 * argon2id in a thread of its own, which on Linux has the lowest priority: however many people sign in, calls of tools are
 * served first. The thread begins with the first question and keeps no process from ending.
 */
export class Argon2 implements Hasher {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;

  constructor(private readonly cost: { memoryCost: number; timeCost: number; parallelism: number }) {}

  hash(password: string): Promise<string> {
    return this.ask({ password, cost: this.cost });
  }

  verify(hash: string, password: string): Promise<boolean> {
    return this.ask({ password, hash });
  }

  private ask<T>(question: Question): Promise<T> {
    this.worker ??= this.start();
    const { worker } = this;
    const id = this.asked++;
    worker.ref();
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.postMessage({ id, ...question });
    });
  }

  private start(): Worker {
    // Plain JavaScript, so that it needs none of the process's loaders.
    const worker = new Worker(new URL('./argon2-worker.js', import.meta.url), { execArgv: [] });
    worker.on('message', ({ id, answer, fault }: { id: number; answer: never; fault?: string }) => {
      const waiting = this.waiting.get(id);
      this.waiting.delete(id);
      if (this.waiting.size === 0) worker.unref();
      if (fault === undefined) waiting?.resolve(answer);
      else waiting?.reject(new Error(fault));
    });
    // What waits for a thread that is gone gets its error; the next question begins another.
    worker.on('error', (error) => this.lose(worker, error));
    worker.on('exit', () => this.lose(worker));
    return worker;
  }

  private lose(worker: Worker, cause?: unknown): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    const error = new Error('the thread that checks passwords ended', { cause });
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}
