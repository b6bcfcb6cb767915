import type { Caller } from '../commands/caller.ts';
import { requirePermission } from '../commands/permissions.ts';
import { Refusal } from '../commands/refusal.ts';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';
import { type AccessLogRow, ALL_ORGANIZATIONS, currentEntryType, MAX_COUNT_PERIOD_MS } from './access-log-row.ts';
import { type NamesReader, readMemberNames } from './account-names.ts';
import type { ChangesInput } from './changes-input.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { endOfPeriod, startOfPeriod } from './moment.ts';
import { countThatFit } from './present-records.ts';
import type { Reader } from './reader.ts';
import { refuseUnknownEventTypes } from './refuse-unknown-event-types.ts';

/** The record type that stands for the access log in listChanges. */
export const ACCESS_RECORD_TYPE = 'ACCESS';

/** Rows of one look at the store. */
const STORE_PAGE_SIZE = 500;
const COUNTED_TYPES: ReadonlySet<string> = new Set(['SIGN_IN_REFUSED', 'TOKEN_USED', 'TOKEN_REFUSED']);
/** Who did it, where that is not known. */
const UNKNOWN_ACTOR = { id: 'UNKNOWN', kind: 'UNKNOWN', name: 'unknown' };

/** A row of the access log as readers get it: in the shape of a change. */
export interface AccessLogChange {
  event_type: string;
  /** Whose account it is about, or who did it. */
  record: { id: string; type: typeof ACCESS_RECORD_TYPE; name: string };
  recorded_at: string;
  actor: { id: string; kind: string; name: string };
  client: string | null;
  reason: null;
  changes: { field: string; from: null; to: unknown }[];
}

/** Whether a list of changes is asked for the access log. @throws Refusal where it is asked for beside records */
export function isAccessLogRequest(filter: ChangesInput['filter']): boolean {
  const types = filter?.record_types ?? [];
  if (!types.includes(ACCESS_RECORD_TYPE)) return false;
  if (types.every((type) => type === ACCESS_RECORD_TYPE)) return true;
  throw invalidInput(
    'The access log is apart from the changes of records: ask for ACCESS in a call of its own.',
    'filter.record_types',
  );
}

/** What the access log is read from: of no reader's other parts. */
export type AccessLogReader = Pick<Reader, 'cursorKey'> & NamesReader;

export interface AccessLogPage {
  changes: AccessLogChange[];
  next_cursor?: string;
}

/** Sign-ins, refusals and the use of tokens, newest first. It is apart from the sealed log: kept 400 days, without proofs. */
export async function listAccessLog(
  reader: AccessLogReader,
  caller: Caller,
  input: ChangesInput,
): Promise<AccessLogPage | { total: number }> {
  requirePermission(caller, input.organization_id, 'listChanges ACCESS');
  refuseUnsupportedInput(input);
  const { organization_id, filter = {} } = input;
  const boundTo = ['listChanges', organization_id, filter];
  const after = input.cursor === undefined ? null : readCursor(reader.cursorKey, boundTo, input.cursor).id;
  const found = search(reader.accounts, caller, organization_id, filter, after);
  if (input.view === 'COUNT') {
    let total = 0;
    for await (const _ of found) total += 1;
    return { total };
  }
  const rows: AccessLogRow[] = [];
  for await (const row of found) if (rows.push(row) > input.size) break;
  const changes = await toChanges(reader, organization_id, rows.slice(0, input.size));
  const shown = countThatFit(changes as unknown as Record<string, unknown>[]);
  const place = { empty: false, key: null, id: rows[shown - 1]?.id ?? '', today: '', position: null };
  const next = rows.length > shown ? { next_cursor: writeCursor(reader.cursorKey, boundTo, place) } : {};
  return { changes: changes.slice(0, shown), ...next };
}

