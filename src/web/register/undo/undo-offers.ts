import { organizationAddress } from '../../../addresses/page-addresses.ts';
import type { Permission } from '../../../commands/organization/permissions.ts';
import { type CallOfChange, callsOfChanges } from '../../../queries/changes/call-of-change.ts';
import { isFrameworkInUse } from '../../../queries/changes/framework-in-use.ts';
import type { ListedChange } from '../../../queries/changes/list-changes.ts';
import type { QueryContext } from '../../../queries/moments/moment.ts';
import { readFormerMembers } from '../../../queries/records/former-members.ts';
import { readMemberNames } from '../../../queries/records/member-names.ts';
import { familyOfType } from '../../../register/families.ts';
import { FRAMEWORK } from '../../../register/framework.ts';
import { mayChange, type RegisterView } from '../open-register.ts';

type ChangeDocument = CallOfChange['change'];
type FieldChange = ChangeDocument['changes'][number];

/** A change's undo, as its line in a history shows it. */
export interface UndoOffer {
  /** The call to undo, and the number of its changes; null if the line offers none. */
  offered: { callId: string; changes: number } | null;
  /** The person who undid it, the time, and true if some of its fields stayed; null while it counts. */
  undone: { by: string; at: string; isPartly: boolean } | null;
  /** The change is the undo of an undo. */
  isRedo: boolean;
}

export type UndoOffers = ReadonlyMap<string, UndoOffer>;

/** The parameter with a later call that is undone before. */
export const UNDONE_FIRST = 'first';

/**
 * Returns the address of the page that undoes a call.
 * @param back the page to come back to
 * @param first the call that linked the record which this one added: a record with later links stays
 */
export function undoAddress(organizationId: string, callId: string, back?: string, first?: string): string {
  return organizationAddress(organizationId, `/undo/${callId}`, { back, [UNDONE_FIRST]: first });
}

/**
 * Returns what each line of a history says about undo, by position. The newest line of a call offers its undo, unless the
 * role may not do that or later lines leave nothing to undo. The tool decides when it is called.
 * @param changes newest first
 * @param recordId the record whose history it is, if it is one record's. A control's begins with its framework's adoption
 */
export async function readUndoOffers(
  view: RegisterView,
  changes: readonly ListedChange[],
  recordId?: string,
): Promise<UndoOffers> {
  const { snapshot, organization, past } = view;
  const moment = { today: view.today, position: past?.position ?? null };
  const context = { snapshot, organizationId: organization.id, moment };
  const positions = changes
    .filter((change) => isUndoable(change) && (recordId === undefined || change.record.id === recordId))
    .map(({ position }) => position);
  const calls = await callsOfChanges(context, positions);
  const undos = [...calls.values()].flatMap(({ undoneBy }) => undoneBy ?? []);
  const undoneUndos = [...calls.values()].filter(({ change }) => isUndo(change));
  const redos = new Set(undoneUndos.map(({ undoneBy }) => undoneBy?.position));
  const names = await readMemberNames(
    snapshot,
    organization.id,
    undos.map(({ actor_id }) => actor_id),
  );
  const obstacles = past === null ? await readObstacles(context, [...calls.values()]) : NO_OBSTACLES;
  const offers = new Map<string, UndoOffer>();
  const later = new LaterChanges();
  const offeredCalls = new Set<string>();
  for (const { position } of changes) {
    const call = calls.get(position);
    if (call === undefined) continue;
    const { change, undoneBy } = call;
    const { call_id } = change;
    const isOffered =
      undoneBy === null &&
      !offeredCalls.has(call_id) &&
      mayUndo(view, call, later) &&
      later.leaveSomethingOf(change) &&
      !isKept(change, obstacles);
    if (isOffered) offeredCalls.add(call_id);
    offers.set(position, {
      offered: isOffered ? { callId: call_id, changes: call.changes } : null,
      undone: undoneBy && {
        by: names.of(undoneBy.actor_id, undoneBy.recorded_at),
        at: undoneBy.recorded_at,
        isPartly: isPartlyUndone(change, undoneBy),
      },
      isRedo: redos.has(change.position),
    });
    later.add(call);
  }
  return offers;
}

/** The reasons that keep changes from going back, beside later changes of the same records. */
interface Obstacles {
  formerMembers: ReadonlySet<unknown>;
  /** The ids of frameworks whose controls are in use. */
  usedFrameworks: ReadonlySet<string>;
}

const NO_OBSTACLES: Obstacles = { formerMembers: new Set(), usedFrameworks: new Set() };
/** Adoptions on one page of which the controls are read. */
const MAX_ADOPTIONS_READ = 5;

