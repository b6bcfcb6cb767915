import { RevisionConflict, StoreUnavailable } from '../stores/errors.ts';
import type { EventStore, Position } from '../stores/event-store.ts';
import type { TrailEvent } from '../trail/event.ts';
import { chainEvents, saltedHash } from '../trail/hash.ts';
import type { Aggregate } from './aggregate.ts';
import type { Role } from './caller.ts';
import { dateOf } from './dates.ts';
import { beforeDeadline, commandDeadline } from './deadline.ts';
import type { DomainEvent } from './decider.ts';
import { asRefusal, Refusal } from './refusal.ts';
import { appendWithRetries, jitter } from './retry.ts';
import { type Folded, fold, nothing, recordRevision } from './stream.ts';
import { type Foldable, Streams } from './streams.ts';
import { UnreadableEvent } from './unreadable-event.ts';
import { schemaVersion } from './upcast.ts';

/** Who gives a command, where, and how it is known again when it is repeated. */
export interface Envelope {
  organization_id: string;
  actor_id: string;
  token_id: string | null;
  client: { name: string; version: string } | null;
  role: Role;
  command_id: string;
  correlation_id: string;
  /** The normalised input that `input_hash` covers. */
  input: unknown;
  /** The record revision (1 when added) that the caller has seen. */
  expected_revision?: number;
  /** What else must hold, such as that a record which is named is there: not asked where the command is known already. */
  guard?: () => Promise<void>;
  /** When the command must be answered, as milliseconds since the epoch; a command's time-out from now unless given. */
  deadline?: number;
  /** The stream cannot exist yet, its id being drawn at random for this very command, or was just seen not to. */
  fresh?: boolean;
}

export interface Executed<State> {
  state: State | null;
  /** When the record began, and when it last changed. */
  created_at: string | null;
  updated_at: string | null;
  /** Record revision after it: 1 when added, +1 an event. */
  revision: number;
  event_types: string[];
  /** When the command's events were recorded, now or before; null where it led to none. */
  recorded_at: string | null;
  /** Of the newest event that the answer rests on, appended now or before; null where there is no stream. */
  position: Position | null;
  repeated: boolean;
}

/** What a command would lead to. */
export interface Rehearsed {
  /** Of what would be appended, or was when the command was given before. */
  event_types: string[];
  repeated: boolean;
  /** Nothing is known of its record yet. */
  absent: boolean;
}

export interface HandlerOptions {
  now: () => Date;
  maxAcceptanceDays: number;
  /** Set where the clock is not the real one: marks every event. */
  simulated?: boolean;
  /** Answers true where every live instance can read new events of this type. Without it, all are taken to. */
  canRead?: (type: string) => boolean;
}

/** What follows from a command: nothing to append, or what is to be, decided at this time. */
type Judged<State> = { done: Executed<State> } | { drafts: readonly DomainEvent[]; now: string };

const ATTEMPTS = 20;
/** Runs commands: load, decide, append, and again on the newest state where another writer was first. */
export class CommandHandler {
  private readonly streams: Streams;

  constructor(
    private readonly store: EventStore,
    private readonly options: HandlerOptions,
  ) {
    this.streams = new Streams(store);
  }

