import type { Role } from '../commands/caller.ts';
import { Refusal } from '../commands/refusal.ts';
import type { Account } from './account.ts';
import type { Accounts } from './accounts.ts';
import { isSystem } from './actor.ts';
import { linkNotFound, type OneTimeLink, type OneTimeLinks } from './one-time-links.ts';

/** Returns the organizations of an account, with its role in each. */
export type OrganizationsOf = (accountId: string) => Promise<readonly { id: string; role: Role }[]>;

export interface AccountLinksOptions {
  accounts: Accounts;
  links: OneTimeLinks;
  organizationsOf: OrganizationsOf;
}

/**
 * Links by which somebody gets into their account again. The operator makes one for any account, an owner only for
 * members that nobody else answers for: a link is enough to act in that person's name.
 */
export class AccountLinks {
  constructor(private readonly options: AccountLinksOptions) {}

  /**
   * Makes a link that lets a person choose a new password (RESET, an hour), or address and password where the account
   * has no address yet (SETUP, a day). A second factor is still asked for.
   * @param by an account's id, or SYSTEM
   * @throws Refusal not_found, forbidden
   */
  async create(accountId: string, by: string): Promise<{ secret: string; record: OneTimeLink }> {
    const account = await this.options.accounts.get(accountId);
    if (account === null || account.erased_at !== null) {
      throw new Refusal('not_found', 'This account is no more: look at the list of members.');
    }
    const obstacle = await this.refusalReason(account, by);
    if (obstacle !== null) throw new Refusal('forbidden', obstacle);
    const kind = account.email === null ? 'SETUP' : 'RESET';
    return this.options.links.create({ kind, account_id: account.id, made_by: by });
  }

  /** Returns why this person may not make a link for the account, and the next step; null where they may. */
  async refusalReason(account: Account, by: string): Promise<string | null> {
    if (isSystem({ actor_id: by })) return null;
    if (account.id === by) return 'Change your own password under Settings, Security.';
    if (account.subject === null && (await this.ownsAllOf(account.id, by))) return null;
    return `${account.name} signs in with a provider, or is a member of an organization that you do not own. Only the operator of this service can make a link for such an account: ask them for "veritrail account link".`;
  }

  /** Refuses a link whose maker may no longer make it: its account has joined another organization meanwhile. */
  async requireValid(link: OneTimeLink): Promise<void> {
    const account = link.account_id === null ? null : await this.options.accounts.get(link.account_id);
    if (account === null || (await this.refusalReason(account, link.made_by)) !== null) throw linkNotFound();
  }

  private async ownsAllOf(accountId: string, by: string): Promise<boolean> {
    const [theirs, own] = await Promise.all([accountId, by].map((id) => this.options.organizationsOf(id)));
    const owned = new Set(own!.filter(({ role }) => role === 'OWNER').map(({ id }) => id));
    return theirs!.length > 0 && theirs!.every(({ id }) => owned.has(id));
  }
}
