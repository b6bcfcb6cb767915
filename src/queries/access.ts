import type { Caller } from '../commands/caller.ts';
import { Refusal } from '../commands/refusal.ts';
import { permit } from '../commands/roles.ts';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';
import { type AccessRow, EVERYWHERE, LONGEST_COUNT_MS } from './access-entry.ts';
import type { ChangesInput } from './changes-input.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { refuseUnknownEventTypes } from './known-event-types.ts';
import { beginOf, endOf } from './moment.ts';
import { type NamesReader, namesIn } from './names.ts';
import { fitting } from './present.ts';
import type { Reader } from './reader.ts';

/** The record type that stands for the access log in listChanges. */
export const ACCESS = 'ACCESS';

/** Rows of one look at the store. */
const BATCH = 500;
const COUNTED: ReadonlySet<string> = new Set(['SIGN_IN_REFUSED', 'TOKEN_USED', 'TOKEN_REFUSED']);
/** Who did it, where that is not known. */
const NOBODY = { id: 'UNKNOWN', kind: 'UNKNOWN', name: 'unknown' };

/** A row of the access log as readers get it: in the shape of a change. */
export interface AccessEntryShown {
  event_type: string;
  /** Whose account it is about, or who did it. */
  record: { id: string; type: typeof ACCESS; name: string };
  recorded_at: string;
  actor: { id: string; kind: string; name: string };
  client: string | null;
  reason: null;
  changes: { field: string; from: null; to: unknown }[];
}

/** Whether a list of changes is asked for the access log. @throws Refusal where it is asked for beside records */
export function asksForAccess(filter: ChangesInput['filter']): boolean {
  const types = filter?.record_types ?? [];
  if (!types.includes(ACCESS)) return false;
  if (types.every((type) => type === ACCESS)) return true;
  throw wrong(
    'The access log is apart from the changes of records: ask for ACCESS in a call of its own.',
    'filter.record_types',
  );
}

/** What the access log is read from: of no reader's other parts. */
export type AccessReader = Pick<Reader, 'cursorKey'> & NamesReader;

export interface AccessPage {
  changes: AccessEntryShown[];
  next_cursor?: string;
}

/** Sign-ins, refusals and the use of tokens, newest first. It is apart from the sealed log: kept 400 days, without proofs. */
export async function listAccess(
  reader: AccessReader,
  caller: Caller,
  input: ChangesInput,
): Promise<AccessPage | { total: number }> {
  permit(caller, input.organization_id, 'listChanges ACCESS');
  refuseWhatItLacks(input);
  const { organization_id, filter = {} } = input;
  const boundTo = ['listChanges', organization_id, filter];
  const after = input.cursor === undefined ? null : readCursor(reader.cursorKey, boundTo, input.cursor).id;
  const found = search(reader.accounts, caller, organization_id, filter, after);
  if (input.view === 'COUNT') {
    let total = 0;
    for await (const _ of found) total += 1;
    return { total };
  }
  const rows: AccessRow[] = [];
  for await (const row of found) if (rows.push(row) > input.size) break;
  const changes = await presentRows(reader, organization_id, rows.slice(0, input.size));
  const shown = fitting(changes as unknown as Record<string, unknown>[]);
  const place = { empty: false, key: null, id: rows[shown - 1]?.id ?? '', today: '', ordinal: null };
  const next = rows.length > shown ? { next_cursor: writeCursor(reader.cursorKey, boundTo, place) } : {};
  return { changes: changes.slice(0, shown), ...next };
}

function refuseWhatItLacks({ verify, as_of, filter }: ChangesInput): void {
  if (verify) throw wrong('The access log is not in the sealed log: it has no chain, leave verify out.', 'verify');
  if (as_of !== undefined) throw wrong('The access log has no past state: leave as_of out, give from and to.', 'as_of');
  if (filter?.record_id)
    throw wrong('The access log is about no records: leave record_id out, or ACCESS.', 'filter.record_id');
  refuseUnknownEventTypes(filter?.event_types, true);
}

function wrong(message: string, field: string): Refusal {
  return new Refusal('invalid_input', message, { field });
}

/** A bound of the period, inclusive: a day's begin or end, or a time. */
function timeOf(field: 'from' | 'to', text: string | undefined): string | null {
  if (text === undefined) return null;
  const time = field === 'from' ? beginOf(text) : endOf(text);
  if (time !== null) return time;
  throw wrong(`The access log has no positions: give ${field} as a date, or a timestamp in UTC.`, `filter.${field}`);
}

