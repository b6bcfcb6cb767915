import type { Position } from '../stores/event-store.ts';
import type { TrailEvent } from '../trail/event.ts';
import type { Decider, DomainEvent } from './decider.ts';
import { Refusal } from './refusal.ts';
import { upcast } from './upcast.ts';

/** What is kept of a command that a stream has folded: enough to recognise it and to answer it again. */
export interface FoldedCommand {
  salt: string;
  input_hash: string;
  /** Stream revision of its last event. */
  revision: number;
  /** When its events were recorded. */
  recorded_at: string;
  event_types: string[];
}

/** A stream folded up to `revision` (-1 when it does not exist). Replaced, never changed. */
export interface Folded<State> {
  organization_id: string | null;
  state: State | null;
  revision: number;
  /** 1 where the first state stands in another's stream, else 0: the record's revision is `revision + 1 + before`. */
  before: 0 | 1;
  /** When its first and its newest event were recorded. */
  created_at: string | null;
  updated_at: string | null;
  hash: string | null;
  /** The store's, of the newest event folded. */
  position: Position | null;
  commands: Map<string, FoldedCommand>;
}

export function nothing<State>(): Folded<State> {
  return {
    organization_id: null,
    state: null,
    revision: -1,
    before: 0,
    created_at: null,
    updated_at: null,
    hash: null,
    position: null,
    commands: new Map(),
  };
}

/** The revision of the record that a stream is about. */
export function recordRevision({ revision, before }: Folded<unknown>): number {
  return revision + 1 + before;
}

/** Folds further events onto what is known. The map of commands is shared: it only grows, in log order. */
export function fold<State extends object, Event extends DomainEvent>(
  decider: Pick<Decider<State, unknown, Event>, 'evolve'>,
  from: Folded<State>,
  events: readonly (TrailEvent & { position?: Position })[],
): Folded<State> {
  let { organization_id, state, revision, created_at, updated_at, hash, position } = from;
  const { commands, before } = from;
  for (const event of events) {
    state = evolveBy(decider, state, event);
    revision = event.revision;
    hash = event.metadata.hash;
    position = event.position ?? position;
    organization_id ??= event.metadata.organization_id;
    updated_at = event.metadata.recorded_at;
    created_at ??= updated_at;
    remember(commands, event);
  }
  return { organization_id, state, revision, before, created_at, updated_at, hash, position, commands };
}

/**
 * One stored event folded onto a state, its data in today's shape.
 * @throws Error when the decider does not know the event, or it does not fit: a newer version than this one wrote it
 */
export function evolveBy<State extends object, Event extends DomainEvent>(
  decider: Pick<Decider<State, unknown, Event>, 'evolve'>,
  state: State | null,
  event: TrailEvent,
): State {
  // What comes from the log is only known by its type; an unknown one falls through the decider's exhaustive switch.
  const known = { type: event.type, data: upcast(event) } as unknown as Event;
  let next: State | undefined;
  try {
    next = decider.evolve(state, known);
  } catch (error) {
    // No fault of the caller's: a fact that has happened is not refused.
    if (error instanceof Refusal) throw new Error(`${event.type} does not follow what came before`, { cause: error });
    throw error;
  }
  if (next === undefined) throw new Error(`${event.type} is not known to this version`);
  return next;
}

function remember(commands: Map<string, FoldedCommand>, event: TrailEvent): void {
  const { command_id, salt, input_hash, recorded_at } = event.metadata;
  const known = commands.get(command_id);
  if (known === undefined) {
    commands.set(command_id, { salt, input_hash, revision: event.revision, recorded_at, event_types: [event.type] });
  } else if (event.revision > known.revision) {
    known.revision = event.revision;
    known.event_types.push(event.type);
  }
}
