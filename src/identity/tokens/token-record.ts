import { invalidField } from '../../commands/engine/refusal.ts';
import type { Role } from '../../commands/organization/caller.ts';
import { requireValidRole } from '../../commands/organization/permissions.ts';
import type { Autonomy } from '../../register/proposal.ts';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';
import { generateToken, hashToken } from './token.ts';

export const DEFAULT_TOKEN_DAYS = 90;
export const MAX_TOKEN_DAYS = 366;
export const DAY_MS = 86_400_000;

/** A token as stored outside the log. Its text is stored nowhere. */
export interface StoredToken {
  /** `tok_…` */
  id: string;
  /** Null for a revoked token and for an assistant. */
  hash: string | null;
  /** The end of the token's text. Empty for an assistant. */
  last_four: string;
  account_id: string;
  name: string;
  role: Role;
  /** The organizations that it reaches. Each one's own log decides. */
  organizations: string[];
  read_only: boolean;
  /** For lists, absent if it may do everything alone. Each organization's log decides. */
  autonomy?: Autonomy;
  created_at: string;
  expires_at: string;
  revoked_at: string | null;
  last_used_at: string | null;
  /** Set for an assistant's grant, to which OAuth tokens point. Absent for API tokens. */
  kind?: 'ASSISTANT';
  /** The OAuth client that asked for it. */
  client?: { id: string; name: string };
  /** SHA-256 of the text that will replace the token's. Set while the events of a regeneration are being written. */
  next_hash?: string | null;
  /** The last revocation, which is stored before its event. After a crash, the event is written with its reason. */
  revocation?: Revocation;
}

/** A revocation of a token in the account store. */
export interface Revocation {
  /** The organization that was removed from the token; null if the whole token was revoked. */
  organization_id: string | null;
  actor_id: string;
  reason?: string;
}

export interface TokenRecord extends AccountRecord, StoredToken {
  id: string;
}

export interface NewToken {
  name: string;
  account_id: string;
  role: Role;
  organizations: readonly string[];
  read_only?: boolean;
  /** Everything unless given. */
  autonomy?: Autonomy;
  /** 1 to 366; 90 unless given. */
  days?: number;
  /** UUID of the form. One form creates one token, however often it is sent. */
  once?: string;
}

/** A token's text, which is returned only once, and its stored record. */
export interface IssuedToken {
  token: string;
  record: TokenRecord;
}

export type TokenFields = Omit<StoredToken, 'hash' | 'last_four' | 'revoked_at' | 'last_used_at'>;

/** Generates a token's text and stores its hash. Returns null if a token with this id exists. */
export async function storeToken(accounts: AccountStore, facts: TokenFields): Promise<IssuedToken | null> {
  const token = generateToken();
  const record: TokenRecord = { ...facts, ...hashAndLastFour(token), revoked_at: null, last_used_at: null };
  return (await accounts.insert('tokens', record)) ? { token, record } : null;
}

export function hashAndLastFour(token: string): Pick<TokenRecord, 'hash' | 'last_four'> {
  return { hash: hashToken(token), last_four: token.slice(-4) };
}

/** @throws Refusal invalid_input naming the field */
export function refuseInvalidToken({ role, days = DEFAULT_TOKEN_DAYS }: NewToken, organizations: number): void {
  refuseInvalidDays(days);
  requireValidRole(role);
  if (organizations === 0) {
    throw invalidField('organizations', 'Choose at least one organization.');
  }
}

/** @throws Refusal invalid_input */
export function refuseInvalidDays(days: number): void {
  if (Number.isInteger(days) && days >= 1 && days <= MAX_TOKEN_DAYS) return;
  throw invalidField('days', `Enter a whole number of days from 1 to ${MAX_TOKEN_DAYS}.`);
}
