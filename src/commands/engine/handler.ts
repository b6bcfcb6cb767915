import { monotonicMs } from '../../clock/monotonic.ts';
import { RevisionConflict, StoreUnavailable, StreamDamaged } from '../../stores/errors.ts';
import type { EventStore, StorePosition } from '../../stores/event-store.ts';
import type { TrailEvent } from '../../trail/event.ts';
import { chainEvents, saltedHash } from '../../trail/hash.ts';
import { nodeCrypto } from '../../trail/node/node-crypto.ts';
import { refuseUnapproved } from '../autonomy.ts';
import { dateOf } from './dates.ts';
import type { Aggregate, DomainEvent, Past } from './decider.ts';
import { commandId, uuidV7 } from './ids.ts';
import { KeyedQueue } from './keyed-queue.ts';
import { asRefusal, Refusal, UnreadableEvent } from './refusal.ts';
import { rehearsalOf } from './rehearsal-of.ts';
import { appendWithRetries, beforeDeadline, commandDeadline, waitBeforeRetry } from './retries.ts';
import {
  type FoldableAggregate,
  fold,
  type OutOfOrderWatch,
  recordRevision,
  StreamCache,
  type StreamState,
} from './stream-state.ts';
import { areSameRights, type CommandActor, type WriteRights, WriteRightsReader } from './write-rights.ts';

/** Identifies a command: the caller, the organization, and the ids by which a repeated call is recognised. */
export interface CommandEnvelope extends CommandActor {
  client: { name: string; version: string } | null;
  command_id: string;
  /** The call that the command belongs to: its own id if it is the only one. Answers name it `call_id`. */
  correlation_id: string;
  /** The call that this one undoes. */
  causation_id?: string;
  /** The normalised input that `input_hash` covers. */
  input: unknown;
  /** The record revision (1 when added) that the caller has seen. */
  expected_revision?: number;
  /** Returns the command with accounts' ids in place of names. Skipped when the command is a repeat. */
  resolveNames?: <Command>(command: Command) => Promise<Command>;
  /** Checks that the records and members named in the resolved command exist. Skipped when the command is a repeat. */
  checkReferences?: (command: object) => Promise<void>;
  /** Deadline of the answer, in monotonic milliseconds. Default: that of `commandDeadline`, counted from now. */
  deadline?: number;
  /** The stream probably doesn't exist, so it isn't loaded before the append, which checks that. */
  isPresumedNew?: boolean;
}

export interface CommandResult<State> {
  state: State | null;
  /** The state before this call's events. The same as `state` if the call appended none. */
  before: State | null;
  /** Times at which the record was added and last changed. */
  created_at: string | null;
  updated_at: string | null;
  /** The record's revision after the command: 1 when added, +1 with each event. */
  revision: number;
  event_types: string[];
  /** Time at which this call or an earlier one recorded the command's events. Null if it led to none. */
  recorded_at: string | null;
  /** Store position of the newest event that this result includes. Null if the stream doesn't exist. */
  storePosition: StorePosition | null;
  repeated: boolean;
}

/** The outcome that a command would have now. */
export interface Rehearsal {
  /** The events that would be appended, or that an earlier call with the same command id appended. */
  event_types: string[];
  repeated: boolean;
  /** True if the record doesn't exist yet. */
  isNewRecord: boolean;
  /** The state now, and after the events. Equal for a repeat. */
  before: object | null;
  state: object | null;
  /** The record's revision before the command; of a repeat, before its first execution. */
  revision: number;
}

export interface HandlerOptions {
  now: () => Date;
  /** Called with each decision that leads to events. By default, the clock is always trusted. @throws ClockInDoubt */
  requireTrust?: () => void;
  maxAcceptanceDays: number;
  /** Marks every event as simulated. Set when `now` is not the real clock. */
  simulated?: boolean;
  /** Returns true if every running instance can read events of this type. By default all can. */
  canRead?: (type: string) => boolean;
  /** Called with the events of each command, once they are appended. Must not throw. */
  onAppended?: ((events: readonly TrailEvent[]) => void) | undefined;
  /** Called with each error of a command or a load, before it becomes a refusal. The cause is then told to callers only in part. */
  onFailure?: ((error: unknown) => void) | undefined;
  /** Called with the events of a stream that were recorded out of order, each time the stream is read. */
  onOutOfOrder?: OutOfOrderWatch['onFound'];
}

/** The parts of the handler by which a call reads and writes. */
export type Commands = Pick<CommandHandler, 'execute' | 'rehearse' | 'load' | 'readPast' | 'commandId' | 'now'>;

