import { setTimeout } from 'node:timers/promises';
import type { uvu } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreUnavailable } from '../../../src/stores/errors.ts';
import type { EventStore } from '../../../src/stores/event-store.ts';
import { type EventStoreDbOptions, openEventStoreDb } from '../../../src/stores/eventstoredb/event-store.ts';
import type { TrailEvent } from '../../../src/trail/event.ts';
import { type FakeEventStoreDb, type FakeOptions, startFakeEventStoreDb } from '../fake-eventstoredb/server.ts';

/** Each test gets a fake server and a store on it. */
export interface FakeContext {
  fake: FakeEventStoreDb;
  store: EventStore;
  /** Starts one more server; stopped after the test. */
  start(options?: FakeOptions): Promise<FakeEventStoreDb>;
  /** Opens one more store; closed after the test. */
  open(url: string, options?: EventStoreDbOptions): EventStore;
  cleanup: (() => Promise<void>)[];
}

/** Short deadlines, for tests that wait until they pass. */
export const SHORT_DEADLINES = { appendDeadlineMs: 300, readDeadlineMs: 300 };

export function withFake(test: uvu.Test<FakeContext>): void {
  test.before.each(async (context) => {
    const cleanup: FakeContext['cleanup'] = [];
    const start = async (options?: FakeOptions) => {
      const fake = await startFakeEventStoreDb(options);
      cleanup.push(() => fake.close());
      return fake;
    };
    const open = (url: string, options?: EventStoreDbOptions) => {
      const store = openEventStoreDb(url, options);
      cleanup.unshift(() => store.close());
      return store;
    };
    const fake = await start();
    Object.assign(context, { fake, store: open(fake.url), start, open, cleanup });
  });

  test.after.each(async ({ cleanup }) => {
    for (const cleanUp of cleanup) await cleanUp();
  });
}

/** Repeats a call while it is unavailable, as the command handler does. */
export async function retryUnavailable<T>(call: () => Promise<T>): Promise<T> {
  const end = Date.now() + 8000;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || Date.now() > end) throw error;
      await pause(20);
    }
  }
}

export function assertUnavailable(error: unknown, { ambiguous }: { ambiguous?: boolean } = {}): void {
  if (!(error instanceof StoreUnavailable)) throw error;
  if (ambiguous !== undefined) assert.is(error.ambiguous, ambiguous, error.message);
}

export function ids(events: readonly Pick<TrailEvent, 'id'>[]): string[] {
  return events.map(({ id }) => id);
}

/** Resolves after `ms`, as the last entry of a race. Doesn't keep the process alive. */
export function pause(ms: number): Promise<string> {
  return setTimeout(ms, 'nothing yet', { ref: false });
}
