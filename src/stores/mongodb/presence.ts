import { setImmediate as turn } from 'node:timers/promises';
import { MongoServerError } from 'mongodb';
import { StoreUnavailable } from '../errors.ts';

/** Work that brings nothing for so long has the server asked for a sign of life. */
const SILENT_MS = 300;
/** A server that gives none for so long is away. */
const PATIENCE_MS = 800;
/** The pause before a server that is away is asked again. */
const AGAIN_MS = 250;
/**
 * Work is not given up before: by then the driver has itself given up what it never sent (SELECTION_MS), so that nothing
 * is done later but what the server has been sent already.
 */
const GIVEN_UP_MS = 1_100;
/** The driver waits so long for a server to send work to. */
export const SELECTION_MS = 1_000;

/**
 * Knows whether a server is there. While work waits and none succeeds, the server is asked for a sign of life; when it
 * gives none, the work is given up, and further work is refused at once until it does. So nobody waits for the driver's
 * own time-outs, which have to be long enough for the slowest work of a server that is alive.
 */
export class Presence {
  /** The functions that give up waiting work, and since when each waits. */
  readonly #waiting = new Map<() => void, number>();
  #succeeded = 0;
  #away = false;
  #watching = false;
  #ended = false;

  /** @param ask gets a sign of life of the server */
  constructor(private readonly ask: () => Promise<unknown>) {}

  /** @throws StoreUnavailable where the server is away: whether the work was done is then unknown; else as `work` does */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#away || this.#ended) throw away();
    let giveUp: () => void = () => undefined;
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = () => reject(away());
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

  /** Gives up what waits, and refuses what comes. */
  end(): void {
    this.#ended = true;
    for (const giveUp of this.#waiting.keys()) giveUp();
  }

  #noteAnswer(): void {
    this.#succeeded += 1;
    this.#away = false;
  }

  /** Looks at the server as long as somebody waits for it, or it is away. One loop, however many wait. */
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
      // A failure on the way may be that of an old connection: the work's own attempts have the rest of the time.
      this.ask().then(alive, (error: unknown) => error instanceof MongoServerError && alive());
    });
    await Promise.race([answered, pause(PATIENCE_MS)]);
    // Where this process was held up, an answer may be here that nobody has read yet.
    for (let turns = 0; turns < 3 && this.#succeeded === before; turns++) await turn();
    this.#away = this.#succeeded === before;
    if (!this.#away) return;
    for (const [giveUp, since] of this.#waiting) {
      const left = since + GIVEN_UP_MS - performance.now();
      setTimeout(() => this.#away && giveUp(), left).unref();
    }
  }
}

const away = () => new StoreUnavailable('the MongoDB store is away', true);

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
