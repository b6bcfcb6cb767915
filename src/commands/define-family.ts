import type { Origin } from './engine/aggregate.ts';
import type { Decider, DecisionContext, DomainEvent } from './engine/decider.ts';
import {
  type CommonCommand,
  type CommonEvent,
  type CommonFields,
  changedFields,
  decideArchive,
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

/** The rules that differ between families. */
export interface FamilyRules<
  Details extends object,
  Decisions extends object,
  SpecificEvent extends DomainEvent,
  SpecificCommand,
  State = Details & Decisions & CommonFields,
> {
  /** Fields that an update corrects in a `…DetailsChanged` event, with their empty values. */
  detailFields: Details;
  /** Fields that have events of their own, such as a status, with their first values. */
  decisionFields: Decisions;
  /** The last word of the first event's type, if it isn't Added: FrameworkAdopted. */
  addedVerb?: string;
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
  ): SpecificEvent[];
  references?: readonly (keyof State & string)[];
  origin?(id: string): Origin<State & object>;
  parent?(id: string): string;
  /** Decides commands that only this family has. */
  decide?(command: SpecificCommand, state: State, context: DecisionContext): SpecificEvent[];
  /** Applies an event that only this family has. Returns undefined for an unknown event. */
  evolve?(state: State, event: SpecificEvent): State;
}

/** The commands of a family. */
export type CommandOf<Title extends string, State, SpecificCommand = never> =
  | ({ type: `Add${Title}`; fields: Partial<State> } & OptionalReason)
  | ({ type: `Update${Title}`; changes: Partial<State> } & OptionalReason)
  | CommonCommand
  | SpecificCommand;

/** The common events and the family's specific events. */
export type EventOf<Title extends string, State, Details, SpecificEvent = never> =
  | CommonEvent<Title, State, Details>
  | SpecificEvent;

/** Makes a family from its rules. Adding, correcting, assigning an owner and archiving work alike in all families. */
export function defineFamily<
  Type extends string,
  Title extends string,
  Details extends object,
  Decisions extends object,
  SpecificEvent extends DomainEvent = never,
  SpecificCommand extends { type: string } = never,
>(names: FamilyNames<Type, Title>, rules: FamilyRules<Details, Decisions, SpecificEvent, SpecificCommand>) {
  type State = Details & Decisions & CommonFields;
  type Command = CommandOf<Title, State, SpecificCommand>;
  type Event = EventOf<Title, State, Details, SpecificEvent>;
  type AddCommand = { fields: Partial<State> } & OptionalReason;
  type UpdateCommand = { changes: Partial<State> } & OptionalReason;
  const { title } = names;
  const addedType = `${title}${rules.addedVerb ?? 'Added'}`;
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
        return decideArchive(title, command as CommonCommand, requireState(state), context) as Event[];
      default:
        refuseIfArchived(requireState(state));
        return rules.decide!(command as SpecificCommand, requireState(state), context);
    }
  }

  function toAddedEvent({ fields, reason }: AddCommand, context: DecisionContext): Event {
    const extraFields = rules.add?.({ ...blank, ...omitEmpty(fields) }, reason, context);
    return {
      type: addedType,
      data: { ...omitEmpty(fields), ...extraFields, ...withReason(reason) },
    } as unknown as Event;
  }

  function update({ changes, reason }: UpdateCommand, state: State, context: DecisionContext): Event[] {
    refuseIfArchived(state);
    const changed = changedFields(state, changes);
    const corrections = pick(changed, details);
    const events: object[] = [];
    if (!isEmpty(corrections))
      events.push({ type: `${title}DetailsChanged`, data: { changes: corrections, ...withReason(reason) } });
    if (changed.owner_id !== undefined) {
      events.push({ type: `${title}OwnerAssigned`, data: { owner_id: changed.owner_id, ...withReason(reason) } });
    }
    events.push(...(rules.update?.(state, changed, reason, context, changes) ?? []));
    return events as Event[];
  }

  function evolve(state: State | null, event: Event): State {
    const commonEvent = event as CommonEvent<Title, State, Details>;
    if (commonEvent.type === addedType) {
      const { reason: _reason, ...fields } = commonEvent.data as Partial<State> & OptionalReason;
      return { ...blank, ...fields };
    }
    const record = requireState(state);
    switch (commonEvent.type) {
      case `${title}DetailsChanged`:
        return { ...record, ...(commonEvent.data as { changes: Partial<State> }).changes };
      case `${title}OwnerAssigned`:
        return { ...record, owner_id: (commonEvent.data as CommonFields).owner_id };
      case `${title}Archived`:
        return { ...record, archived_at: (commonEvent.data as CommonFields).archived_at };
      case `${title}Restored`:
        return { ...record, archived_at: null };
      default:
        // Returns undefined for an unknown event, so that callers can tell it from one that changes nothing.
        return rules.evolve?.(record, event as SpecificEvent) as State;
    }
  }

  const fields = Object.keys(blank).filter(
    (field) => !rules.excludedFromHistory?.includes(field as keyof State & string),
  );
  const family: Family<State, Command, Event, Type> = {
    ...names,
    historyFields: fields,
    decide,
    evolve,
    references: rules.references ?? [],
    ...(rules.excludedFromHistory ? { excludedFromHistory: rules.excludedFromHistory } : {}),
    ...(rules.origin ? { origin: rules.origin } : {}),
    ...(rules.parent ? { parent: rules.parent } : {}),
  };
  return family;
}
