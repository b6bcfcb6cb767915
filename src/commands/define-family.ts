import type { Origin } from './aggregate.ts';
import type { Decider, DecisionContext, DomainEvent } from './decider.ts';
import {
  because,
  decideArchive,
  given,
  isEmpty,
  pick,
  type Reasoned,
  type RecordCommand,
  type RecordEvent,
  type RecordFacts,
  refuseIfArchived,
  refuseIfKnown,
  requireState,
  whatChanges,
} from './record.ts';

/** Names of a family of records. Its streams are `<singular>-<id>`, its tools are called after `title`. */
export interface FamilyNames<Type extends string = string, Title extends string = string> {
  /** On the wire: VENDOR. */
  type: Type;
  /** In tools, commands and events: Vendor. */
  title: Title;
  singular: string;
  /** Also the read model's collection. */
  plural: string;
  /** Of its ids, without the line: vnd. */
  prefix: string;
}

/** A family of records: who it is, and how its records come about. */
export interface Family<
  State extends object = object,
  Command = unknown,
  Event extends DomainEvent = DomainEvent,
  Type extends string = string,
> extends FamilyNames<Type>,
    Decider<State, Command, Event> {
  /** The fields that an auditor is told the changes of: what is set, not what follows from it. */
  fields: readonly string[];
  /** What follows from it and is kept all the same. */
  untold?: readonly string[];
  /** Fields that hold ids of other records: checked on those records' own streams. */
  references: readonly string[];
  /** Where a record's first state stands, when that is in another's stream. */
  origin?(id: string): Origin<State>;
  /** The record without which this one takes no writes. */
  parent?(id: string): string;
}

/** What is a family's own; all else about its records is the same for all. */
export interface FamilyRules<
  Details extends object,
  Decided extends object,
  Own extends DomainEvent,
  Further,
  State = Details & Decided & RecordFacts,
> {
  /** Fields that are corrected rather than decided, as they are where nothing is known. */
  details: Details;
  /** Fields that other facts than corrections change, as they are where nothing is known. */
  decided: Decided;
  /** The word for a record's beginning, where it is not Added. */
  begins?: string;
  /** Fields that follow from others: their changes are not told. */
  untold?: readonly (keyof State & string)[];
  /** Checks a new record, `record` being what it would be; answers fields that are set beside those given. */
  add?(record: State, reason: string | undefined, context: DecisionContext): Partial<State>;
  /**
   * The facts that an update leads to beside corrections and a new owner. `changed` is what differs from the state,
   * `asked` all that was given, for what means something though it was so before.
   */
  update?(
    state: State,
    changed: Partial<State>,
    reason: string | undefined,
    context: DecisionContext,
    asked: Partial<State>,
  ): Own[];
  references?: readonly (keyof State & string)[];
  origin?(id: string): Origin<State & object>;
  parent?(id: string): string;
  /** Commands that only this family knows. */
  decide?(command: Further, state: State, context: DecisionContext): Own[];
  /** Folds a fact of the family's own, where it has any; one that it does not know makes it answer nothing. */
  evolve?(state: State, event: Own): State;
}

/** The commands of a family. */
export type CommandOf<Title extends string, State, Further = never> =
  | ({ type: `Add${Title}`; fields: Partial<State> } & Reasoned)
  | ({ type: `Update${Title}`; changes: Partial<State> } & Reasoned)
  | RecordCommand
  | Further;

/** Facts every family has, and its own. */
export type EventOf<Title extends string, State, Details, Own = never> = RecordEvent<Title, State, Details> | Own;

/** Makes a family of its rules: adding, correcting, owning and archiving are alike for all. */
export function recordFamily<
  Type extends string,
  Title extends string,
  Details extends object,
  Decided extends object,
  Own extends DomainEvent = never,
  Further extends { type: string } = never,
>(names: FamilyNames<Type, Title>, rules: FamilyRules<Details, Decided, Own, Further>) {
  type State = Details & Decided & RecordFacts;
  type Command = CommandOf<Title, State, Further>;
  type Event = EventOf<Title, State, Details, Own>;
  type Adding = { fields: Partial<State> } & Reasoned;
  type Updating = { changes: Partial<State> } & Reasoned;
  const { title } = names;
  const begins = `${title}${rules.begins ?? 'Added'}`;
  const blank: State = { ...rules.details, ...rules.decided, owner_id: null, archived_at: null };
  const details = Object.keys(rules.details) as (keyof State)[];

  function decide(command: Command, state: State | null, context: DecisionContext): Event[] {
    switch (command.type) {
      case `Add${title}`:
        refuseIfKnown(state);
        return [begun(command as Adding, context)];
      case `Update${title}`:
        return update(command as Updating, requireState(state), context);
      case 'Archive':
      case 'Restore':
        return decideArchive(title, command as RecordCommand, requireState(state), context) as Event[];
      default:
        refuseIfArchived(requireState(state));
        return rules.decide!(command as Further, requireState(state), context);
    }
  }

  function begun({ fields, reason }: Adding, context: DecisionContext): Event {
    const more = rules.add?.({ ...blank, ...given(fields) }, reason, context);
    return { type: begins, data: { ...given(fields), ...more, ...because(reason) } } as unknown as Event;
  }

  function update({ changes, reason }: Updating, state: State, context: DecisionContext): Event[] {
    refuseIfArchived(state);
    const changed = whatChanges(state, changes);
    const corrected = pick(changed, details);
    const events: object[] = [];
    if (!isEmpty(corrected))
      events.push({ type: `${title}DetailsChanged`, data: { changes: corrected, ...because(reason) } });
    if (changed.owner_id !== undefined) {
      events.push({ type: `${title}OwnerAssigned`, data: { owner_id: changed.owner_id, ...because(reason) } });
    }
    events.push(...(rules.update?.(state, changed, reason, context, changes) ?? []));
    return events as Event[];
  }

  function evolve(state: State | null, event: Event): State {
    const common = event as RecordEvent<Title, State, Details>;
    if (common.type === begins) {
      const { reason: _reason, ...fields } = common.data as Partial<State> & Reasoned;
      return { ...blank, ...fields };
    }
    const record = requireState(state);
    switch (common.type) {
      case `${title}DetailsChanged`:
        return { ...record, ...(common.data as { changes: Partial<State> }).changes };
      case `${title}OwnerAssigned`:
        return { ...record, owner_id: (common.data as RecordFacts).owner_id };
      case `${title}Archived`:
        return { ...record, archived_at: (common.data as RecordFacts).archived_at };
      case `${title}Restored`:
        return { ...record, archived_at: null };
      default:
        // Nothing of what is not known: whoever folds events has to tell that from a fact without effect.
        return rules.evolve?.(record, event as Own) as State;
    }
  }

  const fields = Object.keys(blank).filter((field) => !rules.untold?.includes(field as keyof State & string));
  const family: Family<State, Command, Event, Type> = {
    ...names,
    fields,
    decide,
    evolve,
    references: rules.references ?? [],
    ...(rules.untold ? { untold: rules.untold } : {}),
    ...(rules.origin ? { origin: rules.origin } : {}),
    ...(rules.parent ? { parent: rules.parent } : {}),
  };
  return family;
}
