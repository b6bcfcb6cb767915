import type { CommandHandler } from '../../commands/engine/handler.ts';
import { invalidField } from '../../commands/engine/refusal.ts';
import { organizationAggregate } from '../../commands/families.ts';
import { confusableWith } from '../../commands/organization/person-names.ts';
import type { NameReader } from '../../queries/records/member-names.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import { indexedOrganizations } from './membership-index.ts';

export interface TakenNamesOptions {
  accounts: AccountStore;
  names: NameReader;
  handler: Pick<CommandHandler, 'load'>;
}

/**
 * Refuses names that callers could confuse with another member's, because owners can be given by name. It protects people
 * from mistakes, not the register: two such names can still meet, by an OpenID provider's names or at the same moment.
 * A call that gives one of them is then refused, and names both accounts.
 */
export class TakenNames {
  constructor(private readonly options: TakenNamesOptions) {}

  /** Checks an account's new name in all its organizations. @throws Refusal invalid_input */
  async refuseForAccount(accountId: string, name: string): Promise<void> {
    for (const id of await indexedOrganizations(this.options.accounts, accountId)) {
      const memberIds = await this.membersOf(id);
      if (memberIds.includes(accountId)) await this.refuseAmong(memberIds, accountId, name);
    }
  }

  /** Checks the name of somebody who joins an organization. @throws Refusal invalid_input */
  async refuseForOrganization(organizationId: string, accountId: string | null, name: string): Promise<void> {
    await this.refuseAmong(await this.membersOf(organizationId), accountId, name);
  }

  /** Returns the present and ended members. An ended membership can be prolonged. */
  private async membersOf(organizationId: string): Promise<string[]> {
    const { state } = await this.options.handler.load(organizationAggregate(organizationId), true);
    return Object.keys(state?.members ?? {});
  }

  private async refuseAmong(memberIds: readonly string[], accountId: string | null, name: string): Promise<void> {
    const others = memberIds.filter((id) => id !== accountId);
    const identities = await this.options.names.readIdentities(others, () => false);
    const isConfusable = confusableWith(name);
    if (!identities.some((other) => isConfusable(other.name))) return;
    const message = 'Another member has this name, or one that looks like it. Add something that tells you apart.';
    throw invalidField('name', message);
  }
}
