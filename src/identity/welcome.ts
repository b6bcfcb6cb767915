import type { Role } from '../commands/caller.ts';
import { Refusal } from '../commands/refusal.ts';
import type { Account } from './account.ts';
import type { OnAccountEvent } from './account-events.ts';
import type { AccountLinks } from './account-links.ts';
import type { Accounts, NewAccount } from './accounts.ts';
import type { ClientInfo } from './client-info.ts';
import { linkNotFound, type OneTimeLink, type OneTimeLinks } from './one-time-links.ts';
import type { Session } from './sessions.ts';
import type { SignIn, SignInStep } from './sign-in.ts';
import { type AttemptLimit, accountLimit, type Throttle } from './throttle.ts';

/** What a guest is told about themselves in a form. */
export interface Newcomer {
  name: string;
  email: string;
  password: string;
}

export interface Invitation {
  organization_id: string;
  role: Role;
  /** An account's id, or SYSTEM. */
  made_by: string;
}

/** Makes an account a member, as the inviter may now. @throws Refusal when the inviter no longer may */
export type JoinOrganization = (invitation: Invitation, accountId: string) => Promise<void>;

export interface WelcomeOptions {
  accounts: Accounts;
  links: OneTimeLinks;
  accountLinks: AccountLinks;
  signIn: SignIn;
  throttle: Throttle;
  onAccountEvent: OnAccountEvent;
  join: JoinOrganization;
}

/** What follows from a link, by its kind. All throw Refusal not_found for a link that is no more, and then did nothing. */
export class Welcome {
  constructor(private readonly options: WelcomeOptions) {}

  /** What the page shows: the link, and the account it is for (SETUP, RESET). Uses nothing up. */
  async describe(secret: string): Promise<{ link: OneTimeLink; account: Account | null }> {
    const { accounts, accountLinks, links } = this.options;
    const link = await links.find(secret);
    if (link === null) throw linkNotFound();
    if (link.kind !== 'INVITATION') await accountLinks.requireValid(link);
    return { link, account: link.account_id === null ? null : await accounts.get(link.account_id) };
  }

  /** SETUP: whose account has no address yet chooses name, e-mail address and password. */
  async setUp(secret: string, person: Newcomer, clientInfo: ClientInfo): Promise<SignInStep> {
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
   * INVITATION, by somebody new.
   * @throws Refusal conflict when the address has an account: from then on the invitation is good for that account alone
   */
  async join(
    secret: string,
    person: NewAccount,
    clientInfo: ClientInfo,
    by: 'LINK' | 'OPENID' = 'LINK',
  ): Promise<SignInStep> {
    const { accounts, links, signIn } = this.options;
    const account = await links.use(secret, 'INVITATION', async (link) => {
      if (link.account_id !== null) throw linkNotFound();
      const made = await this.withNewAddress(link, person.email, clientInfo, () => accounts.create(person, clientInfo));
      try {
        await this.enter(link, made.id);
      } catch (error) {
        // Where the membership may have come to be after all, the account stays: its owner signs in and accepts again.
        if (isDefinite(error)) await accounts.discard(made);
        throw error;
      }
      return made;
    });
    return signIn.withVerifiedAccount(account, by, clientInfo);
  }

  /** INVITATION, by who is signed in. @returns the organization's id */
  accept(secret: string, session: Session): Promise<string> {
    return this.options.links.use(secret, 'INVITATION', async (link) => {
      await this.enter(link, session.account_id);
      return link.organization_id!;
    });
  }

  /**
   * Does what gives an account a new address. An address that has one already is told once a link, which tells strangers
   * who is here: so it counts as a failure of whoever made the link, and stands in the access log of that account.
   */
  private async withNewAddress(
    link: OneTimeLink,
    email: string,
    clientInfo: ClientInfo,
    work: () => Promise<Account>,
  ): Promise<Account> {
    const { accounts, links, throttle, onAccountEvent } = this.options;
    const outcome: { account?: Account; taken?: Refusal } = {};
    await throttle.attempt(newAddressLimit(link.made_by), clientInfo, async () => {
      try {
        outcome.account = await work();
        return true;
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'conflict') throw error;
        const holder = await accounts.findByEmail(email);
        if (holder === null || holder.id === link.account_id) throw error;
        if (link.kind === 'INVITATION') await links.restrictTo(link.id, holder.id);
        onAccountEvent({ type: 'SIGN_IN_REFUSED', account_id: holder.id, reason: 'ADDRESS_TAKEN', clientInfo });
        outcome.taken = error;
        return false;
      }
    });
    if (outcome.taken !== undefined) throw outcome.taken;
    return outcome.account!;
  }

  /** An invitation is for one: where its answer was lost, others find it used. */
  private async enter(link: OneTimeLink, accountId: string): Promise<void> {
    if (link.account_id !== null && link.account_id !== accountId) throw linkNotFound();
    try {
      await this.options.join(invitationOf(link), accountId);
    } catch (error) {
      if (!isDefinite(error)) await this.options.links.restrictTo(link.id, accountId);
      throw error;
    }
  }

  /** RESET: ends all sessions; a second factor is still asked for. */
  async reset(secret: string, password: string, clientInfo: ClientInfo): Promise<SignInStep> {
    const { accounts, accountLinks, links, signIn } = this.options;
    const account = await links.use(secret, 'RESET', (link) =>
      accounts.setPassword(link.account_id!, password, clientInfo, () => accountLinks.requireValid(link)),
    );
    return signIn.withVerifiedAccount(account, 'LINK', clientInfo);
  }
}

/** Addresses that turned out to be taken, for everybody who came by links of one maker. */
const newAddressLimit = (madeBy: string): AttemptLimit => ({
  ...accountLimit(`new-address:${madeBy}`),
  keepsFailuresOnSuccess: true,
});

/** Whether nothing was done. */
const isDefinite = (error: unknown) => error instanceof Refusal && !error.retryable;

function invitationOf({ organization_id, role, made_by }: OneTimeLink): Invitation {
  return { organization_id: organization_id!, role: role!, made_by };
}
