import type { EventStore, StoredEvent } from '../stores/event-store.ts';
import type { DocumentPut } from '../stores/read-store.ts';
import { type ChainFault, linkFault } from '../trail/chain.ts';
import { isSealEventType, readSealEvent, sealStream } from '../trail/seal-events.ts';
import { recordChangeRows, sealChangeRow } from './change-rows.ts';
import { EVENTS_PER_READ, type ReadAllowance, type RecomputedEvent, toRecomputedEvent } from './recomputed-changes.ts';

/**
 * Makes the change rows of an organization's seal events from the log, the newest first. A seal event doesn't depend on
 * earlier ones, so only the events that are needed are read. Each block is checked against the one after it.
 */
export class RecomputedSeals {
  private readonly stream: string;
  /** The last block that was read, and its first revision. */
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

  /** Returns an event's whole row. */
  async rowOf(revision: number): Promise<DocumentPut | null> {
    this.allowance.ask(1);
    const [event] = await this.events.readStream(this.stream, revision, 1);
    await this.allowance.read(1);
    return event === undefined ? null : rowOfSeal(event);
  }

  private async readBlock(revision: number): Promise<void> {
    const limit = this.allowance.ask(Math.min(revision + 1, EVENTS_PER_READ));
    const from = revision - limit + 1;
    const events = await this.events.readStream(this.stream, from, limit);
    await this.allowance.read(events.length);
    const first = events[0]?.metadata.previous_hash ?? null;
    let previous = from === 0 ? null : first;
    const good: RecomputedEvent[] = [];
    for (const event of events) {
      const why = linkFault(event, from + good.length, previous);
      if (why !== null) return this.fail(event, why, from, good, first);
      previous = event.metadata.hash;
      good.push(toRecomputedEvent(event, [rowOfSeal(event)]));
    }
    const last = events.at(-1);
    const isLinked = this.block?.from !== revision + 1 || this.block.previousHash === previous;
    if (last !== undefined && !isLinked) return this.fail(last, 'BROKEN_LINK', from, good, first);
    this.block = { from, events: good, previousHash: first };
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

function rowOfSeal(event: StoredEvent): DocumentPut {
  const isKnown = isSealEventType(event.type) && readSealEvent(event.type, event.data) !== null;
  return isKnown ? sealChangeRow(event, 0, '') : recordChangeRows(event, 0, '', null, null, null)[0]!;
}
