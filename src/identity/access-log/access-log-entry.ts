import type { ClientInfo } from '../client-info.ts';
import type { AccessEntryType } from './access-entry-types.ts';
import type {
  AccessEvent,
  AccountEvent,
  AccountLinkEvent,
  AssistantEvent,
  DownloadEvent,
  ImportedNameEvent,
  ReadAddress,
  RefusedCallEvent,
  TokenEvent,
} from './access-events.ts';

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

/** Returns the entry for an event. Uses of tokens have none of their own, because they are counted. */
export function entryOf(event: Exclude<AccessEvent, { type: 'TOKEN_USED' }>): AccessLogEntry {
  switch (event.type) {
    case 'TOKEN_REFUSED':
      return entryOfRefusedToken(event);
    case 'CALL_REFUSED':
      return entryOfRefusedCall(event);
    case 'REPORT_GENERATED':
    case 'EXPORT_DOWNLOADED':
      return entryOfDownload(event);
    case 'ASSISTANT_ALLOWED':
    case 'ASSISTANT_DENIED':
    case 'ASSISTANT_REVOKED':
      return entryOfAssistant(event);
    case 'ACCOUNT_LINK_CREATED':
    case 'ACCOUNT_LINK_REVOKED':
      return entryOfLink(event);
    case 'IMPORTED_NAME_ERASED':
      return entryOfErasedName(event);
    default:
      return entryOfAccount(event);
  }
}

/** Returns the client info of a program's call. Its User-Agent is left out: it names no browser. */
export function clientInfoFrom(readAddress: ReadAddress | undefined): Pick<AccessLogEntry, 'clientInfo'> {
  return readAddress === undefined ? {} : { clientInfo: { address: readAddress(), agent: '' } };
}

function entryOfRefusedToken({
  type,
  caller,
  readAddress,
}: Extract<TokenEvent, { type: 'TOKEN_REFUSED' }>): AccessLogEntry {
  const entry = { event_type: type, actor_id: null, account_id: null, ...clientInfoFrom(readAddress) };
  if (caller === null) return entry;
  const { token_id, account_id, roles } = caller;
  return { ...entry, actor_id: token_id, account_id, organizations: [...roles.keys()] };
}

function entryOfRefusedCall({ type, caller, reason }: RefusedCallEvent): AccessLogEntry {
  const { token_id, account_id, roles } = caller;
  return { event_type: type, actor_id: token_id, account_id, organizations: [...roles.keys()], details: { reason } };
}

function entryOfDownload({ type, caller, download }: DownloadEvent): AccessLogEntry {
  const { account_id, token_id, client, clientInfo } = caller;
  const { organization_id, ...details } = download;
  return {
    event_type: type,
    actor_id: account_id,
    client: client === null ? null : `${client.name} ${client.version}`.trim(),
    organizations: [organization_id],
    ...(clientInfo === undefined ? {} : { clientInfo }),
    details: { ...details, ...(token_id === null ? {} : { token_id }) },
  };
}

function entryOfAssistant(event: AssistantEvent): AccessLogEntry {
  const { type, account_id, clientInfo, assistant } = event;
  const entry = { event_type: type, actor_id: account_id, clientInfo, client: assistant };
  if (event.type === 'ASSISTANT_DENIED') return entry;
  if (event.type === 'ASSISTANT_REVOKED') {
    const { token_id, organizations, reason } = event;
    return { ...entry, actor_id: token_id, account_id, organizations, details: { reason } };
  }
  const { organizations, role, access } = event;
  return { ...entry, organizations, details: { role, access } };
}

/** A refused sign-in has no actor, because anybody may have tried. */
function entryOfAccount(event: AccountEvent): AccessLogEntry {
  const { type, account_id, clientInfo } = event;
  const actor_id = type === 'SIGN_IN_REFUSED' ? null : account_id;
  const entry = { event_type: type, actor_id, account_id, clientInfo, details: detailsOf(event) };
  if (event.type === 'ACCOUNT_ERASED') return { ...entry, organizations: event.organizations };
  if (event.type !== 'SESSIONS_ENDED' || event.by === undefined) return entry;
  return { ...entry, actor_id: event.by.actor_id, organizations: [event.by.organization_id] };
}

function entryOfLink({ type, kind, account_id, organization_id, by, clientInfo }: AccountLinkEvent): AccessLogEntry {
  const client = clientInfo === undefined ? {} : { clientInfo };
  const entry = { event_type: type, actor_id: by, account_id, ...client, details: { link: kind } };
  return organization_id === null ? entry : { ...entry, organizations: [organization_id] };
}

function entryOfErasedName({ type, organization_id, name_id, by }: ImportedNameEvent): AccessLogEntry {
  return { event_type: type, actor_id: by, organizations: [organization_id], details: { name_id } };
}

function detailsOf(event: AccountEvent): Record<string, string | number> {
  // Every row has a `count` of its own: how often the entry happened.
  if (event.type === 'SESSIONS_ENDED') return { sessions: event.count };
  const { type: _type, account_id: _account, clientInfo: _clientInfo, ...details } = event;
  return Object.fromEntries(
    Object.entries(details).filter(([, value]) => typeof value === 'string' || typeof value === 'number'),
  );
}
