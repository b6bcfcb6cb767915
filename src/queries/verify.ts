import type { ChangeDocument } from '../projections/changes.ts';
import type { EventStore } from '../stores/event-store.ts';
import { type ChainFault, verifyChain } from '../trail/chain.ts';

interface Verification {
  /** VALID when every chain holds and every listed change is the event that the log has at its place. */
  verdict: 'VALID' | 'INVALID';
  streams: number;
  events: number;
  faults: (ChainFault | { stream: string; revision: number; event_id: string; why: 'NOT_IN_LOG' })[];
}

/**
 * Checks the chains of the streams that these changes are from: each stream is read from the event store and verified
 * from its first event on, and each listed change must be the very event found there.
 */
export async function verifyChanges(events: EventStore, changes: readonly ChangeDocument[]): Promise<Verification> {
  const byStream = new Map<string, ChangeDocument[]>();
  for (const change of changes) byStream.set(change.stream, [...(byStream.get(change.stream) ?? []), change]);
  const faults: Verification['faults'] = [];
  let checked = 0;
  for (const [stream, listed] of byStream) {
    const chain = await events.readStream(stream);
    checked += chain.length;
    const fault = verifyChain(chain);
    if (fault !== null) faults.push(fault);
    for (const change of listed) {
      const event = chain[change.stream_revision];
      if (event?.id === change.event_id && event.metadata.hash === change.hash) continue;
      faults.push({ stream, revision: change.stream_revision, event_id: change.event_id, why: 'NOT_IN_LOG' });
    }
  }
  return { verdict: faults.length === 0 ? 'VALID' : 'INVALID', streams: byStream.size, events: checked, faults };
}
