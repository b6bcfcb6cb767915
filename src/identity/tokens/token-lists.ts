import type { CommandHandler } from '../../commands/engine/handler.ts';
import { memberRole, requireActorPermission } from '../../commands/organization/organization-state.ts';
import { lowerRole } from '../../commands/organization/permissions.ts';
import { allMembersOf, readAccountNames } from '../../queries/access/name-history.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import { type Actor, requireOrganization } from '../memberships/actor.ts';
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

/** A token that reaches an organization. `role` is the lower of its own and its owner's role there. */
export type OrganizationTokenItem = TokenListItem & { owner: { id: string; name: string } };

interface TokenListOptions {
  accounts: AccountStore;
  handler: CommandHandler;
  now: () => Date;
}

/** Returns an account's tokens, newest first. */
export async function listAccountTokens(
  { accounts, now }: Omit<TokenListOptions, 'handler'>,
  accountId: string,
): Promise<TokenListItem[]> {
  const records = await accounts.find<TokenRecord>('tokens', 'account_id', accountId);
  return records.sort(newestFirst).map((record) => toListItem(record, now()));
}

/** Returns the active tokens that reach an organization, newest first. @throws Refusal forbidden unless OWNER or ADMIN there */
export async function listOrganizationTokens(
  options: TokenListOptions,
  organizationId: string,
  actor: Actor,
): Promise<OrganizationTokenItem[]> {
  const { accounts, handler, now } = options;
  const state = await requireOrganization(handler, organizationId);
  requireActorPermission(state, actor, 'viewTokens');
  const ids = Object.entries(state.tokens).flatMap(([id, { revoked }]) => (revoked ? [] : [id]));
  const kept = await Promise.all(ids.map((id) => accounts.get<TokenRecord>('tokens', id)));
  const records = kept.filter((record) => record !== null).sort(newestFirst);
  const owners = records.map(({ account_id }) => account_id);
  const names = await readAccountNames(accounts, owners, async () => allMembersOf(state));
  return records.flatMap((record) => {
    const member = memberRole(state, record.account_id);
    const token = toListItem(record, now());
    if (member === null || token.state !== 'ACTIVE') return [];
    const owner = { id: record.account_id, name: names.of(record.account_id) };
    return [{ ...token, role: lowerRole(record.role, member), owner }];
  });
}

/** Returns a token with its state at a time, without its hash. */
export function toListItem(record: StoredToken, now: Date): TokenListItem {
  const { hash: _hash, ...rest } = record;
  const left = Date.parse(record.expires_at) - now.getTime();
  const state = record.revoked_at !== null ? 'REVOKED' : left <= 0 ? 'EXPIRED' : 'ACTIVE';
  const expiring = state === 'ACTIVE' && left <= WARNING_DAYS * DAY_MS;
  return { ...rest, kind: record.kind ?? 'API', state, expiring };
}

/** Sorts newest first. */
export function newestFirst(a: TokenRecord, b: TokenRecord): number {
  return b.created_at.localeCompare(a.created_at) || a.id.localeCompare(b.id);
}
