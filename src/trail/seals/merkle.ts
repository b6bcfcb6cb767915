import { bytesOf, writeHex } from '../bytes.ts';
import type { TrailCrypto } from '../crypto.ts';

/**
 * The Merkle tree of RFC 9162 (2.1) with SHA-256. A tree of any size consists of perfect subtrees. A complete subtree
 * never changes, so its hash is stored as a node. All other hashes are computed from these nodes. Hashes are hex.
 */

/** A perfect subtree of 2^`level` leaves that begins at leaf `index` × 2^`level`. Level 0 is a leaf. */
export interface NodeId {
  level: number;
  index: number;
}

/** The leaves from `from` (inclusive) to `to` (exclusive). */
export interface Range {
  from: number;
  to: number;
}

/** Returns the hash of a complete node. */
export type NodeHash = (node: NodeId) => string;

/** Root of the tree without leaves: the SHA-256 of nothing. */
export const EMPTY_ROOT = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const HASH_LENGTH = EMPTY_ROOT.length;
/** A node's prefix 0x01 and space for its two children's hashes, for all nodes. */
const nodeBytes = new Uint8Array(65).fill(1);

/** Returns a leaf's hash: SHA-256(0x00 ‖ data). @param data in hex. In a log, it is an event's `hash` */
export function leafHash(crypto: TrailCrypto, data: string): string {
  return crypto.sha256(bytesOf(`00${data}`));
}

/** Returns an inner node's hash: SHA-256(0x01 ‖ left ‖ right). */
export function nodeHash(crypto: TrailCrypto, left: string, right: string): string {
  if (left.length !== HASH_LENGTH || right.length !== HASH_LENGTH) throw new RangeError('a hash has 32 bytes');
  writeHex(left, nodeBytes, 1);
  writeHex(right, nodeBytes, 33);
  return crypto.sha256(nodeBytes);
}

/**
 * A tree that grows leaf by leaf. It stores only its right edge: one hash for each 1 in its size's binary form.
 * `onComplete` is called for every node that becomes complete, leaves too.
 */
export class GrowingTree {
  /** Roots of the perfect subtrees that make up the tree, largest first. */
  private readonly edge: { level: number; hash: string }[] = [];
  private leaves = 0;

  constructor(
    private readonly crypto: TrailCrypto,
    private readonly onComplete?: (node: NodeId, hash: string) => void,
  ) {}

  /** Returns a tree of `size` leaves whose nodes are already stored. */
  static resume(
    crypto: TrailCrypto,
    size: number,
    node: NodeHash,
    onComplete?: (node: NodeId, hash: string) => void,
  ): GrowingTree {
    const tree = new GrowingTree(crypto, onComplete);
    for (const id of nodesOf({ from: 0, to: size })) tree.edge.push({ level: id.level, hash: node(id) });
    tree.leaves = size;
    return tree;
  }

  get size(): number {
    return this.leaves;
  }

  /** @param leaf in hex */
  append(leaf: string): void {
    let hash = leafHash(this.crypto, leaf);
    let level = 0;
    let index = this.leaves;
    this.onComplete?.({ level, index }, hash);
    while (this.edge.at(-1)?.level === level) {
      hash = nodeHash(this.crypto, this.edge.pop()!.hash, hash);
      level += 1;
      index = Math.floor(index / 2);
      this.onComplete?.({ level, index }, hash);
    }
    this.edge.push({ level, hash });
    this.leaves += 1;
  }

  root(): string {
    let root: string | null = null;
    for (const { hash } of [...this.edge].reverse()) root = root === null ? hash : nodeHash(this.crypto, hash, root);
    return root ?? EMPTY_ROOT;
  }
}

/** Returns the complete nodes that make up a range, from left to right. */
export function nodesOf({ from, to }: Range): NodeId[] {
  const nodes: NodeId[] = [];
  for (let start = from; start < to; ) {
    let width = 1;
    let level = 0;
    while (start % (width * 2) === 0 && start + width * 2 <= to) {
      width *= 2;
      level += 1;
    }
    nodes.push({ level, index: start / width });
    start += width;
  }
  return nodes;
}

/** Returns a range's hash, computed from its complete nodes. */
export function rangeHash(crypto: TrailCrypto, range: Range, node: NodeHash): string {
  const [last, ...others] = nodesOf(range).reverse().map(node);
  return others.reduce((right, left) => nodeHash(crypto, left, right), last ?? EMPTY_ROOT);
}

