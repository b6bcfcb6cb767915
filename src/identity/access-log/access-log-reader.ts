import { endOfPeriod, startOfPeriod } from '../../commands/engine/dates.ts';
import { invalidField, type Refusal } from '../../commands/engine/refusal.ts';
import { accountOf, type Caller } from '../../commands/organization/caller.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import { ACCESS_RECORD_TYPE, type AccessLogSource } from '../../queries/changes/access-log-source.ts';
import type { ChangesInput } from '../../queries/changes/changes-input.ts';
import { unknownEventType } from '../../queries/changes/refuse-unknown-event-types.ts';
import type { CursorKey } from '../../queries/lists/cursor.ts';
import { readCursor, writeCursor } from '../../queries/lists/cursor.ts';
import type { MemberNames } from '../../queries/records/member-names.ts';
import { countThatFit } from '../../queries/records/present-records.ts';
import { EVENT_TYPES } from '../../register/events.ts';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';
import { ACCESS_ENTRIES, ACCESS_ENTRY_TYPES, currentEntryType, isAccessEntryType } from './access-entry-types.ts';
import { type AccessLogRow, ALL_ORGANIZATIONS, MAX_COUNT_PERIOD_MS } from './access-log-row.ts';
import { type CredentialUse, readCredentialUses } from './credential-uses.ts';
import { type AccessLogRange, readAccessRows } from './read-access-rows.ts';

const UNKNOWN_ACTOR = { id: 'UNKNOWN', kind: 'UNKNOWN', name: 'unknown' };

/** An access-log entry in the form of a change. */
export interface AccessLogChange {
  event_type: string;
  /** The account it is about, or its actor. */
  record: { id: string; type: typeof ACCESS_RECORD_TYPE; name: string };
  recorded_at: string;
  actor: { id: string; kind: string; name: string };
  client: string | null;
  reason: null;
  changes: { field: string; from: null; to: unknown }[];
}

export interface AccessLogPage {
  changes: AccessLogChange[];
  next_cursor?: string;
}

export interface AccessLogReaderOptions {
  accounts: AccountStore;
  /** The key that signs cursors, the same on every instance. */
  cursorKey: CursorKey;
  /** Reads names of accounts as an organization's readers see them. */
  readNames: (organizationId: string, accountIds: Iterable<string>) => Promise<MemberNames>;
}

/** Lists sign-ins, refusals and token use. The access log is not sealed and has no proofs. Entries are kept for 400 days. */
export class AccessLogReader implements AccessLogSource {
  constructor(private readonly options: AccessLogReaderOptions) {}

  hasType(eventType: string): boolean {
    return isAccessEntryType(currentEntryType(eventType));
  }

  /** Lists entries, newest first. */
  async list(caller: Caller, input: ChangesInput): Promise<AccessLogPage | { total: number }> {
    const { accounts, cursorKey } = this.options;
    requirePermission(caller, input.organization_id, 'readAccessLog');
    refuseUnsupportedInput(input);
    const { organization_id, filter = {} } = input;
    const boundTo = ['listChanges', organization_id, filter];
    const after = input.cursor === undefined ? null : placeOf(readCursor(cursorKey, boundTo, input.cursor));
    const matchingRows = search(accounts, caller, organization_id, filter, after);
    if (input.view === 'COUNT') {
      let total = 0;
      for await (const _ of matchingRows) total += 1;
      return { total };
    }
    const rows: AccessLogRow[] = [];
    for await (const row of matchingRows) if (rows.push(row) > input.size) break;
    const changes = await this.present(organization_id, rows.slice(0, input.size));
    const count = countThatFit(changes as unknown as Record<string, unknown>[]);
    const { at = null, id = '' } = rows[count - 1] ?? {};
    const nextCursor = { isKeyEmpty: false, key: at, id, today: '', position: null };
    const next = rows.length > count ? { next_cursor: writeCursor(cursorKey, boundTo, nextCursor) } : {};
    return { changes: changes.slice(0, count), ...next };
  }

  /**
   * Returns the credentials that made calls on a day (UTC), or that are among `ids`: for readers of the access log all, for
   * others their own.
   */
  credentialUses(
    caller: Caller,
    day: { organizationId: string; day: string; ids: Iterable<string> },
  ): Promise<CredentialUse[]> {
    return readCredentialUses(this.options.accounts, caller, day);
  }

  /** Turns rows into the form of changes, with the names that people had then. */
  private async present(organizationId: string, rows: readonly AccessLogRow[]): Promise<AccessLogChange[]> {
    const { accounts, readNames } = this.options;
    const ids = rows.flatMap((row) => [row.actor_id, row.account_id]).filter((id) => id !== null);
    const accountIds = ids.filter((id) => id.startsWith('acc_'));
    const tokenIds = ids.filter((id) => id.startsWith('tok_'));
    const [people, tokens] = await Promise.all([readNames(organizationId, accountIds), tokenNames(accounts, tokenIds)]);
    return rows.map((row) => toChange(row, people, tokens));
  }
}

function refuseUnsupportedInput({ verify, as_of, filter }: ChangesInput): void {
  if (verify)
    throw invalidInput(
      'The access log can’t be verified: it is not part of the sealed log. Leave out verify.',
      'verify',
    );
  if (as_of !== undefined)
    throw invalidInput('The access log has no past state. Leave out as_of, and give from and to.', 'as_of');
  if (filter?.record_id)
    throw invalidInput('The access log is not about records. Leave out record_id, or ACCESS.', 'filter.record_id');
  if (filter?.call_id !== undefined)
    throw invalidInput('The access log is not about calls that write. Leave out call_id, or ACCESS.', 'filter.call_id');
  if (filter?.field !== undefined)
    throw invalidInput('Entries of the access log change no fields. Leave out field, or ACCESS.', 'filter.field');
  refuseUnknownEntryTypes(filter?.event_types);
}

