import type { AccessEntryType } from '../../queries/access/access-log-row.ts';
import type { ClientInfo } from '../client-info.ts';
import type { AccountEvent, AccountLinkEvent } from './account-events.ts';

/** An entry for the access log. It never contains a name, a token's text or a password. */
export interface AccessLogEntry {
  event_type: AccessEntryType;
  /** The actor: `acc_…`, `tok_…` or SYSTEM. Null if unknown. */
  actor_id: string | null;
  /** The account concerned if it isn't the actor: a token's owner, or the account that somebody tried to sign in to. */
  account_id?: string | null;
  /** The organizations that see the entry. By default, those that the account is a member of. */
  organizations?: readonly string[];
  clientInfo?: ClientInfo;
  /** An assistant's name. A person's browser is taken from `clientInfo`. */
  client?: string | null;
  details?: Readonly<Record<string, string | number>>;
}

/** Returns the entry for an account event. A refused sign-in has no actor, because anybody may have tried. */
export function entryOfAccount(event: AccountEvent): AccessLogEntry {
  const { type, account_id, clientInfo } = event;
  const actor_id = type === 'SIGN_IN_REFUSED' ? null : account_id;
  const entry = { event_type: type, actor_id, account_id, clientInfo, details: detailsOf(event) };
  return event.type === 'ACCOUNT_ERASED' ? { ...entry, organizations: event.organizations } : entry;
}

/** Returns the entry for a link that lets somebody in. */
export function entryOfLink({ type, kind, account_id, organization_id, by }: AccountLinkEvent): AccessLogEntry {
  const entry = { event_type: type, actor_id: by, account_id, details: { link: kind } };
  return organization_id === null ? entry : { ...entry, organizations: [organization_id] };
}

function detailsOf(event: AccountEvent): Record<string, string | number> {
  // Every row has a `count` of its own: how often the entry happened.
  if (event.type === 'SESSIONS_ENDED') return { sessions: event.count };
  const { type: _type, account_id: _account, clientInfo: _clientInfo, ...details } = event;
  return Object.fromEntries(
    Object.entries(details).filter(([, value]) => typeof value === 'string' || typeof value === 'number'),
  );
}
