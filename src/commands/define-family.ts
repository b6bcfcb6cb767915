import type { EventOf, EventSchemas } from '../register/event-schema.ts';
import type { Origin } from './engine/aggregate.ts';
import { type Decider, type DecisionContext, type DomainEvent, stateBefore } from './engine/decider.ts';
import {
  type CommonCommand,
  type CommonFields,
  changedFields,
  isEmpty,
  type OptionalReason,
  omitEmpty,
  pick,
  refuseIfArchived,
  refuseIfExists,
  requireState,
  withReason,
} from './record.ts';

/** A family's names. Its streams are called `<singular>-<id>`, its tools `add<title>`, `update<title>` and so on. */
export interface FamilyNames<Type extends string = string, Title extends string = string> {
  /** The family's name on the wire: VENDOR. */
  type: Type;
  /** The part of tool, command and event names: Vendor. */
  title: Title;
  singular: string;
  /** The plural, such as `vendors`. The read model's collection has this name too. */
  plural: string;
  /** The prefix of its ids, without the underscore: vnd. */
  prefix: string;
}

/** A family of records: its names, its decider and its fields. */
export interface Family<
  State extends object = object,
  Command = unknown,
  Event extends DomainEvent = DomainEvent,
  Type extends string = string,
> extends FamilyNames<Type>,
    Decider<State, Command, Event> {
  /** The fields whose changes the history lists. */
  historyFields: readonly string[];
  /** Fields whose changes the history doesn't list, such as those that follow from others. */
  excludedFromHistory?: readonly string[];
  /** Fields that hold ids of other records. A command checks those records on their own streams. */
  references: readonly string[];
  /** The stream that holds a record's first state, if it isn't the record's own. */
  origin?(id: string): Origin<State>;
  /** Returns the id of the record that this one belongs to. While the parent is archived, writes are refused. */
  parent?(id: string): string;
}

/** The types of the events that most families have. */
export interface CommonEventTypes<Type extends string> {
  /** The first event, such as FrameworkAdopted. Absent if it is in another stream. */
  added?: Type;
  /** Absent, as `ownerAssigned`, if the family has no updates. */
  detailsChanged?: Type;
  ownerAssigned?: Type;
  archived: Type;
  restored: Type;
}

/** The rules that differ between families. */
export interface FamilyRules<
  Details extends object,
  Decisions extends object,
  Events extends EventSchemas,
  SpecificCommand,
  State = Details & Decisions & CommonFields,
> {
  /** All events of the family, by type. */
  events: Events;
  commonEvents: CommonEventTypes<keyof Events & string>;
  /** Fields that an update corrects in a `…DetailsChanged` event, with their empty values. */
  detailFields: Details;
  /** Fields that have events of their own, such as a status, with their first values. */
  decisionFields: Decisions;
  /** Fields whose changes the history doesn't list, such as those that follow from others. */
  excludedFromHistory?: readonly (keyof State & string)[];
  /** Checks a new record. Returns further fields to set. */
  add?(record: State, reason: string | undefined, context: DecisionContext): Partial<State>;
  /**
   * Returns an update's events, except those for corrected details and a new owner.
   * @param changed the fields that differ from the state
   * @param input all fields of the command, because a repeated value may matter, such as a new assessment
   */
  update?(
    state: State,
    changed: Partial<State>,
    reason: string | undefined,
    context: DecisionContext,
    input: Partial<State>,
  ): EventOf<Events>[];
  references?: readonly (keyof State & string)[];
  origin?(id: string): Origin<State & object>;
  parent?(id: string): string;
  /** Decides commands that only this family has. */
  decide?(command: SpecificCommand, state: State, context: DecisionContext): EventOf<Events>[];
  /** Applies an event. The first one is applied to a record of initial values. */
  evolve(state: State, event: EventOf<Events>): State;
}

