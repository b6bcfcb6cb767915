import { monotonicMs } from '../../clock/monotonic.ts';
import { StreamDamaged } from '../../stores/errors.ts';
import type { EventStore, StoredEvent, StorePosition, UnreadableRow } from '../../stores/event-store.ts';
import type { TrailEvent } from '../../trail/event.ts';
import { RecordedOrder } from '../../trail/recorded-order.ts';
import { approximateBytes, createByteCache } from './byte-cache.ts';
import { endOfDay } from './dates.ts';
import { readDate } from './dates-as-times.ts';
import type { Aggregate, Companion, Decider, DomainEvent, Origin, Past } from './decider.ts';

/** A command whose events are in a stream: enough to recognise a repeat and to answer it. */
export interface RecordedCommand {
  salt: string;
  input_hash: string;
  revision: number;
  /** Time at which its events were recorded. */
  recorded_at: string;
  event_types: string[];
}

/** A stream's state at `revision` (-1 if the stream doesn't exist). Immutable, except that `commands` grows. */
export interface StreamState<State> {
  organization_id: string | null;
  state: State | null;
  revision: number;
  /** 1 if another stream holds the first state, else 0. The record's revision is `revision + 1 + originEvents`. */
  originEvents: 0 | 1;
  /** Times at which the first and the newest event were recorded. */
  created_at: string | null;
  updated_at: string | null;
  /** The newest time of its events, which is `updated_at` unless some were recorded out of order. */
  newest_at: string | null;
  hash: string | null;
  /** Store position of the newest event. Null if no event comes from the store. */
  storePosition: StorePosition | null;
  commands: Map<string, RecordedCommand>;
}

export function emptyStream<State>(): StreamState<State> {
  return {
    organization_id: null,
    state: null,
    revision: -1,
    originEvents: 0,
    created_at: null,
    updated_at: null,
    newest_at: null,
    hash: null,
    storePosition: null,
    commands: new Map(),
  };
}

/** Returns the revision of a stream's record. */
export function recordRevision({ revision, originEvents }: StreamState<unknown>): number {
  return revision + 1 + originEvents;
}

/**
 * Applies further events to a stream's state. Old and new state share the map of commands, which only grows.
 * @throws StreamDamaged if one can't be read, or they don't follow on it
 */
export function fold<State extends object, Event extends DomainEvent>(
  decider: Pick<Decider<State, unknown, Event>, 'events' | 'evolve'>,
  from: StreamState<State>,
  events: readonly (TrailEvent | StoredEvent)[],
): StreamState<State> {
  let { organization_id, state, revision, created_at, updated_at, newest_at, hash, storePosition } = from;
  const { commands, originEvents } = from;
  for (const event of events) {
    requireFollows(event, revision, hash);
    state = applyStoredEvent(decider, state, event);
    revision = event.revision;
    hash = event.metadata.hash;
    if ('storePosition' in event) storePosition = event.storePosition;
    organization_id ??= event.metadata.organization_id;
    updated_at = event.metadata.recorded_at;
    created_at ??= updated_at;
    if (newest_at === null || updated_at > newest_at) newest_at = updated_at;
    recordCommand(commands, event);
  }
  return {
    organization_id,
    state,
    revision,
    originEvents,
    created_at,
    updated_at,
    newest_at,
    hash,
    storePosition,
    commands,
  };
}

/** @throws StreamDamaged unless the event can be read and follows the one with this revision and hash */
function requireFollows<Event extends TrailEvent>(
  event: Event | UnreadableRow,
  last: number,
  lastHash: string | null,
): asserts event is Event {
  const { stream, revision, metadata } = event;
  if (revision !== last + 1) {
    throw new StreamDamaged(stream, `revisions ${last + 1} to ${revision - 1} are missing or are not veritrail's`);
  }
  if (event.data === null) throw unreadable(event, `revision ${revision}`);
  if (metadata.previous_hash !== lastHash) {
    throw new StreamDamaged(stream, `revision ${revision} doesn't follow the event before it`);
  }
}

/** Returns the error of a call that needs an event that can't be read. @param place "revision 3" */
export function unreadable({ stream, id, metadata, fault }: UnreadableRow, place: string): StreamDamaged {
  const finding = `${place} cannot be read, because ${fault}`;
  return new StreamDamaged(stream, finding, { eventId: id, organizationId: metadata.organization_id, fault });
}

/**
 * Upcasts a stored event and applies it to a state.
 * @throws Error if the decider doesn't know the event, or it doesn't fit the state: a newer version wrote it
 */
export function applyStoredEvent<State extends object, Event extends DomainEvent>(
  decider: Pick<Decider<State, unknown, Event>, 'events' | 'evolve'>,
  state: State | null,
  event: TrailEvent,
): State {
  if (!Object.hasOwn(decider.events, event.type)) throw new Error(`${event.type} is not known to this version`);
  // The cast relies on the writer, who gave the data the shape of its schema version.
  return decider.evolve(state, { type: event.type, data: upcast(event) } as unknown as Event);
}

