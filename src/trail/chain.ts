import type { TrailEvent } from './event.ts';
import { type EventTexts, isAuthentic } from './hash.ts';

/** The first event of a stream that does not fit, and why; null where the whole chain holds. */
export interface ChainFault {
  stream: string;
  revision: number;
  event_id: string;
  why: 'ALTERED' | 'BROKEN_LINK' | 'OUT_OF_ORDER';
}

/**
 * Why an event does not follow its stream's last one, be it after all before it; null where it does.
 * @param revision the one that comes next
 * @param previous `hash` of the last one, null where there is none
 * @param texts the event's own, where they are at hand
 */
export function linkFault(
  event: TrailEvent,
  revision: number,
  previous: string | null,
  texts?: EventTexts,
): ChainFault['why'] | null {
  if (event.revision !== revision) return 'OUT_OF_ORDER';
  if (!isAuthentic(event, texts)) return 'ALTERED';
  return event.metadata.previous_hash === previous ? null : 'BROKEN_LINK';
}

/** Checks one whole stream from revision 0: every id, hash, data hash, link and number. */
export function verifyChain(events: readonly TrailEvent[]): ChainFault | null {
  let previous: string | null = null;
  for (const [index, event] of events.entries()) {
    const { stream, revision, id: event_id, metadata } = event;
    const why = stream === events[0]!.stream ? linkFault(event, index, previous) : 'OUT_OF_ORDER';
    if (why !== null) return { stream, revision, event_id, why };
    previous = metadata.hash;
  }
  return null;
}
