import { endOfPeriod, startOfPeriod } from '../../commands/engine/dates.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import type { ChangeDocument, FieldChange } from '../../projections/history/change-document.ts';
import { cutText } from '../../projections/read-models/search-text.ts';
import type { Condition } from '../../stores/read-store.ts';
import type { SealAt } from '../../trail/seals/event-proof.ts';
import { type PageCursor, readCursor, writeCursor } from '../lists/cursor.ts';
import { type KeysetQuery, type PageRow, readKeysetPage } from '../lists/keyset-page.ts';
import { answerNotes } from '../lists/list-records.ts';
import { logTimeOf, type Moment, momentOf, type QueryContext, requireCursorPosition } from '../moments/moment.ts';
import type { Reader, Snapshot } from '../moments/snapshot.ts';
import { inclusionPaths } from '../proofs/proofs.ts';
import type { VerifyControl } from '../proofs/verify-changes.ts';
import { listBinding, verifyListedChanges } from '../proofs/verify-listed-changes.ts';
import { type MemberNames, readMemberNames } from '../records/member-names.ts';
import { countThatFit } from '../records/present-records.ts';
import { isAccessLogRequest } from './access-log-source.ts';
import { changeConditions, recordCondition } from './change-conditions.ts';
import type { ChangesInput } from './changes-input.ts';
import { type ProposedCall, readProposedCalls } from './proposed-calls.ts';

/** Longer texts in changes are shortened. getRecords has them in full. */
const MAX_VALUE_CHARACTERS = 200;
/** Rows read at once for an event that can match by several, such as evidence and the records it is added to. */
const ROWS_PER_EVENT = 21;
const MAX_HISTORY_CHANGES = 50;

/** Lists who changed what, when and why, newest first. With `verify`, everything the filter finds is checked against the log. */
export async function listChanges(
  reader: Reader,
  caller: Caller,
  input: ChangesInput,
  control: VerifyControl = {},
): Promise<object> {
  const snapshot = reader.snapshot();
  if (isAccessLogRequest(input.filter)) return snapshot.accessLog.list(caller, input);
  const organizationId = input.organization_id;
  requirePermission(caller, organizationId, 'readRecords');
  const boundTo = listBinding(input);
  const after = input.cursor === undefined ? null : readCursor(snapshot.cursorKey, boundTo, input.cursor);
  // The rows of a page follow the position that is the cursor's sort key.
  if (after !== null) await requireCursorPosition(snapshot, organizationId, after.position ?? Number(after.key));
  const moment: Moment = after ?? (await momentOf(snapshot, organizationId, input.as_of));
  const context = { snapshot, organizationId, moment };
  const where = await changeConditions(context, caller, input.filter);
  const notes = await answerNotes(context);
  const isVerified = input.verify || input.verify_cursor !== undefined;
  const verification = isVerified
    ? await verifyListedChanges({ ...context, ...control, caller }, input, { where, boundTo })
    : null;
  if (input.view === 'COUNT') {
    const total = await countChanges(snapshot, { collection: 'changes', organizationId, where }, input);
    return { total, ...notes, ...(verification ? { verification: { ...verification, inclusion: [] } } : {}) };
  }
  const page = await readChangesPage(context, where, input, after);
  const inclusion = verification && (await inclusionOf(context, verification.seal, page.documents));
  const changes = await presentChanges(context, page.documents, {
    withProofs: verification !== null,
    withCalls: input.view === 'FULL',
  });
  const count = inclusion
    ? countThatFit(
        changes.map((change, index) => ({ change, proof: inclusion[index] })),
        JSON.stringify(verification).length,
      )
    : countThatFit(changes);
  const next = page.cursorAfter(count);
  return {
    changes: changes.slice(0, count),
    ...(changes.length === 0 ? await periodHint(context, input) : {}),
    ...(next === null ? {} : { next_cursor: writeCursor(snapshot.cursorKey, boundTo, next) }),
    ...notes,
    ...(inclusion ? { verification: { ...verification, inclusion: inclusion.slice(0, count) } } : {}),
  };
}