  /**
   * @throws Refusal as the decider says; conflict after 20 attempts or on a stale expected_revision;
   *   idempotency_conflict when the command was given before with another input; unavailable when the store is away
   */
  async execute<State extends object, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    command: Command,
    envelope: Envelope,
  ): Promise<Executed<State>> {
    const deadline = envelope.deadline ?? commandDeadline();
    return beforeDeadline(deadline, this.run(aggregate, command, envelope, deadline)).catch((error: unknown) => {
      throw asRefusal(error);
    });
  }

  private async run<State extends object, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    command: Command,
    envelope: Envelope,
    deadline: number,
  ): Promise<Executed<State>> {
    const { stream, decider } = aggregate;
    let known = envelope.fresh ? nothing<State>() : await this.load(aggregate);
    await this.guard(aggregate, envelope, known);
    for (let attempt = 1; ; attempt++) {
      const { decided, at } = await this.decide(aggregate, command, envelope, known);
      if ('done' in decided) return decided.done;
      // Its caller was told already that it failed: nothing begins behind that caller's back.
      if (Date.now() >= deadline) throw new StoreUnavailable('no time is left for the append');
      const events = this.seal(stream, at, decided.drafts, envelope, decided.now);
      try {
        const position = await appendWithRetries(this.store, stream, events, at.revision);
        const next = { ...fold(decider, at, events), position };
        this.streams.keep(stream, next);
        return executed(next, events);
      } catch (error) {
        const anew = error instanceof RevisionConflict || (error instanceof StoreUnavailable && error.ambiguous);
        if (!anew || Date.now() > deadline) throw error;
        if (attempt >= ATTEMPTS) {
          throw new Refusal('conflict', 'Too many writers change this record at once: repeat the call in a moment.');
        }
        if (attempt > 1) await jitter(attempt);
        known = await this.load(aggregate, true);
      }
    }
  }

  /** Judges a command as `execute` would, on what the store has now, and writes nothing. @throws Refusal likewise */
  async rehearse<State extends object, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    command: Command,
    envelope: Envelope,
  ): Promise<Rehearsed> {
    const at = await this.load(aggregate, true);
    await this.guard(aggregate, envelope, at);
    const judged = this.judge(aggregate, command, envelope, at);
    const absent = at.state === null;
    if ('drafts' in judged) return { event_types: judged.drafts.map(({ type }) => type), repeated: false, absent };
    const { event_types, repeated } = judged.done;
    return { event_types, repeated, absent };
  }

  /** A stream as it is known (or, `refresh`, as it is in the store now). */
  load<State extends object, Event extends DomainEvent>(
    aggregate: Foldable<State, Event>,
    refresh = false,
  ): Promise<Folded<State>> {
    return this.streams.load(aggregate, refresh);
  }

  /** @throws Refusal where what else must hold does not, unless the command was taken before */
  private async guard<State extends object, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    { guard, command_id }: Envelope,
    known: Folded<State>,
  ): Promise<void> {
    if (guard === undefined || known.commands.has(command_id)) return;
    try {
      await guard();
    } catch (error) {
      // A store that is away is not asked once more.
      if (!(error instanceof Refusal) || error.code === 'unavailable') throw error;
      if (!(await this.load(aggregate, true)).commands.has(command_id)) throw error;
    }
  }

  /**
   * Decides on what is known; where that leads to no append (which would have checked it) and may be old, once more on
   * what the store has now.
   */
  private async decide<State extends object, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    command: Command,
    envelope: Envelope,
    known: Folded<State>,
  ): Promise<{ decided: Judged<State>; at: Folded<State> }> {
    try {
      const decided = this.judge(aggregate, command, envelope, known);
      if (envelope.fresh || 'drafts' in decided || decided.done.repeated) return { decided, at: known };
    } catch (error) {
      if (envelope.fresh || !(error instanceof Refusal)) throw error;
    }
    const at = await this.load(aggregate, true);
    return { decided: this.judge(aggregate, command, envelope, at), at };
  }

  private judge<State extends object, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    command: Command,
    envelope: Envelope,
    at: Folded<State>,
  ): Judged<State> {
    if (at.organization_id !== null && at.organization_id !== envelope.organization_id) {
      throw new Refusal('not_found', 'There is no such record here: list the records to find its id.');
    }
    const repeated = this.repeated(at, envelope);
    if (repeated !== null) return { done: repeated };
    const revision = recordRevision(at);
    if (envelope.expected_revision !== undefined && envelope.expected_revision !== revision) {
      throw new Refusal('conflict', `The record is at revision ${revision}: read it again, then decide anew.`, {
        current_revision: revision,
      });
    }
    const now = this.options.now().toISOString();
    const drafts = aggregate.decider.decide(command, at.state, {
      now,
      today: dateOf(now),
      actor_id: envelope.actor_id,
      role: envelope.role,
      maxAcceptanceDays: this.options.maxAcceptanceDays,
    });
    if (drafts.length === 0) return { done: executed(at, []) };
    const { canRead = () => true } = this.options;
    for (const { type } of drafts) if (!canRead(type)) throw new UnreadableEvent(type);
    return { drafts, now };
  }

  private repeated<State>(at: Folded<State>, envelope: Envelope): Executed<State> | null {
    const before = at.commands.get(envelope.command_id);
    // The map is shared with newer folds: what is beyond this state is met by the append, and judged on the newest.
    if (before === undefined || before.revision > at.revision) return null;
    if (before.salt !== '' && before.input_hash !== saltedHash(before.salt, envelope.input)) {
      throw new Refusal(
        'idempotency_conflict',
        'This idempotency_key was used with another input: use a new key, or repeat the first input unchanged.',
        { field: 'idempotency_key' },
      );
    }
    return {
      state: at.state,
      created_at: at.created_at,
      updated_at: at.updated_at,
      revision: before.revision + 1 + at.before,
      event_types: before.event_types,
      recorded_at: before.recorded_at,
      position: at.position,
      repeated: true,
    };
  }

  private seal(
    stream: string,
    at: Folded<unknown>,
    drafts: readonly DomainEvent[],
    envelope: Envelope,
    recorded_at: string,
  ): TrailEvent[] {
    const { organization_id, actor_id, token_id, client, command_id, correlation_id } = envelope;
    return chainEvents({
      stream,
      revision: at.revision,
      previousHash: at.hash,
      input: envelope.input,
      drafts: drafts as readonly { type: string; data: Record<string, unknown> }[],
      metadata: {
        organization_id,
        actor_id,
        token_id,
        client,
        command_id,
        correlation_id,
        causation_id: null,
        recorded_at,
        ...(this.options.simulated ? { simulated: true as const } : {}),
      },
      schemaVersion,
    });
  }
}

function executed<State>(at: Folded<State>, events: readonly TrailEvent[]): Executed<State> {
  return {
    state: at.state,
    created_at: at.created_at,
    updated_at: at.updated_at,
    revision: recordRevision(at),
    event_types: events.map((event) => event.type),
    recorded_at: events.at(-1)?.metadata.recorded_at ?? null,
    position: at.position,
    repeated: false,
  };
}
