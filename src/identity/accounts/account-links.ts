import { Refusal } from '../../commands/engine/refusal.ts';
import type { Role } from '../../commands/organization/caller.ts';
import type { ClientInfo } from '../client-info.ts';
import { isSystem } from '../memberships/actor.ts';
import type { Account } from './account.ts';
import type { Accounts } from './accounts.ts';
import { linkNotFound, type OneTimeLink, type OneTimeLinks } from './one-time-links.ts';

/** Returns the organizations of an account, with its role in each. */
export type OrganizationsOf = (accountId: string) => Promise<readonly { id: string; role: Role }[]>;

/** Returns the organizations that have an account on record, also those where its membership has ended. */
export type OrganizationsOnRecord = (accountId: string) => Promise<readonly string[]>;

export interface AccountLinksOptions {
  accounts: Accounts;
  links: OneTimeLinks;
  organizationsOf: OrganizationsOf;
  organizationsOnRecord: OrganizationsOnRecord;
}

/**
 * Links that let somebody back into their account. Whoever has a link can act in that person's name. So the operator may
 * create one for any account, but an owner only for members whose organizations they all own. A membership that has ended
 * counts, because prolonging it takes one form.
 */
export class AccountLinks {
  constructor(private readonly options: AccountLinksOptions) {}

  /**
   * Creates a link for choosing a new password (RESET, valid for an hour). For an account without an address it sets
   * address and password (SETUP, valid for a day). A second factor is still asked for.
   * @param by an account's id, or SYSTEM
   * @throws Refusal not_found, forbidden
   */
  async create(
    accountId: string,
    by: string,
    clientInfo?: ClientInfo,
  ): Promise<{ secret: string; record: OneTimeLink }> {
    const account = await this.options.accounts.get(accountId);
    if (account === null || account.erased_at !== null) {
      throw new Refusal('not_found', 'This account has been deleted. Check the list of members.');
    }
    const obstacle = await this.refusalReason(account, by);
    if (obstacle !== null) throw new Refusal('forbidden', obstacle);
    const kind = account.email === null ? 'SETUP' : 'RESET';
    return this.options.links.create({ kind, account_id: account.id, made_by: by }, clientInfo);
  }

  /** Returns true if the account is a member of the organization. */
  async isMember(accountId: string, organizationId: string): Promise<boolean> {
    return (await this.options.organizationsOf(accountId)).some(({ id }) => id === organizationId);
  }

  /** Returns the reason and the next step if this person may not create a link for the account; null if they may. */
  async refusalReason(account: Account, by: string): Promise<string | null> {
    if (isSystem({ actor_id: by })) return null;
    if (account.id === by) return 'Change your own password under Your account → Security.';
    if (account.subject === null && (await this.ownsAllOf(account.id, by))) return null;
    return `${account.name} signs in with a provider, or is a member of an organization that you do not own. Only the operator of this service can create a link for this account. Ask them to run "veritrail account link".`;
  }

  /** Refuses a link whose creator may no longer create it, because the account joined another organization meanwhile. */
  async requireValid(link: OneTimeLink): Promise<void> {
    const account = link.account_id === null ? null : await this.options.accounts.get(link.account_id);
    if (account === null || (await this.refusalReason(account, link.made_by)) !== null) throw linkNotFound();
  }

  private async ownsAllOf(accountId: string, by: string): Promise<boolean> {
    const [recorded, ownMemberships] = await Promise.all([
      this.options.organizationsOnRecord(accountId),
      this.options.organizationsOf(by),
    ]);
    const owned = new Set(ownMemberships.filter(({ role }) => role === 'OWNER').map(({ id }) => id));
    return recorded.length > 0 && recorded.every((id) => owned.has(id));
  }
}