/** Says that a period without changes is after the last event, or before the first one. Says nothing otherwise. */
async function periodHint({ snapshot, organizationId }: QueryContext, input: ChangesInput): Promise<{ hint?: string }> {
  const { from, to } = input.filter ?? {};
  const last = snapshot.progress.checkpoint(organizationId)?.logTime ?? '';
  const begins = from === undefined ? null : startOfPeriod(from);
  if (begins !== null && begins > last) return { hint: `filter.from is after the last change, recorded at ${last}.` };
  const ends = to === undefined ? null : endOfPeriod(to);
  const first = ends === null ? null : await logTimeOf(snapshot, organizationId, 1);
  return first !== null && ends! < first ? { hint: `filter.to is before the history begins, at ${first}.` } : {};
}

interface ChangesPage {
  documents: readonly ChangeDocument[];
  /** Returns the cursor after the first `count` changes; null if there are no more. */
  cursorAfter(count: number): PageCursor | null;
}

/** Reads a page of changes. An event can match by several rows. It is shown once, by its first row. */
async function readChangesPage(
  context: QueryContext,
  where: readonly Condition[],
  input: ChangesInput,
  after: PageCursor | null,
): Promise<ChangesPage> {
  const { moment } = context;
  const rows = canMatchSeveralRows(input)
    ? await readFirstRows(context, where, input.size, after)
    : await readKeysetPage(context.snapshot.models, { ...changesQuery(context, where), size: input.size, after });
  return {
    documents: rows.slice(0, input.size).map((row) => row.doc as unknown as ChangeDocument),
    cursorAfter(count) {
      const last = rows[count - 1];
      if (last === undefined || rows.length <= count) return null;
      // The next page starts after all rows of the last event shown.
      return { isKeyEmpty: false, key: last.key, id: '', today: moment.today, position: moment.position };
    },
  };
}

function changesQuery({ organizationId }: QueryContext, where: readonly Condition[]) {
  return { collection: 'changes', organizationId, where, order: { key: 'position', direction: 'DESC' } } as const;
}

/** Reads the first rows of `size` events, and of one more if there is a next page. An event's first row comes last in this order. */
async function readFirstRows(
  context: QueryContext,
  where: readonly Condition[],
  size: number,
  after: KeysetQuery['after'],
): Promise<PageRow[]> {
  const { models } = context.snapshot;
  const rowsPerRead = ROWS_PER_EVENT * (size + 1);
  const firstRows: PageRow[] = [];
  for (let start = after; ; ) {
    const page = await readKeysetPage(models, { ...changesQuery(context, where), size: rowsPerRead, after: start });
    const eventRows = page.filter((row, index) => row.key !== page[index + 1]?.key);
    const last = eventRows.pop();
    firstRows.push(...eventRows);
    if (last === undefined) return firstRows;
    if (page.length <= rowsPerRead) return [...firstRows, last];
    // The crosswalk of two frameworks has a row for each of its controls, so the event may have more rows.
    const ofEvent = { key: 'position', op: 'eq', value: last.key! } as const;
    const order = { key: 'position', direction: 'ASC' } as const;
    const [firstRow] = await models.find({ ...changesQuery(context, [...where, ofEvent]), order, limit: 1 });
    firstRows.push({ ...firstRow!, isKeyEmpty: false });
    if (firstRows.length > size) return firstRows;
    start = { isKeyEmpty: false, key: last.key, id: '' };
  }
}

/** Returns each listed event's inclusion path to the seal; null if the seal doesn't cover the event. */
async function inclusionOf(
  { snapshot, organizationId }: QueryContext,
  seal: SealAt | null,
  documents: readonly ChangeDocument[],
) {
  const positions = documents.map(({ position }) => position);
  const paths = await inclusionPaths(snapshot.models, organizationId, seal?.size ?? 0, positions);
  return positions.map((position) => ({ position: String(position), path: paths.get(position) ?? null }));
}

function canMatchSeveralRows({ filter }: ChangesInput): boolean {
  return (filter?.record_id?.length ?? 0) > 1 || filter?.record_types !== undefined;
}

async function countChanges(
  snapshot: Snapshot,
  source: Parameters<Snapshot['models']['count']>[0],
  input: ChangesInput,
) {
  const query = { ...source, limit: input.max_count };
  if (canMatchSeveralRows(input)) return snapshot.models.countDistinct(query, 'position');
  return (await snapshot.models.count(query))[0]?.total ?? 0;
}

