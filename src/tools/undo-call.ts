import type { Rehearsal } from '../commands/engine/handler.ts';
import { itemCommandId } from '../commands/engine/ids.ts';
import { refuseIfParentArchived } from '../commands/engine/references.ts';
import { invalidField, Refusal, type RefusalCode } from '../commands/engine/refusal.ts';
import { familyOf, organizationAggregate, recordAggregate } from '../commands/families.ts';
import { type LinkCommand, linkAggregate, planLinkUndo } from '../commands/link.ts';
import { memberRole } from '../commands/organization/organization-state.ts';
import { requirePermission } from '../commands/organization/permissions.ts';
import { countingEvents } from '../commands/past.ts';
import { planUndo, type UndoCommand } from '../commands/undo.ts';
import type { ImportAnswer, Skipped } from '../import/import-answer.ts';
import { toRowErrors } from '../import/import-rows.ts';
import { positionOfEvent } from '../queries/changes/position-of-event.ts';
import {
  isLinkedSince,
  type UsedControl,
  usedControls,
  type Written,
  writtenByCall,
} from '../queries/changes/written-by-call.ts';
import { linkChanges, recordChanges, type WrittenChange, writtenChanges } from '../queries/changes/written-changes.ts';
import type { QueryContext } from '../queries/moments/moment.ts';
import { documentsAt } from '../queries/records/record-links.ts';
import { type BulkItem, mapConcurrently, rehearseAll, throwRefusals } from './bulk-write.ts';
import { type SelectedOutcome, writeSelected } from './selected-write.ts';
import { callIdOf, readSelection, type SelectionInput } from './selection.ts';
import type { ToolContext } from './tool.ts';
import { envelopeFor } from './write.ts';

/** Records and links that one call undoes. */
const MAX_UNDONE = 200;
/** Records and links that one call looks at. Most need no undo if the call follows others that undid them. */
const MAX_LOOKED_AT = 5000;

export interface UndoInput extends SelectionInput {
  organization_id: string;
  undo: { call_id: string };
  type?: string | undefined;
  reason?: string | undefined;
}

/** The undo of one record or link: its command, or null if it stays as a whole. */
interface Step {
  written: Written;
  item: BulkItem | null;
  skipped: Skipped[];
}

/** A step that changes something, now or in an earlier attempt. */
interface Effective extends Step {
  item: BulkItem;
  rehearsal: Rehearsal;
}

/**
 * Undoes what a call wrote, newest first: each record and link gets what it would have without the call. What a later change
 * touched stays, and the answer names it. A dry run answers what would change, and the `selection` that the write must have.
 * @throws Refusal not_found for a call that wrote nothing here; invalid_input if only what it doesn't look at is left
 */
export async function undoCall(
  context: ToolContext,
  input: UndoInput,
  maxLookedAt = MAX_LOOKED_AT,
): Promise<ImportAnswer> {
  const undoing = await openUndo(context, input);
  const { query, organizationId, callId } = undoing;
  const all = (await writtenByCall(query, input.undo.call_id)).filter((written) => isOfType(written, input.type));
  if (all.length === 0) throw nothingWritten(input);
  const ordered = all.length > maxLookedAt ? await unchangedFirst(undoing, all) : all;
  const { effective, skipped, remaining } = await findEffective(undoing, ordered, maxLookedAt);
  const rest = { ...skippedMembers(skipped), ...(remaining > 0 ? { remaining } : {}) };
  return writeSelected({
    call: { context, organizationId, input: { ...input, reason: undoing.reason } },
    callId,
    items: effective.map(({ item }) => item),
    rehearsals: effective.map(({ rehearsal }) => rehearsal),
    answer: (outcomes) => ({ ...undoAnswer(effective, outcomes), ...rest }),
  });
}

/** One undo, with the values that all its commands share. */
interface Undoing {
  context: ToolContext;
  organizationId: string;
  query: QueryContext;
  callId: string;
  input: UndoInput;
  reason: string;
  envelope: Omit<BulkItem['envelope'], 'command_id'>;
  isMember(account: string): boolean;
}

