import { RevisionConflict } from '../../stores/errors.ts';
import type { EventStore, StoredEvent, StorePosition, StreamBatch, UncheckedRow } from '../../stores/event-store.ts';
import { canonical } from '../../trail/canonical.ts';
import type { TrailEvent } from '../../trail/event.ts';
import { isAuthentic } from '../../trail/hash.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';
import { CommandError } from '../command.ts';

/** Limits of one batch, which has consecutive events of one stream. */
const MAX_EVENTS_PER_BATCH = 200;
const MAX_CHARACTERS_PER_BATCH = 250_000;
/** Limits of the batches that are appended at the same time. */
const MAX_BATCHES = 64;
const MAX_CHARACTERS = 1_000_000;

/** Appends a history in its order. Events that are already in the log are only compared. */
export class HistoryAppender {
  appended = 0;
  present = 0;
  private readonly existing: AsyncIterator<StoredEvent>;
  private atEnd = false;
  /** Batches to append, of which the last grows. */
  private batches: { events: TrailEvent[]; characters: number }[] = [];
  private characters = 0;
  private newest: StorePosition | null = null;

  /**
   * @param belongs returns true for events of the log that are part of this history
   * @param begin called once, before the first append
   */
  constructor(
    private readonly events: EventStore,
    belongs: (event: StoredEvent) => boolean,
    private readonly begin: () => Promise<void> = async () => undefined,
  ) {
    this.existing = eventsOf(events, belongs);
  }

  /** Compares or appends the next event. @throws CommandError if the log has another event in its place */
  async take(event: TrailEvent | UncheckedRow): Promise<void> {
    if (!this.atEnd) {
      const nextExisting = await this.existing.next();
      if (!nextExisting.done) return this.compare(nextExisting.value, event);
      this.atEnd = true;
    }
    if ('bytes' in event) {
      await this.flush();
      return this.append(1, async () => [await this.events.appendRow(event)]);
    }
    const size = JSON.stringify(event).length;
    const last = this.batches.at(-1);
    const isFull = this.batches.length >= MAX_BATCHES || this.characters + size > MAX_CHARACTERS;
    if (last !== undefined && canTake(last, event, size)) {
      last.events.push(event);
      last.characters += size;
    } else {
      if (isFull) await this.flush();
      this.batches.push({ events: [event], characters: size });
    }
    this.characters += size;
  }

  /** Appends the remaining events. Returns true if the log has more events of this history. */
  async end(): Promise<boolean> {
    await this.flush();
    return !this.atEnd && !(await this.existing.next()).done;
  }

  private compare(stored: StoredEvent, event: TrailEvent | UncheckedRow): void {
    if (stored.id !== event.id) {
      throw new CommandError(
        `The stores have another history: ${stored.id} instead of ${event.id}. Restore into stores without it.`,
      );
    }
    this.present += 1;
  }

  private async flush(): Promise<void> {
    const batches = this.batches.map(({ events }) => toStreamBatch(events));
    if (batches.length === 0) return;
    const count = batches.reduce((sum, { events }) => sum + events.length, 0);
    await this.append(count, () => this.send(batches));
    this.batches = [];
    this.characters = 0;
  }

  private async append(count: number, send: () => Promise<readonly StorePosition[]>): Promise<void> {
    if (this.appended === 0) await this.begin();
    try {
      this.checkOrder(await send());
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      throw new CommandError(`Another process writes to ${error.stream}. Stop it and run this again.`);
    }
    this.appended += count;
  }

  /**
   * Appends batches. The backup of a damaged log may have events whose hashes don't fit their content. The store refuses
   * those before it appends any, and they are then appended as they are.
   */
  private async send(batches: readonly StreamBatch[]): Promise<StorePosition[]> {
    try {
      return await this.events.appendInOrder(batches);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    const positions: StorePosition[] = [];
    for (const event of batches.flatMap(({ events }) => events)) {
      const { stream, revision } = event;
      positions.push(
        isAuthentic(nodeCrypto, event)
          ? await this.events.append(stream, [event], revision - 1)
          : await this.events.appendRow(toRow(event)),
      );
    }
    return positions;
  }

  /** @throws CommandError if the log doesn't have the batches in their order, so that positions and seals don't fit */
  private checkOrder(positions: readonly StorePosition[]): void {
    for (const position of positions) {
      if (this.newest !== null && this.events.compareStorePositions(position, this.newest) <= 0) {
        throw new CommandError('The event store changed the order of the events. Restore into empty stores.');
      }
      this.newest = position;
    }
  }
}

function canTake(batch: { events: TrailEvent[]; characters: number }, event: TrailEvent, size: number): boolean {
  return (
    batch.events[0]!.stream === event.stream &&
    batch.events.length < MAX_EVENTS_PER_BATCH &&
    batch.characters + size <= MAX_CHARACTERS_PER_BATCH
  );
}

function toStreamBatch(events: readonly TrailEvent[]): StreamBatch {
  const { stream, revision } = events[0]!;
  return { stream, events, expectedRevision: revision - 1 };
}

function toRow({ id, stream, revision, type, data, metadata }: TrailEvent): UncheckedRow {
  const bytes = { data: Buffer.from(canonical(data)), metadata: Buffer.from(canonical(metadata)) };
  return { id, stream, revision, type, bytes };
}

async function* eventsOf(events: EventStore, belongs: (event: StoredEvent) => boolean): AsyncGenerator<StoredEvent> {
  for await (const batch of events.readAll(null)) for (const event of batch) if (belongs(event)) yield event;
}
