import {
  NO_STREAM as ABSENT,
  type AllStreamResolvedEvent,
  BACKWARDS,
  END,
  EventStoreDBClient,
  excludeSystemEvents,
  type ResolvedEvent,
  START,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import type { TrailEvent } from '../../trail/event.ts';
import { checkAppend } from '../check-append.ts';
import { RevisionConflict, StoreUnavailable } from '../errors.ts';
import { type EventStore, NO_STREAM, type Position, type StoredEvent } from '../event-store.ts';
import { appendFailure, collect, onLeader, readFailure, within } from './calls.ts';
import { comparePositions, fromPosition, toEventData, toPosition, toStoredEvent } from './events.ts';
import { follow } from './subscription.ts';

const APPEND_DEADLINE_MS = 2000;
/** How long a read may bring nothing, and a subscription stay unconfirmed. */
const READ_DEADLINE_MS = 10_000;
const CLOSE_DEADLINE_MS = 1000;
/** Events in a page of `readAll`. */
const PAGE = 1000;

export interface EventStoreDbOptions {
  /** After this long without an answer an append is ambiguous. */
  appendDeadlineMs?: number;
  /** After this long without an event a read has failed. */
  readDeadlineMs?: number;
}

/** Opens the event store that is kept by an EventStoreDB. Connects at the first call, and again whenever it must. */
export function openEventStoreDb(connectionString: string, options: EventStoreDbOptions = {}): EventStore {
  return new EventStoreDb(plainClient(connectionString), options);
}

/**
 * A client that sends each append as a call of its own. Its batch appends share one long call and one table of pending
 * answers for the whole process: a call that ends in good order strands all of them, and one that fails rejects those of
 * others too, whose answers then throw where nobody can catch.
 */
function plainClient(connectionString: string): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(connectionString);
  Object.defineProperty(client, 'supports', { value: async () => false });
  // A connection string may turn this off, and a conflict would then look like success.
  Object.defineProperty(client, 'throwOnAppendFailure', { value: true });
  return client;
}

class EventStoreDb implements EventStore {
  readonly #client: EventStoreDBClient;
  readonly #appendDeadlineMs: number;
  readonly #readDeadlineMs: number;
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(client: EventStoreDBClient, options: EventStoreDbOptions) {
    this.#client = client;
    this.#appendDeadlineMs = options.appendDeadlineMs ?? APPEND_DEADLINE_MS;
    this.#readDeadlineMs = options.readDeadlineMs ?? READ_DEADLINE_MS;
  }

