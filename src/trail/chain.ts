import type { TrailEvent } from './event.ts';
import { isAuthentic } from './hash.ts';

/** The first event of a stream that does not fit, and why; null where the whole chain holds. */
export interface ChainFault {
  stream: string;
  revision: number;
  event_id: string;
  why: 'ALTERED' | 'BROKEN_LINK' | 'OUT_OF_ORDER';
}

/** Checks one whole stream from revision 0: every id, hash, data hash, link and number. */
export function verifyChain(events: readonly TrailEvent[]): ChainFault | null {
  let previous: string | null = null;
  for (const [index, event] of events.entries()) {
    const fault = (why: ChainFault['why']) => ({
      stream: event.stream,
      revision: event.revision,
      event_id: event.id,
      why,
    });
    if (event.revision !== index || event.stream !== events[0]!.stream) return fault('OUT_OF_ORDER');
    if (!isAuthentic(event)) return fault('ALTERED');
    if (event.metadata.previous_hash !== previous) return fault('BROKEN_LINK');
    previous = event.metadata.hash;
  }
  return null;
}
