import { setTimeout } from 'node:timers/promises';
import type { uvu } from 'uvu';
import * as assert from 'uvu/assert';
import { RevisionConflict } from '../../../src/stores/errors.ts';
import { type EventStore, NO_STREAM, type StoredEvent, type StorePosition } from '../../../src/stores/event-store.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { makeEvents } from '../../support/events.ts';
import { rejection } from '../../support/take.ts';

export interface EventStoreFixture {
  store: EventStore;
  /** Opens the same log once more, as another process would. */
  reopen(): Promise<EventStore>;
  /** Closes every store that was opened and removes what they kept. */
  close(): Promise<void>;
}

export interface Context extends EventStoreFixture {
  /** A stream name that no earlier run has used: the log may have been used before. */
  name(): string;
  /** Everything of ours after the place where the test began. */
  all(store?: EventStore): Promise<StoredEvent[]>;
  isOurs(event: StoredEvent): boolean;
  start: StorePosition | null;
}

export type Suite = uvu.Test<Context>;

/** Losers come back at different times, as the command handler's do: in step, 64 would need 2,000 attempts. */
const MOST_JITTER_MS = 100;

/** Appends one event, over again on the newest state as long as others are faster. */
export async function appendSome(store: EventStore, stream: string): Promise<TrailEvent> {
  for (let newest = 0; ; ) {
    const last = (await store.readStream(stream, newest)).at(-1);
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

/** Two batches of two for each stream, in turn. */
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

/** An event as it was appended, without what the store adds to it. */
export function asAppended({ storePosition: _position, texts: _texts, ...event }: StoredEvent): TrailEvent {
  return event;
}