  async append(stream: string, events: readonly TrailEvent[], expectedRevision: number): Promise<Position> {
    checkAppend(stream, events, expectedRevision);
    return this.#track(async () => {
      const position = await this.#send(stream, events, expectedRevision);
      if (position) return position;
      // Success without a position: the batch was there already.
      const held = await this.#positionOf(stream, events);
      if (held) return held;
      throw new StoreUnavailable(`${stream} doesn't hold what was just appended`, true);
    });
  }

  async readStream(stream: string, fromRevision = 0): Promise<StoredEvent[]> {
    return this.#track(() => this.#readStream(stream, fromRevision));
  }

  async *readAll(after: Position | null): AsyncIterable<readonly StoredEvent[]> {
    let next = this.#page(after);
    for (;;) {
      const page = await next;
      if (page.end) {
        // Fetched while this page is being digested; its failure is met when it is awaited.
        next = this.#page(page.end);
        next.catch(() => undefined);
      }
      if (page.events.length > 0) yield page.events;
      if (!page.end) return;
    }
  }

  subscribeAll(after: Position | null, signal: AbortSignal): AsyncIterable<readonly StoredEvent[]> {
    const subscribe = (from: Position | null) =>
      this.#client.subscribeToAll({
        fromPosition: from === null ? START : fromPosition(from),
        filter: excludeSystemEvents(),
      });
    return follow(subscribe, after, this.#readDeadlineMs, AbortSignal.any([signal, this.#closing.signal]));
  }

  async head(): Promise<Position | null> {
    const isOurs = (resolved: AllStreamResolvedEvent) => toStoredEvent(resolved.event) !== null;
    const read = () =>
      collect(
        this.#client.readAll({ direction: BACKWARDS, fromPosition: END, requiresLeader: true }),
        this.#readDeadlineMs,
        isOurs,
      );
    const events = await this.#track(() => this.#read(read));
    return toStoredEvent(events.at(-1)?.event)?.position ?? null;
  }

  comparePositions(a: Position, b: Position): number {
    return comparePositions(a, b);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#underWay);
    // Every call has ended by now, so there is no need for the client's dispose, which may never end itself.
    await within(CLOSE_DEADLINE_MS, closeChannel(this.#client)).catch(() => undefined);
  }

  /** @returns the position the server gave, if it gave one */
  async #send(stream: string, events: readonly TrailEvent[], expectedRevision: number): Promise<Position | null> {
    const options = {
      expectedRevision: expectedRevision === NO_STREAM ? ABSENT : BigInt(expectedRevision),
      deadline: this.#appendDeadlineMs,
    } as const;
    try {
      const sent = this.#client.appendToStream(stream, events.map(toEventData), options);
      const { position } = await within(this.#appendDeadlineMs, sent);
      return position ? toPosition(position) : null;
    } catch (error) {
      if (!(error instanceof WrongExpectedVersionError)) throw appendFailure(error);
      return this.#heldOrConflict(stream, events, error);
    }
  }

  /** A stream that is elsewhere may be so because it holds these very events. */
  async #heldOrConflict(
    stream: string,
    events: readonly TrailEvent[],
    { actualVersion }: WrongExpectedVersionError,
  ): Promise<Position> {
    const actual = actualVersion === ABSENT ? NO_STREAM : Number(actualVersion);
    const held = actual < events.at(-1)!.revision ? null : await this.#positionOf(stream, events);
    if (held) return held;
    throw new RevisionConflict(stream, actual);
  }

  /** Position of the last of these events where the stream holds all of them, at their revisions. */
  async #positionOf(stream: string, events: readonly TrailEvent[]): Promise<Position | null> {
    const found = await this.#readStream(stream, events[0]!.revision, events.length).catch((error) => {
      throw new StoreUnavailable('whether it was appended could not be read', true, { cause: error });
    });
    const held = events.every((event, index) => found[index]?.id === event.id);
    return held ? found.at(-1)!.position : null;
  }

  async #readStream(stream: string, fromRevision: number, maxCount?: number): Promise<StoredEvent[]> {
    const options = { fromRevision: BigInt(fromRevision), requiresLeader: true, ...(maxCount && { maxCount }) };
    try {
      const read = () => collect(this.#client.readStream(stream, options), this.#readDeadlineMs);
      return ours(await this.#read(read));
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }

  /** A page of `$all` after a position; `end` is where the next one begins, null on the last. */
  async #page(after: Position | null): Promise<{ events: StoredEvent[]; end: Position | null }> {
    const options = { fromPosition: after === null ? START : fromPosition(after), maxCount: PAGE } as const;
    const read = () => collect(this.#client.readAll(options), this.#readDeadlineMs);
    const page = await this.#track(() => this.#read(read));
    const last = page.at(-1)?.event?.position;
    // The server begins with the event at the given position itself.
    const events = ours(page).filter(({ position }) => after === null || comparePositions(position, after) > 0);
    return { events, end: page.length === PAGE && last ? toPosition(last) : null };
  }

  async #read<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await onLeader(read);
    } catch (error) {
      throw isAbsent(error) ? error : readFailure(error);
    }
  }

  /** Runs a call so that `close` waits for it. */
  async #track<T>(call: () => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) throw new StoreUnavailable('the event store is closed');
    const running = call();
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }
}

function ours(resolved: readonly ResolvedEvent[]): StoredEvent[] {
  return resolved.map(({ event }) => toStoredEvent(event)).filter((event) => event !== null);
}

function isAbsent(error: unknown): boolean {
  return error instanceof StreamNotFoundError || error instanceof StreamDeletedError;
}

/** The client has no way to let go of its connection; its channel has. */
async function closeChannel(client: EventStoreDBClient): Promise<void> {
  const { getChannel } = client as unknown as { getChannel(): Promise<{ close(): void }> };
  (await getChannel()).close();
}
