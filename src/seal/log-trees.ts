import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { AppliedLeaf, AppliedLeaves } from '../projections/transparency/applied-leaves.ts';
import { recomputedLeaf } from '../projections/transparency/event-leaf.ts';
import type { EventStore, StorePosition } from '../stores/event-store.ts';
import type { GrowingTree } from '../trail/seals/merkle.ts';

/** A tree takes about 2 KB. An organization whose tree was dropped costs one more reading of the log. */
const MAX_TREES = 5_000;

/** An organization's Merkle tree, grown from the log's own events. */
interface LogTree {
  readonly tree: GrowingTree;
  /** All the organization's events up to here are in the tree. Null: it is empty. */
  place: StorePosition | null;
  /** The store position of its last event. Null: it is empty. */
  lastEvent: StorePosition | null;
  /** True while received leaves let it grow. Otherwise it is behind, and reads the log from its place. */
  isCurrent: boolean;
}

/** Merkle trees by organization that hold what the log says. The sealer compares the read models with them. */
export class LogTrees {
  private readonly trees = new LRUCache<string, LogTree>({ max: MAX_TREES });
  /** Leaves up to here have been received. Null before the first ones. */
  private receivedUpTo: StorePosition | null = null;

  constructor(private readonly events: Pick<EventStore, 'readAll' | 'compareStorePositions'>) {}

  /** Returns an organization's tree as it has grown so far; null if it has none. */
  get(organizationId: string): Readonly<Pick<LogTree, 'tree' | 'lastEvent'>> | null {
    return this.trees.get(organizationId) ?? null;
  }

  /** Adds a tree that has all the organization's events up to a store position. */
  set(organizationId: string, tree: GrowingTree, place: StorePosition | null): void {
    this.trees.set(organizationId, { tree, place, lastEvent: place, isCurrent: false });
  }

  delete(organizationId: string): void {
    this.trees.delete(organizationId);
  }

  /** Lets current trees grow by the events that the projections of this instance have read. */
  receive({ after, upTo, leaves }: AppliedLeaves): void {
    const known = this.receivedUpTo;
    if (known !== null && this.isUpTo(upTo, known)) return;
    // Leaves are missing, for example because another instance has led the projections meanwhile.
    const hasGap = known !== null && (after === null || !this.isUpTo(after, known));
    if (hasGap) this.endCurrent(known);
    for (const leaf of leaves) {
      const tree = this.trees.get(leaf.organizationId);
      if (tree?.isCurrent) this.append(tree, leaf);
    }
    this.receivedUpTo = upTo;
  }

  /**
   * Lets trees grow to a store position at least. Current ones have done so. All others read the log, in one pass.
   * @param upTo the store position of an event that the read models have
   */
  async catchUp(organizationIds: readonly string[], upTo: StorePosition): Promise<void> {
    const known = this.receivedUpTo;
    if (known !== null && !this.isUpTo(upTo, known)) this.endCurrent(known);
    const behind = this.treesBehind(organizationIds, upTo);
    if (behind.size === 0) return;
    for await (const events of this.events.readAll(this.earliestPlace(behind.values()))) {
      for (const event of events) {
        const { storePosition } = event;
        const tree = behind.get(event.metadata.organization_id);
        if (tree !== undefined) this.append(tree, { storePosition, leaf: recomputedLeaf(event) });
        // In one turn, so that no leaves are received in between.
        if (this.isFarEnough(storePosition, upTo)) return this.settleAll(behind.values(), storePosition);
      }
      // Embedded stores answer at once, so without this the whole reading would be one turn of the event loop.
      await nextTurn();
    }
  }

  private treesBehind(organizationIds: readonly string[], upTo: StorePosition): Map<string, LogTree> {
    const behind = new Map<string, LogTree>();
    for (const id of organizationIds) {
      const tree = this.trees.get(id);
      if (tree === undefined || tree.isCurrent) continue;
      if (tree.place !== null && this.isFarEnough(tree.place, upTo)) this.settleAll([tree], tree.place);
      else behind.set(id, tree);
    }
    return behind;
  }

  /** Returns true if a place is at `upTo` or after it, and no later leaves have been received. */
  private isFarEnough(place: StorePosition, upTo: StorePosition): boolean {
    return this.isUpTo(upTo, place) && (this.receivedUpTo === null || this.isUpTo(this.receivedUpTo, place));
  }

  /** Notes that trees have all their events up to `place`, which is far enough. */
  private settleAll(trees: Iterable<LogTree>, place: StorePosition): void {
    for (const tree of trees) {
      if (tree.place === null || this.isUpTo(tree.place, place)) tree.place = place;
      tree.isCurrent = this.receivedUpTo !== null;
    }
  }

  private append(tree: LogTree, { storePosition, leaf }: Pick<AppliedLeaf, 'storePosition' | 'leaf'>): void {
    if (tree.place !== null && this.isUpTo(storePosition, tree.place)) return;
    tree.tree.append(leaf);
    tree.place = storePosition;
    tree.lastEvent = storePosition;
  }

  /** Lets current trees read the log from the last leaves that were received. */
  private endCurrent(receivedUpTo: StorePosition): void {
    const current = [...this.trees.values()].filter(({ isCurrent }) => isCurrent);
    this.settleAll(current, receivedUpTo);
    for (const tree of current) tree.isCurrent = false;
  }

  private earliestPlace(trees: Iterable<LogTree>): StorePosition | null {
    const places = [...trees].map(({ place }) => place);
    return places.reduce((a, b) => (a === null || b === null ? null : this.isUpTo(a, b) ? a : b));
  }

  private isUpTo(a: StorePosition, b: StorePosition): boolean {
    return this.events.compareStorePositions(a, b) <= 0;
  }
}
