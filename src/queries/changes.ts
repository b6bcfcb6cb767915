import type { Caller } from '../commands/caller.ts';
import { frameworkOfControl, kindOf } from '../commands/ids.ts';
import { Refusal } from '../commands/refusal.ts';
import { permit } from '../commands/roles.ts';
import { adoptionKey, type ChangeDocument, type FieldChange, SEAL_SIDE } from '../projections/changes.ts';
import { cutText } from '../projections/text.ts';
import type { Condition } from '../stores/read-store.ts';
import { isSealFactType } from '../trail/seal.ts';
import { asksForAccess, listAccess } from './access.ts';
import type { ChangesInput } from './changes-input.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { oneOf } from './family.ts';
import { answerNotes } from './list.ts';
import { beginOf, completionOf, endOf, type Moment, momentOf } from './moment.ts';
import { accountNames } from './names.ts';
import { readPage } from './page.ts';
import { fitting } from './present.ts';
import { inclusionsIn, type SealAt } from './proofs.ts';
import type { Reader } from './reader.ts';
import { verifyChanges } from './verify.ts';

/** Texts in changes are cut here; getRecords has them whole. */
const TEXT = 200;
/** Evidence, and the records that it was added with. */
const MOST_SIDES = 21;
/** HISTORY of a record: the newest so many. */
const HISTORY = 50;

/** Who changed what, when and why, newest first; with `verify` the chains of what is listed are checked. */
export async function listChanges(reader: Reader, caller: Caller, input: ChangesInput): Promise<object> {
  if (asksForAccess(input.filter)) return listAccess(reader, caller, input);
  const organizationId = input.organization_id;
  permit(caller, organizationId, 'listChanges');
  const boundTo = ['listChanges', organizationId, input.filter ?? {}, input.as_of ?? null];
  const after = input.cursor === undefined ? null : readCursor(reader.cursorKey, boundTo, input.cursor);
  const moment: Moment = after ?? (await momentOf(reader, organizationId, input.as_of));
  const where = await changeConditions(reader, caller, input, moment);
  const notes = answerNotes(reader, organizationId, moment);
  if (input.view === 'COUNT') {
    return { total: await countChanges(reader, { collection: 'changes', organizationId, where }, input), ...notes };
  }
  const order = { key: 'position', direction: 'DESC' } as const;
  // An event that is found by several of its sides is told once, by the first of them: the last in this order.
  const size = mayFindTwice(input) ? MOST_SIDES * (input.size + 1) : input.size;
  const found = await readPage(reader.models, { collection: 'changes', organizationId, where, order, size, after });
  const rows = found.filter((row, index) => row.doc.position !== found[index + 1]?.doc.position);
  const documents = rows.slice(0, input.size).map((row) => row.doc as unknown as ChangeDocument);
  const changes = await presentChanges(reader, documents, input.verify);
  const proofs = input.verify ? await proofsOf(reader, organizationId, documents) : null;
  const shown = fitting(
    proofs ? changes.map((change, index) => ({ change, proof: proofs.inclusion[index] })) : changes,
  );
  const verification = proofs ? { verification: await verificationOf(reader, documents.slice(0, shown), proofs) } : {};
  const last = rows[shown - 1];
  // The walk goes on behind all sides of the last event that is shown.
  const place = last && { empty: false, key: last.key, id: '', today: moment.today, ordinal: moment.ordinal };
  const next = rows.length > shown && place ? { next_cursor: writeCursor(reader.cursorKey, boundTo, place) } : {};
  return { changes: changes.slice(0, shown), ...next, ...notes, ...verification };
}

interface Proofs {
  /** The newest seal; null as long as there is none. */
  seal: SealAt | null;
  /** Of each listed event, whether that seal covers it and what shows it. */
  inclusion: { position: string; path: string[] | null }[];
}

async function proofsOf(reader: Reader, organizationId: string, listed: readonly ChangeDocument[]): Promise<Proofs> {
  const positions = listed.map(({ position }) => position);
  const found = await inclusionsIn(reader.models, organizationId, positions);
  const pathOf = (position: number) => found?.paths.get(position) ?? null;
  const inclusion = positions.map((position) => ({ position: String(position), path: pathOf(position) }));
  return { seal: found?.seal ?? null, inclusion };
}

async function verificationOf(reader: Reader, shown: readonly ChangeDocument[], { seal, inclusion }: Proofs) {
  const chains = await verifyChanges(reader.events, shown);
  return {
    ...chains,
    seal,
    inclusion: inclusion.slice(0, shown.length),
  };
}

/** Whether a filter can find an event by more than one of its sides. */
function mayFindTwice({ filter }: ChangesInput): boolean {
  return (filter?.record_id?.length ?? 0) > 1 || filter?.record_types !== undefined;
}

async function countChanges(reader: Reader, source: Parameters<Reader['models']['count']>[0], input: ChangesInput) {
  if (mayFindTwice(input)) return (await reader.models.count(source, ['position'])).length;
  return (await reader.models.count(source))[0]?.total ?? 0;
}

