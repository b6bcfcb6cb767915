import { StoreUnavailable } from '../../stores/errors.ts';
import { type EventStore, NO_STREAM, type StorePosition } from '../../stores/event-store.ts';
import type { TrailEvent } from '../../trail/event.ts';

/**
 * Limit for retrying an append without an answer with the same bytes. Retrying is safe: an event's id is its hash, so the
 * store can only answer "already there". After that, the command is decided again on fresh state, until its deadline.
 */
const RETRY_SAME_BYTES_MS = 3_000;

/**
 * Appends events, and retries while the outcome is unknown.
 * @param expected revision of the stream's last event, negative if the stream doesn't exist
 */
export async function appendWithRetries(
  store: Pick<EventStore, 'append'>,
  stream: string,
  events: readonly TrailEvent[],
  expected: number,
): Promise<StorePosition> {
  const startedAt = Date.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.append(stream, events, expected < 0 ? NO_STREAM : expected);
    } catch (error) {
      const isOutcomeUnknown = error instanceof StoreUnavailable && error.ambiguous;
      if (!isOutcomeUnknown || Date.now() - startedAt > RETRY_SAME_BYTES_MS) throw error;
      await waitWithJitter(attempt);
    }
  }
}

/** Waits a random time, up to 10 ms times the attempt, so that competing writers spread out. */
export function waitWithJitter(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * attempt));
}
