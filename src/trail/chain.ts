import type { TrailCrypto } from './crypto.ts';
import type { TrailEvent } from './event.ts';
import { type EventTexts, isAuthentic } from './hash.ts';

/** The first faulty event of a stream. */
export interface ChainFault {
  stream: string;
  revision: number;
  event_id: string;
  why: 'ALTERED' | 'BROKEN_LINK' | 'OUT_OF_ORDER';
}

/**
 * Returns why an event doesn't follow its stream's last event, or null if it does.
 * @param revision the revision that comes next
 * @param previous `hash` of the last event, null if there is none
 * @param texts the event's canonical texts, if the caller has them
 */
export function linkFault(
  crypto: TrailCrypto,
  event: TrailEvent,
  revision: number,
  previous: string | null,
  texts?: EventTexts,
): ChainFault['why'] | null {
  if (event.revision !== revision) return 'OUT_OF_ORDER';
  if (!isAuthentic(crypto, event, texts)) return 'ALTERED';
  return event.metadata.previous_hash === previous ? null : 'BROKEN_LINK';
}

/** Checks a whole stream from revision 0: every id, hash, data hash, link and revision. Returns null if all match. */
export function verifyChain(crypto: TrailCrypto, events: readonly TrailEvent[]): ChainFault | null {
  let previous: string | null = null;
  for (const [index, event] of events.entries()) {
    const { stream, revision, id: event_id, metadata } = event;
    const why = stream === events[0]!.stream ? linkFault(crypto, event, index, previous) : 'OUT_OF_ORDER';
    if (why !== null) return { stream, revision, event_id, why };
    previous = metadata.hash;
  }
  return null;
}
