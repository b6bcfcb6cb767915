import { RevisionConflict } from '../stores/errors.ts';
import type { EventStore, StoredEvent } from '../stores/event-store.ts';
import type { TrailEvent } from '../trail/event.ts';
import { CommandError } from './command.ts';

/** At most so much is appended at once: events of one stream that follow each other. */
const MOST_EVENTS = 200;
const MOST_CHARACTERS = 250_000;

/** Appends a history as it was, in its order; the beginning of it that is there already is only compared. */
export class InOrder {
  appended = 0;
  present = 0;
  private readonly existing: AsyncIterator<StoredEvent>;
  private atEnd = false;
  private group: TrailEvent[] = [];
  private characters = 0;

  /**
   * @param belongs which events of the log are of this history
   * @param begin done once, before the first append
   */
  constructor(
    private readonly events: EventStore,
    belongs: (event: StoredEvent) => boolean,
    private readonly begin: () => Promise<void> = async () => undefined,
  ) {
    this.existing = eventsOf(events, belongs);
  }

  /** Takes the next event. @throws CommandError where there is another in its place */
  async take(event: TrailEvent): Promise<void> {
    if (!this.atEnd) {
      const there = await this.existing.next();
      if (!there.done) return this.compare(there.value, event);
      this.atEnd = true;
    }
    const size = JSON.stringify(event).length;
    const isFull = this.group.length >= MOST_EVENTS || this.characters + size > MOST_CHARACTERS;
    if (isFull || (this.group[0] && this.group[0].stream !== event.stream)) await this.flush();
    this.group.push(event);
    this.characters += size;
  }

  /** Appends what is left. Answers whether the log has more of this history than was taken. */
  async end(): Promise<boolean> {
    await this.flush();
    return !this.atEnd && !(await this.existing.next()).done;
  }

  private compare(there: StoredEvent, event: TrailEvent): void {
    if (there.id !== event.id) {
      throw new CommandError(
        `There is another history here already: it has ${there.id} in place of ${event.id}. Restore into stores without it.`,
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
      throw new CommandError(`Something else writes to ${first.stream}. Stop it, and run this again.`);
    }
    this.appended += this.group.length;
    this.group = [];
    this.characters = 0;
  }
}

async function* eventsOf(events: EventStore, belongs: (event: StoredEvent) => boolean): AsyncGenerator<StoredEvent> {
  for await (const batch of events.readAll(null)) for (const event of batch) if (belongs(event)) yield event;
}