function refuseUnsupportedInput({ verify, as_of, filter }: ChangesInput): void {
  if (verify)
    throw invalidInput('The access log is not in the sealed log: it has no chain, leave verify out.', 'verify');
  if (as_of !== undefined)
    throw invalidInput('The access log has no past state: leave as_of out, give from and to.', 'as_of');
  if (filter?.record_id)
    throw invalidInput('The access log is about no records: leave record_id out, or ACCESS.', 'filter.record_id');
  refuseUnknownEventTypes(filter?.event_types, true);
}

function invalidInput(message: string, field: string): Refusal {
  return new Refusal('invalid_input', message, { field });
}

/** A bound of the period, inclusive: a day's begin or end, or a time. */
function timeOf(field: 'from' | 'to', text: string | undefined): string | null {
  if (text === undefined) return null;
  const time = field === 'from' ? startOfPeriod(text) : endOfPeriod(text);
  if (time !== null) return time;
  throw invalidInput(
    `The access log has no positions: give ${field} as a date, or a timestamp in UTC.`,
    `filter.${field}`,
  );
}

/** Rows that count are found by their last time too. */
function earliestStart(from: string | null): string {
  return from === null ? '' : new Date(Math.max(0, Date.parse(from) - MAX_COUNT_PERIOD_MS)).toISOString();
}

type Filter = NonNullable<ChangesInput['filter']>;

/** The rows that a filter finds, behind the one with the id `after`. */
async function* search(
  accounts: AccountStore,
  caller: Caller,
  organizationId: string,
  filter: Filter,
  after: string | null,
): AsyncGenerator<AccessLogRow> {
  const { actor_id, event_types } = filter;
  const [from, to] = [timeOf('from', filter.from), timeOf('to', filter.to)];
  const actors = actor_id && new Set(actor_id.map((id) => (id === 'ME' ? caller.account_id : id)));
  const types = event_types && new Set(event_types.map(currentEntryType));
  const below = after ?? (to === null ? undefined : `${to}~~`);
  for await (const row of newestFirst(accounts, organizationId, { from: earliestStart(from), below })) {
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
async function* newestFirst(
  accounts: AccountStore,
  organizationId: string,
  range: Range,
): AsyncGenerator<AccessLogRow> {
  const walks = [rowsOf(accounts, organizationId, range), rowsOf(accounts, ALL_ORGANIZATIONS, range)];
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

async function* rowsOf(accounts: AccountStore, value: string, range: Range): AsyncGenerator<AccessLogRow, undefined> {
  let { below } = range;
  for (let found = STORE_PAGE_SIZE; found === STORE_PAGE_SIZE; ) {
    const limit = STORE_PAGE_SIZE;
    const rows = await accounts.page<AccessLogRow>('access', {
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

async function toChanges(
  reader: NamesReader,
  organizationId: string,
  rows: readonly AccessLogRow[],
): Promise<AccessLogChange[]> {
  const ids = rows.flatMap((row) => [row.actor_id, row.account_id]).filter((id) => id !== null);
  const people = await readMemberNames(
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
      record: {
        id: id ?? UNKNOWN_ACTOR.id,
        type: ACCESS_RECORD_TYPE,
        name: id === null ? UNKNOWN_ACTOR.name : nameOf(id),
      },
      recorded_at: row.at,
      actor: actorOf(row.actor_id, nameOf),
      client: row.client,
      reason: null,
      changes: Object.entries(detailsOf(row)).map(([field, to]) => ({ field, from: null, to })),
    };
  });
}

function actorOf(id: string | null, nameOf: (id: string) => string): AccessLogChange['actor'] {
  if (id === null) return UNKNOWN_ACTOR;
  if (id === 'SYSTEM') return { id, kind: 'SYSTEM', name: 'veritrail' };
  return { id, kind: id.startsWith('tok_') ? 'TOKEN' : 'ACCOUNT', name: nameOf(id) };
}

function detailsOf({ event_type, count, last_at, address, details }: AccessLogRow): Record<string, unknown> {
  return {
    ...details,
    ...(COUNTED_TYPES.has(event_type) ? { count, last_at } : {}),
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
