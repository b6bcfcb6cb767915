import { isDeepStrictEqual } from 'node:util';
import { correctedFields, isStored } from '../register/event-members.ts';
import type { EventOf } from '../register/event-schema.ts';
import type { CommonEventTypes, FamilyDescription } from '../register/family-description.ts';
import { type Field, type Fields, hasTimedState, type StateOf } from '../register/field.ts';
import { type Decider, type DecisionContext, type DomainEvent, type Origin, stateBefore } from './engine/decider.ts';
import { Refusal } from './engine/refusal.ts';
import type { ImportOrigin } from './import-origin.ts';
import {
  type CommonFields,
  isEmpty,
  type OptionalReason,
  omit,
  omitEmpty,
  pick,
  refuseIfArchived,
  requireState,
  withoutReason,
  withReason,
} from './record.ts';
import { reviewData } from './reviews.ts';
import { checkDates, withoutNoEnd } from './stated-dates.ts';
import { decideUndo, type UndoCommand } from './undo.ts';
import { withdrawNewest } from './withdrawal.ts';
import { checkFirstState, checkTransition, requireReasonForChange } from './workflow.ts';

/** The events of a family without those that most families have. */
export type SpecificEventOf<Description extends FamilyDescription> = Exclude<
  EventOf<Description['events']>,
  { type: Description['commonEvents'][keyof Description['commonEvents']] }
>;

type ComputedKeyOf<Description> = Description extends { computedKeys: readonly (infer Key extends string)[] }
  ? Key
  : never;

/** A stored key that is computed from a record. Lists filter by it and sort by it. */
export interface ComputedKey<State> {
  type: 'text' | 'number';
  of(state: State): string | number | null;
  /** Only the indexes of the default order contain it, because each wider index slows down every write. */
  isPrimaryOnly?: true;
}

interface FamilyRules<State extends object, SpecificEvent extends DomainEvent, SpecificCommand, Key extends string> {
  /** Checks a new record. May return further fields to set. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most rules only check
  add?(record: State, reason: string | undefined): Partial<State> | void;
  /**
   * Returns an update's events, except those for corrected fields and a new owner.
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
  /** Returns the fields that `reviewed: true` sets in a family whose reviews have no event of their own. */
  reviewed?(state: State, context: DecisionContext): Partial<State>;
  /** Says what a change leads to besides, for the refusal of one without a reason. Begins with a blank. */
  consequence?(state: State, changed: Partial<State>): string;
  decide?(command: SpecificCommand, state: State, context: DecisionContext): SpecificEvent[];
  /** Returns the event of an imported record's past decision, which the fields describe. */
  importDecision?(
    fields: Partial<State>,
    origin: ImportOrigin,
    reason: string | undefined,
    context: DecisionContext,
  ): { event: SpecificEvent; describedBy: readonly string[] };
  /** The types of the commands that are decided by the past too. */
  looksBackAt?: readonly string[];
  evolve?(state: State, event: SpecificEvent): State;
  /** Returns the stream that holds a record's first state, if it isn't the record's own. */
  origin?(id: string): Origin<State>;
  /** Returns the id of the record that this one belongs to. While the parent is archived, writes are refused. */
  parent?(id: string): string;
  /** Returns the derived fields that follow from the state. */
  facts?(state: State): object;
  /** Computes the description's `computedKeys`. */
  keys?: Readonly<Record<Key, ComputedKey<State>>>;
}

/** A family of records: its description, its rules and its decider. */
export interface Family<State extends object = object, Command = unknown, Event extends DomainEvent = DomainEvent>
  extends FamilyDescription,
    Decider<State, Command, Event>,
    Pick<FamilyRules<State, Event, never, string>, 'origin' | 'parent' | 'facts' | 'keys'> {
  events: FamilyDescription['events'];
  /** A record before its first event. */
  initialState: State;
  historyFields: readonly string[];
  /** Fields that hold ids of other records. A command checks those records on their own streams. */
  references: readonly string[];
}

type CommonCommand =
  | { type: 'Archive'; reason: string; replaced_by?: string }
  | { type: 'Restore'; reason: string }
  | UndoCommand;

/** With `origin`, the fields may also describe a past decision. */
type AddCommand<State> = { fields: Partial<State>; origin?: ImportOrigin } & OptionalReason;
/** With `reviewed`, somebody looked at the record and found it right as it is after the changes. */
type UpdateCommand<State> = { changes: Partial<State>; reviewed?: boolean } & OptionalReason;

/** The commands of a family, by its description. */
export type CommandOf<Description extends FamilyDescription, State, SpecificCommand = never> =
  | ({ type: Description['commands']['add'] } & AddCommand<State>)
  | (Description['commands'] extends { update: infer Type } ? { type: Type } & UpdateCommand<State> : never)
  | (Description['commands'] extends { withdraw: infer Type } ? { type: Type } & OptionalReason : never)
  | CommonCommand
  | SpecificCommand;