/** The commands of a family. */
export type CommandOf<Title extends string, State, SpecificCommand = never> =
  | ({ type: `Add${Title}`; fields: Partial<State> } & OptionalReason)
  | ({ type: `Update${Title}`; changes: Partial<State> } & OptionalReason)
  | CommonCommand
  | SpecificCommand;

/** Makes a family from its rules. Adding, correcting, assigning an owner and archiving work alike in all families. */
export function defineFamily<
  Type extends string,
  Title extends string,
  Details extends object,
  Decisions extends object,
  Events extends EventSchemas,
  SpecificCommand extends { type: string } = never,
>(names: FamilyNames<Type, Title>, rules: FamilyRules<Details, Decisions, Events, SpecificCommand>) {
  type State = Details & Decisions & CommonFields;
  type Command = CommandOf<Title, State, SpecificCommand>;
  type Event = EventOf<Events>;
  type AddCommand = { fields: Partial<State> } & OptionalReason;
  type UpdateCommand = { changes: Partial<State> } & OptionalReason;
  const { title } = names;
  const { commonEvents } = rules;
  const blank: State = { ...rules.detailFields, ...rules.decisionFields, owner_id: null, archived_at: null };
  const details = Object.keys(rules.detailFields) as (keyof State)[];

  function decide(command: Command, state: State | null, context: DecisionContext): Event[] {
    switch (command.type) {
      case `Add${title}`:
        refuseIfExists(state);
        return [toAddedEvent(command as AddCommand, context)];
      case `Update${title}`:
        return update(command as UpdateCommand, requireState(state), context);
      case 'Archive':
      case 'Restore':
        return archive(command as CommonCommand, requireState(state), context);
      default:
        refuseIfArchived(requireState(state));
        return rules.decide!(command as SpecificCommand, requireState(state), context);
    }
  }

  function toAddedEvent({ fields, reason }: AddCommand, context: DecisionContext): Event {
    const extraFields = rules.add?.({ ...blank, ...omitEmpty(fields) }, reason, context);
    return commonEvent('added', { ...omitEmpty(fields), ...extraFields, ...withReason(reason) });
  }

  function update({ changes, reason }: UpdateCommand, state: State, context: DecisionContext): Event[] {
    refuseIfArchived(state);
    const changed = changedFields(state, changes);
    const corrections = pick(changed, details);
    const events: Event[] = [];
    if (!isEmpty(corrections)) {
      events.push(commonEvent('detailsChanged', { changes: corrections, ...withReason(reason) }));
    }
    if (changed.owner_id !== undefined) {
      events.push(commonEvent('ownerAssigned', { owner_id: changed.owner_id, ...withReason(reason) }));
    }
    events.push(...(rules.update?.(state, changed, reason, context, changes) ?? []));
    return events;
  }

  function archive({ type, reason }: CommonCommand, { archived_at }: State, { now }: DecisionContext): Event[] {
    if (type === 'Archive') return archived_at ? [] : [commonEvent('archived', { archived_at: now, reason })];
    return archived_at ? [commonEvent('restored', { reason })] : [];
  }

  /** The cast: all families give their common events the same data, and a test compares all events with their schemas. */
  function commonEvent(name: keyof CommonEventTypes<string>, data: object): Event {
    const type = commonEvents[name];
    if (type === undefined) throw new TypeError(`${title} has no event for ${name}`);
    return { type, data } as Event;
  }

  function evolve(state: State | null, event: Event): State {
    return rules.evolve(event.type === commonEvents.added ? blank : stateBefore(event, state), event);
  }

  const fields = Object.keys(blank).filter(
    (field) => !rules.excludedFromHistory?.includes(field as keyof State & string),
  );
  const family: Family<State, Command, Event, Type> = {
    ...names,
    historyFields: fields,
    events: rules.events,
    decide,
    evolve,
    references: rules.references ?? [],
    ...(rules.excludedFromHistory ? { excludedFromHistory: rules.excludedFromHistory } : {}),
    ...(rules.origin ? { origin: rules.origin } : {}),
    ...(rules.parent ? { parent: rules.parent } : {}),
  };
  return family;
}