async function openUndo(context: ToolContext, input: UndoInput): Promise<Undoing> {
  const { caller, service, tool } = context;
  const { organization_id: organizationId, undo, type } = input;
  const role = requirePermission(caller, organizationId, tool.permission);
  const callId = callIdOf(context, organizationId, input);
  const query = { snapshot: service.reader.snapshot(), organizationId, moment: { position: null } } as QueryContext;
  const reason = input.reason || `Undo of call ${undo.call_id}`;
  const envelope = {
    ...envelopeFor(caller, organizationId, role, tool.permission, callId),
    causation_id: undo.call_id,
    input: { undo, type, reason },
  };
  const { state } = await service.handler.load(organizationAggregate(organizationId), true);
  const isMember = (account: string) => memberRole(state!, account, service.handler.now()) !== null;
  return { context, organizationId, query, callId, input, reason, envelope, isMember };
}

function isOfType(written: Written, type: string | undefined): boolean {
  if (type === undefined) return true;
  return written.kind === 'RECORD' ? written.type === type : type === 'CROSSWALK' && written.kind === 'PAIR';
}

function nothingWritten({ undo, type }: UndoInput): Refusal {
  const what = type === undefined ? 'records or links' : `records of type ${type}`;
  const message = `The call ${undo.call_id} wrote no ${what} here. listChanges with view FULL shows the call_id of each change.`;
  return new Refusal('not_found', message, { field: 'undo.call_id' });
}

const DOCUMENTS_AT_ONCE = 500;

/**
 * Puts the records that nobody has changed since the call before the others, so that a long call's undo reaches all of them:
 * the others were undone before, most likely. Of those the ones that were changed last come last. A write sees the register
 * as its dry run did: otherwise a repeat would find others than the first attempt.
 */
async function unchangedFirst(undoing: Undoing, all: readonly Written[]): Promise<readonly Written[]> {
  const { context, organizationId, query, input, reason } = undoing;
  const selected = { context, organizationId, input: { ...input, reason } };
  const moment = input.selection === undefined ? query.moment : readSelection(selected).moment;
  const ids = all.flatMap((written) => (written.kind === 'RECORD' ? [written.id] : []));
  const newest = new Map<unknown, number>();
  for (let first = 0; first < ids.length; first += DOCUMENTS_AT_ONCE) {
    const documents = await documentsAt({ ...query, moment }, ids.slice(first, first + DOCUMENTS_AT_ONCE));
    for (const { id, position } of documents) newest.set(id, Number(position));
  }
  const changedAt = (written: Written): number => {
    const position = written.kind === 'RECORD' ? newest.get(written.id) : undefined;
    return position === undefined || (written.kind === 'RECORD' && written.positions.has(position)) ? 0 : position;
  };
  return [...all].sort((one, other) => changedAt(one) - changedAt(other));
}

/** Finds what the undo changes, up to its limit. `remaining` is the number of records and links that it didn't look at. */
async function findEffective(
  undoing: Undoing,
  all: readonly Written[],
  maxLookedAt: number,
): Promise<{ effective: Effective[]; skipped: Skipped[]; remaining: number }> {
  const effective: Effective[] = [];
  const skipped: Skipped[] = [];
  const refused: (Step & { refusal: Refusal })[] = [];
  let done = 0;
  const end = Math.min(all.length, maxLookedAt);
  while (done < end && effective.length < MAX_UNDONE) {
    const batch = all.slice(done, Math.min(end, done + MAX_UNDONE - effective.length));
    done += batch.length;
    const steps = await mapConcurrently(batch, (written) => stepOf(undoing, written), undoing.context);
    skipped.push(...steps.flatMap((step) => step.skipped));
    const planned = steps.filter((step): step is Step & { item: BulkItem } => step.item !== null);
    const rehearsals = await rehearseAll(
      undoing.context,
      planned.map(({ item }) => item),
    );
    for (const [index, rehearsal] of rehearsals.entries()) {
      const step = planned[index]!;
      if ('refusal' in rehearsal) refused.push({ ...step, refusal: rehearsal.refusal });
      else if (rehearsal.event_types.length > 0) effective.push({ ...step, rehearsal });
    }
  }
  const isLeftAlone = effective.length > 0 && refused.every(({ refusal }) => LEFT_ALONE.includes(refusal.code));
  if (!isLeftAlone) throwRefusals(refused, () => 'undo.call_id');
  if (effective.length === 0 && done < all.length) throw nothingWithin(done, all.length - done);
  const refusals = refused.map(({ written, refusal }) => refusedMember(written, refusal));
  return { effective, skipped: [...refusals, ...skipped], remaining: all.length - done };
}

