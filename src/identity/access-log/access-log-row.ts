import { hash } from 'node:crypto';
import type { AccountRecord } from '../../stores/account-store.ts';
import { withoutControlCharacters } from '../accounts/account.ts';
import { describeBrowser } from '../client-info.ts';
import type { AccessEntryType } from './access-entry-types.ts';
import type { AccessLogEntry } from './access-log-entry.ts';

/** The organization of rows that every organization sees, such as refusals of unknown tokens. They contain no account. */
export const ALL_ORGANIZATIONS = '*';

/** A counted row covers at most one day. */
export const MAX_COUNT_PERIOD_MS = 86_400_000;
/** Rows are removed after this many days. */
export const ACCESS_LOG_DAYS = 400;
const MAX_CLIENT_LENGTH = 100;

/**
 * A row of the access log. Its id is a time, `~` and a digest, so ids sort by time. A counted row (refusals per hour, a
 * token's uses per day) has the start of its hour or day there. So every instance finds the same row, and adds to it. No row
 * contains a name, a token's text or a password.
 */
export interface AccessLogRow extends AccountRecord {
  organization_id: string;
  event_type: AccessEntryType;
  /** The time of the first occurrence. */
  at: string;
  /** The time of the last occurrence. */
  last_at: string;
  count: number;
  /** The actor: `acc_…`, `tok_…` or SYSTEM; null if unknown. */
  actor_id: string | null;
  /** The account it is about: the token's owner, or the account whose name was tried. */
  account_id: string | null;
  /** The browser or assistant, as text. */
  client: string | null;
  /** The client's address. For a counted row the last one recorded, about one per minute for a token's calls. */
  address: string | null;
  details: Readonly<Record<string, string | number>>;
  expires_at: string;
}

/** When something happened, and how often. */
export interface AccessTimes {
  first: number;
  last: number;
  count: number;
}

/**
 * Returns the row that one organization sees for an entry.
 * @param sortedAt the time in its id
 * @param key tells it from other rows with that time
 */
export function toAccessLogRow(
  entry: AccessLogEntry,
  organization_id: string,
  { first, last, count }: AccessTimes,
  sortedAt: number,
  key: string,
): AccessLogRow {
  const { event_type, actor_id, account_id = null, clientInfo, client, details = {} } = entry;
  const clientName = client ?? (clientInfo && clientInfo.agent !== '' ? describeBrowser(clientInfo.agent) : null);
  return {
    id: `${timeOf(sortedAt)}~${hash('sha256', `${event_type}~${organization_id}~${key}`, 'hex').slice(0, 16)}`,
    organization_id,
    event_type,
    at: timeOf(first),
    last_at: timeOf(last),
    count,
    actor_id,
    account_id: account_id ?? (actor_id?.startsWith('acc_') ? actor_id : null),
    client: clientName === null ? null : withoutControlCharacters(clientName).slice(0, MAX_CLIENT_LENGTH),
    address: clientInfo?.address ?? null,
    details,
    expires_at: timeOf(last + ACCESS_LOG_DAYS * MAX_COUNT_PERIOD_MS),
  };
}

/** Returns a counted row's fields after other counts were added. The client and address of the later one are kept. */
export function mergeCounts(row: AccessLogRow, other: AccessLogRow) {
  const { last_at, client, address } = other.last_at >= row.last_at ? other : row;
  return { at: other.at < row.at ? other.at : row.at, last_at, count: row.count + other.count, client, address };
}

const timeOf = (ms: number): string => new Date(ms).toISOString();