/** A record's newest changes, up to a moment. */
export async function changesOf(
  reader: Reader,
  organizationId: string,
  id: string,
  upTo: number | null,
): Promise<object> {
  const where: Condition[] = [aboutRecords([id])];
  if (upTo !== null) where.push({ key: 'position', op: 'range', lte: upTo });
  const rows = await reader.models.find({
    collection: 'changes',
    organizationId,
    where,
    order: { key: 'position', direction: 'DESC' },
    limit: HISTORY + 1,
  });
  const documents = rows.slice(0, HISTORY).map((row) => row.doc as unknown as ChangeDocument);
  return {
    changes: await presentChanges(reader, documents, false),
    ...(rows.length > HISTORY ? { truncated: true } : {}),
  };
}

/** A control's changes begin with the adoption of its framework. */
function aboutRecords(ids: readonly string[]): Condition {
  const adoptions = ids.filter((id) => kindOf(id) === 'ctl').map((id) => adoptionKey(frameworkOfControl(id)));
  return oneOf('record_id', [...ids, ...new Set(adoptions)]);
}

/** A filter of changes as conditions on what is stored. */
export async function changeConditions(
  reader: Reader,
  caller: Caller,
  input: Pick<ChangesInput, 'organization_id' | 'filter'>,
  moment: Moment,
): Promise<Condition[]> {
  const { record_id, record_types, actor_id, event_types, from, to } = input.filter ?? {};
  const where: Condition[] = [];
  if (record_id) where.push(aboutRecords(record_id));
  if (record_types) where.push(oneOf('record_type', record_types));
  if (!record_id && !record_types) where.push(firstSides(event_types));
  if (actor_id) where.push(byActor(actor_id, caller));
  if (event_types) where.push(oneOf('event_type', event_types));
  if (moment.ordinal !== null) where.push({ key: 'position', op: 'range', lte: moment.ordinal });
  if (from !== undefined) where.push(await boundary(reader, input.organization_id, 'from', from));
  if (to !== undefined) where.push(await boundary(reader, input.organization_id, 'to', to));
  return where;
}

/** An event is told once, by its first row. Seals, which are many, only to those who ask for them by type. */
function firstSides(eventTypes: readonly string[] | undefined): Condition {
  const withSeals = eventTypes?.some(isSealFactType);
  return withSeals ? oneOf('side', [0, SEAL_SIDE]) : { key: 'side', op: 'eq', value: 0 };
}

/** Who did it: people and SYSTEM, or the tokens it was done with. */
function byActor(ids: readonly string[], caller: Caller): Condition {
  const tokens = ids.filter((id) => id.startsWith('tok_'));
  if (tokens.length === 0) {
    return oneOf(
      'actor_id',
      ids.map((id) => (id === 'ME' ? caller.account_id : id)),
    );
  }
  if (tokens.length === ids.length) return oneOf('token_id', tokens);
  throw new Refusal('invalid_input', 'Ask for accounts and for tokens in a call each.', { field: 'filter.actor_id' });
}

/** A bound of the period, inclusive: a position, or a time that is compared with log time. */
async function boundary(
  reader: Reader,
  organizationId: string,
  field: 'from' | 'to',
  text: string,
): Promise<Condition> {
  const side = field === 'from' ? 'gte' : 'lte';
  if (/^\d{1,15}$/.test(text)) return { key: 'position', op: 'range', [side]: Number(text) };
  if (kindOf(text) === 'aud') {
    const completed = await completionOf(reader, organizationId, text, `filter.${field}`);
    return { key: 'position', op: 'range', [side]: completed };
  }
  const time = field === 'from' ? beginOf(text) : endOf(text);
  if (time !== null) return { key: 'log_time', op: 'range', [side]: time };
  throw new Refusal(
    'invalid_input',
    `Give ${field} as a date, a timestamp in UTC, a completed audit's id, or a position.`,
    {
      field: `filter.${field}`,
    },
  );
}

/** Changes as readers get them. */
export async function presentChanges(reader: Reader, documents: readonly ChangeDocument[], proofs: boolean) {
  const people = documents.flatMap((change) => [change.actor_id, ...accountIdsIn(change.changes)]);
  const names = await accountNames(
    reader.accounts,
    people.filter((id) => id.startsWith('acc_')),
  );
  return documents.map((change) => ({
    position: String(change.position),
    event_type: change.event_type,
    record: change.record,
    ...(change.linked ? { linked: change.linked } : {}),
    revision: change.revision,
    recorded_at: change.recorded_at,
    ...(change.effective_at ? { effective_at: change.effective_at } : {}),
    actor: actor(change.actor_id, names),
    client: change.client ? `${change.client.name} ${change.client.version}`.trim() : null,
    reason: change.reason,
    changes: change.changes.map(({ field, from, to }) => ({ field, from: cutSide(from), to: cutSide(to) })),
    ...(change.stale ? { stale: true } : {}),
    ...(proofs ? { event_id: change.event_id, hash: change.hash } : {}),
  }));
}

function actor(id: string, names: Map<string, string>): { id: string; kind: string; name: string } {
  if (id === 'SYSTEM') return { id, kind: 'SYSTEM', name: 'veritrail' };
  return { id, kind: id.startsWith('tok_') ? 'TOKEN' : 'ACCOUNT', name: names.get(id) ?? '' };
}

function accountIdsIn(changes: readonly FieldChange[]): string[] {
  return changes
    .flatMap(({ from, to }) => [from, to])
    .filter((value): value is string => typeof value === 'string' && value.startsWith('acc_'));
}

/** A side of a change: its texts are cut as listChanges and reports show them. */
export function cutSide(value: unknown): unknown {
  if (typeof value === 'string') return cutText(value, TEXT);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cutSide(member)]));
}
