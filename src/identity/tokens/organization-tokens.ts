import type { CommandHandler } from '../../commands/engine/handler.ts';
import { approvalPolicyOf } from '../../commands/organization/approval-policy.ts';
import { allMembersOf } from '../../commands/organization/organization-members.ts';
import { memberRole, requireActorPermission } from '../../commands/organization/organization-state.ts';
import { lowerRole } from '../../commands/organization/permissions.ts';
import type { NameReader } from '../../queries/records/member-names.ts';
import type { Autonomy } from '../../register/proposal.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import { type Actor, requireOrganization } from '../memberships/actor.ts';
import { newestFirst, type TokenListItem, toListItem } from './token-lists.ts';
import type { TokenRecord } from './token-record.ts';

/**
 * A token that reaches an organization. `role` is the lower of its own and its owner's role there, `ceiling` the most that any
 * may do there without a person.
 */
export type OrganizationTokenItem = TokenListItem & { owner: { id: string; name: string }; ceiling: Autonomy };

export interface OrganizationTokensOptions {
  accounts: AccountStore;
  names: NameReader;
  handler: CommandHandler;
  now: () => Date;
}

/** The credentials that reach an organization, for its owners and admins. */
export class OrganizationTokens {
  constructor(private readonly options: OrganizationTokensOptions) {}

  /**
   * Returns the active credentials that reach an organization, newest first, with owner's name and role there.
   * @throws Refusal forbidden unless the actor is OWNER or ADMIN there
   */
  async list(organizationId: string, actor: Actor): Promise<OrganizationTokenItem[]> {
    const { accounts, names, handler, now } = this.options;
    const state = await requireOrganization(handler, organizationId);
    const { ceiling } = approvalPolicyOf(state);
    const time = now().toISOString();
    requireActorPermission(state, { ...actor, now: time }, 'viewTokens');
    const ids = state.tokens.entries().flatMap(([id, { revoked }]) => (revoked ? [] : [id]));
    const stored = await Promise.all(ids.map((id) => accounts.get<TokenRecord>('tokens', id)));
    const records = stored.filter((record) => record !== null).sort(newestFirst);
    const owners = records.map(({ account_id }) => account_id);
    const ownerNames = await names.readNames(owners, async () => allMembersOf(state));
    return records.flatMap((record) => {
      const member = memberRole(state, record.account_id, time);
      const token = toListItem(record, now());
      if (member === null || token.state !== 'ACTIVE') return [];
      const owner = { id: record.account_id, name: ownerNames.of(record.account_id) };
      return [{ ...token, role: lowerRole(record.role, member), owner, ceiling }];
    });
  }
}
