import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import {
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  excludeSystemEvents,
  START,
} from '@eventstore/db-client';
import { monotonicMs } from '../../clock/monotonic.ts';
import type { StoredEvent, StorePosition } from '../event-store.ts';
import { NoAnswer } from './calls.ts';
import { compareStorePositions, storePositionOf, toAllPosition, toStoredEvent } from './events.ts';
import type { LeaderConnection } from './leader-connection.ts';
import type { NodeConnection } from './node-connection.ts';

/** Limit of events that wait for a slow consumer. At the limit, the subscription is paused. */
const MAX_WAITING_EVENTS = 2000;
/**
 * While several events come at a time, a batch is gathered for this long, because read models are written batch by
 * batch. Else it has only the events of one packet, so the event of a single writer isn't delayed.
 */
const GATHERING_MS = 2;
const MAX_GATHERED_EVENTS = 64;
/** The error of servers up to 24.6 when live events come faster than they are sent: 23.10 keeps 32 of them. */
const TOO_SLOW = /Consumer too slow/i;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;

/**
 * Yields events until `signal` aborts. The client's subscriptions end after one error, or silently, so this starts
 * another one each time, on the current connection to the leader.
 *
 * Each subscription starts after the last event that was received, and skips events that the server sends again. It never
 * starts at a checkpoint of the server, which can be ahead of the yielded events. A subscription that the server doesn't confirm within
 * `confirmationMs` is replaced.
 */
export async function* follow(
  leader: LeaderConnection,
  after: StorePosition | null,
  confirmationMs: number,
  signal: AbortSignal,
): AsyncGenerator<readonly StoredEvent[]> {
  let last = after;
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const node = await openNode(leader);
    if (node !== null && !signal.aborted) {
      const release = node.hold();
      const start = last;
      const feed = new Feed(subscribe(node, last), confirmationMs, AbortSignal.any([signal, node.retired]));
      try {
        for await (const batch of eventsAfter(feed, last)) {
          last = batch.at(-1)!.storePosition;
          pauseMs = FIRST_PAUSE_MS;
          yield batch;
        }
        // So other programs' events aren't sent again.
        last = feed.receivedAfter(last);
      } finally {
        feed.stop();
        release();
      }
      // After a burst, the node is well and has the events in its log.
      if (feed.wasTooSlow && last !== start) continue;
      if (!signal.aborted) await confirmLeader(leader, node, feed);
    }
    // Rejects if aborted, which ends the loop.
    await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
  }
}

async function openNode(leader: LeaderConnection): Promise<NodeConnection | null> {
  const node = leader.current ?? (await leader.waitForLeader().catch(() => null));
  return node?.retired.aborted ? null : node;
}

/** Probes a node that ended a subscription, unless it said that a burst was the cause. */
async function confirmLeader(leader: LeaderConnection, node: NodeConnection, { wasTooSlow }: Feed): Promise<void> {
  if (!wasTooSlow) await leader.confirmLeader(node, new NoAnswer('a subscription ended'), monotonicMs());
}

/** Yields a feed's batches, without the events that were yielded before. */
async function* eventsAfter(feed: Feed, after: StorePosition | null): AsyncGenerator<readonly StoredEvent[]> {
  let last = after;
  for (let batch = await feed.next(); batch; batch = await feed.next()) {
    const newEvents: StoredEvent[] = [];
    for (const event of batch) {
      if (last !== null && compareStorePositions(event.storePosition, last) <= 0) continue;
      newEvents.push(event);
      last = event.storePosition;
    }
    if (newEvents.length > 0) yield newEvents;
  }
}

function subscribe({ client }: NodeConnection, after: StorePosition | null): AllStreamSubscription {
  const fromPosition = after === null ? START : toAllPosition(after);
  return client.subscribeToAll({ fromPosition, filter: excludeSystemEvents() });
}

/** Collects one subscription's events, and hands them out in batches. */
class Feed {
  #waiting: StoredEvent[] = [];
  #ended = false;
  /** The last event received, of other programs too. */
  #received: StorePosition | null = null;
  /** True if the server ended the subscription because of a burst. */
  wasTooSlow = false;
  /** True if the last batch had several events, so that more are likely to come. */
  #isBusy = false;
  #wake: () => void = () => undefined;
  readonly #subscription: AllStreamSubscription;
  readonly #signal: AbortSignal;
  readonly #confirmationTimer: NodeJS.Timeout;
  readonly #end = () => {
    this.#ended = true;
    this.#wake();
  };

  constructor(subscription: AllStreamSubscription, confirmationMs: number, signal: AbortSignal) {
    this.#subscription = subscription;
    this.#signal = signal;
    this.#confirmationTimer = setTimeout(this.#end, confirmationMs);
    signal.addEventListener('abort', this.#end);
    subscription.on('confirmation', () => clearTimeout(this.#confirmationTimer));
    subscription.on('data', (resolved: AllStreamResolvedEvent) => this.#add(resolved));
    subscription.on('error', ({ message }: Error) => {
      this.wasTooSlow = TOO_SLOW.test(message);
      this.#end();
    });
    subscription.on('end', this.#end);
  }

  /** Returns the next batch, or null when the subscription has ended. */
  async next(): Promise<StoredEvent[] | null> {
    if (this.#waiting.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#waiting.length < MAX_GATHERED_EVENTS) await (this.#isBusy ? wait(GATHERING_MS) : setImmediate());
    if (this.#waiting.length === 0 || this.#signal.aborted) return null;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#isBusy = batch.length > 1;
    this.#subscription.resume();
    return batch;
  }

  /** Returns the position of the last event received, or `last` if events of veritrail still wait. */
  receivedAfter(last: StorePosition | null): StorePosition | null {
    return this.#waiting.length === 0 && this.#received !== null ? this.#received : last;
  }

  stop(): void {
    clearTimeout(this.#confirmationTimer);
    this.#signal.removeEventListener('abort', this.#end);
    // Fails only if there is no call to cancel.
    this.#subscription.unsubscribe().catch(() => undefined);
  }

  #add(resolved: AllStreamResolvedEvent): void {
    const position = storePositionOf(resolved.event!.position!);
    if (this.#received === null || compareStorePositions(position, this.#received) > 0) this.#received = position;
    const event = toStoredEvent(resolved.event);
    if (!event) return;
    this.#waiting.push(event);
    if (this.#waiting.length >= MAX_WAITING_EVENTS) this.#subscription.pause();
    this.#wake();
  }
}
