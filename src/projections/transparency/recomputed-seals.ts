import type { EventStore, ReadableEvent, StoredEvent } from '../../stores/event-store.ts';
import type { DocumentPut } from '../../stores/read-store.ts';
import type { ChainFault } from '../../trail/chain.ts';
import { isSealEventType, readSealEvent, sealStream } from '../../trail/seals/seal-events.ts';
import { recordChangeRows, sealChangeRow } from '../history/change-rows.ts';
import {
  checkedEvent,
  EVENTS_PER_READ,
  type ReadAllowance,
  type RecomputedEvent,
  toRecomputedEvent,
  withoutPosition,
} from '../history/recomputed-changes.ts';

/**
 * Recomputes the change rows of an organization's seal events from the log. Call `at` from the newest revision to the
 * oldest. A seal event doesn't depend on earlier ones, so only the needed events are read, in blocks of up to
 * EVENTS_PER_READ. Each block is checked against the one after it.
 */
export class RecomputedSeals {
  private readonly stream: string;
  /** The last block read: its first revision, its verified events, and the hash before it. */
  private block: { from: number; events: RecomputedEvent[]; previousHash: string | null } | null = null;
  fault: ChainFault | null = null;

  constructor(
    private readonly events: Pick<EventStore, 'readStream'>,
    private readonly allowance: ReadAllowance,
    organizationId: string,
  ) {
    this.stream = sealStream(organizationId);
  }

  /** Returns the event at a revision; null if there is none, or if it breaks the chain. */
  async at(revision: number): Promise<RecomputedEvent | null> {
    const { block } = this;
    const isInBlock = block !== null && revision >= block.from && revision < block.from + block.events.length;
    if (!isInBlock) await this.readBlock(revision);
    return this.block?.events[revision - this.block.from] ?? null;
  }

  /** Returns an event's full row, not only its digest. */
  async rowOf(revision: number): Promise<DocumentPut | null> {
    this.allowance.allow(1);
    const [event] = await this.events.readStream(this.stream, revision, 1);
    await this.allowance.recordRead(1);
    return event === undefined || event.data === null ? null : rowOfSeal(event);
  }

  private async readBlock(revision: number): Promise<void> {
    const limit = this.allowance.allow(Math.min(revision + 1, EVENTS_PER_READ));
    const from = revision - limit + 1;
    const events = await this.events.readStream(this.stream, from, limit);
    await this.allowance.recordRead(events.length);
    const hashBefore = events[0]?.metadata.previous_hash ?? null;
    let previous = from === 0 ? null : hashBefore;
    const verified: RecomputedEvent[] = [];
    for (const event of events) {
      const checked = checkedEvent(event, from + verified.length, previous);
      if ('why' in checked) return this.fail(event, checked.why, from, verified, hashBefore);
      previous = event.metadata.hash;
      verified.push(toRecomputedEvent(checked, [rowOfSeal(checked)]));
    }
    const last = events.at(-1);
    const isLinked = this.block?.from !== revision + 1 || this.block.previousHash === previous;
    if (last !== undefined && !isLinked) return this.fail(last, 'BROKEN_LINK', from, verified, hashBefore);
    this.block = { from, events: verified, previousHash: hashBefore };
  }

  private fail(
    { revision, id }: StoredEvent,
    why: ChainFault['why'],
    from: number,
    events: RecomputedEvent[],
    previousHash: string | null,
  ): void {
    this.fault ??= { stream: this.stream, revision, event_id: id, why };
    this.block = { from, events, previousHash };
  }
}

function rowOfSeal(event: ReadableEvent): DocumentPut {
  const isReadable = isSealEventType(event.type) && readSealEvent(event.type, event.data) !== null;
  // The digest leaves out position and log time.
  return isReadable
    ? sealChangeRow(withoutPosition(event))
    : recordChangeRows(withoutPosition(event), null, null, null)[0]!;
}
