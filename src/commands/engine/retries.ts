import { monotonicMs } from '../../clock/monotonic.ts';
import { withTimeout } from '../../clock/with-timeout.ts';
import { DecisionExpired, RevisionConflict, StoreUnavailable } from '../../stores/errors.ts';
import type { AppendCondition, EventStore, StorePosition, StreamBatch } from '../../stores/event-store.ts';
import type { Caller } from '../organization/caller.ts';
import { Refusal } from './refusal.ts';

/*
 * The limits of a command: how long it may take, and how often it is tried.
 */

/** A command on one record is appended within this time of its arrival, or refused as unavailable. */
const COMMAND_TIMEOUT_MS = 6_000;

/** Returns when a new command must be answered, in monotonic milliseconds. Subtracts the time the caller has waited. */
export function commandDeadline({ waited_ms = 0 }: Pick<Caller, 'waited_ms'> = {}): number {
  return monotonicMs() + COMMAND_TIMEOUT_MS - waited_ms;
}

/**
 * Settles as `work` does, or rejects at the deadline. The work isn't cancelled and may still succeed, so the error is
 * ambiguous.
 * @throws StoreUnavailable at the deadline
 */
export function beforeDeadline<T>(deadline: number, work: Promise<T>): Promise<T> {
  // A timer may fire a millisecond early. The command must not find time for an append after this error.
  return withTimeout(Math.ceil(deadline - monotonicMs()) + 1, work, () => {
    throw new StoreUnavailable('no answer before the deadline', true);
  });
}

/**
 * Limit for retrying an append without an answer with the same bytes. Retrying is safe: an event's id is its hash, so the
 * store can only answer "already there". After that, the command is decided again on fresh state, until its deadline.
 */
const RETRY_SAME_BYTES_MS = 3_000;

/**
 * Appends events, and retries while the outcome is unknown.
 * @param renewCondition reads the batch's condition again before each retry. Returns null if its actor may not write any
 * more, or has another role: then nothing is sent again
 */
export async function appendWithRetries(
  store: Pick<EventStore, 'append'>,
  { stream, events, expectedRevision, decidedAt, condition: firstCondition }: StreamBatch,
  renewCondition: () => Promise<{ condition?: AppendCondition | undefined } | null>,
): Promise<StorePosition> {
  const startedAt = monotonicMs();
  let condition = firstCondition;
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.append(stream, events, expectedRevision, decidedAt, condition);
    } catch (error) {
      const isOutcomeUnknown = error instanceof StoreUnavailable && error.ambiguous;
      if (!isOutcomeUnknown || monotonicMs() - startedAt > RETRY_SAME_BYTES_MS) throw error;
      await waitWithJitter(attempt);
      const renewed = await renewCondition();
      if (renewed === null) throw error;
      condition = renewed.condition;
    }
  }
}

/** A command is decided at most this often, because each time another writer may be first. */
const MAX_ATTEMPTS = 20;

/** Waits before a command is decided again. @throws `error` if that can't help, Refusal conflict after the last attempt */
export async function waitBeforeRetry(error: unknown, attempt: number, deadline: number): Promise<void> {
  const canRetry =
    error instanceof RevisionConflict ||
    error instanceof DecisionExpired ||
    (error instanceof StoreUnavailable && error.ambiguous);
  if (!canRetry || monotonicMs() > deadline) throw error;
  if (attempt >= MAX_ATTEMPTS) {
    throw new Refusal('conflict', 'Too many writers are changing this record. Repeat the call in a moment.');
  }
  if (attempt > 1) await waitWithJitter(attempt);
}

/** Waits a random time, up to 10 ms times the attempt, so that competing writers spread out. */
function waitWithJitter(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * attempt));
}
