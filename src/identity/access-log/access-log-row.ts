import type { AccountRecord } from '../../stores/account-store.ts';
import type { AccessEntryType } from './access-entry-types.ts';

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
