import { hash as digestOf } from 'node:crypto';

/**
 * The Merkle tree of RFC 9162 (2.1) with SHA-256. A tree over any number of leaves is made of perfect subtrees; those
 * that are complete never change, so they are kept as nodes and everything else is hashed from them.
 */

/** A perfect subtree: the leaves from `index` × 2^`level` on, 2^`level` of them. Level 0 is a leaf's hash. */
export interface NodeId {
  level: number;
  index: number;
}

/** The leaves from `from` on and before `to`: a subtree of some tree that holds them. */
export interface Range {
  from: number;
  to: number;
}

/** Gives the hash (32 bytes) of a complete node. */
export type NodeHash = (node: NodeId) => Buffer;

/** What marks an inner node, and room for its two halves: filled and hashed at once, again and again. */
const nodeBuffer = Buffer.alloc(65, 1);
/** The same for a leaf of 32 bytes, as all of ours are. */
const leafBuffer = Buffer.alloc(33, 0);
const LEAF_PREFIX = Buffer.of(0);

/** Root of the tree without leaves: the hash of nothing. */
export const EMPTY_ROOT: Buffer = digestOf('sha256', '', 'buffer');

/** A hash as a text of a byte a character: made and kept at half of what a buffer costs. */
type HashText = string;

const digest = (bytes: Buffer): HashText => digestOf('sha256', bytes, 'binary');
/** Out of the pool, and not as memory of its own that must be given back. */
const bytesOf = (hash: HashText): Buffer => Buffer.from(hash, 'latin1');

function leafText(data: Buffer): HashText {
  if (data.length !== 32) return digest(Buffer.concat([LEAF_PREFIX, data]));
  leafBuffer.set(data, 1);
  return digest(leafBuffer);
}

function nodeText(left: HashText, right: HashText): HashText {
  nodeBuffer.write(left, 1, 'latin1');
  nodeBuffer.write(right, 33, 'latin1');
  return digest(nodeBuffer);
}

/** A leaf's hash: SHA-256(0x00 ‖ data). */
export function leafHash(data: Buffer): Buffer {
  return bytesOf(leafText(data));
}

/** An inner node's hash: SHA-256(0x01 ‖ left ‖ right). */
export function nodeHash(left: Buffer, right: Buffer): Buffer {
  if (left.length !== 32 || right.length !== 32) throw new RangeError('a hash has 32 bytes');
  nodeBuffer.set(left, 1);
  nodeBuffer.set(right, 33);
  return bytesOf(digest(nodeBuffer));
}

/**
 * A tree that grows leaf by leaf and remembers only its right edge: one hash for each binary digit of its size.
 * `complete` is told every node as it becomes complete, leaves too.
 */
export class GrowingTree {
  /** Roots of the perfect subtrees that make up the tree, the largest first. */
  private readonly edge: { level: number; hash: HashText }[] = [];
  private leaves = 0;

  constructor(private readonly onComplete?: (node: NodeId, hash: Buffer) => void) {}

  /** A tree of `size` leaves, of which the nodes are kept elsewhere. */
  static resume(size: number, node: NodeHash, complete?: (node: NodeId, hash: Buffer) => void): GrowingTree {
    const tree = new GrowingTree(complete);
    for (const id of nodesOf({ from: 0, to: size })) {
      tree.edge.push({ level: id.level, hash: node(id).toString('latin1') });
    }
    tree.leaves = size;
    return tree;
  }

  get size(): number {
    return this.leaves;
  }

  append(leaf: Buffer): void {
    let hash = leafText(leaf);
    let level = 0;
    let index = this.leaves;
    this.onComplete?.({ level, index }, bytesOf(hash));
    while (this.edge.at(-1)?.level === level) {
      hash = nodeText(this.edge.pop()!.hash, hash);
      level += 1;
      index = Math.floor(index / 2);
      this.onComplete?.({ level, index }, bytesOf(hash));
    }
    this.edge.push({ level, hash });
    this.leaves += 1;
  }

  root(): Buffer {
    let whole: HashText | null = null;
    for (const { hash } of [...this.edge].reverse()) whole = whole === null ? hash : nodeText(hash, whole);
    return whole === null ? EMPTY_ROOT : bytesOf(whole);
  }
}

