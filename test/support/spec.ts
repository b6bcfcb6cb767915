import * as assert from 'uvu/assert';
import type { Decider, DecisionContext, DomainEvent, Past } from '../../src/commands/engine/decider.ts';
import { Refusal, type RefusalCode, type RefusalDetails } from '../../src/commands/engine/refusal.ts';

export const TODAY = '2026-03-10';
export const NOW = `${TODAY}T09:30:00.000Z`;
export const EDITOR_ID = 'acc_EDITOR';

/** An EDITOR on an ordinary day. */
export const CONTEXT: DecisionContext = {
  now: NOW,
  today: TODAY,
  actor_id: EDITOR_ID,
  role: 'EDITOR',
  maxAcceptanceDays: 366,
};

/** The call that wrote an event, the one that it undoes, and its actor. By default each event has a call of its own. */
interface Call {
  call?: string;
  undoes?: string;
  by?: string;
}

/** Returns the past that recorded events are. The events have the ids `event 0`, `event 1`, … */
function pastOf(
  { events: schemas }: Pick<Decider<object, never, DomainEvent>, 'events'>,
  history: readonly (DomainEvent & Call)[],
): Past {
  const events = history.map(({ type, data, call, undoes, by = EDITOR_ID }, revision) => {
    const metadata = { correlation_id: call ?? `call ${revision}`, causation_id: undoes ?? null, actor_id: by };
    return {
      id: `event ${revision}`,
      revision,
      type,
      data,
      metadata: { ...metadata, schema_version: schemas[type]!.length },
    };
  });
  return { firstState: null, events: events as unknown as Past['events'] };
}

interface Outcome<Event> {
  then(events: readonly Event[]): void;
  refused(code: RefusalCode, details?: Pick<RefusalDetails, 'field' | 'allowed'>, message?: RegExp): void;
}

/** Sentences about a decider: `given(events).when(command).then(events)`, or `.refused(code, {field, allowed})`. */
export function specOf<State extends object, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
) {
  const given = (history: readonly (Event & Call)[]) => ({
    when(command: Command, context: Partial<DecisionContext> = {}): Outcome<Event> {
      const past = decider.looksBack?.(command) ? { past: pastOf(decider, history) } : {};
      const known = { ...CONTEXT, ...past, ...context };
      const decide = () => decider.decide(freeze(withReason(command)), stateOf(decider, history), known);
      return {
        // biome-ignore lint/suspicious/noThenProperty: the third part of given, when, then; it is never awaited
        then(events) {
          assert.equal(decide().map(withoutReason), events);
        },
        refused(code, details = {}, message = /^\S.{15,}[.]$/) {
          const refusal = refusalOf(decide);
          assert.is(refusal.code, code, refusal.message);
          for (const [name, value] of Object.entries(details)) {
            assert.equal(refusal.more[name as 'field' | 'allowed'], value, `${name}: ${refusal.message}`);
          }
          assert.match(refusal.message, message);
        },
      };
    },
    /** The state that the events lead to. */
    state(): State {
      const state = stateOf(decider, history);
      if (state === null) throw new Error('no events, no state');
      return state;
    },
  });
  return { given };
}

/** The reason of an update that states none. Most tests are not about reasons, so their events leave it out. */
const REASON = 'Found out';

export function withReason<Command>(command: Command): Command {
  const { type } = command as { type: string };
  return type.startsWith('Update') ? { reason: REASON, ...command } : command;
}

export function withoutReason<Event extends DomainEvent>(event: Event): Event {
  const { reason, ...data } = event.data as { reason?: string };
  return reason === REASON ? { ...event, data } : event;
}

/** Folds events; what they lead to is frozen, so that a decider that changes what it is given fails. */
export function stateOf<State extends object, Event extends DomainEvent>(
  decider: Pick<Decider<State, never, Event>, 'evolve'>,
  events: readonly Event[],
): State | null {
  return events.reduce<State | null>((state, event) => {
    const next: State | undefined = decider.evolve(state, freeze(event));
    assert.ok(next, `${event.type} leads to no state`);
    return freeze(next);
  }, null);
}

/** Returns the refusal of an attempt. Fails if nothing is refused. */
export function refusalOf(attempt: () => unknown): Refusal {
  try {
    attempt();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('should have been refused');
}

/** Frozen all the way down. */
export function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) freeze(member);
  }
  return value;
}