async function readObstacles(context: QueryContext, calls: readonly CallOfChange[]): Promise<Obstacles> {
  const counting = calls.filter(({ undoneBy }) => undoneBy === null).map(({ change }) => change);
  const hasOwners = counting.some(({ changes }) => changes.some(({ field, from }) => field === 'owner_id' && from));
  const formerMembers = new Set(hasOwners ? await readFormerMembers(context) : []);
  const usedFrameworks = new Set<string>();
  for (const { record } of counting.filter(isAdoption).slice(0, MAX_ADOPTIONS_READ)) {
    if (await isFrameworkInUse(context, record.id)) usedFrameworks.add(record.id);
  }
  return { formerMembers, usedFrameworks };
}

const isUndo = ({ event_type }: ChangeDocument): boolean => event_type.endsWith('Undone');

const isAdoption = ({ record, revision }: ChangeDocument): boolean => record.type === FRAMEWORK.type && revision === 1;

/** Returns true if nothing of a change can go back: a framework in use, or an owner who is no longer a member. */
function isKept(change: ChangeDocument, { formerMembers, usedFrameworks }: Obstacles): boolean {
  if (isAdoption(change)) return usedFrameworks.has(change.record.id);
  const { changes } = change;
  return changes.length > 0 && changes.every(({ field, from }) => field === 'owner_id' && formerMembers.has(from));
}

/** Returns true for a change that a tool can undo: of a record or a link, not of the organization's members or tokens. */
function isUndoable({ record, stale }: ListedChange): boolean {
  return stale !== true && familyOfType(record.type) !== undefined;
}

/** Returns true if the reader's role may undo a change. It shows or hides a button. */
function mayUndo(view: RegisterView, { change, adds }: CallOfChange, later: LaterChanges): boolean {
  const addsForAnother = adds && change.actor_id !== view.caller.account_id;
  const needed = [
    ...permissionsToUndo(change.changes),
    ...(addsForAnother ? (['archiveRecords'] as const) : []),
    ...(later.acceptRatingsOf(change) ? (['acceptRisks'] as const) : []),
  ];
  return needed.every((permission) => mayChange(view, permission));
}

/** Returns the permissions that it needs to set these fields back. */
export function permissionsToUndo(changes: readonly Pick<FieldChange, 'field'>[]): Permission[] {
  const has = (name: string) => changes.some(({ field }) => field === name);
  return [
    'changeRecords',
    ...(has('archived_at') ? (['archiveRecords'] as const) : []),
    ...(has('acceptance') ? (['acceptRisks'] as const) : []),
  ];
}

/** Returns true if a later change kept fields from going back. The undo of an addition archives the record as a whole. */
function isPartlyUndone({ revision, changes }: ChangeDocument, undo: ChangeDocument): boolean {
  const isBack = ({ field }: FieldChange) => undo.changes.some((back) => back.field === field);
  return revision !== 1 && !changes.every(isBack);
}

/** The changes of a history that count and are newer than the one looked at. */
class LaterChanges {
  /** By the stream that they changed, and by the records that they name. */
  private readonly changes = new Map<string, ChangeDocument[]>();

  /** Adds a change. An undone one, and an undo, leave the fields as they were. */
  add({ change, undoneBy }: CallOfChange): void {
    if (undoneBy !== null || isUndo(change)) return;
    const { stream, record, linked } = change;
    for (const key of [stream, record.id, linked?.id ?? record.id]) {
      const ofKey = this.changes.get(key);
      if (ofKey === undefined) this.changes.set(key, [change]);
      else ofKey.push(change);
    }
  }

  /** Returns true if a change set ratings with which the risk was accepted since. */
  acceptRatingsOf({ stream, record, changes }: ChangeDocument): boolean {
    const fields = familyOfType(record.type)?.fields;
    if (!changes.some(({ field }) => fields?.[field]?.kind === 'rating')) return false;
    return (this.changes.get(stream) ?? []).some((change) =>
      change.changes.some(({ field, to }) => field === 'acceptance' && to),
    );
  }

  /** Returns false if later calls touched all that a change did. A new record stays if it was changed or linked at all. */
  leaveSomethingOf({ stream, record, call_id, revision, changes }: ChangeDocument): boolean {
    const isAdded = revision === 1;
    const later = (this.changes.get(isAdded ? record.id : stream) ?? []).filter((change) => change.call_id !== call_id);
    if (isAdded) return later.length === 0;
    const touched = new Set(later.flatMap((change) => change.changes.map(({ field }) => field)));
    return changes.length === 0 || changes.some(({ field }) => !touched.has(field));
  }
}
