import type { Factor } from './account.ts';
import type { ClientInfo } from './client-info.ts';

/**
 * ADDRESS_TAKEN: by a link for somebody new, with the address of an account. The last three by the OpenID provider: what it answered was not good, it vouched for somebody whom nobody let in, or for
 * the address of an account that it is not connected to.
 */
export type SignInRefusalReason =
  | 'WRONG_PASSWORD'
  | 'WRONG_FACTOR'
  | 'THROTTLED'
  | 'ADDRESS_TAKEN'
  | 'BAD_ANSWER'
  | 'NOT_ADMITTED'
  | 'NOT_CONNECTED';

/** What the access log is told of people's accounts. Nothing in it is secret. */
export type AccountEvent = { clientInfo: ClientInfo } & (
  | { type: 'SIGNED_IN'; account_id: string; factor: Factor | 'PASSWORD' | 'LINK' | 'OPENID' }
  /** `account_id` is null for an address that nobody has. */
  | { type: 'SIGN_IN_REFUSED'; account_id: string | null; reason: SignInRefusalReason }
  | { type: 'SIGNED_OUT'; account_id: string }
  | { type: 'SESSIONS_ENDED'; account_id: string; count: number }
  | { type: 'PASSWORD_CHANGED'; account_id: string; by: 'PASSWORD' | 'LINK' }
  | { type: 'EMAIL_CHANGED'; account_id: string }
  | { type: 'PROVIDER_CONNECTED' | 'PROVIDER_DISCONNECTED'; account_id: string }
  | { type: 'FACTOR_ADDED' | 'FACTOR_REMOVED'; account_id: string; factor: Exclude<Factor, 'RECOVERY_CODE'> }
  | { type: 'RECOVERY_CODES_CREATED'; account_id: string }
  | { type: 'RECOVERY_CODE_USED'; account_id: string; left: number }
  | { type: 'ACCOUNT_CREATED'; account_id: string }
  /** `organizations`: where the account was a member until then. */
  | { type: 'ACCOUNT_ERASED'; account_id: string; organizations: readonly string[] }
);

export type LinkKind = 'SETUP' | 'INVITATION' | 'RESET';

/** What it is told of links that let somebody in. Their use shows in what follows from it. */
export interface AccountLinkEvent {
  type: 'ACCOUNT_LINK_CREATED' | 'ACCOUNT_LINK_REVOKED';
  kind: LinkKind;
  /** Whose, of SETUP and RESET. */
  account_id: string | null;
  /** Of an INVITATION. */
  organization_id: string | null;
  /** An account's id, or SYSTEM. */
  by: string;
}

/** Told after the fact. Must not throw; nothing waits for it. */
export type OnAccountEvent = (event: AccountEvent) => void;
export type OnLinkEvent = (event: AccountLinkEvent) => void;