/** Returns the fields whose changes the history lists, in its order, which digests of reports contain. */
function historyFields(fields: Fields): string[] {
  const inHistory = Object.keys(fields).filter((name) => isStored(fields[name]!) && !fields[name]!.excludedFromHistory);
  const corrected = correctedFields(fields);
  return [...new Set([...corrected, ...inHistory.filter((name) => name !== 'owner_id'), 'owner_id', 'archived_at'])];
}

/** Returns true for a field that callers fill with ids of other records. */
function isReference({ kind, setBy }: Field): boolean {
  return (kind === 'id' || kind === 'ids') && setBy !== 'COMMAND';
}

function initialStateOf(fields: Readonly<Record<string, Field>>, stateFields: readonly string[]): object {
  const values = stateFields.map((name) => [name, fields[name]!.initial ?? null]);
  return { ...Object.fromEntries(values), archived_at: null };
}

interface CommonEventData extends CommonFields {
  changes: object;
  fields: object;
}

/** Applies an event that most families have. Returns null for any other. */
function applyCommonEvent<State extends object>(
  { commonEvents, fields: described }: FamilyDescription,
  initialState: State,
  state: State | null,
  event: DomainEvent,
): State | null {
  const { changes, owner_id, fields } = event.data as CommonEventData;
  switch (event.type) {
    case commonEvents.added:
      return { ...initialState, ...withoutReason(event.data) };
    case commonEvents.detailsChanged:
      return { ...stateBefore(event, state), ...changes };
    case commonEvents.ownerAssigned:
      return { ...stateBefore(event, state), owner_id };
    case commonEvents.reviewed:
      return { ...stateBefore(event, state), ...withoutReason(event.data) };
    case commonEvents.archived:
      return { ...stateBefore(event, state), ...withoutReason(event.data) };
    case commonEvents.restored: {
      const replacement = 'replaced_by' in described ? { replaced_by: null } : {};
      return { ...stateBefore(event, state), archived_at: null, ...replacement };
    }
    case commonEvents.withdrawn:
    case commonEvents.undone:
      return { ...stateBefore(event, state), ...stateValues(described, fields) };
    default:
      return null;
  }
}

type MakeEvent<Event> = (name: keyof CommonEventTypes, data: object) => Event;

/** Decides a command that works alike in all families. Returns null for any other. */
function decideCommon<State extends CommonFields, Event extends DomainEvent>(
  commonEvent: MakeEvent<Event>,
  family: FamilyDescription & Pick<Decider<State, never, Event>, 'events' | 'evolve'>,
  command: { type: string } & OptionalReason,
  state: State,
  context: DecisionContext,
): Event[] | null {
  const { now, past } = context;
  const { type, ...stated } = command;
  const { reason } = stated;
  switch (type) {
    case 'Archive':
      return state.archived_at ? [] : [commonEvent('archived', { archived_at: now, ...stated })];
    case 'Restore':
      return state.archived_at ? [commonEvent('restored', { reason })] : [];
    case 'Undo': {
      const data = decideUndo(family, command as UndoCommand, state, context);
      return data === null ? [] : [commonEvent('undone', data)];
    }
    case family.commands.withdraw:
      refuseIfArchived(state);
      return [commonEvent('withdrawn', withdrawNewest(family, state, past!, reason))];
    default:
      return null;
  }
}

/**
 * Returns the values of the state, with the members of objects in the order of the description. Stores may return them in
 * another. Positions aren't in the state.
 */
function stateValues(described: Fields, values: object): object {
  const inState = Object.entries(values).filter(([name]) => described[name]?.kind !== 'position');
  const entries = inState.map(([name, value]) => {
    const field = described[name];
    if (field?.kind !== 'object' || value === null) return [name, value];
    const members = Object.keys(field.fields).filter((member) => isStored(field.fields[member]!));
    return [name, Object.fromEntries(members.map((member) => [member, value[member] ?? null]))];
  });
  return Object.fromEntries(entries);
}

/** Makes a family from its description and its rules. Adding, correcting, assigning an owner and archiving work alike in all families. */
export function defineFamily<
  Description extends FamilyDescription,
  State extends StateOf<Description['fields']> & { owner_id: string | null },
  SpecificCommand extends { type: string } = never,
