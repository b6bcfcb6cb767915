import { LRUCache } from 'lru-cache';
import type { EventStore } from '../../stores/event-store.ts';
import type { Aggregate, Origin } from './aggregate.ts';
import type { DomainEvent } from './decider.ts';
import { asRefusal } from './refusal.ts';
import { emptyStream, fold, type StreamState } from './stream-state.ts';

const CACHED_STREAMS = 10_000;

/** The part of an aggregate that is needed to load its state: its stream, origin and `evolve`. */
export type FoldableAggregate<State extends object, Event extends DomainEvent> = Omit<
  Aggregate<State, never, Event>,
  'decider'
> & { decider: Pick<Aggregate<State, never, Event>['decider'], 'events' | 'evolve'> };

/** A cache of stream states, least recently used out first. An outdated state does no harm: its append conflicts. */
export class StreamCache {
  private readonly cache = new LRUCache<string, StreamState<object>>({ max: CACHED_STREAMS });

  constructor(private readonly store: Pick<EventStore, 'readStream'>) {}

  /** Returns a stream's state, from the cache unless `refresh` is true. @throws Refusal unavailable */
  async load<State extends object, Event extends DomainEvent>(
    aggregate: FoldableAggregate<State, Event>,
    refresh = false,
  ): Promise<StreamState<State>> {
    const { stream, decider } = aggregate;
    const cached = this.cache.get(stream) as StreamState<State> | undefined;
    if (cached !== undefined && !refresh) return cached;
    try {
      const from = cached ?? (await this.loadOrigin(aggregate.origin));
      const loaded = fold(decider, from, await this.store.readStream(stream, from.revision + 1));
      if (loaded.state !== null) this.cache.set(stream, loaded);
      return loaded;
    } catch (error) {
      throw asRefusal(error);
    }
  }

  put(stream: string, state: StreamState<object>): void {
    this.cache.set(stream, state);
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
      storePosition,
      originEvents: 1,
    };
  }
}
