import { setTimeout } from 'node:timers/promises';
import type { uvu } from 'uvu';
import * as assert from 'uvu/assert';
import { RevisionConflict } from '../../../src/stores/errors.ts';
import {
  type EventStore,
  NO_STREAM,
  type ReadableEvent,
  type StoredEvent,
  type StorePosition,
} from '../../../src/stores/event-store.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { makeEvents } from '../../support/histories/events.ts';
import { readable } from '../../support/histories/readable.ts';
import { rejection } from '../../support/run/take.ts';

export interface EventStoreFixture {
  store: EventStore;
  /** Opens the same log again, as another process would. */
  reopen(): Promise<EventStore>;
  /** Closes all opened stores and removes their data. */
  close(): Promise<void>;
}

export interface Context extends EventStoreFixture {
  /** Returns a stream name that no earlier run has used, because the log may be shared. */
  name(): string;
  /** Returns this test's events after its start. */
  all(store?: EventStore): Promise<StoredEvent[]>;
  isOurs(event: StoredEvent): boolean;
  start: StorePosition | null;
}

export type Suite = uvu.Test<Context>;

/** Losers retry after random pauses, as the command handler does. In step, 64 writers would need 2,000 attempts. */
const MOST_JITTER_MS = 100;

/** Appends one event. Retries on the newest revision while other writers are faster. */
export async function appendSome(store: EventStore, stream: string): Promise<TrailEvent> {
  for (let newest = 0; ; ) {
    const last = readable(await store.readStream(stream, newest)).at(-1);
    try {
      return await appendAfter(store, stream, last);
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      newest = error.actual;
      await setTimeout(Math.random() * MOST_JITTER_MS);
    }
  }
}

export async function appendAfter(
  store: EventStore,
  stream: string,
  last: TrailEvent | undefined,
): Promise<TrailEvent> {
  const [event] = makeEvents(stream, { after: last }) as [TrailEvent];
  await store.append(stream, [event], event.revision - 1);
  return event;
}

/** Appends two batches of two events to each stream, in turn. */
export async function interleave(store: EventStore, streams: readonly string[]): Promise<TrailEvent[]> {
  const events: TrailEvent[] = [];
  for (const expected of [NO_STREAM, 1]) {
    for (const stream of streams) {
      const after = events.findLast((event) => event.stream === stream);
      const batch = makeEvents(stream, { after, count: 2 });
      await store.append(stream, batch, expected);
      events.push(...batch);
    }
  }
  return events;
}

export async function assertConflict(append: Promise<unknown>, stream: string, actual: number): Promise<void> {
  const error = await rejection(append);
  if (!(error instanceof RevisionConflict)) throw error;
  assert.is(error.stream, stream);
  assert.is(error.actual, actual);
}

export async function collect(batches: AsyncIterable<readonly StoredEvent[]>): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const batch of batches) events.push(...batch);
  return events;
}

export async function drain(batches: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of batches);
}

/** Returns an event without the fields that the store adds. */
export function asAppended(stored: StoredEvent): TrailEvent {
  const [{ storePosition: _position, texts: _texts, ...event }] = readable([stored]) as [ReadableEvent];
  return event;
}
