import { Refusal } from '../../commands/engine/refusal.ts';
import type { Role } from '../../commands/organization/caller.ts';
import type { OnAccountEvent } from '../access-log/access-events.ts';
import type { ClientInfo } from '../client-info.ts';
import type { TakenNames } from '../memberships/taken-names.ts';
import type { Session } from '../sign-in/sessions.ts';
import type { SignIn, SignInStep } from '../sign-in/sign-in.ts';
import { type AttemptLimit, accountLimit, type Throttle } from '../sign-in/throttle.ts';
import { type Account, readName } from './account.ts';
import type { AccountLinks } from './account-links.ts';
import type { Accounts, NewAccount } from './accounts.ts';
import { linkNotFound, type OneTimeLink, type OneTimeLinks } from './one-time-links.ts';

/** The fields of the set-up page. */
export interface OwnerSetup {
  name: string;
  email: string;
  password: string;
}

export interface Invitation {
  organization_id: string;
  role: Role;
  /** The end of the membership; null without one. */
  until: string | null;
  /** An account's id, or SYSTEM. */
  made_by: string;
}

/** Adds a member on behalf of the inviter. @throws Refusal when the inviter may no longer do it */
export type JoinOrganization = (invitation: Invitation, accountId: string) => Promise<void>;

export interface WelcomeOptions {
  accounts: Accounts;
  links: OneTimeLinks;
  accountLinks: AccountLinks;
  signIn: SignIn;
  throttle: Throttle;
  takenNames: TakenNames;
  onAccountEvent: OnAccountEvent;
  join: JoinOrganization;
}

/** Uses set-up, invitation and reset links. All methods throw Refusal not_found for an invalid link, and then change nothing. */
export class Welcome {
  constructor(private readonly options: WelcomeOptions) {}

  /** Returns a link and its account (SETUP, RESET) without using it, for the page. */
  async describe(secret: string): Promise<{ link: OneTimeLink; account: Account | null }> {
    const { accounts, accountLinks, links } = this.options;
    const link = await links.find(secret);
    if (link === null) throw linkNotFound();
    if (link.kind !== 'INVITATION') await accountLinks.requireValid(link);
    return { link, account: link.account_id === null ? null : await accounts.get(link.account_id) };
  }

  /** SETUP: sets name, e-mail address and password of an account that has none yet. */
  async setUp(secret: string, person: OwnerSetup, clientInfo: ClientInfo): Promise<SignInStep> {
    const { accounts, accountLinks, links, signIn } = this.options;
    const owner = await links.use(secret, 'SETUP', async (link) => {
      await accountLinks.requireValid(link);
      return this.withNewAddress(link, person.email, clientInfo, () =>
        accounts.setUpOwner(link.account_id!, person, clientInfo),
      );
    });
    await links.revokeAllOf(owner.id);
    return signIn.withVerifiedAccount(owner, 'LINK', clientInfo);
  }

  /**
   * INVITATION: creates an account for a newcomer and adds it to the organization. A provider's name is taken as it is,
   * because the person can't choose another there.
   * @throws Refusal conflict when the address has an account; from then on only that account can use the invitation,
   * unless it is a member already
   * @throws Refusal invalid_input for a name that could be confused with another member's; rate_limited after several
   */
  async join(
    secret: string,
    person: NewAccount,
    clientInfo: ClientInfo,
    by: 'LINK' | 'OPENID' = 'LINK',
  ): Promise<SignInStep> {
    const { accounts, links, signIn, takenNames } = this.options;
    const account = await links.use(secret, 'INVITATION', async (link) => {
      if (link.account_id !== null) throw linkNotFound();
      // Read first, because comparing a text of 64 KiB with 1,000 names would take half a minute.
      const name = readName(person.name);
      if (by === 'LINK') {
        await this.limitGuesses(link, () => takenNames.refuseForOrganization(link.organization_id!, null, name));
      }
      const newAccount = await this.withNewAddress(link, person.email, clientInfo, () =>
        accounts.create(person, clientInfo),
      );
      try {
        await this.addMember(link, newAccount.id);
      } catch (error) {
        // If the membership may exist after all, the account stays. Its owner can sign in and accept again.
        if (wasNotApplied(error)) await accounts.discard(newAccount);
        throw error;
      }
      return newAccount;
    });
    return signIn.withVerifiedAccount(account, by, clientInfo);
  }

  /**
   * INVITATION: adds the signed-in account.
   * @returns the organization's id
   * @throws Refusal invalid_input if its name could be confused with another member's
   */
  accept(secret: string, session: Session): Promise<string> {
    return this.options.links.use(secret, 'INVITATION', async (link) => {
      const { account_id } = session;
      await this.limitGuesses(link, () => this.refuseConfusableName(link.organization_id!, account_id));
      await this.addMember(link, session.account_id);
      return link.organization_id!;
    });
  }

