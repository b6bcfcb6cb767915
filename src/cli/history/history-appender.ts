import { RevisionConflict } from '../../stores/errors.ts';
import type { EventStore, StoredEvent } from '../../stores/event-store.ts';
import type { TrailEvent } from '../../trail/event.ts';
import { CommandError } from '../command.ts';

/** Limits of one append, which has consecutive events of one stream. */
const MAX_EVENTS_PER_APPEND = 200;
const MAX_CHARACTERS_PER_APPEND = 250_000;

/** Appends a history in its order. Events that are already in the log are only compared. */
export class HistoryAppender {
  appended = 0;
  present = 0;
  private readonly existing: AsyncIterator<StoredEvent>;
  private atEnd = false;
  private group: TrailEvent[] = [];
  private characters = 0;

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
  async take(event: TrailEvent): Promise<void> {
    if (!this.atEnd) {
      const nextExisting = await this.existing.next();
      if (!nextExisting.done) return this.compare(nextExisting.value, event);
      this.atEnd = true;
    }
    const size = JSON.stringify(event).length;
    const isFull = this.group.length >= MAX_EVENTS_PER_APPEND || this.characters + size > MAX_CHARACTERS_PER_APPEND;
    if (isFull || (this.group[0] && this.group[0].stream !== event.stream)) await this.flush();
    this.group.push(event);
    this.characters += size;
  }

  /** Appends the remaining events. Returns true if the log has more events of this history. */
  async end(): Promise<boolean> {
    await this.flush();
    return !this.atEnd && !(await this.existing.next()).done;
  }

  private compare(stored: StoredEvent, event: TrailEvent): void {
    if (stored.id !== event.id) {
      throw new CommandError(
        `The stores have another history: ${stored.id} instead of ${event.id}. Restore into stores without it.`,
      );
    }
    this.present += 1;
  }

  private async flush(): Promise<void> {
    const [first] = this.group;
    if (first === undefined) return;
    if (this.appended === 0) await this.begin();
    try {
      await this.events.append(first.stream, this.group, first.revision - 1);
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      throw new CommandError(`Another process writes to ${first.stream}. Stop it and run this again.`);
    }
    this.appended += this.group.length;
    this.group = [];
    this.characters = 0;
  }
}

async function* eventsOf(events: EventStore, belongs: (event: StoredEvent) => boolean): AsyncGenerator<StoredEvent> {
  for await (const batch of events.readAll(null)) for (const event of batch) if (belongs(event)) yield event;
}