function recordCommand(
  commands: Map<string, RecordedCommand>,
  event: Pick<TrailEvent, 'revision' | 'type' | 'metadata'>,
): void {
  const { command_id, salt, input_hash, recorded_at } = event.metadata;
  const existing = commands.get(command_id);
  if (existing === undefined) {
    commands.set(command_id, { salt, input_hash, revision: event.revision, recorded_at, event_types: [event.type] });
  } else if (event.revision > existing.revision) {
    existing.revision = event.revision;
    existing.event_types.push(event.type);
  }
}

/** Turns `data` of one schema version into the next version's. */
type Upcaster = (data: Record<string, unknown>) => Record<string, unknown>;

/**
 * Upcasters by event type. Index 0 turns schema version 1 into 2, index 1 turns 2 into 3. Events in the log never
 * change: they are upcast when read. test/fixtures/events-*.jsonl hold events of every version ever written.
 */
export const UPCASTERS: Readonly<Record<string, readonly Upcaster[]>> = {
  EvidenceAdded: [readDate('collected_at')],
  // Version 2 only has further members that may be absent. So have those of proposals and of TokenCreated.
  FrameworkAdopted: [(data) => data],
  MeasureAdded: [readDate('implemented_at')],
  MemberAdded: [(data) => ({ ...data, until: null })],
  ProposalApproved: [(data) => data],
  ProposalMade: [(data) => data],
  RecordsLinked: [(data) => ({ ...data, relation: null })],
  RecordsUnlinked: [(data) => ({ ...data, relation: null })],
  RiskAcceptanceImported: [readDate('accepted_at')],
  TokenCreated: [(data) => data],
  VendorAdded: [readDate('last_reviewed')],
  VendorReviewed: [readDate('reviewed_at', endOfDay)],
  VendorReviewImported: [readDate('reviewed_at')],
};

/**
 * Returns an event's data in the current schema version.
 * @throws Error if a newer version of the service wrote the event
 */
export function upcast({ type, data, metadata }: TrailEvent, upcasters = UPCASTERS): Record<string, unknown> {
  const { schema_version } = metadata;
  const steps = upcasters[type] ?? [];
  if (schema_version > steps.length + 1) {
    throw new Error(`${type} of schema version ${schema_version} is not known to this version`);
  }
  return steps.slice(schema_version - 1).reduce((older, step) => step(older), data);
}

/** Learns of events that were recorded out of order within their stream, or ahead of the clock. */
export interface OutOfOrderWatch {
  now: () => Date;
  onFound: (events: readonly StoredEvent[]) => void;
}

/** Limit of cached states, in bytes. It is enough for 20,000 records with short texts. */
const CACHED_STATE_BYTES = 64 * 1024 ** 2;
/** Memory of a command in a stream's state: some ids, hashes and times. */
const COMMAND_BYTES = 700;

const stateBytes = ({ state, commands }: StreamState<object>): number =>
  approximateBytes(state) + commands.size * COMMAND_BYTES;

/** The part of an aggregate that is needed to load its state: its stream, origin and `evolve`. */
export type FoldableAggregate<State extends object, Event extends DomainEvent> = Omit<
  Aggregate<State, never, Event>,
  'decider'
> & { decider: Pick<Aggregate<State, never, Event>['decider'], 'events' | 'evolve'> };

/** A cache of stream states, least recently used out first. An outdated state does no harm: its append conflicts. */
export class StreamCache {
  private readonly cache = createByteCache(CACHED_STATE_BYTES, stateBytes);
  /** The `monotonicMs` at which the newest read began that led to a state. */
  private readonly readTimes = new WeakMap<StreamState<object>, number>();
  /** The running reads of `loadRecent`, which calls at the same time share. */
  private readonly recentLoads = new Map<string, Promise<StreamState<object>>>();

  /** @param watch gets the events of a stream that were recorded out of order, each time they are read */
  constructor(
    private readonly store: Pick<EventStore, 'readStream' | 'explainAbsence' | 'compareStorePositions'>,
    private readonly watch?: OutOfOrderWatch,
  ) {}

  /** Returns a stream's state, from the cache unless `refresh` is true. @throws StoreUnavailable */
  async load<State extends object, Event extends DomainEvent>(
    aggregate: FoldableAggregate<State, Event>,
    refresh = false,
  ): Promise<StreamState<State>> {
    const loaded = await this.loadOwn(aggregate, refresh);
    return aggregate.companion === undefined ? loaded : this.withCompanion(loaded, aggregate.companion, refresh);
  }