/** A decision: either there is nothing to append and the result is final, or these events must be appended. */
type Decision<State> = { result: CommandResult<State> } | NewEvents;

/** A command's envelope, and its actor's rights now, or the refusal to decide on new events for that actor. */
interface CommandCaller {
  envelope: CommandEnvelope;
  rights: WriteRights | Refusal;
}

interface NewEvents {
  newEvents: readonly DomainEvent[];
  recordedAt: string;
  /** The same moment in monotonic milliseconds. Absent if `recordedAt` is simulated. */
  decidedAt: number | undefined;
}

/** Commands that wait or run at the same time. More would only time out. */
const MAX_WAITING_COMMANDS = 10_000;

/**
 * Runs commands: loads the stream, decides, appends. Decides again on fresh state when another writer was first. Commands
 * on one stream are decided one after another, so that those of one process never conflict.
 */
export class CommandHandler {
  private readonly streams: StreamCache;
  private readonly rights: WriteRightsReader;
  private readonly queue = new KeyedQueue(
    MAX_WAITING_COMMANDS,
    'Too many writes are waiting. Repeat the call with the same idempotency_key in a moment.',
  );

  constructor(
    private readonly store: EventStore,
    private readonly options: HandlerOptions,
  ) {
    const { now, onOutOfOrder: onFound } = options;
    this.streams = new StreamCache(store, onFound && { now, onFound });
    this.rights = new WriteRightsReader(this.streams, options);
  }