/**
 * Returns the subtrees whose hashes prove that leaf `index` is in the tree of `size` leaves, lowest first
 * (RFC 9162, 2.1.3.1).
 * @throws RangeError if the tree has no such leaf
 */
export function inclusionPath(index: number, size: number): Range[] {
  if (!(index >= 0 && index < size)) throw new RangeError(`leaf ${index} is not in a tree of ${size}`);
  const path: Range[] = [];
  let from = 0;
  let to = size;
  while (to - from > 1) {
    const split = from + largestPowerOfTwoBelow(to - from);
    if (index < split) {
      path.push({ from: split, to });
      to = split;
    } else {
      path.push({ from, to: split });
      from = split;
    }
  }
  return path.reverse();
}

/**
 * Returns the subtrees whose hashes prove that the tree of `newer` leaves begins with the tree of `older` leaves, lowest
 * first (RFC 9162, 2.1.4.1). Empty if both have the same size.
 * @throws RangeError if `older` is 0 or above `newer`
 */
export function consistencyPath(older: number, newer: number): Range[] {
  if (!(older > 0 && older <= newer)) throw new RangeError(`a tree of ${newer} does not begin with one of ${older}`);
  const path: Range[] = [];
  let from = 0;
  let to = newer;
  while (older !== to) {
    const split = from + largestPowerOfTwoBelow(to - from);
    if (older <= split) {
      path.push({ from: split, to });
      to = split;
    } else {
      path.push({ from, to: split });
      from = split;
    }
  }
  if (from > 0) path.push({ from, to });
  return path.reverse();
}

/** Returns the largest power of two below `width`. */
function largestPowerOfTwoBelow(width: number): number {
  let k = 1;
  while (k * 2 < width) k *= 2;
  return k;
}

/** Returns true if `path` shows that the tree has a leaf with this hash at this index (RFC 9162, 2.1.3.2). */
export function isIncluded(
  crypto: TrailCrypto,
  leaf: { index: number; hash: string },
  tree: { size: number; root: string },
  path: readonly string[],
): boolean {
  if (!(leaf.index >= 0 && leaf.index < tree.size)) return false;
  return climb(crypto, leaf, tree.size - 1, path)?.root === tree.root;
}

/** Returns true if `proof` shows that the newer tree begins with the older one (RFC 9162, 2.1.4.2). */
export function isConsistent(
  crypto: TrailCrypto,
  older: { size: number; root: string },
  newer: { size: number; root: string },
  proof: readonly string[],
): boolean {
  if (!(older.size > 0 && older.size <= newer.size)) return false;
  if (older.size === newer.size) return proof.length === 0 && older.root === newer.root;
  // Math.log2 rounds: above 2^48, the neighbours of a power of two get the same logarithm.
  const isPowerOfTwo = older.size === 2 ** Math.round(Math.log2(older.size));
  const [first, ...path] = isPowerOfTwo ? [older.root, ...proof] : proof;
  if (first === undefined) return false;
  let index = older.size - 1;
  let last = newer.size - 1;
  while (index % 2 === 1) {
    index = halve(index);
    last = halve(last);
  }
  const result = climb(crypto, { index, hash: first }, last, path);
  return result?.left === older.root && result.root === newer.root;
}

/**
 * Hashes a path's subtrees from a node up to the root. Returns the `root`. `left` is the hash
 * without the siblings to the right. Null if the path is too long or too short.
 * @param last the last index of the node's level
 */
function climb(
  crypto: TrailCrypto,
  from: { index: number; hash: string },
  last: number,
  path: readonly string[],
): { left: string; root: string } | null {
  let { index, hash: left } = from;
  let root = left;
  for (const sibling of path) {
    if (last === 0) return null;
    if (index % 2 === 1 || index === last) {
      left = nodeHash(crypto, sibling, left);
      root = nodeHash(crypto, sibling, root);
      while (index % 2 === 0 && index !== 0) {
        index = halve(index);
        last = halve(last);
      }
    } else root = nodeHash(crypto, root, sibling);
    index = halve(index);
    last = halve(last);
  }
  return last === 0 ? { left, root } : null;
}

const halve = (n: number): number => Math.floor(n / 2);
