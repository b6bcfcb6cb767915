import { Worker } from 'node:worker_threads';

/** Hashes and verifies passwords. Tests replace it to count calls. */
export interface Hasher {
  hash(password: string): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
}

/** A message to the worker thread: hash a password, or compare it with `hash`. */
type Question = { password: string; cost: object } | { password: string; hash: string };

interface Waiting {
  resolve(answer: never): void;
  reject(error: unknown): void;
}

/**
 * Runs argon2id in a worker thread. On Linux it has the lowest priority, so tool calls are served first however many
 * people sign in. The thread starts with the first request and doesn't keep the process alive.
 */
export class Argon2 implements Hasher {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private nextId = 0;

  constructor(private readonly cost: { memoryCost: number; timeCost: number; parallelism: number }) {}

  hash(password: string): Promise<string> {
    return this.request({ password, cost: this.cost });
  }

  verify(hash: string, password: string): Promise<boolean> {
    return this.request({ password, hash });
  }

  private request<T>(question: Question): Promise<T> {
    this.worker ??= this.start();
    const { worker } = this;
    const id = this.nextId++;
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
    // Waiting requests fail when the thread dies. The next request starts a new one.
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
