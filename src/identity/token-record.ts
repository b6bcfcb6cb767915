import type { Role } from '../commands/caller.ts';
import { requireValidRole } from '../commands/permissions.ts';
import { Refusal } from '../commands/refusal.ts';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';
import { generateToken, hashToken } from './token.ts';

export const DEFAULT_TOKEN_DAYS = 90;
export const MAX_TOKEN_DAYS = 366;
export const DAY_MS = 86_400_000;

/** What is kept of a token outside the log. The token's own text is nowhere. */
export interface StoredToken {
  /** `tok_…` */
  id: string;
  /** Null once revoked, and always of an assistant. */
  hash: string | null;
  /** Of the text; empty of an assistant. */
  last_four: string;
  account_id: string;
  name: string;
  role: Role;
  /** Those that it reaches. What counts is each one's own log. */
  organizations: string[];
  read_only: boolean;
  created_at: string;
  expires_at: string;
  revoked_at: string | null;
  last_used_at: string | null;
  /** An assistant's grant: OAuth tokens point to it. Absent of API tokens. */
  kind?: 'ASSISTANT';
  /** The OAuth client that asked for it. */
  client?: { id: string; name: string };
  /** When an organization last was taken off `organizations`. */
  narrowed_at?: string;
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
  /** 1 to 366; 90 unless given. */
  days?: number;
  /** UUID of the form it is asked by: one form makes one token, however often it is sent. */
  once?: string;
}

/** A token's text, shown this once, and what is kept of it. */
export interface IssuedToken {
  token: string;
  record: TokenRecord;
}

export type TokenFields = Omit<StoredToken, 'hash' | 'last_four' | 'revoked_at' | 'last_used_at'>;

/** Draws the text of a token and keeps its hash. Null when there is a token of this id already. */
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
    throw new Refusal('invalid_input', 'Choose at least one organization.', { field: 'organizations' });
  }
}

/** @throws Refusal invalid_input */
export function refuseInvalidDays(days: number): void {
  if (Number.isInteger(days) && days >= 1 && days <= MAX_TOKEN_DAYS) return;
  throw new Refusal('invalid_input', `Give whole days, from 1 to ${MAX_TOKEN_DAYS}.`, { field: 'days' });
}
