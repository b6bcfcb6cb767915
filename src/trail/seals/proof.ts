import type { TrailCrypto } from '../crypto.ts';
import {
  consistencyPath,
  inclusionPath,
  isConsistent,
  isIncluded,
  leafHash,
  type NodeHash,
  type Range,
  rangeHash,
} from './merkle.ts';
import { isHash, type TreeHead } from './seal-events.ts';

/** Proves that a tree head covers an event. Hashes are hex. */
export interface InclusionProof {
  /** The event's position, from 1. */
  position: number;
  /** Size of the tree. */
  size: number;
  /** Hashes from the leaf's sibling up to a child of the root (RFC 9162, 2.1.3). */
  path: string[];
}

/** Proves that the log of a newer tree head begins with the log of an older one. */
export interface ConsistencyProof {
  older: number;
  newer: number;
  /** Hashes as in RFC 9162, 2.1.4. */
  path: string[];
}

/** Returns the proof that an event is in the tree of `size` events. @throws RangeError if it isn't */
export function inclusionProof(crypto: TrailCrypto, position: number, size: number, node: NodeHash): InclusionProof {
  return { position, size, path: hashesOf(crypto, inclusionPath(position - 1, size), node) };
}

/** Returns the proof between two tree sizes. @throws RangeError if `older` is 0 or above `newer` */
export function consistencyProof(crypto: TrailCrypto, older: number, newer: number, node: NodeHash): ConsistencyProof {
  return { older, newer, path: hashesOf(crypto, consistencyPath(older, newer), node) };
}

function hashesOf(crypto: TrailCrypto, ranges: readonly Range[], node: NodeHash): string[] {
  return ranges.map((range) => rangeHash(crypto, range, node));
}

/** Returns true if a proof shows that the event with this `hash` is at the proof's position in the log with this head. */
export function provesInclusion(crypto: TrailCrypto, proof: InclusionProof, hash: string, head: TreeHead): boolean {
  if (![hash, head.root, ...proof.path].every(isHash) || proof.size !== head.size) return false;
  return isIncluded(crypto, { hash: leafHash(crypto, hash), index: proof.position - 1 }, head, proof.path);
}

/** Returns true if a proof shows that the newer log begins with the older one. */
export function provesConsistency(
  crypto: TrailCrypto,
  proof: ConsistencyProof,
  older: TreeHead,
  newer: TreeHead,
): boolean {
  if (![older.root, newer.root, ...proof.path].every(isHash)) return false;
  if (proof.older !== older.size || proof.newer !== newer.size) return false;
  return isConsistent(crypto, older, newer, proof.path);
}
