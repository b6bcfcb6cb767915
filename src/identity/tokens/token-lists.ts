import type { AccountStore } from '../../stores/account-store.ts';
import { DAY_MS, type StoredToken, type TokenRecord } from './token-record.ts';

/** Lists mark tokens that expire within this many days. */
const WARNING_DAYS = 14;

/** A token as shown in lists. */
export type TokenListItem = Omit<StoredToken, 'hash' | 'kind'> & {
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

/** Returns a token with its state at a time, without its hash. */
export function toListItem(record: StoredToken, now: Date): TokenListItem {
  const { hash: _hash, ...rest } = record;
  const leftMs = Date.parse(record.expires_at) - now.getTime();
  const state = record.revoked_at !== null ? 'REVOKED' : leftMs <= 0 ? 'EXPIRED' : 'ACTIVE';
  const expiring = state === 'ACTIVE' && leftMs <= WARNING_DAYS * DAY_MS;
  return { ...rest, kind: record.kind ?? 'API', state, expiring };
}

/** Sorts newest first. */
export function newestFirst(a: TokenRecord, b: TokenRecord): number {
  return b.created_at.localeCompare(a.created_at) || a.id.localeCompare(b.id);
}
