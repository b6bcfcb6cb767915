import type { FamilyDescription } from '../register/family-description.ts';
import type { TrailEvent } from '../trail/event.ts';
import type { Decider, DecisionContext, DomainEvent, Past } from './engine/decider.ts';
import { Refusal } from './engine/refusal.ts';
import { ACT_PERMISSIONS, forbiddenAs, type Permission, roleAllows } from './organization/permissions.ts';
import { countingEvents, differingFields, isOfCall, replay } from './past.ts';
import { omit } from './record.ts';

/*
 * Undo of a call: what the call did to one record. The record gets the fields that it would have without the call. What a
 * later change touched stays.
 */

/** Undoes a call on one record. Its events are those of a past, so `positions` are known to the caller of the decider. */
export interface UndoCommand {
  type: 'Undo';
  call_id: string;
  reason: string;
  /** By event id: the positions of the events that `pinnedEvents` of the plan names. */
  positions?: Readonly<Record<string, string>>;
  /** Fields that stay as they are, though they would be different without the call. */
  keeps?: readonly string[];
}

/** The effect that an undo has on a record. */
export interface UndoPlan {
  /** The call added the record, so the undo archives it. */
  isAdded: boolean;
  /** Another call has changed the record since it was added, other than by an undo of this one. It stays then. */
  isChangedSince: boolean;
  /** The fields to set, without those that hold positions. */
  fields: Readonly<Record<string, unknown>>;
  /** The fields to set to the position of an event. Null: to none. */
  pinnedEvents: Readonly<Record<string, TrailEvent | null>>;
  /** The fields that the call changed, and a later change too. They stay as they are. */
  skippedFields: readonly string[];
}

type Undoable<State extends object> = FamilyDescription & Pick<Decider<State, never, DomainEvent>, 'events' | 'evolve'>;

/** Plans the undo of a call on a record. */
export function planUndo<State extends object>(family: Undoable<State>, past: Past, callId: string): UndoPlan {
  const isOfIt = isOfCall(callId);
  const { state, steps } = replay(family, past, past.events);
  if (isAddedBy(past, callId)) {
    const isUndoOfIt = ({ metadata }: TrailEvent) => metadata.causation_id === callId;
    const isChangedSince = countingEvents(past).some((event) => !isOfIt(event) && !isUndoOfIt(event));
    return { isAdded: true, isChangedSince, fields: {}, pinnedEvents: {}, skippedFields: [] };
  }
  const counting = countingEvents(past, isOfIt);
  const without = replay(family, past, counting).state!;
  const fields: Partial<State> = differingFields(state!, without);
  const pinnedEvents = movedPins(family, past.events, counting);
  /** The call's changes, with the values before its first. */
  const changed = new Map<string, unknown>();
  for (const { event, before, after } of steps) {
    if (!isOfIt(event)) continue;
    for (const name of Object.keys(differingFields(before!, after))) {
      if (!changed.has(name)) changed.set(name, before![name as keyof State]);
    }
  }
  const isBack = (name: string, value: unknown) =>
    Object.keys(differingFields<object>({ [name]: state![name as keyof State] }, { [name]: value })).length === 0;
  const skipped = [...changed].filter(([name, value]) => !(name in fields) && !isBack(name, value));
  const skippedFields = skipped.map(([name]) => name);
  return { isAdded: false, isChangedSince: false, fields, pinnedEvents, skippedFields };
}

/**
 * Returns the event by which an undo archived the record that a call had added; null if none did, or a command restored it
 * since. A record that an undo of that undo brought back is one too: its caller looks whether it is archived.
 */
export function undoOfAddition({ firstState, events }: Past): TrailEvent | null {
  const newest = events.findLast(({ data }) => 'archived_at' in data || isArchiving(data.fields));
  const adding = firstState === null ? events[0]?.metadata.correlation_id : undefined;
  return newest !== undefined && isArchiving(newest.data.fields) && newest.metadata.causation_id === adding
    ? newest
    : null;
}

/** Returns true for fields of an event that archive a record. */
function isArchiving(fields: unknown): boolean {
  return typeof (fields as { archived_at?: unknown } | undefined)?.archived_at === 'string';
}

