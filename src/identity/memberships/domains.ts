import type { CommandHandler } from '../../commands/engine/handler.ts';
import { invalidField, nullIfDamaged, Refusal } from '../../commands/engine/refusal.ts';
import { organizationAggregate } from '../../commands/families.ts';
import type { Role } from '../../commands/organization/caller.ts';
import { requireActorPermission } from '../../commands/organization/organization-state.ts';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';
import { type Actor, accountActor, executeOrganizationCommand, isSystem, requireOrganization } from './actor.ts';
import { addToMembershipIndex, pruneMembershipIndex } from './membership-index.ts';

export const MAX_DOMAINS = 20;
/** Labels of letters, digits and hyphens, separated by dots, as in RFC 1123 section 2.1. */
const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** A domain whose people become members with this role when they sign in with the OpenID provider. */
export interface Domain {
  domain: string;
  role: Role;
}

export interface DomainsOptions {
  accounts: AccountStore;
  handler: CommandHandler;
  now: () => Date;
}

/** E-mail domains that organizations admit. Each organization's log decides; the account store has an index. */
export class Domains {
  constructor(private readonly options: DomainsOptions) {}

  /** Returns an organization's domains, by name. @throws Refusal not_found */
  async list(organizationId: string): Promise<Domain[]> {
    const { domains } = await requireOrganization(this.options.handler, organizationId);
    const list = Object.entries(domains).map(([domain, role]) => ({ domain, role }));
    return list.sort((a, b) => a.domain.localeCompare(b.domain));
  }

  /**
   * Admits a domain. Repeating it with another role changes the role of later members. Only an OWNER whose own address
   * in this domain the provider has verified may do it: otherwise anybody could enrol people of any domain.
   * @throws Refusal
   */
  async admit(organizationId: string, domain: string, role: Role, actor: Actor): Promise<void> {
    const { accounts, handler, now } = this.options;
    const normalizedDomain = normalizeDomain(domain);
    const state = await requireOrganization(handler, organizationId);
    requireActorPermission(state, { ...actor, now: now().toISOString() }, 'changeMembers');
    await this.requireVouchedDomain(normalizedDomain, actor);
    const existingDomains = Object.keys(state.domains);
    if (existingDomains.length >= MAX_DOMAINS && !existingDomains.includes(normalizedDomain)) {
      throw new Refusal('too_large', `An organization can admit up to ${MAX_DOMAINS} domains. Withdraw one first.`);
    }
    await indexDomain(accounts, normalizedDomain, organizationId);
    const command = { type: 'AdmitDomain', domain: normalizedDomain, role } as const;
    await executeOrganizationCommand(handler, organizationId, command, actor);
  }

  /** Withdraws a domain. Its members stay. Only an OWNER may do it. @throws Refusal */
  async withdraw(organizationId: string, domain: string, actor: Actor): Promise<void> {
    const { accounts, handler } = this.options;
    const normalizedDomain = normalizeDomain(domain);
    const command = { type: 'WithdrawDomain', domain: normalizedDomain } as const;
    await executeOrganizationCommand(handler, organizationId, command, actor);
    await accounts.remove('domains', domainId(normalizedDomain, organizationId));
  }

  /** Returns true if people of this domain may sign in without an invitation. */
  async isAdmitted(domain: string): Promise<boolean> {
    for (const id of await this.organizationsAdmitting(domain)) {
      const organization = await this.options.handler.load(organizationAggregate(id), true).catch(nullIfDamaged);
      if (Object.hasOwn(organization?.state?.domains ?? {}, domain.toLowerCase())) return true;
    }
    return false;
  }

  /** Records that the provider has verified an address of this domain for the account. */
  async recordVouchedDomain(accountId: string, domain: string): Promise<void> {
    const fields = { vouched_domain: domain.toLowerCase() };
    await this.options.accounts.update('accounts', accountId, fields, { erased_at: null });
  }

  /**
   * Adds an account with a verified address of this domain to all organizations that admit it. People who were removed,
   * or left, stay out.
   * @returns the organizations that it joined
   */
  async joinOrganizations(accountId: string, domain: string): Promise<string[]> {
    const { accounts, handler } = this.options;
    const joinedIds: string[] = [];
    for (const id of await this.organizationsAdmitting(domain)) {
      await addToMembershipIndex(accounts, accountId, id);
      const command = { type: 'AdmitMember', account_id: accountId, domain: domain.toLowerCase() } as const;
      const { event_types, state } = await executeOrganizationCommand(handler, id, command, accountActor(accountId));
      if (event_types.length > 0) joinedIds.push(id);
      else if (!Object.hasOwn(state!.members, accountId)) await pruneMembershipIndex(this.options, accountId, id);
    }
    return joinedIds;
  }

  private async requireVouchedDomain(domain: string, actor: Actor): Promise<void> {
    if (isSystem(actor)) return;
    type VouchedAccount = AccountRecord & { vouched_domain?: string | null };
    const account = await this.options.accounts.get<VouchedAccount>('accounts', actor.actor_id);
    if (account?.vouched_domain === domain) return;
    const message = `Only an OWNER who has signed in with the provider and an address of ${domain} can admit that domain. Sign in that way, or connect the provider under Your account → Security.`;
    throw new Refusal('forbidden', message, { field: 'domain' });
  }

  private async organizationsAdmitting(domain: string): Promise<string[]> {
    type DomainRow = { id: string; organization_id: string };
    const rows = await this.options.accounts.find<DomainRow>('domains', 'domain', domain.toLowerCase());
    return rows.map(({ organization_id }) => organization_id);
  }
}

/** Adds a domain that an organization admits to the index. Returns false if it is there. */
export function indexDomain(accounts: AccountStore, domain: string, organization_id: string): Promise<boolean> {
  return accounts.insert('domains', { id: domainId(domain, organization_id), domain, organization_id });
}

/** Returns the id of a domain's entry in the index. */
export function domainId(domain: string, organizationId: string): string {
  return `${domain} ${organizationId}`;
}

/** Returns a typed domain in the form that is stored. A leading @ is dropped. @throws Refusal invalid_input */
function normalizeDomain(text: string): string {
  const domain = text.trim().toLowerCase().replace(/^@/, '');
  if (DOMAIN.test(domain)) return domain;
  throw invalidField('domain', 'Enter a domain, the part of an address after the @, such as example.org.');
}
