import type { TrailEvent } from '../../trail/event.ts';
import { eventHash } from '../../trail/hash.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';

/** Stands for an event that has no hash. No event has this one. */
const NO_HASH = '0'.repeat(64);

/** Returns an event's leaf in its organization's Merkle tree: its `hash`, as the log states it. */
export function statedLeaf({ metadata }: TrailEvent): string {
  return metadata.hash;
}

/**
 * Returns an event's leaf, computed again from its content. It differs from the stated one if the event was altered.
 * Its data may be altered all the same: the leaf only contains their hash.
 */
export function recomputedLeaf(event: TrailEvent): string {
  try {
    return eventHash(nodeCrypto, event);
  } catch {
    // An event without a canonical form can't have been hashed.
    return NO_HASH;
  }
}
