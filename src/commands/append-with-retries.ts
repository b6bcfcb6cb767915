import { StoreUnavailable } from '../stores/errors.ts';
import { type EventStore, NO_STREAM, type Position } from '../stores/event-store.ts';
import type { TrailEvent } from '../trail/event.ts';

/**
 * The time for which an append without an answer is retried with the same bytes. That is safe: their id is their hash, so the
 * store can only say "already there". After that, the command is decided again on fresh state, until its deadline.
 */
const RETRY_SAME_BYTES_MS = 3_000;

/**
 * Appends, and repeats an append whose outcome is unknown.
 * @param expected revision of the stream's last event, negative where there is no stream
 */
export async function appendWithRetries(
  store: Pick<EventStore, 'append'>,
  stream: string,
  events: readonly TrailEvent[],
  expected: number,
): Promise<Position> {
  const started = Date.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.append(stream, events, expected < 0 ? NO_STREAM : expected);
    } catch (error) {
      const isUnknown = error instanceof StoreUnavailable && error.ambiguous;
      if (!isUnknown || Date.now() - started > RETRY_SAME_BYTES_MS) throw error;
      await jitter(attempt);
    }
  }
}

/** Waits a random part of up to 10 ms an attempt, so that competing writers spread out. */
export function jitter(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * attempt));
}
