import { GrowingTree } from './merkle.ts';

/** So many leaves a seal may lie behind the event that holds it. */
export const WINDOW = 65_536;

const HASH = 32;

/** By size of a tree, what is to be told its root and how many of its events are no seals. */
export type Watched = ReadonlyMap<number, (root: Buffer, others: number) => void>;

/**
 * An organization's tree, grown a little behind the log: a seal stands some way behind what it covers, so the newest
 * leaves wait until it is known which of them the next seal takes in.
 */
export class TreeWindow {
  private readonly tree = new GrowingTree();
  private readonly waiting = Buffer.alloc(WINDOW * HASH);
  private readonly ofSeals = new Uint8Array(WINDOW);
  private total = 0;
  private allOthers = 0;
  private grownOthers = 0;

  /** @param watched told the root at these sizes as the tree passes them */
  constructor(private readonly watched: Watched = new Map()) {}

  /** Events so far. */
  get size(): number {
    return this.total;
  }

  /** Events so far, those of the seal stream apart: all, and those that the tree has taken in. */
  get others(): { all: number; grown: number } {
    return { all: this.allOthers, grown: this.grownOthers };
  }

  /** Adds the next event's `hash`. */
  add(hash: Buffer, isOfSeals: boolean): void {
    if (this.total - this.tree.size === WINDOW) this.take();
    const place = this.total % WINDOW;
    this.waiting.set(hash, place * HASH);
    this.ofSeals[place] = isOfSeals ? 1 : 0;
    this.total += 1;
    if (!isOfSeals) this.allOthers += 1;
  }

  /** The root over the first `size` events; null where the tree has grown past that. */
  rootAt(size: number): Buffer | null {
    if (size < this.tree.size) return null;
    while (this.tree.size < size) this.take();
    return this.tree.root();
  }

  private take(): void {
    const place = this.tree.size % WINDOW;
    if (this.ofSeals[place] === 0) this.grownOthers += 1;
    this.tree.append(this.waiting.subarray(place * HASH, (place + 1) * HASH));
    this.watched.get(this.tree.size)?.(this.tree.root(), this.grownOthers);
  }
}
