import type { AccountStore } from '../../stores/account-store.ts';
import { DAY_MS, type StoredToken, type TokenRecord } from './token-record.ts';

const WARNING_DAYS = 14;

type InternalField = 'hash' | 'next_hash' | 'revocation';

export type TokenListItem = Omit<StoredToken, InternalField | 'kind'> & {
  kind: 'API' | 'ASSISTANT';
  state: 'ACTIVE' | 'EXPIRED' | 'REVOKED';
  /** True for an active token that expires within WARNING_DAYS. */
  expiring: boolean;
};

/** Returns an account's tokens, newest first. */
export async function listAccountTokens(
  { accounts, now }: { accounts: AccountStore; now: () => Date },
  accountId: string,
): Promise<TokenListItem[]> {
  const records = await accounts.find<TokenRecord>('tokens', 'account_id', accountId);
  return records.sort(newestFirst).map((record) => toListItem(record, now()));
}

/** Returns a token without the fields that no list shows. */
export function withoutInternalFields<Token extends StoredToken>(token: Token): Omit<Token, InternalField> {
  const { hash: _hash, next_hash: _next, revocation: _revocation, ...rest } = token;
  return rest;
}

/** Returns a token with its state at a time. */
export function toListItem(record: StoredToken, now: Date): TokenListItem {
  const leftMs = Date.parse(record.expires_at) - now.getTime();
  const state = record.revoked_at !== null ? 'REVOKED' : leftMs <= 0 ? 'EXPIRED' : 'ACTIVE';
  const expiring = state === 'ACTIVE' && leftMs <= WARNING_DAYS * DAY_MS;
  return { ...withoutInternalFields(record), kind: record.kind ?? 'API', state, expiring };
}

/** Sorts newest first. */
export function newestFirst(a: TokenRecord, b: TokenRecord): number {
  return b.created_at.localeCompare(a.created_at) || a.id.localeCompare(b.id);
}