>(
  description: Description,
  rules: FamilyRules<State, SpecificEventOf<Description>, SpecificCommand, ComputedKeyOf<Description>>,
) {
  type Command = CommandOf<Description, State, SpecificCommand>;
  type Event = EventOf<Description['events']>;
  const { title, fields, commands, commonEvents, pastDecision }: FamilyDescription = description;
  const statedFields = { ...pastDecision?.fields, ...fields };
  const stateFields = Object.keys(fields).filter((name) => isStored(fields[name]!));
  const corrected = correctedFields(fields) as (keyof State)[];
  const initialState = initialStateOf(fields, stateFields) as State;

  function decide(command: Command, state: State | null, context: DecisionContext): Event[] {
    switch (command.type) {
      case commands.add:
        refuseIfExists(state);
        return add(command as AddCommand<State>, context);
      case commands.update:
        return update(command as UpdateCommand<State>, refuseIfArchived(requireState(state)), context);
      default: {
        const current = requireState(state);
        const common = decideCommon(commonEvent, family, command as CommonCommand, current, context);
        return common ?? rules.decide!(command as SpecificCommand, refuseIfArchived(current), context);
      }
    }
  }

  /**
   * Adds a record. An imported one is added as before its past decision, which follows in the same append. Its state was
   * there before, so the time of the state is the one that the file has, or unknown.
   */
  function add({ fields: given, origin, reason }: AddCommand<State>, context: DecisionContext): Event[] {
    const input = checkDates(statedFields, withoutNoEnd(statedFields, given), context);
    if (!origin || !hasPastDecision(description, input)) return [toAddedEvent(input, reason, origin ? null : context)];
    const { event, describedBy } = rules.importDecision!(input, origin, reason, context);
    return [toAddedEvent(omit(input, describedBy), reason, null), event as Event];
  }

  function toAddedEvent(input: Partial<State>, reason: string | undefined, now: DecisionContext | null): Event {
    const record = { ...initialState, ...omitEmpty(input) };
    checkFirstState(description, record, now === null);
    const furtherFields = rules.add?.(record, reason);
    const times = timesOfStates(description, record, now);
    return commonEvent('added', { ...omitEmpty(input), ...furtherFields, ...times, ...withReason(reason) });
  }

  function update({ reason, reviewed, ...command }: UpdateCommand<State>, state: State, context: DecisionContext) {
    const implied = reviewed ? rules.reviewed?.({ ...state, ...command.changes }, context) : {};
    const changes = withoutNoEnd(fields, { ...implied, ...command.changes });
    const changed = checkDates(fields, changedFields(state, changes), context);
    checkTransition(description, state, changed);
    const review = reviewed && commonEvents.reviewed ? reviewData(state, changes, reason, context) : null;
    const corrections = omit(pick(changed, corrected), Object.keys(review ?? {}));
    const events: Event[] = [];
    const why = withReason(reason);
    if (!isEmpty(corrections)) events.push(commonEvent('detailsChanged', { changes: corrections, ...why }));
    if (changed.owner_id !== undefined)
      events.push(commonEvent('ownerAssigned', { owner_id: changed.owner_id, ...why }));
    events.push(...(rules.update?.(state, changed, reason, context, changes) ?? []));
    if (review) events.push(commonEvent('reviewed', review));
    requireReasonForChange(description, state, changed, reason, rules.consequence?.(state, changed));
    return events;
  }

  /** The cast: all families give their common events the same data, and a test compares all events with their schemas. */
  const commonEvent: MakeEvent<Event> = (name, data) =>
    ({ type: commonEvents[name] ?? refuseEvent(title, name), data }) as Event;

  function evolve(state: State | null, event: Event): State {
    const next = applyCommonEvent(description, initialState, state, event);
    return next ?? rules.evolve!(stateBefore(event, state), event as SpecificEventOf<Description>);
  }

  const family = { ...description, evolve };
  return {
    ...family,
    historyFields: historyFields(fields),
    references: stateFields.filter((name) => isReference(fields[name]!)),
    initialState,
    decide,
    looksBack: ({ type }: Command) =>
      type === 'Undo' || type === commands.withdraw || (rules.looksBackAt?.includes(String(type)) ?? false),
    ...pick<typeof rules, 'origin' | 'parent' | 'facts' | 'keys'>(rules, ['origin', 'parent', 'facts', 'keys']),
  };
}

function refuseEvent(title: string, name: string): never {
  throw new TypeError(`${title} has no event for ${name}`);
}

/** Refuses to add a record that exists already. */
function refuseIfExists(state: object | null): void {
  if (state === null) return;
  throw new Refusal('conflict', 'This record exists already. Read it, or add another one.');
}

/** Returns true if an imported row has a state that a past decision led to. */
export function hasPastDecision({ pastDecision, workflow }: FamilyDescription, row: object): boolean {
  if (pastDecision === undefined || workflow === undefined) return false;
  return pastDecision.states.includes(String((row as Record<string, unknown>)[workflow.field]));
}

/** Returns the time now for each state of a new record whose time isn't given. @param context null for an imported record */
function timesOfStates({ fields }: FamilyDescription, record: object, context: DecisionContext | null) {
  if (context === null) return {};
  const values: Readonly<Record<string, unknown>> = { ...record };
  const untimed = Object.entries(fields).filter(([name, field]) => !values[name] && hasTimedState(field, values));
  return Object.fromEntries(untimed.map(([name, { kind }]) => [name, kind === 'date' ? context.today : context.now]));
}

/** Returns the members of `changes` that differ from the state. Null clears a field. */
function changedFields<T extends object>(state: T, changes: Partial<T>): Partial<T> {
  const entries = Object.entries(changes).filter(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(state[field as keyof T] ?? null, value),
  );
  return Object.fromEntries(entries) as Partial<T>;
}
