import type { AccessEntry } from './access-log.ts';
import type { AccountEvent, LinkEvent } from './noted.ts';

/** What people's accounts tell, as an entry of the access log. Who is refused is not known: their account is only named. */
export function entryOfAccount(event: AccountEvent): AccessEntry {
  const { type, account_id, visitor } = event;
  const actor_id = type === 'SIGN_IN_REFUSED' ? null : account_id;
  const entry = { event_type: type, actor_id, account_id, visitor, details: detailsOf(event) };
  return event.type === 'ACCOUNT_ERASED' ? { ...entry, organizations: event.organizations } : entry;
}

/** A link that lets somebody in, as an entry. */
export function entryOfLink({ type, kind, account_id, organization_id, by }: LinkEvent): AccessEntry {
  const entry = { event_type: type, actor_id: by, account_id, details: { link: kind } };
  return organization_id === null ? entry : { ...entry, organizations: [organization_id] };
}

function detailsOf(event: AccountEvent): Record<string, string | number> {
  // `count` says how often something happened, in every row.
  if (event.type === 'SESSIONS_ENDED') return { sessions: event.count };
  const { type: _type, account_id: _account, visitor: _visitor, ...details } = event;
  return Object.fromEntries(
    Object.entries(details).filter(([, value]) => typeof value === 'string' || typeof value === 'number'),
  );
}