function nothingWithin(looked: number, left: number): Refusal {
  const message = `An undo looks at ${looked} records and links of a call. None of them goes back now, and it did not look at the other ${left}. Undo those by type, or change or archive them.`;
  return invalidField('undo.call_id', message);
}

/** Refusals of one record or link that leave the others free. Any other is one of the call. */
const LEFT_ALONE: readonly RefusalCode[] = ['forbidden', 'invalid_transition'];

function refusedMember(written: Written, { message }: Refusal): Skipped {
  const [id, linked_id] = written.kind === 'RECORD' ? [written.id] : written.ids;
  return { id, ...(linked_id === undefined ? {} : { linked_id }), why: 'REFUSED', message };
}

/** Plans the undo of one record, link or pair. */
async function stepOf(undoing: Undoing, written: Written): Promise<Step> {
  switch (written.kind) {
    case 'RECORD':
      return recordStep(undoing, written);
    case 'LINK':
      return linkStep(undoing, written);
    case 'PAIR':
      return pairStep(undoing, written);
  }
}

async function recordStep(undoing: Undoing, written: Extract<Written, { kind: 'RECORD' }>): Promise<Step> {
  const { context, query, input, reason } = undoing;
  const { id } = written;
  const { call_id } = input.undo;
  const aggregate = recordAggregate(id);
  const past = await context.service.handler.readPast(aggregate);
  const plan = planUndo(familyOf(id), past, call_id);
  if (plan.isAdded && !(await isRepeated(undoing, aggregate))) {
    const use = plan.isChangedSince ? CHANGED_SINCE : await usedSince(undoing, written);
    if (use !== null) return { written, item: null, skipped: [{ id, ...use }] };
  }
  const positions: Record<string, string> = {};
  for (const event of Object.values(plan.pinnedEvents)) {
    const position = event && (await positionOfEvent(query, event));
    if (position !== null) positions[event!.id] = position;
  }
  const owner = plan.fields.owner_id;
  const keeps = typeof owner === 'string' && !undoing.isMember(owner) ? ['owner_id'] : [];
  const command: UndoCommand = { type: 'Undo', call_id, reason, positions, keeps };
  const skipped: Skipped[] = [
    ...(plan.skippedFields.length > 0 ? [{ id, why: 'CHANGED_SINCE', fields: plan.skippedFields } as const] : []),
    ...(keeps.length > 0 ? [{ id, why: 'OWNER_GONE', fields: keeps } as const] : []),
  ];
  const { handler } = context.service;
  const item = itemOf(undoing, aggregate, command);
  const envelope = { ...item.envelope, checkReferences: () => refuseIfParentArchived(handler, id) };
  return { written, item: { ...item, envelope }, skipped };
}

type Use = Pick<Skipped, 'why' | 'message'>;

const CHANGED_SINCE: Use = { why: 'CHANGED_SINCE' };

/** Returns why a record that the call added is in use by now; null if it isn't. Of a framework, it names the controls in use. */
async function usedSince(
  { context, query }: Undoing,
  { id, type, positions }: Extract<Written, { kind: 'RECORD' }>,
): Promise<Use | null> {
  if (await isLinkedSince(query, id, positions)) return { why: 'LINKED_SINCE' };
  if (type !== 'FRAMEWORK') return null;
  const { linked, changed } = await usedControls(query, id);
  if (linked.length > 0) return { why: 'LINKED_SINCE', message: controlsText(linked, 'linked') };
  const readPast = (control: UsedControl) => context.service.handler.readPast(recordAggregate(control.id));
  const pasts = await mapConcurrently(changed, readPast, context);
  const counting = changed.filter((_, index) => countingEvents(pasts[index]!).length > 0);
  return counting.length > 0 ? { ...CHANGED_SINCE, message: controlsText(counting, 'changed') } : null;
}

const MAX_NAMED_CONTROLS = 10;
const NATURAL_ORDER = new Intl.Collator('en', { numeric: true });