/** Refuses types that no entry has: a filter by them would find nothing and look like an answer. */
function refuseUnknownEntryTypes(types: readonly string[] | undefined): void {
  const unknownType = types?.map(currentEntryType).find((type) => !isAccessEntryType(type));
  if (unknownType === undefined) return;
  const eventTypes: readonly string[] = EVENT_TYPES;
  if (!eventTypes.includes(unknownType)) throw unknownEventType(unknownType, ACCESS_ENTRY_TYPES);
  const message = `${unknownType} is not an access-log type. Leave ACCESS out of record_types.`;
  throw invalidInput(message, 'filter.event_types');
}

function invalidInput(message: string, field: string): Refusal {
  return invalidField(field, message);
}

/** Returns an inclusive bound of the period: a time, or the start or end of a day. */
function periodBound(field: 'from' | 'to', text: string | undefined): string | null {
  if (text === undefined) return null;
  const time = field === 'from' ? startOfPeriod(text) : endOfPeriod(text);
  if (time !== null) return time;
  throw invalidInput(
    `The access log has no positions. Give ${field} as a date, or a timestamp in UTC.`,
    `filter.${field}`,
  );
}

/**
 * Returns the earliest time of a row to read. A counted row starts up to a day before its last event, which may be in the
 * period.
 */
function earliestStart(from: string | null): string {
  return from === null ? '' : new Date(Math.max(0, Date.parse(from) - MAX_COUNT_PERIOD_MS)).toISOString();
}

type Filter = NonNullable<ChangesInput['filter']>;

/** The place of a row in the list: by the time that it shows, and then by its id. */
type Place = Pick<AccessLogRow, 'at' | 'id'>;

const isOlder = (row: Place, other: Place) => row.at < other.at || (row.at === other.at && row.id < other.id);

/** Returns the place in a cursor. Cursors of earlier versions have the id only. */
const placeOf = ({ key, id }: { key: unknown; id: string }): Place => ({
  at: typeof key === 'string' ? key : timeInId(id),
  id,
});

const timeInId = (id: string) => id.slice(0, id.indexOf('~'));

/** Returns the rows that match a filter, the newest first, from the one after `after` on. */
async function* search(
  accounts: AccountStore,
  caller: Caller,
  organizationId: string,
  filter: Filter,
  after: Place | null,
): AsyncGenerator<AccessLogRow> {
  const [from, to] = [periodBound('from', filter.from), periodBound('to', filter.to)];
  // A row's id is its time, `~` and a random part. `~~` sorts after every id of the time `to`.
  const latest = after?.at ?? to;
  const range = { from: earliestStart(from), below: latest === null ? undefined : `${latest}~~` };
  const isMatch = rowMatcher(filter, caller);
  /** The rows that match and were read, the oldest first. A counted row comes after rows that are older than what it shows. */
  const ahead: AccessLogRow[] = [];
  for await (const row of inOrderOfIds(accounts, organizationId, range)) {
    const end = new Date(Date.parse(timeInId(row.id)) + MAX_COUNT_PERIOD_MS).toISOString();
    // Rows that are read from here on show earlier times.
    while (ahead.length > 0 && ahead.at(-1)!.at >= end) yield ahead.pop()!;
    const isInPeriod = (from === null || row.last_at >= from) && (to === null || row.at <= to);
    if (!isInPeriod || !isMatch(row) || (after !== null && !isOlder(row, after))) continue;
    ahead.splice(ahead.findLastIndex((other) => isOlder(other, row)) + 1, 0, row);
  }
  yield* ahead.reverse();
}

function rowMatcher({ actor_id, event_types }: Filter, caller: Caller): (row: AccessLogRow) => boolean {
  const types = event_types && new Set(event_types.map(currentEntryType));
  const people = actor_id && new Set(actor_id.map((id) => accountOf(id, caller)));
  return (row) => {
    if (types && !types.has(row.event_type)) return false;
    return !people || people.has(row.actor_id ?? '') || people.has(row.account_id ?? '');
  };
}

/** Merges the organization's rows and those for all organizations, the greatest id first. */
async function* inOrderOfIds(
  accounts: AccountStore,
  organizationId: string,
  range: AccessLogRange,
): AsyncGenerator<AccessLogRow> {
  const sources = [readAccessRows(accounts, organizationId, range), readAccessRows(accounts, ALL_ORGANIZATIONS, range)];
  const heads = await Promise.all(sources.map(async (source) => (await source.next()).value));
  for (;;) {
    const [organizationRow, sharedRow] = heads;
    const first = organizationRow && (!sharedRow || organizationRow.id > sharedRow.id) ? 0 : 1;
    const row = heads[first];
    if (!row) return;
    yield row;
    heads[first] = (await sources[first]!.next()).value;
  }
}

function toChange(row: AccessLogRow, people: MemberNames, tokens: ReadonlyMap<string, string>): AccessLogChange {
  const nameOf = (actorId: string) =>
    actorId.startsWith('acc_') ? people.of(actorId, row.at) : (tokens.get(actorId) ?? '');
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
}

function actorOf(id: string | null, nameOf: (id: string) => string): AccessLogChange['actor'] {
  if (id === null) return UNKNOWN_ACTOR;
  if (id === 'SYSTEM') return { id, kind: 'SYSTEM', name: 'veritrail' };
  return { id, kind: id.startsWith('tok_') ? 'TOKEN' : 'ACCOUNT', name: nameOf(id) };
}

function detailsOf({ event_type, count, last_at, address, details }: AccessLogRow): Record<string, unknown> {
  return {
    ...details,
    ...(ACCESS_ENTRIES[event_type].counted || count > 1 ? { count, last_at } : {}),
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
