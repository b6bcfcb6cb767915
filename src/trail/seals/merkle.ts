import { hash as digestOf } from 'node:crypto';

/**
 * The Merkle tree of RFC 9162 (2.1) with SHA-256. A tree of any size consists of perfect subtrees. A complete subtree
 * never changes, so its hash is stored as a node. All other hashes are computed from these nodes.
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

/** Returns the hash (32 bytes) of a complete node. */
export type NodeHash = (node: NodeId) => Buffer;

/** A node's prefix 0x01 and space for its two children's hashes. One buffer is reused for all nodes. */
const nodeBuffer = Buffer.alloc(65, 1);
/** A leaf's prefix 0x00 and space for its 32 bytes, the length of all leaves in a log. */
const leafBuffer = Buffer.alloc(33, 0);
const LEAF_PREFIX = Buffer.of(0);

/** Root of the tree without leaves: the hash of nothing. */
export const EMPTY_ROOT: Buffer = digestOf('sha256', '', 'buffer');

/** A hash as text, one character a byte. Costs half of a buffer's time and memory. */
type HashText = string;

const digest = (bytes: Buffer): HashText => digestOf('sha256', bytes, 'binary');
/** Returns a hash as bytes from Node's buffer pool, which saves an allocation for each hash. */
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

/** Returns a leaf's hash: SHA-256(0x00 ‖ data). */
export function leafHash(data: Buffer): Buffer {
  return bytesOf(leafText(data));
}

/** Returns an inner node's hash: SHA-256(0x01 ‖ left ‖ right). */
export function nodeHash(left: Buffer, right: Buffer): Buffer {
  if (left.length !== 32 || right.length !== 32) throw new RangeError('a hash has 32 bytes');
  nodeBuffer.set(left, 1);
  nodeBuffer.set(right, 33);
  return bytesOf(digest(nodeBuffer));
}

/**
 * A tree that grows leaf by leaf. It stores only its right edge: one hash for each 1 in its size's binary form.
 * `onComplete` is called for every node that becomes complete, leaves too.
 */
export class GrowingTree {
  /** Roots of the perfect subtrees that make up the tree, largest first. */
  private readonly edge: { level: number; hash: HashText }[] = [];
  private leaves = 0;

  constructor(private readonly onComplete?: (node: NodeId, hash: Buffer) => void) {}

  /** Returns a tree of `size` leaves whose nodes are already stored. */
  static resume(size: number, node: NodeHash, onComplete?: (node: NodeId, hash: Buffer) => void): GrowingTree {
    const tree = new GrowingTree(onComplete);
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
    let root: HashText | null = null;
    for (const { hash } of [...this.edge].reverse()) root = root === null ? hash : nodeText(hash, root);
    return root === null ? EMPTY_ROOT : bytesOf(root);
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
export function rangeHash(range: Range, node: NodeHash): Buffer {
  return (
    nodesOf(range).reduceRight<Buffer | null>((right, id) => (right ? nodeHash(node(id), right) : node(id)), null) ??
    EMPTY_ROOT
  );
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

/** Returns the largest power of two below `width`. */
function largestPowerOfTwoBelow(width: number): number {
  let k = 1;
  while (k * 2 < width) k *= 2;
  return k;
}

/** Returns true if `proof` shows that this leaf is at `index` of the tree with this root (RFC 9162, 2.1.3.2). */
export function isIncluded(leaf: Buffer, index: number, size: number, proof: readonly Buffer[], root: Buffer): boolean {
  if (!(index >= 0 && index < size)) return false;
  const result = climb(leaf, index, size - 1, proof);
  return result?.root.equals(root) === true;
}

/** Returns true if `proof` shows that the newer tree begins with the older one (RFC 9162, 2.1.4.2). */
export function isConsistent(
  older: { size: number; root: Buffer },
  newer: { size: number; root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (!(older.size > 0 && older.size <= newer.size)) return false;
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root);
  // Math.log2 rounds: above 2^48, the neighbours of a power of two get the same logarithm.
  const isPowerOfTwo = older.size === 2 ** Math.round(Math.log2(older.size));
  const [first, ...path] = isPowerOfTwo ? [older.root, ...proof] : proof;
  if (first === undefined) return false;
  let index = older.size - 1;
  let last = newer.size - 1;
  while (index % 2 === 1) {
    index = half(index);
    last = half(last);
  }
  const result = climb(first, index, last, path);
  return result?.left.equals(older.root) === true && result.root.equals(newer.root);
}

/**
 * Hashes a path's subtrees from the node at `index` of a level up to the root. Returns the `root`. `left` is the hash
 * without the siblings to the right. Null if the path is too long or too short.
 * @param last the level's last index
 */
function climb(
  from: Buffer,
  index: number,
  last: number,
  path: readonly Buffer[],
): { left: Buffer; root: Buffer } | null {
  let left = from;
  let root = from;
  for (const sibling of path) {
    if (last === 0) return null;
    if (index % 2 === 1 || index === last) {
      left = nodeHash(sibling, left);
      root = nodeHash(sibling, root);
      while (index % 2 === 0 && index !== 0) {
        index = half(index);
        last = half(last);
      }
    } else root = nodeHash(root, sibling);
    index = half(index);
    last = half(last);
  }
  return last === 0 ? { left, root } : null;
}

const half = (n: number): number => Math.floor(n / 2);