  private async refuseConfusableName(organizationId: string, accountId: string): Promise<void> {
    const { accounts, takenNames } = this.options;
    const name = (await accounts.get(accountId))?.name;
    if (name == null) return;
    try {
      await takenNames.refuseForOrganization(organizationId, accountId, name);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'invalid_input') throw error;
      const message =
        'Another member there has your name, or one that looks like it. Change yours under Your account, then open the invitation again.';
      throw new Refusal('invalid_input', message);
    }
  }

  /**
   * Runs a check of a name. Its refusal tells that a member has such a name, so it counts as a failed attempt of the
   * invitation. Otherwise an invited person could try names until all members are known.
   */
  private async limitGuesses(link: OneTimeLink, check: () => Promise<void>): Promise<void> {
    let refusal: Refusal | null = null;
    await this.options.throttle.attempt(memberNameLimit(link.id), null, async () => {
      const outcome = await check().catch((error: unknown) => error);
      if (outcome === undefined) return true;
      if (!(outcome instanceof Refusal) || outcome.code !== 'invalid_input') throw outcome;
      refusal = outcome;
      return false;
    });
    if (refusal !== null) throw refusal;
  }

  /**
   * Runs work that sets an account's address. The refusal of a taken address reveals that an account exists. Therefore
   * it counts as a failed attempt of the link's creator, and is recorded in the access log of the account that has the
   * address.
   */
  private async withNewAddress(
    link: OneTimeLink,
    email: string,
    clientInfo: ClientInfo,
    work: () => Promise<Account>,
  ): Promise<Account> {
    const { accounts, links, throttle, onAccountEvent } = this.options;
    const outcome: { account?: Account; addressRefusal?: Refusal } = {};
    await throttle.attempt(newAddressLimit(link.made_by), clientInfo, async () => {
      try {
        outcome.account = await work();
        return true;
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'conflict') throw error;
        const holder = await accounts.findByEmail(email);
        if (holder === null || holder.id === link.account_id) throw error;
        if (await this.mayJoin(link, holder.id)) await links.restrictTo(link.id, holder.id);
        onAccountEvent({ type: 'SIGN_IN_REFUSED', account_id: holder.id, reason: 'ADDRESS_TAKEN', clientInfo });
        outcome.addressRefusal = error;
        return false;
      }
    });
    if (outcome.addressRefusal !== undefined) throw outcome.addressRefusal;
    return outcome.account!;
  }

  /** Returns true for an invitation of somebody who isn't a member yet. A member could never use it. */
  private async mayJoin({ kind, organization_id }: OneTimeLink, accountId: string): Promise<boolean> {
    return kind === 'INVITATION' && !(await this.options.accountLinks.isMember(accountId, organization_id!));
  }

  /** Adds a member. If the outcome is unknown, the invitation is restricted to this account. */
  private async addMember(link: OneTimeLink, accountId: string): Promise<void> {
    if (link.account_id !== null && link.account_id !== accountId) throw linkNotFound();
    try {
      await this.options.join(invitationOf(link), accountId);
    } catch (error) {
      if (!wasNotApplied(error)) await this.options.links.restrictTo(link.id, accountId);
      throw error;
    }
  }

  /** RESET: sets a new password and ends all sessions. A second factor is still asked for. */
  async reset(secret: string, password: string, clientInfo: ClientInfo): Promise<SignInStep> {
    const { accounts, accountLinks, links, signIn } = this.options;
    const account = await links.use(secret, 'RESET', (link) =>
      accounts.setPassword(link.account_id!, password, clientInfo, () => accountLinks.requireValid(link)),
    );
    return signIn.withVerifiedAccount(account, 'LINK', clientInfo);
  }
}

/** Limits how often the links of one creator may be used with a taken address. */
const newAddressLimit = (creatorId: string): AttemptLimit => ({
  ...accountLimit(`new-address:${creatorId}`),
  keepsFailuresOnSuccess: true,
});

/** Limits how often one invitation may be used with the name of a member. */
const memberNameLimit = (linkId: string): AttemptLimit => ({
  ...accountLimit(`member-name:${linkId}`),
  keepsFailuresOnSuccess: true,
});

/** Returns true if nothing was done. After any other error, the membership may exist. */
const wasNotApplied = (error: unknown) => error instanceof Refusal && !error.retryable;

function invitationOf({ organization_id, role, until = null, made_by }: OneTimeLink): Invitation {
  return { organization_id: organization_id!, role: role!, until, made_by };
}