/** Returns a record's newest changes, up to the context's moment. */
export async function recordHistory(context: QueryContext, id: string): Promise<object> {
  const { snapshot, organizationId } = context;
  const { position } = context.moment;
  const where: Condition[] = [recordCondition([id])];
  if (position !== null) where.push({ key: 'position', op: 'range', lte: position });
  const rows = await snapshot.models.find({
    collection: 'changes',
    organizationId,
    where,
    order: { key: 'position', direction: 'DESC' },
    limit: MAX_HISTORY_CHANGES + 1,
  });
  const documents = rows.slice(0, MAX_HISTORY_CHANGES).map((row) => row.doc as unknown as ChangeDocument);
  return {
    changes: await presentChanges(context, documents),
    ...(rows.length > MAX_HISTORY_CHANGES ? { truncated: true } : {}),
  };
}

/** A change in the form of answers. */
export type ListedChange = Awaited<ReturnType<typeof presentChanges>>[number];

/** Turns stored change rows into the form of answers. */
export async function presentChanges(
  { snapshot, organizationId }: QueryContext,
  documents: readonly ChangeDocument[],
  { withProofs = false, withCalls = false } = {},
) {
  const people = documents.map(({ actor_id }) => actor_id).filter((id) => id.startsWith('acc_'));
  const importedNames = documents.flatMap(({ changes }) => changes.flatMap(importedNameIn));
  const [names, proposedCalls] = await Promise.all([
    readMemberNames(snapshot, organizationId, [...people, ...importedNames]),
    readProposedCalls(
      { snapshot, organizationId },
      documents.map(({ call_id }) => call_id),
    ),
  ]);
  return documents.map((change) => ({
    position: String(change.position),
    event_type: change.event_type,
    record: change.record,
    ...(change.linked ? { linked: change.linked } : {}),
    revision: change.revision,
    recorded_at: change.recorded_at,
    ...(change.effective_at ? { effective_at: change.effective_at } : {}),
    actor: presentActor(change, names),
    client: change.client ? `${change.client.name} ${change.client.version}`.trim() : null,
    reason: change.reason,
    changes: change.changes.map((fieldChange) => presentFieldChange(fieldChange, names)),
    ...(change.stale ? { stale: true } : {}),
    ...proposalOf(proposedCalls.get(change.call_id)),
    ...(withCalls ? { call_id: change.call_id } : {}),
    ...(withProofs ? { event_id: change.event_id, hash: change.hash } : {}),
  }));
}

function proposalOf(proposal: ProposedCall | undefined): { proposal?: ProposedCall } {
  return proposal === undefined ? {} : { proposal };
}

/** Returns the actor, with the name they had at that time. */
function presentActor(
  { actor_id: id, recorded_at }: ChangeDocument,
  names: MemberNames,
): { id: string; kind: string; name: string } {
  if (id === 'SYSTEM') return { id, kind: 'SYSTEM', name: 'veritrail' };
  if (id.startsWith('tok_')) return { id, kind: 'TOKEN', name: '' };
  return { id, kind: 'ACCOUNT', name: names.of(id, recorded_at) };
}

/** Adds the name of the person who made an imported decision. */
function presentFieldChange(change: FieldChange, names: MemberNames): FieldChange {
  const { field, from } = change;
  const to = shortenValue(change.to);
  const [nameId] = importedNameIn(change);
  return {
    field,
    from: shortenValue(from),
    to: nameId === undefined ? to : { ...(to as object), name: names.of(nameId) },
  };
}

/** Returns the id of the name in the field `imported`, if this is it. */
function importedNameIn({ field, to }: FieldChange): string[] {
  const { name_id } = (field === 'imported' ? (to ?? {}) : {}) as { name_id?: string | null };
  return name_id ? [name_id] : [];
}

/** Shortens the texts in a value of a change, for listChanges and reports. */
export function shortenValue(value: unknown): unknown {
  if (typeof value === 'string') return cutText(value, MAX_VALUE_CHARACTERS);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortenValue(member)]));
}
