import type { Aggregate, DomainEvent, Past } from './decider.ts';
import type { CommandEnvelope, CommandHandler, CommandResult, Commands, Rehearsal } from './handler.ts';
import type { FoldableAggregate, StreamState } from './stream-state.ts';

/** A command that would have appended events, with what it would have changed. */
export interface RehearsedCommand {
  stream: string;
  command: unknown;
  envelope: CommandEnvelope;
  rehearsal: Rehearsal;
}

/**
 * Runs a call's commands without writing. Each is decided on what the commands before it would have led to. So a call that
 * adds a record and then names it goes through as it would.
 */
export class RehearsalHandler implements Commands {
  private readonly streams = new Map<string, StreamState<object>>();
  /** The commands that would have changed something, in order. */
  readonly rehearsed: RehearsedCommand[] = [];

  readonly startedAt: string;

  constructor(private readonly handler: CommandHandler) {
    this.startedAt = handler.now();
  }

  /** Keeps what the commands until now would have led to, but not the commands themselves. */
  forget(): void {
    this.rehearsed.length = 0;
  }

  async execute<State extends object, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    command: Command,
    envelope: CommandEnvelope,
  ): Promise<CommandResult<State>> {
    const { stream } = aggregate;
    const known = await this.load(aggregate, true);
    const rehearsal = await this.handler.rehearse(aggregate, command, envelope, known);
    const { event_types, repeated } = rehearsal;
    const recorded_at = this.now();
    const state = rehearsal.state as State | null;
    if (event_types.length > 0 && !repeated) {
      const created_at = known.created_at ?? recorded_at;
      const { organization_id } = envelope;
      const revision = known.revision + event_types.length;
      this.streams.set(stream, { ...known, state, organization_id, revision, created_at, updated_at: recorded_at });
      this.rehearsed.push({ stream, command, envelope, rehearsal });
    }
    const before = rehearsal.before as State | null;
    const { created_at, updated_at } = this.streams.get(stream) ?? known;
    const revision = rehearsal.revision + event_types.length;
    return { state, before, created_at, updated_at, revision, event_types, recorded_at, storePosition: null, repeated };
  }

  async rehearse<State extends object, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    command: Command,
    envelope: CommandEnvelope,
  ): Promise<Rehearsal> {
    const known = this.streams.get(aggregate.stream) as StreamState<State> | undefined;
    return this.handler.rehearse(aggregate, command, envelope, known);
  }

  async load<State extends object, Event extends DomainEvent>(
    aggregate: FoldableAggregate<State, Event>,
    refresh = false,
  ): Promise<StreamState<State>> {
    const known = this.streams.get(aggregate.stream) as StreamState<State> | undefined;
    return known ?? this.handler.load(aggregate, refresh);
  }

  readPast(aggregate: Aggregate): Promise<Past> {
    return this.handler.readPast(aggregate);
  }

  commandId(scope: readonly string[], idempotencyKey: string | undefined): string {
    return this.handler.commandId(scope, idempotencyKey);
  }

  now = (): string => this.handler.now();
}
