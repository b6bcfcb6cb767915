import type { AccessEntryType } from '../queries/access-log-row.ts';
import type { AccountEvent, AccountLinkEvent } from './account-events.ts';
import type { ClientInfo } from './client-info.ts';

/** What is told to the access log. Names, token texts and passwords have no place in it. */
export interface AccessLogEntry {
  event_type: AccessEntryType;
  /** `acc_…`, `tok_…` or SYSTEM: who did it; null where nobody is known. */
  actor_id: string | null;
  /** Whose account it is about, where that is not the actor: a token's owner, or whose name was tried. */
  account_id?: string | null;
  /** Who is to see it; unless given, the organizations that the account is a member of. */
  organizations?: readonly string[];
  clientInfo?: ClientInfo;
  /** An assistant's name; a person's browser is taken from clientInfo. */
  client?: string | null;
  details?: Readonly<Record<string, string | number>>;
}

/** What people's accounts tell, as an entry of the access log. Who is refused is not known: their account is only named. */
export function entryOfAccount(event: AccountEvent): AccessLogEntry {
  const { type, account_id, clientInfo } = event;
  const actor_id = type === 'SIGN_IN_REFUSED' ? null : account_id;
  const entry = { event_type: type, actor_id, account_id, clientInfo, details: detailsOf(event) };
  return event.type === 'ACCOUNT_ERASED' ? { ...entry, organizations: event.organizations } : entry;
}

/** A link that lets somebody in, as an entry. */
export function entryOfLink({ type, kind, account_id, organization_id, by }: AccountLinkEvent): AccessLogEntry {
  const entry = { event_type: type, actor_id: by, account_id, details: { link: kind } };
  return organization_id === null ? entry : { ...entry, organizations: [organization_id] };
}

function detailsOf(event: AccountEvent): Record<string, string | number> {
  // `count` says how often something happened, in every row.
  if (event.type === 'SESSIONS_ENDED') return { sessions: event.count };
  const { type: _type, account_id: _account, clientInfo: _clientInfo, ...details } = event;
  return Object.fromEntries(
    Object.entries(details).filter(([, value]) => typeof value === 'string' || typeof value === 'number'),
  );
}