  /**
   * Decides a command and appends its events.
   * @throws Refusal from the decider; `conflict` after 20 attempts or for an outdated `expected_revision`;
   *   `idempotency_conflict` when the command id was used with another input; `unavailable` when the store is down
   * @throws Refusal `unavailable` while the clock of this machine is in doubt
   */
  async execute<State extends object, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    command: Command,
    envelope: CommandEnvelope,
  ): Promise<CommandResult<State>> {
    const deadline = envelope.deadline ?? commandDeadline();
    return beforeDeadline(deadline, this.run(aggregate, command, envelope, deadline)).catch((error: unknown) => {
      this.options.onFailure?.(error);
      throw asRefusal(error);
    });
  }

  private async run<State extends object, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    given: Command,
    envelope: CommandEnvelope,
    deadline: number,
  ): Promise<CommandResult<State>> {
    const initial = envelope.isPresumedNew ? await this.streams.presumeNew(aggregate) : await this.load(aggregate);
    const { command, loaded } = await this.prepare(aggregate, given, envelope, initial);
    // Nothing in the queue waits for another command, so it can't stand still.
    return this.queue.run(aggregate.stream, () =>
      this.decideAndAppend(aggregate, command, envelope, { loaded, deadline }),
    );
  }

  /** @param prepared the stream as it was when the command began to wait, and the command's deadline */
  private async decideAndAppend<State extends object, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    command: Command,
    envelope: CommandEnvelope,
    prepared: { loaded: StreamState<State>; deadline: number },
  ): Promise<CommandResult<State>> {
    const { stream, decider } = aggregate;
    const { deadline } = prepared;
    requireTime(deadline);
    let loaded = this.streams.has(stream) ? await this.load(aggregate) : prepared.loaded;
    /** The last error that leaves open if something was written. */
    let unknownOutcome: unknown;
    for (let attempt = 1; ; attempt++) {
      let rights = await this.rights.read(envelope, attempt > 1);
      // "Not written" may be false then.
      if (rights instanceof Refusal && unknownOutcome !== undefined) rights = asRefusal(unknownOutcome) as Refusal;
      const { decision, current } = await this.decideOnFreshState(aggregate, command, { envelope, rights }, loaded);
      if ('result' in decision) return decision.result;
      this.options.requireTrust?.();
      requireTime(deadline);
      const { condition, fourEyes } = rights as WriteRights;
      const rehearsal = () => rehearsalOf(aggregate, current, decision.newEvents);
      refuseUnapproved({ autonomy: envelope.autonomy, fourEyes }, () => ({
        stream,
        command,
        envelope,
        rehearsal: rehearsal(),
      }));
      const events = this.toTrailEvents(aggregate, current, decision, envelope);
      const { decidedAt } = decision;
      const batch = { stream, events, expectedRevision: current.revision, decidedAt, condition };
      try {
        const storePosition = await appendWithRetries(this.store, batch, () => this.renew(envelope, rights));
        this.options.onAppended?.(events);
        const next = { ...fold(decider, current, events), storePosition };
        this.streams.put(stream, next);
        return toResult(next, events, current.state);
      } catch (error) {
        refuseCut(error, stream, current.revision);
        if (error instanceof StoreUnavailable && error.ambiguous) unknownOutcome = error;
        await waitBeforeRetry(error, attempt, deadline);
        loaded = await this.load(aggregate, true);
      }
    }
  }

  /** Returns the actor's rights if they allow what they did before; null otherwise. */
  private async renew(envelope: CommandEnvelope, before: WriteRights | Refusal): Promise<WriteRights | null> {
    const now = await this.rights.read(envelope, false);
    if (now instanceof Refusal || before instanceof Refusal) return null;
    return areSameRights(now, before) ? now : null;
  }

  /**
   * Decides a command on fresh state, or as for a new record, and writes nothing.
   * @param known the stream's state to decide on, in place of the stored one
   * @throws Refusal as `execute` does
   */
  async rehearse<State extends object, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    given: Command,
    envelope: CommandEnvelope,
    known?: StreamState<State>,
  ): Promise<Rehearsal> {
    const isFresh = known !== undefined || !envelope.isPresumedNew;
    const load = () => (isFresh ? this.load(aggregate, true) : this.streams.presumeNew(aggregate));
    const initial = known ?? (await load());
    const { command, loaded } = await this.prepare(aggregate, given, envelope, initial);
    const caller = { envelope, rights: envelope };
    const { decision, current } = await this.decideOnFreshState(aggregate, command, caller, loaded, isFresh);
    if ('newEvents' in decision) return rehearsalOf(aggregate, current, decision.newEvents);
    const { state } = current;
    const { event_types, repeated, ...result } = decision.result;
    const revision = result.revision - event_types.length;
    return { event_types, repeated, isNewRecord: state === null, before: state, state, revision };
  }

  /** Returns the id of a new command, or with an idempotency key that of `commandId`. */
  commandId(scope: readonly string[], idempotencyKey: string | undefined): string {
    return idempotencyKey === undefined ? uuidV7(this.options.now()) : commandId(scope, idempotencyKey);
  }

  /** Returns the time by which commands are decided. Checks of members outside the deciders use the same clock. */
  now(): string {
    return this.options.now().toISOString();
  }

  /** Returns a stream's state, from the cache unless `refresh` is true. @throws StoreUnavailable, StreamDamaged */
  async load<State extends object, Event extends DomainEvent>(
    aggregate: FoldableAggregate<State, Event>,
    refresh = false,
  ): Promise<StreamState<State>> {
    try {
      return await this.streams.load(aggregate, refresh);
    } catch (error) {
      this.options.onFailure?.(error);
      throw error;
    }
  }

  /**
   * Resolves the command's names and checks its references, unless the command is a repeat. Returns the command with the
   * stream to decide on.
   * @throws Refusal from the resolution and the check
   */
  private async prepare<State extends object, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    command: Command,
    { resolveNames, checkReferences, command_id }: CommandEnvelope,
    loaded: StreamState<State>,
  ): Promise<{ command: Command; loaded: StreamState<State> }> {
    if (loaded.commands.has(command_id)) return { command, loaded };
    try {
      const resolved = resolveNames === undefined ? command : await resolveNames(command);
      await checkReferences?.(resolved as object);
      return { command: resolved, loaded };
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'unavailable') throw error;
      // The loaded stream may be outdated: the command may be a repeat after all.
      const current = await this.load(aggregate, true);
      if (!current.commands.has(command_id)) throw error;
      return { command, loaded: current };
    }
  }

  /**
   * Decides on the loaded stream, which may be outdated unless `isFresh`. An append checks its revision, so only a decision
   * without one is made again on fresh state.
   */
  private async decideOnFreshState<State extends object, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    command: Command,
    caller: CommandCaller,
    loaded: StreamState<State>,
    isFresh = false,
  ): Promise<{ decision: Decision<State>; current: StreamState<State> }> {
    try {
      const decision = await this.runDecider(aggregate, command, caller, loaded);
      const isCertain = isFresh || 'newEvents' in decision || decision.result.repeated;
      if (isCertain) return { decision, current: loaded };
    } catch (error) {
      if (isFresh || !(error instanceof Refusal)) throw error;
    }
    const current = await this.load(aggregate, true);
    return { decision: await this.runDecider(aggregate, command, caller, current), current };
  }

  /** Returns the past that led to a record's state, as commands that look back are decided by it. */
  async readPast(aggregate: Aggregate): Promise<Past> {
    const { revision } = await this.load(aggregate, true);
    return this.streams.readPast(aggregate, revision);
  }

  private async runDecider<State extends object, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    command: Command,
    { envelope, rights }: CommandCaller,
    current: StreamState<State>,
  ): Promise<Decision<State>> {
    if (current.organization_id !== null && current.organization_id !== envelope.organization_id) {
      throw new Refusal('not_found', 'This record does not exist here. List the records to find its id.');
    }
    const repeated = this.findRepeatedCommand(current, envelope);
    if (repeated !== null) return { result: repeated };
    if (rights instanceof Refusal) throw rights;
    const revision = recordRevision(current);
    if (envelope.expected_revision !== undefined && envelope.expected_revision !== revision) {
      throw new Refusal('conflict', `The record is at revision ${revision}. Read it again, then decide.`, {
        current_revision: revision,
      });
    }
    const { decider } = aggregate;
    const past = decider.looksBack?.(command) ? await this.streams.readPast(aggregate, current.revision) : undefined;
    const decidedAt = this.options.simulated ? undefined : monotonicMs();
    const now = this.now();
    const newEvents = decider.decide(command, current.state, {
      now,
      today: dateOf(now),
      actor_id: envelope.actor_id,
      role: rights.role,
      memberRole: rights.member_role,
      maxAcceptanceDays: this.options.maxAcceptanceDays,
      past,
    });
    if (newEvents.length === 0) return { result: toResult(current, []) };
    const { canRead = () => true } = this.options;
    for (const { type } of newEvents) if (!canRead(type)) throw new UnreadableEvent(type);
    return { newEvents, recordedAt: now, decidedAt };
  }

  /** Returns the result of an earlier call with this command id, or null. @throws Refusal idempotency_conflict */
  private findRepeatedCommand<State>(
    current: StreamState<State>,
    envelope: CommandEnvelope,
  ): CommandResult<State> | null {
    const firstResult = current.commands.get(envelope.command_id);
    // Newer states share this map. A command beyond this state makes the append conflict, and is found on the next try.
    if (firstResult === undefined || firstResult.revision > current.revision) return null;
    if (
      firstResult.salt !== '' &&
      firstResult.input_hash !== saltedHash(nodeCrypto, firstResult.salt, envelope.input)
    ) {
      throw new Refusal(
        'idempotency_conflict',
        'This idempotency_key was used with another input. Use a new key, or repeat the first input unchanged.',
        { field: 'idempotency_key' },
      );
    }
    return {
      state: current.state,
      before: current.state,
      created_at: current.created_at,
      updated_at: current.updated_at,
      revision: firstResult.revision + 1 + current.originEvents,
      event_types: firstResult.event_types,
      recorded_at: firstResult.recorded_at,
      storePosition: current.storePosition,
      repeated: true,
    };
  }

  private toTrailEvents(
    { stream, decider }: Aggregate,
    current: StreamState<unknown>,
    { newEvents, recordedAt: recorded_at }: NewEvents,
    envelope: CommandEnvelope,
  ): TrailEvent[] {
    const { organization_id, actor_id, token_id, client, command_id, correlation_id, causation_id = null } = envelope;
    return chainEvents(nodeCrypto, {
      stream,
      revision: current.revision,
      previousHash: current.hash,
      input: envelope.input,
      newEvents: newEvents as readonly { type: string; data: Record<string, unknown> }[],
      metadata: {
        organization_id,
        actor_id,
        token_id,
        client,
        command_id,
        correlation_id,
        causation_id,
        recorded_at,
        ...(this.options.simulated ? { simulated: true as const } : {}),
      },
      schemaVersion: (type) => decider.events[type]!.length,
    });
  }
}

/** @throws StreamDamaged if a stream ends before the revision that this process has read */
function refuseCut(error: unknown, stream: string, revision: number): void {
  if (!(error instanceof RevisionConflict && error.actual < revision)) return;
  throw new StreamDamaged(stream, `it ends at revision ${error.actual}, but had revision ${revision}`);
}

/** @throws StoreUnavailable after the deadline: the caller has got an error, and an append would do what it says failed */
function requireTime(deadline: number): void {
  if (monotonicMs() >= deadline) throw new StoreUnavailable('no time is left for the append');
}

function toResult<State>(
  current: StreamState<State>,
  events: readonly TrailEvent[],
  before = current.state,
): CommandResult<State> {
  return {
    state: current.state,
    before,
    created_at: current.created_at,
    updated_at: current.updated_at,
    revision: recordRevision(current),
    event_types: events.map((event) => event.type),
    recorded_at: events.at(-1)?.metadata.recorded_at ?? null,
    storePosition: current.storePosition,
    repeated: false,
  };
}
