import { setTimeout as wait } from 'node:timers/promises';
import {
  NO_STREAM as ABSENT,
  BACKWARDS,
  END,
  type EventStoreDBClient,
  type ResolvedEvent,
  START,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { monotonicMs } from '../../clock/monotonic.ts';
import { readConnectionString } from '../../config/connection-string.ts';
import type { TrailEvent } from '../../trail/event.ts';
import { checkAppend, checkConditionAge, checkDecisionAge } from '../check-append.ts';
import { RevisionConflict, StoreReplaced, StoreUnavailable, StreamDamaged } from '../errors.ts';
import {
  type AppendCondition,
  type EventStore,
  type LogHead,
  NO_STREAM,
  type StoredEvent,
  type StorePosition,
  type StreamBatch,
  type UncheckedRow,
} from '../event-store.ts';
import { explainAbsence } from './absence.ts';
import type { ProposedBatch } from './append-call.ts';
import { appendFailure, CallLost, collect, isLostConnection, NoAnswer, readFailure, readUntil } from './calls.ts';
import { readCredentials } from './credentials.ts';
import { BEGINNING, compareStorePositions, storePositionOf, toAllPosition, toStoredEvent } from './events.ts';
import { LeaderConnection } from './leader-connection.ts';
import { LogIdentity } from './log-identity.ts';
import { follow } from './subscription.ts';

/** After this time without an answer, an append is looked up in its stream. */
const APPEND_DEADLINE_MS = 2000;
/** Limit of a read without events, and of an unconfirmed subscription. */
const READ_DEADLINE_MS = 2000;
/** Limit of a call that is retried on several nodes. */
const MOVING_TIMEOUT_MS = 6000;
/** The last attempt of such a call gets at least this time. */
const LAST_ATTEMPT_MS = 300;
/** Pause between attempts. A node may refuse a call and still be the leader. */
const PAUSE_MS = 50;
/** Events per page of `readAll`. */
const PAGE = 1000;

export interface EventStoreDbOptions {
  /** After this time without an answer, an append is ambiguous. */
  appendDeadlineMs?: number;
  /** After this time without an event, a read has failed. */
  readDeadlineMs?: number;
}

/**
 * Opens an event store on EventStoreDB. Connects at the first call, and reconnects when needed.
 * @throws ConnectionStringError, or Error if a certificate file can't be read: both before any connection
 */
export function openEventStoreDb(connectionString: string, options: EventStoreDbOptions = {}): EventStore {
  const settings = readConnectionString(connectionString);
  const identity = new LogIdentity();
  const confirmLog = (client: EventStoreDBClient, ms: number) => identity.confirmOnNewNode(client, ms);
  return new EventStoreDb(new LeaderConnection(settings, readCredentials(settings), confirmLog), identity, options);
}

class EventStoreDb implements EventStore {
  readonly #leader: LeaderConnection;
  readonly #identity: LogIdentity;
  readonly #appendDeadlineMs: number;
  readonly #readDeadlineMs: number;
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(leader: LeaderConnection, identity: LogIdentity, options: EventStoreDbOptions) {
    this.#leader = leader;
    this.#identity = identity;
    this.#appendDeadlineMs = options.appendDeadlineMs ?? APPEND_DEADLINE_MS;
    this.#readDeadlineMs = options.readDeadlineMs ?? READ_DEADLINE_MS;
  }

  async append(
    stream: string,
    events: readonly TrailEvent[],
    expectedRevision: number,
    decidedAt?: number,
    condition?: AppendCondition,
  ): Promise<StorePosition> {
    checkAppend(stream, events, expectedRevision);
    return this.#appendBatch({ stream, events, expectedRevision, decidedAt, condition });
  }

  async appendRow(row: UncheckedRow): Promise<StorePosition> {
    return this.#appendBatch({ stream: row.stream, events: [row], expectedRevision: row.revision - 1 });
  }

  async #appendBatch(batch: ProposedBatch): Promise<StorePosition> {
    return this.#track(async () => {
      const known = this.#identity.storePosition;
      const storePosition = await this.#appendOnce(batch);
      await this.#confirmLog(known, [storePosition]);
      this.#identity.remember({ ...batch.events.at(-1)!, storePosition });
      return storePosition;
    });
  }

  async #appendOnce(batch: ProposedBatch): Promise<StorePosition> {
    const storePosition = await this.#send(batch);
    if (storePosition) return storePosition;
    // Success without a position means that the batch was there already.
    const position = await this.#positionOf(batch.stream, batch.events);
    if (position) return position;
    await this.#refuseCut(batch.stream);
    throw new StoreUnavailable(`${batch.stream} doesn't hold what was just appended`, true);
  }

  /**
   * Looks the newest event up again if appends got a place before it, as a repeated batch may.
   * @param known the newest event's position when they were sent
   * @throws StoreReplaced if the log is another
   */
  async #confirmLog(known: StorePosition | null, storePositions: readonly StorePosition[]): Promise<void> {
    if (known === null || storePositions.every((position) => compareStorePositions(known, position) < 0)) return;
    const node = this.#leader.current ?? (await this.#leader.waitForLeader());
    try {
      await node.run((client) => this.#identity.confirm(client, this.#readDeadlineMs));
    } catch (error) {
      if (error instanceof StoreReplaced) this.#leader.reject(node, error);
      throw error instanceof StoreReplaced ? error : readFailure(error);
    }
  }

  /**
   * Sends all batches over one call, which the server writes in the order of sending. Those without a position are sent
   * again one after the other: that changes nothing if they were written.
   */
  async appendInOrder(batches: readonly StreamBatch[]): Promise<StorePosition[]> {
    for (const { stream, events, expectedRevision } of batches) checkAppend(stream, events, expectedRevision);
    const known = this.#identity.storePosition;
    const sent = await this.#track(async () => {
      const node = this.#leader.current ?? (await this.#leader.waitForLeader());
      for (const batch of batches) {
        checkDecisionAge(batch);
        checkConditionAge(batch.condition);
      }
      return Promise.allSettled(batches.map((batch) => node.append(batch, this.#appendDeadlineMs)));
    });
    const positions: StorePosition[] = [];
    const sentPositions = sent.flatMap((outcome) => (outcome.status === 'fulfilled' ? (outcome.value ?? []) : []));
    await this.#track(() => this.#confirmLog(known, sentPositions));
    for (const [index, { stream, events, expectedRevision, decidedAt, condition }] of batches.entries()) {
      const outcome = sent[index]!;
      const position = outcome.status === 'fulfilled' ? outcome.value : null;
      positions.push(position ?? (await this.append(stream, events, expectedRevision, decidedAt, condition)));
      this.#identity.remember({ ...events.at(-1)!, storePosition: positions.at(-1)! });
    }
    return positions;
  }

  async readStream(stream: string, fromRevision = 0, limit?: number): Promise<StoredEvent[]> {
    const events = await this.#track(async () => ours(await this.#readRecorded(stream, fromRevision, limit)));
    this.#identity.remember(events.at(-1));
    return events;
  }

  async explainAbsence(stream: string): Promise<string | null> {
    return this.#track(() => this.#read((client, ms) => explainAbsence(client, stream, ms)));
  }

  async *readAll(after: StorePosition | null): AsyncIterable<readonly StoredEvent[]> {
    let next = this.#page(after);
    for (;;) {
      const page = await next;
      if (page.end) {
        // Fetched while the caller processes this page. An error is thrown when it is awaited.
        next = this.#page(page.end);
        next.catch(() => undefined);
      }
      if (page.events.length > 0) yield page.events;
      if (!page.end) return;
    }
  }

  async *subscribeAll(after: StorePosition | null, signal: AbortSignal): AsyncIterable<readonly StoredEvent[]> {
    const end = AbortSignal.any([signal, this.#closing.signal]);
    for await (const events of follow(this.#leader, after, this.#readDeadlineMs, end)) {
      this.#identity.remember(events.at(-1));
      yield events;
    }
  }

  async head(after: StorePosition | null): Promise<LogHead> {
    const options = { direction: BACKWARDS, fromPosition: END, requiresLeader: true } as const;
    return this.#track(() =>
      this.#read(async (client, ms) => {
        const head: LogHead = { newest: null, end: BEGINNING };
        await readUntil(client.readAll(options), ms, ({ event }) => {
          const position = storePositionOf(event!.position!);
          if (head.end === BEGINNING) head.end = position;
          if (after !== null && compareStorePositions(position, after) <= 0) return true;
          const ours = toStoredEvent(event);
          if (ours === null) return false;
          this.#identity.remember(ours);
          head.newest = position;
          return true;
        });
        return head;
      }),
    );
  }

  async end(): Promise<StorePosition> {
    const options = { direction: BACKWARDS, fromPosition: END, maxCount: 1, requiresLeader: true } as const;
    const newest = await this.#track(() => this.#read((client, ms) => collect(client.readAll(options), ms)));
    return newest[0]?.event?.position ? storePositionOf(newest[0].event.position) : BEGINNING;
  }

  async check(): Promise<void> {
    await this.end();
  }

  compareStorePositions(a: StorePosition, b: StorePosition): number {
    return compareStorePositions(a, b);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#leader.stopSearching();
    await Promise.allSettled(this.#underWay);
    this.#leader.close();
  }

  /**
   * Sends a batch to the leader. A batch that certainly wasn't written is sent again to the next leader.
   * @returns the server's position, if it sent one
   */
  async #send(batch: ProposedBatch): Promise<StorePosition | null> {
    const end = monotonicMs() + MOVING_TIMEOUT_MS;
    for (;;) {
      const written = await this.#sendToLeader(batch, end);
      if (written !== null) return written.storePosition;
      await wait(PAUSE_MS);
    }
  }

  /**
   * Sends a batch to the current leader. One that may have been written is looked up in its stream, because a server
   * drops a batch that it is already writing, without an answer.
   * @returns null if the batch certainly wasn't written and can be sent again before `end`
   */
  async #sendToLeader(batch: ProposedBatch, end: number): Promise<{ storePosition: StorePosition | null } | null> {
    const { stream, events } = batch;
    const node = this.#leader.current ?? (await this.#leader.waitForLeader(end));
    const since = monotonicMs();
    const ms = Math.min(this.#appendDeadlineMs, Math.max(end - since, LAST_ATTEMPT_MS));
    checkDecisionAge(batch);
    checkConditionAge(batch.condition);
    try {
      return { storePosition: await node.append(batch, ms) };
    } catch (error) {
      if (error instanceof WrongExpectedVersionError) {
        return { storePosition: await this.#positionOrConflict(stream, events, error) };
      }
      const failure = appendFailure(error, stream);
      const cause = error instanceof CallLost ? error.cause : error;
      const isLost = isLostConnection(cause);
      if (isLost) await this.#leader.confirmLeader(node, cause, since);
      if (failure instanceof StoreUnavailable && failure.ambiguous) {
        return { storePosition: await this.#positionOrThrow(stream, events, failure) };
      }
      if (!isLost || monotonicMs() > end) throw failure;
      return null;
    }
  }

  /** Returns the position of a batch without an answer, if its stream has it. @throws `failure` if not */
  async #positionOrThrow(
    stream: string,
    events: ProposedBatch['events'],
    failure: StoreUnavailable,
  ): Promise<StorePosition> {
    const position = await this.#positionOf(stream, events);
    if (position) return position;
    throw failure;
  }

  /** Handles a wrong revision. The stream may be ahead because it has these events already. */
  async #positionOrConflict(
    stream: string,
    events: ProposedBatch['events'],
    { actualVersion }: WrongExpectedVersionError,
  ): Promise<StorePosition> {
    const actual = actualVersion === ABSENT ? NO_STREAM : Number(actualVersion);
    const { revision } = events[0]!;
    if (actual >= revision) {
      const recorded = await this.#lookUp(stream, events);
      const position = positionIn(recorded, events);
      if (position) return position;
      const foreign = recorded.find(({ event }) => toStoredEvent(event) === null);
      if (foreign) throw new StreamDamaged(stream, `revision ${foreign.event?.revision} is not veritrail's`);
    }
    throw new RevisionConflict(stream, actual);
  }

  /** Returns the position of the last of these events if the stream has all of them, at their revisions. */
  async #positionOf(stream: string, events: ProposedBatch['events']): Promise<StorePosition | null> {
    return positionIn(await this.#lookUp(stream, events), events);
  }

  /** Reads the place of these events in their stream, after an append. */
  async #lookUp(stream: string, events: ProposedBatch['events']): Promise<ResolvedEvent[]> {
    return this.#readRecorded(stream, events[0]!.revision, events.length).catch((error) => {
      throw new StoreUnavailable('the stream could not be read, so the append may or may not be done', true, {
        cause: error,
      });
    });
  }

  /** @throws StreamDamaged if the stream's events were deleted or cut off */
  async #refuseCut(stream: string): Promise<void> {
    const finding = await this.explainAbsence(stream);
    if (finding !== null) throw new StreamDamaged(stream, finding);
  }

  /** Returns a stream's events as the server has them, also those that veritrail didn't write. */
  async #readRecorded(stream: string, fromRevision: number, maxCount?: number): Promise<ResolvedEvent[]> {
    const options = { fromRevision: BigInt(fromRevision), requiresLeader: true, ...(maxCount && { maxCount }) };
    try {
      return await this.#read((client, ms) => collect(client.readStream(stream, options), ms));
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }

  /** Returns a page of `$all` after a position. `end` is where the next page begins; null for the last page. */
  async #page(after: StorePosition | null): Promise<{ events: StoredEvent[]; end: StorePosition | null }> {
    const fromStart = after === null ? START : toAllPosition(after);
    const options = { fromPosition: fromStart, maxCount: PAGE, requiresLeader: true } as const;
    const page = await this.#track(() => this.#read((client, ms) => collect(client.readAll(options), ms)));
    const last = page.at(-1)?.event?.position;
    // The server's page begins with the event at that position.
    const events = ours(page).filter(
      ({ storePosition }) => after === null || compareStorePositions(storePosition, after) > 0,
    );
    this.#identity.remember(events.at(-1));
    return { events, end: page.length === PAGE && last ? storePositionOf(last) : null };
  }

  /**
   * Reads from the leader. If its connection is lost meanwhile, reads from the next one.
   * @param read receives the limit of a wait without events
   */
  async #read<T>(read: (client: EventStoreDBClient, ms: number) => Promise<T>): Promise<T> {
    const end = monotonicMs() + MOVING_TIMEOUT_MS;
    for (;;) {
      const node = this.#leader.current ?? (await this.#leader.waitForLeader(end));
      const since = monotonicMs();
      const ms = Math.min(this.#readDeadlineMs, Math.max(end - since, LAST_ATTEMPT_MS));
      try {
        return await node.run((client) => read(client, ms));
      } catch (error) {
        if (isAbsent(error)) throw error;
        if (!isLostConnection(error)) throw readFailure(error);
        const isKept = await this.#leader.confirmLeader(node, error, since);
        if ((isKept && error instanceof NoAnswer) || monotonicMs() > end) throw readFailure(error);
        await wait(PAUSE_MS);
      }
    }
  }

  /** Runs a call. `close` waits for it. */
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

/** Returns the position of the last of these events if they are what was recorded, at their revisions. */
function positionIn(recorded: readonly ResolvedEvent[], events: ProposedBatch['events']): StorePosition | null {
  const isComplete = events.every(({ id, revision }, index) => {
    const stored = recorded[index]?.event;
    return stored?.id === id && stored.revision === BigInt(revision);
  });
  return isComplete ? storePositionOf(recorded[events.length - 1]!.event!.position!) : null;
}

function isAbsent(error: unknown): boolean {
  return error instanceof StreamNotFoundError || error instanceof StreamDeletedError;
}
