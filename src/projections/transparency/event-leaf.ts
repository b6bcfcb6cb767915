import type { StoredEvent } from '../../stores/event-store.ts';
import { eventHash } from '../../trail/hash.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';

/** Stands for an event that has no hash. No event has this one. */
const NO_HASH = '0'.repeat(64);

/**
 * Returns an event's leaf in its organization's Merkle tree: its `hash`, as the log states it. If the event can't be read
 * and its row no longer shows a hash, the store has given it another (see UnreadableRow).
 */
export function statedLeaf({ metadata }: StoredEvent): string {
  return metadata.hash;
}

/**
 * Returns an event's leaf, computed again from its content. It differs from the stated one if the event was altered.
 * Its data may be altered all the same: the leaf only contains their hash. An event that can't be read keeps its stated
 * leaf, because sealing goes on after it.
 */
export function recomputedLeaf(event: StoredEvent): string {
  if (event.data === null) return statedLeaf(event);
  try {
    return eventHash(nodeCrypto, event);
  } catch {
    // An event without a canonical form can't have been hashed.
    return NO_HASH;
  }
}
