import type { Caller, Role } from '../../commands/organization/caller.ts';
import type { DownloadDetails } from '../../queries/files/download-details.ts';
import type { Factor } from '../accounts/account.ts';
import type { ClientInfo } from '../client-info.ts';

/**
 * ADDRESS_TAKEN: a link for a newcomer was used with the address of an existing account. The last three are about the
 * OpenID provider. BAD_ANSWER: its answer was invalid. NOT_ADMITTED: nobody invited this person. NOT_CONNECTED: the
 * address belongs to an account that isn't connected to the provider.
 */
export type SignInRefusalReason =
  | 'WRONG_PASSWORD'
  | 'WRONG_FACTOR'
  | 'THROTTLED'
  | 'ADDRESS_TAKEN'
  | 'BAD_ANSWER'
  | 'NOT_ADMITTED'
  | 'NOT_CONNECTED';

/** An event of somebody's account, for the access log. It contains no secret. */
export type AccountEvent = { clientInfo: ClientInfo } & (
  | { type: 'SIGNED_IN'; account_id: string; factor: Factor | 'PASSWORD' | 'LINK' | 'OPENID' }
  /** `account_id` is null if no account has the address. */
  | { type: 'SIGN_IN_REFUSED'; account_id: string | null; reason: SignInRefusalReason }
  | { type: 'SIGNED_OUT'; account_id: string }
  /** `by`: the owner who ended a member's sessions, and the organization. Absent for people who end their own. */
  | {
      type: 'SESSIONS_ENDED';
      account_id: string;
      count: number;
      by?: { actor_id: string; organization_id: string };
    }
  | { type: 'PASSWORD_CHANGED'; account_id: string; by: 'PASSWORD' | 'LINK' }
  | { type: 'EMAIL_CHANGED'; account_id: string }
  | { type: 'PROVIDER_CONNECTED' | 'PROVIDER_DISCONNECTED'; account_id: string }
  | { type: 'FACTOR_ADDED' | 'FACTOR_REMOVED'; account_id: string; factor: Exclude<Factor, 'RECOVERY_CODE'> }
  | { type: 'RECOVERY_CODES_CREATED'; account_id: string }
  | { type: 'RECOVERY_CODE_USED'; account_id: string; left: number }
  | { type: 'ACCOUNT_CREATED'; account_id: string }
  /** `organizations`: those that the account was a member of until then. */
  | { type: 'ACCOUNT_ERASED'; account_id: string; organizations: readonly string[] }
);

export type LinkKind = 'SETUP' | 'INVITATION' | 'RESET';

/** An event of a link that lets somebody in. Using a link has events of its own, such as PASSWORD_CHANGED. */
export interface AccountLinkEvent {
  type: 'ACCOUNT_LINK_CREATED' | 'ACCOUNT_LINK_REVOKED';
  kind: LinkKind;
  /** The account of a SETUP or RESET link. */
  account_id: string | null;
  /** The organization of an INVITATION. */
  organization_id: string | null;
  /** An account's id, or SYSTEM. */
  by: string;
  /** The client of that account. Absent for SYSTEM. */
  clientInfo?: ClientInfo | undefined;
}

/** The erasure of a name that an import stored. */
export interface ImportedNameEvent {
  type: 'IMPORTED_NAME_ERASED';
  organization_id: string;
  name_id: string;
  /** An account's id, or SYSTEM for the operator. */
  by: string;
}

/** A person's answer to an assistant that asks for access, or the end of one that may have lost its secrets. */
export type AssistantEvent = { account_id: string; clientInfo: ClientInfo; assistant: string } & (
  | { type: 'ASSISTANT_ALLOWED'; organizations: readonly string[]; role: Role; access: 'read' | 'write' }
  | { type: 'ASSISTANT_DENIED' }
  /** Its authorization code or a refresh token was used again. */
  | {
      type: 'ASSISTANT_REVOKED';
      token_id: string;
      organizations: readonly string[];
      reason: 'CODE_REUSED' | 'REFRESH_TOKEN_REUSED';
    }
);

/** Returns the address that a call came from. */
export type ReadAddress = () => string;

/** A call with a token. The address is read only for entries that show it. */
export type TokenEvent = { readAddress: ReadAddress | undefined } & (
  | { type: 'TOKEN_USED'; caller: Caller; client: string | null; at: number }
  /** `caller` is null for an unknown token. */
  | { type: 'TOKEN_REFUSED'; caller: Caller | null }
);

/** A tool's refusal of a call with a token: its rights or a limit did not allow it. */
export interface RefusedCallEvent {
  type: 'CALL_REFUSED';
  caller: Caller;
  reason: 'FORBIDDEN' | 'RATE_LIMITED';
}

/** A report that was generated, or a file that was downloaded. */
export interface DownloadEvent {
  type: 'REPORT_GENERATED' | 'EXPORT_DOWNLOADED';
  caller: Caller;
  download: DownloadDetails;
}

/** Everything that the access log records. */
export type AccessEvent =
  | AccountEvent
  | AccountLinkEvent
  | AssistantEvent
  | ImportedNameEvent
  | TokenEvent
  | RefusedCallEvent
  | DownloadEvent;

/** Called after the event. Must not throw; nothing waits for it. */
export type OnAccountEvent = (event: AccountEvent) => void;
export type OnLinkEvent = (event: AccountLinkEvent) => void;
export type OnTokenEvent = (event: TokenEvent) => void;

/**
 * Passes events to listeners. It is made before the classes that emit and those that listen, so that neither needs the
 * other.
 */
export class AccessEvents {
  private readonly listeners: ((event: AccessEvent) => void)[] = [];

  /** Calls the listener at each later event. */
  listen(listener: (event: AccessEvent) => void): void {
    this.listeners.push(listener);
  }

  /** Bound, so it can be passed as a callback. */
  readonly emit = (event: AccessEvent): void => {
    for (const listener of this.listeners) listener(event);
  };
}
