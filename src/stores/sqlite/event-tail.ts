import { BroadcastChannel } from 'node:worker_threads';
import { StoreUnavailable } from '../errors.ts';
import type { StoredEvent } from '../event-store.ts';
import type { SqliteConnection } from './connection.ts';
import { newestPosition, readEvents } from './event-rows.ts';

/**
 * Serves subscriptions. Wakes subscribers at once for commits of this process, also of its other threads, and within
 * `pollMs` for those of other processes. Subscribers then read the file. Each event is delivered once, in order.
 */
export class EventTail {
  readonly #db: SqliteConnection;
  readonly #pollMs: number;
  readonly #sleeping = new Set<() => void>();
  /** Carries the newest store position of each commit to the tails in other threads. */
  readonly #commits: BroadcastChannel;
  /** The newest known store position, of this process or seen from others. */
  #head = 0;
  #subscribers = 0;
  #timer: NodeJS.Timeout | undefined;
  #dataVersion = 0;
  #closed = false;

  /** @param channel a name that all threads of this process use for this file, and for no other */
  constructor(db: SqliteConnection, channel: string, pollMs: number) {
    this.#db = db;
    this.#pollMs = pollMs;
    this.#commits = new BroadcastChannel(channel);
    this.#commits.unref();
  }

  /** Notes a commit of this store. */
  onCommit(head: number): void {
    this.#commits.postMessage(head);
    if (this.#subscribers > 0) this.#onNewHead(head);
  }

  async *subscribe(after: number, signal: AbortSignal): AsyncGenerator<readonly StoredEvent[]> {
    if (this.#subscribers++ === 0) this.#watch();
    try {
      let last = after;
      while (!signal.aborted && !this.#closed) {
        const events = this.#after(last);
        if (events.length === 0) {
          await this.#sleep(signal);
          continue;
        }
        yield events;
        last = Number(events.at(-1)!.storePosition);
      }
    } finally {
      if (--this.#subscribers === 0) this.#unwatch();
    }
  }

  /** Ends every subscription. */
  close(): void {
    this.#closed = true;
    this.#unwatch();
    this.#commits.close();
    this.#wake();
  }

  /** Returns the events after a store position. Returns none while the file can't be read: the next poll retries. */
  #after(last: number): readonly StoredEvent[] {
    if (last >= this.#head) return [];
    try {
      return readEvents(this.#db, last, this.#head);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      this.#dataVersion = 0;
      return [];
    }
  }

  #watch(): void {
    this.#dataVersion = 0;
    this.#look();
    this.#commits.onmessage = (message) => this.#onNewHead((message as { data: number }).data);
    this.#timer = setInterval(() => this.#look(), this.#pollMs).unref();
  }

  #unwatch(): void {
    clearInterval(this.#timer);
    this.#commits.onmessage = () => undefined;
  }

  #onNewHead(head: number): void {
    if (head <= this.#head) return;
    this.#head = head;
    this.#wake();
  }

  /** Checks if another connection has committed. `data_version` shows it without reading a table. */
  #look(): void {
    try {
      const version = this.#db.get('PRAGMA data_version')![0] as number;
      if (version === this.#dataVersion) return;
      this.#head = newestPosition(this.#db);
      this.#dataVersion = version;
      this.#wake();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }

  #wake(): void {
    for (const wake of [...this.#sleeping]) wake();
  }

  #sleep(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#sleeping.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#sleeping.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