/** The complete nodes that a range is made of, from left to right. */
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

/** A range's hash, from the complete nodes in it. */
export function rangeHash(range: Range, node: NodeHash): Buffer {
  return (
    nodesOf(range).reduceRight<Buffer | null>((right, id) => (right ? nodeHash(node(id), right) : node(id)), null) ??
    EMPTY_ROOT
  );
}

/**
 * The subtrees whose hashes prove that leaf `index` is in the tree of `size` leaves, lowest first (RFC 9162, 2.1.3.1).
 * @throws RangeError when it is not
 */
export function inclusionPath(index: number, size: number): Range[] {
  if (!(index >= 0 && index < size)) throw new RangeError(`leaf ${index} is not in a tree of ${size}`);
  const path: Range[] = [];
  let from = 0;
  let to = size;
  while (to - from > 1) {
    const middle = from + largestPowerOfTwoBelow(to - from);
    if (index < middle) {
      path.push({ from: middle, to });
      to = middle;
    } else {
      path.push({ from, to: middle });
      from = middle;
    }
  }
  return path.reverse();
}

/**
 * The subtrees whose hashes prove that the tree of `older` leaves is the beginning of the one of `newer`, lowest first
 * (RFC 9162, 2.1.4.1). Empty where the two are one.
 * @throws RangeError when `older` is 0 or above `newer`
 */
export function consistencyPath(older: number, newer: number): Range[] {
  if (!(older > 0 && older <= newer)) throw new RangeError(`a tree of ${older} is no beginning of one of ${newer}`);
  const path: Range[] = [];
  let from = 0;
  let to = newer;
  while (older !== to) {
    const middle = from + largestPowerOfTwoBelow(to - from);
    if (older <= middle) {
      path.push({ from: middle, to });
      to = middle;
    } else {
      path.push({ from, to: middle });
      from = middle;
    }
  }
  if (from > 0) path.push({ from, to });
  return path.reverse();
}

/** Largest power of two below `width`. */
function largestPowerOfTwoBelow(width: number): number {
  let k = 1;
  while (k * 2 < width) k *= 2;
  return k;
}

/** Whether `proof` shows that the leaf with this hash is at `index` of the tree with this root (RFC 9162, 2.1.3.2). */
export function isIncluded(leaf: Buffer, index: number, size: number, proof: readonly Buffer[], root: Buffer): boolean {
  if (!(index >= 0 && index < size)) return false;
  const climbed = climb(leaf, index, size - 1, proof);
  return climbed?.whole.equals(root) === true;
}

/** Whether `proof` shows that the newer tree begins with the older one (RFC 9162, 2.1.4.2). */
export function isConsistent(
  older: { size: number; root: Buffer },
  newer: { size: number; root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (!(older.size > 0 && older.size <= newer.size)) return false;
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root);
  // A logarithm is rounded: above 2^48 those beside a power of two have its own.
  const isPowerOfTwo = older.size === 2 ** Math.round(Math.log2(older.size));
  const [first, ...path] = isPowerOfTwo ? [older.root, ...proof] : proof;
  if (first === undefined) return false;
  let place = older.size - 1;
  let last = newer.size - 1;
  while (place % 2 === 1) {
    place = half(place);
    last = half(last);
  }
  const climbed = climb(first, place, last, path);
  return climbed?.left.equals(older.root) === true && climbed.whole.equals(newer.root);
}

/**
 * Hashes a path's subtrees from the node at `place` of a level up to the root; `last` is the level's last place. `left` takes
 * in only those that stand left of it. Null where the path is too long or too short.
 */
function climb(
  from: Buffer,
  place: number,
  last: number,
  path: readonly Buffer[],
): { left: Buffer; whole: Buffer } | null {
  let left = from;
  let whole = from;
  for (const other of path) {
    if (last === 0) return null;
    if (place % 2 === 1 || place === last) {
      left = nodeHash(other, left);
      whole = nodeHash(other, whole);
      while (place % 2 === 0 && place !== 0) {
        place = half(place);
        last = half(last);
      }
    } else whole = nodeHash(whole, other);
    place = half(place);
    last = half(last);
  }
  return last === 0 ? { left, whole } : null;
}

const half = (n: number): number => Math.floor(n / 2);