/** Says which controls keep their framework, such as `2 of its controls were changed since: A.7.4, A.7.12.` */
function controlsText(controls: readonly UsedControl[], act: 'changed' | 'linked'): string {
  const numbers = controls.map(({ number }) => number).toSorted(NATURAL_ORDER.compare);
  const more = numbers.length - MAX_NAMED_CONTROLS;
  const named = `${numbers.slice(0, MAX_NAMED_CONTROLS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `${controls.length} of its controls ${controls.length === 1 ? 'was' : 'were'} ${act} since: ${named}.`;
}

async function linkStep(undoing: Undoing, written: Extract<Written, { kind: 'LINK' }>): Promise<Step> {
  const { ids } = written;
  const { handler } = undoing.context.service;
  const { call_id } = undoing.input.undo;
  const aggregate = linkAggregate(...ids);
  const past = await handler.readPast(aggregate as unknown as BulkItem['aggregate']);
  const { state } = await handler.load(aggregate);
  const { isTouched } = planLinkUndo(past, state, call_id);
  const command: LinkCommand = { type: 'Undo', ids, call_id, reason: undoing.reason };
  const item = itemOf(undoing, aggregate as unknown as BulkItem['aggregate'], command);
  return { written, item, skipped: isTouched ? [skippedLink(ids)] : [] };
}

const skippedLink = ([id, linked_id]: readonly [string, string]): Skipped => ({ id, linked_id, why: 'CHANGED_SINCE' });

/** A pair that was changed since is only looked at because an earlier attempt may have done that. */
async function pairStep(undoing: Undoing, written: Extract<Written, { kind: 'PAIR' }>): Promise<Step> {
  const { ids, before, isChangedSince } = written;
  const { reason } = undoing;
  const aggregate = linkAggregate(...ids);
  const command: LinkCommand =
    before === null ? { type: 'Unlink', ids, reason } : { type: 'Link', ids, relation: before, reason };
  const item = itemOf(undoing, aggregate as unknown as BulkItem['aggregate'], command);
  if (!isChangedSince) return { written, item, skipped: [] };
  return (await isRepeated(undoing, item.aggregate))
    ? { written, item, skipped: [] }
    : { written, item: null, skipped: [skippedLink(ids)] };
}

/** Returns true if an earlier attempt of this undo has written to a stream. */
async function isRepeated({ context, callId }: Undoing, aggregate: BulkItem['aggregate']): Promise<boolean> {
  const { commands } = await context.service.handler.load(aggregate);
  return commands.has(itemCommandId(callId, aggregate.stream));
}

function itemOf({ callId, envelope }: Undoing, aggregate: BulkItem['aggregate'], command: { type: string }): BulkItem {
  return { aggregate, command, envelope: { ...envelope, command_id: itemCommandId(callId, aggregate.stream) } };
}

/** Returns the answer: what was undone, or in a dry run would be. */
function undoAnswer(effective: readonly Effective[], outcomes: readonly SelectedOutcome[]): ImportAnswer {
  const rows: ImportAnswer['rows'] = [];
  const links: NonNullable<ImportAnswer['links']> = [];
  for (const [index, { written }] of effective.entries()) {
    const outcome = outcomes[index]!;
    const errors = 'refusal' in outcome ? { errors: toRowErrors(outcome.refusal) } : {};
    if (written.kind === 'RECORD') {
      rows.push({ row: rows.length, id: written.id, ...('result' in outcome ? { result: 'UPDATED' } : errors) });
    } else {
      links.push({ from_id: written.ids[0], to_id: written.ids[1], ...errors });
    }
  }
  const updated = rows.filter(({ result }) => result === 'UPDATED').length;
  const changes = effective.map(({ written }, index) => changesOf(written, outcomes[index]!));
  const optionalLinks = links.length > 0 ? { links } : {};
  return { created: 0, updated, unchanged: 0, rows, ...optionalLinks, ...writtenChanges(changes) };
}

function changesOf(written: Written, outcome: SelectedOutcome): WrittenChange[] {
  if ('refusal' in outcome) return [];
  return written.kind === 'RECORD'
    ? recordChanges(written.id, outcome.result)
    : linkChanges(...written.ids, outcome.result);
}

/** Records and links that an answer names because they stay. */
const MAX_SKIPPED = 100;

function skippedMembers(skipped: readonly Skipped[]): { skipped?: Skipped[]; more_skipped?: number } {
  if (skipped.length === 0) return {};
  const more = skipped.length - MAX_SKIPPED;
  return { skipped: skipped.slice(0, MAX_SKIPPED), ...(more > 0 ? { more_skipped: more } : {}) };
}
