import type { Worker } from 'node:worker_threads';
import { DiskFull, StoreUnavailable } from '../../stores/errors.ts';
import type { MessageToMain, MessageToThread, SentError, ThreadLog, ThreadMessages } from './messages.ts';

const RESTART_PAUSE_MS = 500;

export interface ServiceThreadOptions<Messages extends ThreadMessages> {
  /** Names the thread in the log. */
  name: string;
  /** Starts the thread, at first and after an unexpected end. See `startProgram`. */
  start: () => Worker;
  log: ThreadLog;
  onNotice: (notice: Messages['toMain']) => void;
  /** Called after each start. Requests and notices that it sends are the thread's first. */
  onStart?: () => void;
  /** Called after an unexpected end, before the restart. */
  onCrash?: () => void;
}

interface PendingRequest<Answer> {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * A thread of the service, as the main thread sees it. A thread that ends unexpectedly is logged and started again. The
 * requests that it had not answered are refused as unavailable.
 */
export class ServiceThread<Messages extends ThreadMessages> {
  private worker: Worker | null = null;
  private hasStarted = false;
  private restartTimer: NodeJS.Timeout | undefined;
  private stopped: Promise<void> | null = null;
  private resolveStopped: () => void = () => undefined;
  private lastId = 0;
  private readonly pending = new Map<number, PendingRequest<Messages['answer']>>();

  constructor(private readonly options: ServiceThreadOptions<Messages>) {}

  /** Starts the thread. Does nothing if it was started or stopped before. */
  start(): void {
    if (this.hasStarted || this.stopped !== null) return;
    this.hasStarted = true;
    this.startWorker();
  }

  private startWorker(): void {
    const worker = this.options.start();
    this.worker = worker;
    worker.on('message', (message: MessageToMain<Messages>) => this.receive(message));
    worker.on('error', (error) => this.log('error', { err: error }, 'a thread failed'));
    worker.on('exit', () => this.onEnd());
    this.options.onStart?.();
  }

  /**
   * Sends a request and waits for its answer.
   * @param signal tells the thread that nobody needs the answer. The wait goes on until the thread has ended its work, so
   * that a queue of requests counts those that the thread works on
   * @throws StoreUnavailable if the thread doesn't run, or ends before it has answered; the signal's reason if it is aborted
   */
  async request(request: Messages['request'], signal?: AbortSignal): Promise<Messages['answer']> {
    if (this.worker === null) throw this.unavailable();
    signal?.throwIfAborted();
    this.lastId += 1;
    const id = this.lastId;
    const onAbort = () => this.post({ type: 'abort', id });
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        this.pending.set(id, { resolve, reject });
        this.post({ type: 'request', id, request });
      });
    } finally {
      signal?.removeEventListener('abort', onAbort);
      signal?.throwIfAborted();
    }
  }

  /** Sends a notice. A thread that doesn't run gets none. */
  notify(notice: Messages['toThread']): void {
    this.post({ type: 'notice', notice });
  }

  /** Lets the thread finish its work and stop, and waits for its end. */
  stop(): Promise<void> {
    clearTimeout(this.restartTimer);
    this.stopped ??= new Promise((resolve) => {
      this.resolveStopped = resolve;
      if (this.worker === null) resolve();
      else this.post({ type: 'stop' });
    });
    return this.stopped;
  }

  private post(message: MessageToThread<Messages>): void {
    this.worker?.postMessage(message);
  }

  private receive(message: MessageToMain<Messages>): void {
    switch (message.type) {
      case 'answer':
        this.take(message.id)?.resolve(message.answer);
        break;
      case 'failure':
        this.take(message.id)?.reject(toError(message.error));
        break;
      case 'notice':
        this.options.onNotice(message.notice);
        break;
      case 'log':
        this.log(message.level, message.details, message.message);
        break;
    }
  }

  private take(id: number): PendingRequest<Messages['answer']> | undefined {
    const request = this.pending.get(id);
    this.pending.delete(id);
    return request;
  }

  private onEnd(): void {
    this.worker = null;
    const unanswered = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of unanswered) reject(this.unavailable());
    if (this.stopped !== null) {
      this.resolveStopped();
      return;
    }
    this.log('error', { unanswered: unanswered.length }, 'a thread ended unexpectedly, restarting');
    this.options.onCrash?.();
    this.restartTimer = setTimeout(() => this.startWorker(), RESTART_PAUSE_MS);
  }

  private log(level: keyof ThreadLog, details: object, message: string): void {
    this.options.log[level]({ thread: this.options.name, ...details }, message);
  }

  private unavailable(): StoreUnavailable {
    return new StoreUnavailable(`the ${this.options.name} thread is not running`);
  }
}

function toError({ name, message, stack }: SentError): Error {
  if (name === 'StoreUnavailable') return new StoreUnavailable(message);
  if (name === 'DiskFull') return new DiskFull(message);
  return Object.assign(new Error(message), { name, stack });
}
