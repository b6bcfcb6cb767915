import { MongoServerError } from 'mongodb';
import { withTimeout } from '../../clock/with-timeout.ts';
import { StoreUnavailable } from '../errors.ts';

/** After work has waited this long, the server is probed. */
const SILENT_MS = 300;
/** A server that doesn't answer a probe within this time counts as down. */
const PATIENCE_MS = 800;
/** The pause between probes of a server that is down. */
const AGAIN_MS = 250;
/**
 * Work isn't given up before this time. The driver has then given up everything that it hasn't sent (SELECTION_MS), so
 * only requests that the server already has can still be done later.
 */
const GIVEN_UP_MS = 1_100;
/** The driver waits this long for a server that it can send work to. */
export const SELECTION_MS = 1_000;

/**
 * Detects that a server is down. While work waits and none succeeds, it probes the server. If the server doesn't
 * answer, the work is given up, and further work is refused at once until a probe succeeds. So no call waits for the
 * driver's own time-outs, which must be long enough for the slowest work of a healthy server.
 */
export class Presence {
  /** The functions that give up waiting work, with the time at which each began to wait. */
  readonly #waiting = new Map<() => void, number>();
  #succeeded = 0;
  #away = false;
  #watching = false;
  #ended = false;

  /** @param ping probes the server */
  constructor(private readonly ping: () => Promise<unknown>) {}

  /**
   * Runs work.
   * @throws StoreUnavailable if the server is down: the work may or may not be done. Otherwise the errors of `work`.
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#away || this.#ended) throw unavailable();
    let giveUp: () => void = () => undefined;
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = () => reject(unavailable());
    });
    this.#waiting.set(giveUp, performance.now());
    if (!this.#watching) void this.#watch();
    try {
      const result = await Promise.race([work(), givenUp]);
      this.#noteAnswer();
      return result;
    } finally {
      this.#waiting.delete(giveUp);
    }
  }

  /** Gives up waiting work, and refuses all later work. */
  end(): void {
    this.#ended = true;
    for (const giveUp of this.#waiting.keys()) giveUp();
  }

  #noteAnswer(): void {
    this.#succeeded += 1;
    this.#away = false;
  }

  /** Probes the server as long as work waits or the server is down. All calls share one loop. */
  async #watch(): Promise<void> {
    this.#watching = true;
    while (!this.#ended && (this.#away || this.#waiting.size > 0)) {
      const before = this.#succeeded;
      await pause(this.#away ? AGAIN_MS : SILENT_MS);
      if (this.#succeeded === before && (this.#away || this.#waiting.size > 0)) await this.#look();
    }
    this.#watching = false;
  }

  async #look(): Promise<void> {
    const before = this.#succeeded;
    const answered = new Promise<void>((resolve) => {
      const alive = () => {
        this.#noteAnswer();
        resolve();
      };
      // The failure may be an old connection's. The driver's retries have the rest of the time.
      this.ping().then(alive, (error: unknown) => error instanceof MongoServerError && alive());
    });
    await withTimeout(PATIENCE_MS, answered, () => undefined);
    this.#away = this.#succeeded === before;
    if (!this.#away) return;
    for (const [giveUp, since] of this.#waiting) {
      const remainingMs = since + GIVEN_UP_MS - performance.now();
      setTimeout(() => this.#away && giveUp(), remainingMs).unref();
    }
  }
}

const unavailable = () => new StoreUnavailable('the MongoDB store is down', true);

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