function isAddedBy({ firstState, events }: Past, callId: string): boolean {
  return firstState === null && events[0] !== undefined && isOfCall(callId)(events[0]);
}

/** Returns the fields that hold the position of another event without the call: see the field kind `position`. */
function movedPins(
  { fields, commonEvents }: FamilyDescription,
  all: readonly TrailEvent[],
  counting: readonly TrailEvent[],
): Record<string, TrailEvent | null> {
  const moved: Record<string, TrailEvent | null> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (field.kind !== 'position') continue;
    const pins = ({ type, data }: TrailEvent) =>
      type === field.of || (type === commonEvents.undone && name in (data.fields as object));
    const [now, without] = [all.findLast(pins), counting.findLast(pins)];
    if (now?.id !== without?.id) moved[name] = without ?? null;
  }
  return moved;
}

/** Returns the data of the event that undoes a call on a record; null if there is nothing to undo. @throws Refusal forbidden */
export function decideUndo<State extends object>(
  family: Undoable<State>,
  { call_id, reason, positions = {}, keeps = [] }: UndoCommand,
  state: { archived_at: string | null },
  context: DecisionContext,
): object | null {
  const past = context.past!;
  const plan = planUndo(family, past, call_id);
  const fields: Record<string, unknown> = omit(plan.fields, keeps);
  if (plan.isAdded && !plan.isChangedSince && state.archived_at === null) fields.archived_at = context.now;
  for (const [name, event] of Object.entries(plan.pinnedEvents)) fields[name] = positionOf(name, event, positions);
  if (Object.keys(fields).length === 0) return null;
  const needed = permissionsToUndo(family, past, call_id, context.actor_id);
  if (acceptsAgain(family, { ...state, ...fields }, fields)) needed.add('acceptRisks');
  requireAll(needed, context);
  return { call_id, fields, reason };
}

/** Returns true if an undo brings an acceptance back, or changes the ratings that somebody accepted. */
function acceptsAgain({ fields: described }: FamilyDescription, after: object, undone: object): boolean {
  if (((after as { acceptance?: object | null }).acceptance ?? null) === null) return false;
  return Object.keys(undone).some((name) => name === 'acceptance' || described[name]?.kind === 'rating');
}

function positionOf(name: string, event: TrailEvent | null, positions: Readonly<Record<string, string>>) {
  if (event === null) return null;
  const restored = (event.data.fields as Record<string, unknown> | undefined)?.[name];
  if (restored !== undefined) return restored;
  const position = positions[event.id];
  if (position !== undefined) return position;
  throw new Refusal('conflict', 'The record was changed meanwhile. Repeat the call.');
}

/**
 * Returns the permissions that an undo needs: those of the acts that it undoes. Who added a record may archive it by an
 * undo. The undo of an undo needs those of the first call.
 */
function permissionsToUndo(family: FamilyDescription, past: Past, callId: string, actorId: string): Set<Permission> {
  const { archived, restored, undone } = family.commonEvents;
  const events = past.events.filter(isOfCall(callId));
  if (isAddedBy(past, callId)) {
    return new Set(events[0]!.metadata.actor_id === actorId ? [] : ['archiveRecords']);
  }
  const ofEvent = ({ type, metadata: { causation_id, actor_id } }: TrailEvent): Permission[] => {
    if (type === archived || type === restored) return ['archiveRecords'];
    // Other events may have a cause too: the approval of a proposal.
    if (type !== undone || causation_id === null) {
      return Object.hasOwn(ACT_PERMISSIONS, type) ? [ACT_PERMISSIONS[type]!] : [];
    }
    // Its adder may undo an addition. What another person archived so comes back only by somebody who may restore.
    const restores: Permission[] = isAddedBy(past, causation_id) && actor_id !== actorId ? ['archiveRecords'] : [];
    return [...restores, ...permissionsToUndo(family, past, causation_id, actorId)];
  };
  return new Set(events.flatMap(ofEvent));
}

function requireAll(permissions: Iterable<Permission>, { role, memberRole }: DecisionContext): void {
  for (const permission of permissions) {
    if (!roleAllows(role, permission)) throw forbiddenAs(permission, role, memberRole);
  }
}
