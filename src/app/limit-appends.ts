import { Refusal } from '../commands/engine/refusal.ts';
import { RateLimit } from '../identity/rate-limit.ts';
import { decorateEventStore } from '../stores/decorate-event-store.ts';
import type { EventStore } from '../stores/event-store.ts';

const HOUR_MS = 3_600_000;

/**
 * Returns the same log, to which an account can append only so many events in an hour. The log is kept for ever, so nobody
 * may fill it. Each instance counts on its own, and the service's own events don't count.
 * @param now milliseconds of any clock
 */
export function limitAppends(events: EventStore, maxEventsPerHour: number, now?: () => number): EventStore {
  const limit = new RateLimit(maxEventsPerHour, HOUR_MS, now);
  return decorateEventStore(events, {
    append: async (stream, batch, ...rest) => {
      const actor = batch[0]?.metadata.actor_id ?? '';
      const waitMs = actor.startsWith('acc_') ? limit.countOrWaitMs(actor, batch.length) : 0;
      if (waitMs > 0) throw tooManyEvents(waitMs);
      return events.append(stream, batch, ...rest);
    },
  });
}

function tooManyEvents(waitMs: number): Refusal {
  const seconds = Math.ceil(waitMs / 1_000);
  const message = `Your account has written as much as it may in an hour. Nothing was written. Continue in ${seconds} s.`;
  return new Refusal('rate_limited', message, { retry_after_seconds: seconds });
}
