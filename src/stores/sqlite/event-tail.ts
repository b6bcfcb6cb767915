import { StoreUnavailable } from '../errors.ts';
import type { StoredEvent } from '../event-store.ts';
import type { Connection } from './connection.ts';
import { newestPosition, readPage } from './event-rows.ts';

/**
 * The log's moving end: wakes subscribers at once for what this process commits, and within `pollMs` for what another
 * one does. Positions have no gaps, so a subscriber that stands just before the newest commit is given its events from
 * memory, and any other reads the file; either way it gets each event once, in order.
 */
export class EventTail {
  readonly #db: Connection;
  readonly #pollMs: number;
  readonly #sleeping = new Set<() => void>();
  /** Newest position known, which is every position of this process and those of others seen so far. */
  #head = 0;
  /** What the newest commit of this process wrote. */
  #newest: readonly StoredEvent[] = [];
  #subscribers = 0;
  #timer: NodeJS.Timeout | undefined;
  #dataVersion = 0;
  #closed = false;

  constructor(db: Connection, pollMs: number) {
    this.#db = db;
    this.#pollMs = pollMs;
  }

  /** Takes note of a commit of this process. `events` is asked for only while somebody subscribes. */
  committed(head: number, events: () => StoredEvent[]): void {
    if (this.#subscribers === 0) return;
    this.#head = head;
    this.#newest = events();
    this.#wake();
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
    this.#wake();
  }

  /** What is known to follow a position; nothing, too, while the file cannot be read, to be tried at the next poll. */
  #after(last: number): readonly StoredEvent[] {
    if (last >= this.#head) return [];
    if (Number(this.#newest[0]?.storePosition) === last + 1) return this.#newest;
    try {
      return readPage(this.#db, last, this.#head);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      this.#dataVersion = 0;
      return [];
    }
  }

  #watch(): void {
    this.#dataVersion = 0;
    this.#look();
    this.#timer = setInterval(() => this.#look(), this.#pollMs).unref();
  }

  #unwatch(): void {
    clearInterval(this.#timer);
    this.#newest = [];
  }

  /** Looks whether another connection has committed. `data_version` says so without reading any table. */
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
