import { toHex, writeHex } from '../bytes.ts';
import type { TrailCrypto } from '../crypto.ts';
import { GrowingTree } from './merkle.ts';

/** A seal further behind the event that holds it than this many events isn't checked. */
export const MAX_SEAL_LAG_EVENTS = 65_536;

const HASH_BYTES = 32;

/** Listeners by tree size. Each is called with the root at that size and the number of events outside the seal stream. */
export type SizeListeners = ReadonlyMap<number, (root: string, nonSealEvents: number) => void>;

/**
 * An organization's Merkle tree, which lags behind the log. A seal is appended some events after those that it covers. So
 * the newest leaves wait until the next seal says how many of them it covers.
 */
export class TreeWindow {
  private readonly tree: GrowingTree;
  private readonly waiting = new Uint8Array(MAX_SEAL_LAG_EVENTS * HASH_BYTES);
  private readonly isSealEvent = new Uint8Array(MAX_SEAL_LAG_EVENTS);
  private total = 0;
  private nonSealTotal = 0;
  private nonSealInTree = 0;

  /** @param sizeListeners called when the tree reaches their sizes */
  constructor(
    crypto: TrailCrypto,
    private readonly sizeListeners: SizeListeners = new Map(),
  ) {
    this.tree = new GrowingTree(crypto);
  }

  /** The number of events so far. */
  get size(): number {
    return this.total;
  }

  /** The number of events outside the seal stream: in total, and in the tree. */
  get nonSealEvents(): { total: number; inTree: number } {
    return { total: this.nonSealTotal, inTree: this.nonSealInTree };
  }

  /** Adds the next event's `hash`. */
  add(hash: string, inSealStream: boolean): void {
    if (this.total - this.tree.size === MAX_SEAL_LAG_EVENTS) this.growByOne();
    const slot = this.total % MAX_SEAL_LAG_EVENTS;
    writeHex(hash, this.waiting, slot * HASH_BYTES);
    this.isSealEvent[slot] = inSealStream ? 1 : 0;
    this.total += 1;
    if (!inSealStream) this.nonSealTotal += 1;
  }

  /** Returns the root over the first `size` events. Null if the tree has grown past that. */
  rootAt(size: number): string | null {
    if (size < this.tree.size) return null;
    while (this.tree.size < size) this.growByOne();
    return this.tree.root();
  }

  private growByOne(): void {
    const slot = this.tree.size % MAX_SEAL_LAG_EVENTS;
    if (this.isSealEvent[slot] === 0) this.nonSealInTree += 1;
    this.tree.append(toHex(this.waiting.subarray(slot * HASH_BYTES, (slot + 1) * HASH_BYTES)));
    this.sizeListeners.get(this.tree.size)?.(this.tree.root(), this.nonSealInTree);
  }
}