/** Rows that count are found by their last time too. */
function earliest(from: string | null): string {
  return from === null ? '' : new Date(Math.max(0, Date.parse(from) - LONGEST_COUNT_MS)).toISOString();
}

type Filter = NonNullable<ChangesInput['filter']>;

/** The rows that a filter finds, behind the one with the id `after`. */
async function* search(
  accounts: AccountStore,
  caller: Caller,
  organizationId: string,
  filter: Filter,
  after: string | null,
): AsyncGenerator<AccessRow> {
  const { actor_id, event_types } = filter;
  const [from, to] = [timeOf('from', filter.from), timeOf('to', filter.to)];
  const actors = actor_id && new Set(actor_id.map((id) => (id === 'ME' ? caller.account_id : id)));
  const types = event_types && new Set(event_types);
  const below = after ?? (to === null ? undefined : `${to}~~`);
  for await (const row of newestFirst(accounts, organizationId, { from: earliest(from), below })) {
    if (types && !types.has(row.event_type)) continue;
    if (actors && !actors.has(row.actor_id ?? '') && !actors.has(row.account_id ?? '')) continue;
    if ((from === null || row.last_at >= from) && (to === null || row.at <= to)) yield row;
  }
}

interface Range {
  from: string;
  below: string | undefined;
}

/** The organization's rows and those of none, as one list. */
async function* newestFirst(accounts: AccountStore, organizationId: string, range: Range): AsyncGenerator<AccessRow> {
  const walks = [rowsOf(accounts, organizationId, range), rowsOf(accounts, EVERYWHERE, range)];
  const heads = await Promise.all(walks.map(async (walk) => (await walk.next()).value));
  for (;;) {
    const [own, other] = heads;
    const first = own && (!other || own.id > other.id) ? 0 : 1;
    const row = heads[first];
    if (!row) return;
    yield row;
    heads[first] = (await walks[first]!.next()).value;
  }
}

async function* rowsOf(accounts: AccountStore, value: string, range: Range): AsyncGenerator<AccessRow, undefined> {
  let { below } = range;
  for (let found = BATCH; found === BATCH; ) {
    const limit = BATCH;
    const rows = await accounts.page<AccessRow>('access', {
      field: 'organization_id',
      value,
      from: range.from,
      below,
      limit,
    });
    yield* rows;
    found = rows.length;
    below = rows.at(-1)?.id;
  }
  return undefined;
}

async function presentRows(
  reader: NamesReader,
  organizationId: string,
  rows: readonly AccessRow[],
): Promise<AccessEntryShown[]> {
  const ids = rows.flatMap((row) => [row.actor_id, row.account_id]).filter((id) => id !== null);
  const people = await namesIn(
    reader,
    organizationId,
    ids.filter((id) => id.startsWith('acc_')),
  );
  const tokens = await tokenNames(
    reader.accounts,
    ids.filter((id) => id.startsWith('tok_')),
  );
  return rows.map((row) => {
    const nameOf = (one: string) => (one.startsWith('acc_') ? people.of(one, row.at) : (tokens.get(one) ?? ''));
    const id = row.account_id ?? row.actor_id;
    return {
      event_type: row.event_type,
      record: { id: id ?? NOBODY.id, type: ACCESS, name: id === null ? NOBODY.name : nameOf(id) },
      recorded_at: row.at,
      actor: actorOf(row.actor_id, nameOf),
      client: row.client,
      reason: null,
      changes: Object.entries(factsOf(row)).map(([field, to]) => ({ field, from: null, to })),
    };
  });
}

function actorOf(id: string | null, nameOf: (id: string) => string): AccessEntryShown['actor'] {
  if (id === null) return NOBODY;
  if (id === 'SYSTEM') return { id, kind: 'SYSTEM', name: 'veritrail' };
  return { id, kind: id.startsWith('tok_') ? 'TOKEN' : 'ACCOUNT', name: nameOf(id) };
}

function factsOf({ event_type, count, last_at, address, details }: AccessRow): Record<string, unknown> {
  return {
    ...details,
    ...(COUNTED.has(event_type) ? { count, last_at } : {}),
    ...(address === null ? {} : { address }),
  };
}

async function tokenNames(accounts: AccountStore, ids: readonly string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const id of new Set(ids)) {
    const token = await accounts.get<AccountRecord & { name?: string }>('tokens', id);
    if (token?.name !== undefined) names.set(id, token.name);
  }
  return names;
}