  /** Returns a stream's state that was read at most `maxAgeMs` ago, and the `monotonicMs` at which it was. @throws as `load` */
  async loadRecent<State extends object, Event extends DomainEvent>(
    aggregate: FoldableAggregate<State, Event>,
    maxAgeMs: number,
  ): Promise<{ loaded: StreamState<State>; readAt: number }> {
    const { stream } = aggregate;
    const cachedState = this.cache.get(stream) as StreamState<State> | undefined;
    const readAt = cachedState && this.readTimes.get(cachedState);
    if (readAt !== undefined && monotonicMs() - readAt < maxAgeMs) return { loaded: cachedState!, readAt };
    const startedAt = monotonicMs();
    let loading = this.recentLoads.get(stream) as Promise<StreamState<State>> | undefined;
    if (loading === undefined) {
      loading = this.load(aggregate, true).finally(() => this.recentLoads.delete(stream));
      this.recentLoads.set(stream, loading);
    }
    const loaded = await loading;
    return { loaded, readAt: this.readTimes.get(loaded) ?? startedAt };
  }

  /** Returns the past that led to a stream's state at a revision. @throws StoreUnavailable, StreamDamaged */
  async readPast({ stream, origin }: FoldableAggregate<object, DomainEvent>, revision: number): Promise<Past> {
    const { state: firstState } = await this.loadOrigin(origin);
    const stored = revision === -1 ? [] : await this.store.readStream(stream, 0, revision + 1);
    const events = stored.map((event, index) => {
      requireFollows(event, index - 1, stored[index - 1]?.metadata.hash ?? null);
      return event;
    });
    return { firstState, events };
  }

  /** Returns the state that a stream's own events and its origin lead to. */
  private async loadOwn<State extends object, Event extends DomainEvent>(
    aggregate: FoldableAggregate<State, Event>,
    refresh: boolean,
  ): Promise<StreamState<State>> {
    const { stream, decider } = aggregate;
    const cachedState = this.cache.get(stream) as StreamState<State> | undefined;
    if (cachedState !== undefined && !refresh) return cachedState;
    const from = cachedState ?? (await this.loadOrigin(aggregate.origin));
    const startedAt = monotonicMs();
    const newEvents = await this.store.readStream(stream, from.revision + 1);
    const isUnchanged = cachedState !== undefined && newEvents.length === 0;
    const loaded = isUnchanged ? cachedState : fold(decider, from, newEvents);
    this.readTimes.set(loaded, startedAt);
    if (isUnchanged) return loaded;
    this.reportOutOfOrder(from, newEvents);
    if (loaded.revision === -1) await this.refuseRemoved(stream);
    if (loaded.state !== null) this.cache.set(stream, loaded);
    return loaded;
  }

  private reportOutOfOrder(from: StreamState<object>, newEvents: readonly StoredEvent[]): void {
    if (this.watch === undefined) return;
    const order = new RecordedOrder(from.newest_at ?? '', this.watch.now());
    const found = newEvents.filter((event) => order.take(event) !== null);
    if (found.length > 0) this.watch.onFound(found);
  }

  /** @throws StreamDamaged if the stream is absent because somebody removed its events */
  private async refuseRemoved(stream: string): Promise<void> {
    const finding = await this.store.explainAbsence(stream);
    if (finding !== null) throw new StreamDamaged(stream, finding);
  }

  /** Returns a stream's state from the cache, else an absent stream's without reading it. */
  async presumeNew<State extends object, Event extends DomainEvent>(
    aggregate: FoldableAggregate<State, Event>,
  ): Promise<StreamState<State>> {
    return this.cache.has(aggregate.stream) ? this.load(aggregate) : emptyStream();
  }

  has(stream: string): boolean {
    return this.cache.has(stream);
  }

  put(stream: string, state: StreamState<object>): void {
    this.cache.set(stream, state);
  }

  /** Returns a stream with the state that its companion set, if that was later than its own newest event. */
  private async withCompanion<State extends object>(
    loaded: StreamState<State>,
    { aggregate, stateIn }: Companion<State>,
    refresh: boolean,
  ): Promise<StreamState<State>> {
    const { state, revision, storePosition, organization_id } = await this.load(aggregate, refresh);
    const set = state === null ? null : stateIn(state);
    if (set === null) return loaded;
    const isLater = (position: StorePosition | null) =>
      loaded.storePosition === null || this.store.compareStorePositions(position!, loaded.storePosition) > 0;
    if (!isLater(storePosition)) return loaded;
    if (set.revision < revision) {
      const [event] = await this.store.readStream(aggregate.stream, set.revision, 1);
      if (!isLater(event!.storePosition)) return loaded;
    }
    return { ...loaded, state: set.state, organization_id, storePosition };
  }

  /** Returns the state of a stream before its own first event. */
  private async loadOrigin<State extends object>(origin: Origin<State> | undefined): Promise<StreamState<State>> {
    if (origin === undefined) return emptyStream();
    const { state, organization_id, created_at, storePosition } = await this.load(origin.aggregate);
    const firstState = state === null ? null : origin.firstState(state);
    if (firstState === null) return emptyStream();
    return {
      ...emptyStream<State>(),
      state: firstState,
      organization_id,
      created_at,
      updated_at: created_at,
      newest_at: created_at,
      storePosition,
      originEvents: 1,
    };
  }
}
