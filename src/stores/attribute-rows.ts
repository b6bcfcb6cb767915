import { decorateEventStore } from './decorate-event-store.ts';
import { type EventStore, NO_ORGANIZATION, type StoredEvent, type StorePosition } from './event-store.ts';

/** Events of an unreadable row's stream that are asked for the organization. */
const MAX_EVENTS_ASKED = 500;

/**
 * Returns the same event store. If a row can't be read and doesn't tell its organization, its stream's other events tell
 * it, or it is the only organization with an event before the row. What comes later in the log doesn't count, so that the
 * answer is the same at each reading, and positions don't move.
 */
export function attributeRows(store: EventStore): EventStore {
  const organizations = new FirstOrganizations(store);

  async function attribute(events: readonly StoredEvent[]): Promise<readonly StoredEvent[]> {
    if (!events.some(isUnattributed)) return events;
    return Promise.all(events.map((event) => (isUnattributed(event) ? attributed(event) : event)));
  }

  async function attributed(event: StoredEvent): Promise<StoredEvent> {
    const ofStream = await store.readStream(event.stream, 0, MAX_EVENTS_ASKED);
    const organization_id =
      ofStream.find((other) => !isUnattributed(other))?.metadata.organization_id ??
      (await organizations.onlyOneBefore(event.storePosition));
    return { ...event, metadata: { ...event.metadata, organization_id } };
  }

  async function* attributeAll(batches: AsyncIterable<readonly StoredEvent[]>) {
    for await (const events of batches) yield await attribute(events);
  }

  return decorateEventStore(store, {
    readStream: async (...range) => [...(await attribute(await store.readStream(...range)))],
    readAll: (after) => attributeAll(store.readAll(after)),
    subscribeAll: (after, signal) => attributeAll(store.subscribeAll(after, signal)),
  });
}

const isUnattributed = ({ data, metadata }: StoredEvent): boolean =>
  data === null && metadata.organization_id === NO_ORGANIZATION;

/** Finds the log's first two organizations. Reads no further than it must, and nothing twice. */
class FirstOrganizations {
  private readonly found: { organizationId: string; storePosition: StorePosition }[] = [];
  private readTo: StorePosition | null = null;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly store: EventStore) {}

  /** Returns the organization of all events before a store position. NO_ORGANIZATION if there is none, or several. */
  async onlyOneBefore(end: StorePosition): Promise<string> {
    this.running = this.running.catch(() => undefined).then(() => this.readUpTo(end));
    await this.running;
    const before = this.found.filter(({ storePosition }) => this.store.compareStorePositions(storePosition, end) < 0);
    return before.length === 1 ? before[0]!.organizationId : NO_ORGANIZATION;
  }

  private async readUpTo(end: StorePosition): Promise<void> {
    const { store, found } = this;
    const isDone = () =>
      found.length > 1 || (this.readTo !== null && store.compareStorePositions(this.readTo, end) >= 0);
    if (isDone()) return;
    for await (const events of store.readAll(this.readTo)) {
      for (const { metadata, storePosition } of events) {
        const { organization_id: organizationId } = metadata;
        const isNew = organizationId !== NO_ORGANIZATION && found[0]?.organizationId !== organizationId;
        if (isNew && found.length < 2) found.push({ organizationId, storePosition });
      }
      this.readTo = events.at(-1)!.storePosition;
      if (isDone()) return;
    }
  }
}
