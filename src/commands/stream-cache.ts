import { LRUCache } from 'lru-cache';
import type { EventStore } from '../stores/event-store.ts';
import type { Aggregate, Origin } from './aggregate.ts';
import type { DomainEvent } from './decider.ts';
import { asRefusal } from './refusal.ts';
import { type Folded, fold, nothing } from './stream.ts';

const CACHED_STREAMS = 10_000;

/** An aggregate as far as its past goes. */
export type Foldable<State extends object, Event extends DomainEvent> = Omit<
  Aggregate<State, never, Event>,
  'decider'
> & { decider: Pick<Aggregate<State, never, Event>['decider'], 'evolve'> };

/** Streams folded, those used last kept. Nobody invalidates them: the append's expected revision does. */
export class Streams {
  private readonly cache = new LRUCache<string, Folded<object>>({ max: CACHED_STREAMS });

  constructor(private readonly store: Pick<EventStore, 'readStream'>) {}

  /** A stream as it is known (or, `refresh`, as it is in the store now). @throws Refusal unavailable */
  async load<State extends object, Event extends DomainEvent>(
    aggregate: Foldable<State, Event>,
    refresh = false,
  ): Promise<Folded<State>> {
    const { stream, decider } = aggregate;
    const cached = this.cache.get(stream) as Folded<State> | undefined;
    if (cached !== undefined && !refresh) return cached;
    try {
      const from = cached ?? (await this.beginning(aggregate.origin));
      const folded = fold(decider, from, await this.store.readStream(stream, from.revision + 1));
      if (folded.state !== null) this.cache.set(stream, folded);
      return folded;
    } catch (error) {
      throw asRefusal(error);
    }
  }

  keep(stream: string, folded: Folded<object>): void {
    this.cache.set(stream, folded);
  }

  /** What is known of a stream before its first event. */
  private async beginning<State extends object>(origin: Origin<State> | undefined): Promise<Folded<State>> {
    if (origin === undefined) return nothing();
    const { state, organization_id, created_at, position } = await this.load(origin.aggregate);
    const first = state === null ? null : origin.first(state);
    return first === null
      ? nothing()
      : {
          ...nothing<State>(),
          ...{ state: first, organization_id, created_at, updated_at: created_at, position, before: 1 },
        };
  }
}
