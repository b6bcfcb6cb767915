import { GrowingTree } from './merkle.ts';

/** So many leaves a seal may lie behind the event that holds it. */
export const MAX_SEAL_LAG_EVENTS = 65_536;

const HASH_BYTES = 32;

/** By size of a tree, what is to be told its root and how many of its events are no seals. */
export type WatchedSizes = ReadonlyMap<number, (root: Buffer, others: number) => void>;

/**
 * An organization's tree, grown a little behind the log: a seal stands some way behind what it covers, so the newest
 * leaves wait until it is known which of them the next seal takes in.
 */
export class TreeWindow {
  private readonly tree = new GrowingTree();
  private readonly waiting = Buffer.alloc(MAX_SEAL_LAG_EVENTS * HASH_BYTES);
  private readonly isSealEvent = new Uint8Array(MAX_SEAL_LAG_EVENTS);
  private total = 0;
  private nonSealTotal = 0;
  private nonSealInTree = 0;

  /** @param watched told the root at these sizes as the tree passes them */
  constructor(private readonly watched: WatchedSizes = new Map()) {}

  /** Events so far. */
  get size(): number {
    return this.total;
  }

  /** Events so far, those of the seal stream apart: all, and those that the tree has taken in. */
  get nonSealEvents(): { all: number; inTree: number } {
    return { all: this.nonSealTotal, inTree: this.nonSealInTree };
  }

  /** Adds the next event's `hash`. */
  add(hash: Buffer, isOfSeals: boolean): void {
    if (this.total - this.tree.size === MAX_SEAL_LAG_EVENTS) this.growByOne();
    const place = this.total % MAX_SEAL_LAG_EVENTS;
    this.waiting.set(hash, place * HASH_BYTES);
    this.isSealEvent[place] = isOfSeals ? 1 : 0;
    this.total += 1;
    if (!isOfSeals) this.nonSealTotal += 1;
  }

  /** The root over the first `size` events; null where the tree has grown past that. */
  rootAt(size: number): Buffer | null {
    if (size < this.tree.size) return null;
    while (this.tree.size < size) this.growByOne();
    return this.tree.root();
  }

  private growByOne(): void {
    const place = this.tree.size % MAX_SEAL_LAG_EVENTS;
    if (this.isSealEvent[place] === 0) this.nonSealInTree += 1;
    this.tree.append(this.waiting.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES));
    this.watched.get(this.tree.size)?.(this.tree.root(), this.nonSealInTree);
  }
}
