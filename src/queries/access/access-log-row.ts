import { cutText } from '../../projections/read-models/search-text.ts';
import type { AccountRecord } from '../../stores/account-store.ts';

/** The types of access-log entries. Changes of records, members and tokens are events in the sealed log instead. */
export const ACCESS_ENTRY_TYPES = [
  'SIGNED_IN',
  'SIGN_IN_REFUSED',
  'SIGNED_OUT',
  'SESSIONS_ENDED',
  'PASSWORD_CHANGED',
  'EMAIL_CHANGED',
  'PROVIDER_CONNECTED',
  'PROVIDER_DISCONNECTED',
  'FACTOR_ADDED',
  'FACTOR_REMOVED',
  'RECOVERY_CODES_CREATED',
  'RECOVERY_CODE_USED',
  'ACCOUNT_CREATED',
  'ACCOUNT_ERASED',
  'ACCOUNT_LINK_CREATED',
  'ACCOUNT_LINK_REVOKED',
  'ASSISTANT_ALLOWED',
  'ASSISTANT_DENIED',
  'TOKEN_USED',
  'TOKEN_REFUSED',
  'EXPORT_DOWNLOADED',
  'REPORT_GENERATED',
] as const;
export type AccessEntryType = (typeof ACCESS_ENTRY_TYPES)[number];

/** Earlier names of entry types. Filters accept them; stored rows have the new names since migration 2. */
export const FORMER_ENTRY_TYPES: Readonly<Record<string, AccessEntryType>> = {
  RECOVERY_CODES_MADE: 'RECOVERY_CODES_CREATED',
  ACCOUNT_LINK_MADE: 'ACCOUNT_LINK_CREATED',
  ACCOUNT_LINK_WITHDRAWN: 'ACCOUNT_LINK_REVOKED',
  EXPORT_DRAWN: 'EXPORT_DOWNLOADED',
  REPORT_DRAWN: 'REPORT_GENERATED',
};

/** Returns the current name of an entry type, given that name or an earlier one. */
export function currentEntryType(type: string): string {
  return Object.hasOwn(FORMER_ENTRY_TYPES, type) ? FORMER_ENTRY_TYPES[type]! : type;
}

/** A generated report or a downloaded file, as its access-log entry describes it. */
export interface DownloadDetails {
  organization_id: string;
  /** A report's type. For a file, the family's plural or `changes`. */
  type: string;
  format: string;
  position: string;
  /** A report's inputs, as the caller gave them. */
  framework_id?: string;
  audit_id?: string;
  owner_id?: string;
  until?: string;
  from?: string;
  to?: string;
  /** A file's filter as JSON. Absent for a file of all records. */
  filter?: string;
  /** The id of the last line that the caller already has, for a resumed download. */
  after?: string;
}

/** Longer filters are cut to this many characters. */
const MAX_FILTER_LENGTH = 500;

/** Returns a file's filter as the log stores it, or nothing for an empty one. */
export function filterDetail(filter: unknown): Pick<DownloadDetails, 'filter'> {
  const text = JSON.stringify(filter);
  return text === '{}' ? {} : { filter: cutText(text, MAX_FILTER_LENGTH) };
}

/** The organization of rows that every organization sees, such as refusals of unknown tokens. They contain no account. */
export const ALL_ORGANIZATIONS = '*';

/** A counted row covers at most one day. */
export const MAX_COUNT_PERIOD_MS = 86_400_000;

/**
 * A row of the access log. Its id is its time, `~` and a random part, so ids sort by time. A counted row (refusals per hour,
 * a token's uses per day) has its first time. No row contains a name, a token's text or a password.
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
