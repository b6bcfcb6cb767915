import { cutText } from '../projections/text.ts';
import type { AccountRecord } from '../stores/account-store.ts';

/** What the access log tells of. What changes a record, a member or a token is an event in the sealed log instead. */
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
  'RECOVERY_CODES_MADE',
  'RECOVERY_CODE_USED',
  'ACCOUNT_CREATED',
  'ACCOUNT_ERASED',
  'ACCOUNT_LINK_MADE',
  'ACCOUNT_LINK_WITHDRAWN',
  'ASSISTANT_ALLOWED',
  'ASSISTANT_DENIED',
  'TOKEN_USED',
  'TOKEN_REFUSED',
  'EXPORT_DRAWN',
  'REPORT_DRAWN',
] as const;
export type AccessEntryType = (typeof ACCESS_ENTRY_TYPES)[number];

/** A report or a file that somebody draws, as the log is told of it. */
export interface DownloadDetails {
  organization_id: string;
  /** The report's type; of a file the family's plural, or `changes`. */
  type: string;
  format: string;
  position: string;
  /** What narrowed a report, as it was given. */
  framework_id?: string;
  audit_id?: string;
  owner_id?: string;
  until?: string;
  from?: string;
  to?: string;
  /** What of a family a file holds, as JSON; all unless told. */
  filter?: string;
  /** Behind which line a file that was cut goes on. */
  after?: string;
}

/** So many characters of a filter are kept. */
const MAX_FILTER_LENGTH = 500;

/** A file's filter, where there is one. */
export function filterDetail(filter: unknown): Pick<DownloadDetails, 'filter'> {
  const text = JSON.stringify(filter);
  return text === '{}' ? {} : { filter: cutText(text, MAX_FILTER_LENGTH) };
}

/** Stands for an organization in rows that are about none: they are shown in every one, and tell of nobody. */
export const ALL_ORGANIZATIONS = '*';

/** The longest time that one row counts over: a day. */
export const MAX_COUNT_PERIOD_MS = 86_400_000;

/**
 * A row of the access log. Its id is its time, `~` and a random part: rows are in their order by it. Counted ones (refusals
 * by the hour, a token's use by the day) stand at their first time. No row has a name, a token's text or a password.
 */
export interface AccessLogRow extends AccountRecord {
  organization_id: string;
  event_type: AccessEntryType;
  /** The first time, and the last. */
  at: string;
  last_at: string;
  count: number;
  /** `acc_…`, `tok_…` or SYSTEM: who did it; null where nobody is known. */
  actor_id: string | null;
  /** Whose account it is about: a token's owner, or whose name was tried. */
  account_id: string | null;
  /** A browser or an assistant, in words. */
  client: string | null;
  /** Where it came from; the last place that was noted, where it is counted: of a token's calls about one a minute is. */
  address: string | null;
  details: Readonly<Record<string, string | number>>;
  expires_at: string;
}
