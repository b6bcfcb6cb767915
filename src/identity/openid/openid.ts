import { Refusal } from '../../commands/refusal.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import type { Account } from '../account.ts';
import type { AccountEvent, OnAccountEvent } from '../account-events.ts';
import type { ClientInfo } from '../client-info.ts';
import type { Members } from '../members.ts';
import type { People } from '../people.ts';
import type { Session } from '../sessions.ts';
import type { SignInStep } from '../sign-in.ts';
import { toVerifiedPerson, type VerifiedPerson } from './claims.ts';
import { OpenIdProvider, type OpenIdSettings, TOLERANCE_SECONDS } from './openid-provider.ts';
import { type OpenIdTransaction, OpenIdTransactions, type TransactionPurpose } from './openid-transaction.ts';

/** The path, below the base address, to which the provider sends browsers back. */
export const CALLBACK_PATH = '/sign-in/openid/callback';

export interface OpenIdOptions {
  settings: OpenIdSettings;
  accounts: AccountStore;
  people: Pick<People, 'accounts' | 'signIn' | 'recentAuthentication' | 'sessions' | 'links' | 'welcome'>;
  members: Pick<Members, 'domains'>;
  /** 32 random bytes that all instances share: `secret(accounts, 'openid')`. */
  key: Buffer;
  /** The service's base address, without a slash at the end. */
  baseUrl: string;
  now: () => Date;
  onAccountEvent?: OnAccountEvent | undefined;
  /** Told why the provider could not be used, without anything secret. */
  report: (why: string) => void;
}

type Reason = Extract<AccountEvent, { type: 'SIGN_IN_REFUSED' }>['reason'];

/** A sign-in by the provider. `joined`: it took up the invitation that it came with. */
export interface OpenIdSignIn {
  step: SignInStep;
  joined: boolean;
}

/** Signing in by the OpenID provider, beside the password: whom it vouches for, and whose account that is. */
export class OpenId {
  /** The provider's host, as people know it. */
  readonly host: string;
  private readonly provider: OpenIdProvider;
  private readonly rounds: OpenIdTransactions;

  constructor(private readonly options: OpenIdOptions) {
    const { settings, baseUrl, report } = options;
    this.provider = new OpenIdProvider({ ...settings, redirectUri: `${baseUrl}${CALLBACK_PATH}`, report });
    this.rounds = new OpenIdTransactions(options);
    this.host = this.provider.host;
  }

  /** Starts a transaction. Returns the provider's address and the browser's cookie. @throws Refusal unavailable */
  async begin(errand: TransactionPurpose): Promise<{ address: string; cookie: string }> {
    const { cookie, round } = this.rounds.begin(errand);
    return { address: await this.provider.address(round), cookie };
  }

  /** Returns a browser's transaction, or null if it must start again. */
  findTransaction(cookie: string | null): OpenIdTransaction | null {
    return this.rounds.read(cookie);
  }

  /** Returns the person that the provider verified. Works once for each transaction. @throws Refusal forbidden, unavailable */
  async redeem(round: OpenIdTransaction, query: string, clientInfo: ClientInfo): Promise<VerifiedPerson> {
    try {
      if (!(await this.rounds.finish(round)))
        throw new Refusal('forbidden', 'This sign-in was already used. Start again.');
      return toVerifiedPerson(await this.provider.redeem(query, round));
    } catch (error) {
      if (error instanceof Refusal && error.code === 'forbidden') this.refused(null, 'BAD_ANSWER', clientInfo);
      throw error;
    }
  }

  /**
   * Signs a person in to the account with their subject, or to one that waits for their address. Creates an account if an
   * invitation, or the domain of their address, lets them in.
   * @param invitation the secret of a link that they came by, good or not
   * @throws Refusal forbidden
   */
  async signIn(person: VerifiedPerson, invitation: string | null, clientInfo: ClientInfo): Promise<OpenIdSignIn> {
    const { people } = this.options;
    const known = (await people.accounts.findBySubject(person.subject)) ?? (await this.waiting(person, clientInfo));
    if (known === null && invitation !== null && (await people.links.find(invitation))?.kind === 'INVITATION') {
      const newcomer = { name: person.name, email: this.addressOf(person, clientInfo).email, subject: person.subject };
      const step = await people.welcome.join(invitation, newcomer, clientInfo, 'OPENID');
      await this.enter(step.session.account_id, person);
      return { step, joined: true };
    }
    const account = known ?? (await this.admit(person, clientInfo));
    await this.enter(account.id, person);
    return { step: await people.signIn.withVerifiedAccount(account, 'OPENID', clientInfo), joined: false };
  }

  /** From now on the account is signed in to by this person at the provider. @throws Refusal forbidden, conflict */
  async connect(session: Session, person: VerifiedPerson, clientInfo: ClientInfo): Promise<void> {
    const { subject, address } = person;
    const account = await this.options.people.recentAuthentication.requireRecent(session);
    const vouch = () => address && this.options.members.domains.recordVouchedDomain(account.id, address.domain);
    if (account.subject === subject) return void (await vouch());
    if (account.subject !== null) {
      throw new Refusal(
        'conflict',
        'Your account is connected to another person at the provider. Disconnect that first.',
      );
    }
    if (!(await this.link(account, subject, {}, clientInfo))) {
      throw new Refusal(
        'conflict',
        `Who you are at ${this.host} is connected to another account here: sign in with that one, or disconnect it there first.`,
      );
    }
    await vouch();
  }

  /**
   * Makes the session's last proof a recent one, for a person who has just signed in anew at the provider.
   * @throws Refusal forbidden where the provider vouches for another account, or for no new sign-in
   */
  async reauthenticate(
    session: Session,
    person: VerifiedPerson,
    begun_at: string,
    clientInfo: ClientInfo,
  ): Promise<void> {
    const { accounts, sessions } = this.options.people;
    const account = await accounts.get(session.account_id);
    const earliest = Date.parse(begun_at) - TOLERANCE_SECONDS * 1_000;
    const { subject, authenticated_at } = person;
    if (account?.subject === subject && authenticated_at !== null && authenticated_at.getTime() >= earliest) {
      return sessions.recordReauthentication(session);
    }
    this.refused(session.account_id, 'BAD_ANSWER', clientInfo);
    const message =
      account?.subject === subject
        ? `${this.host} did not confirm a new sign-in: sign out here and in again, then go on within 15 minutes.`
        : `You signed in at ${this.host} as somebody else: sign in there with the account that you use here.`;
    throw new Refusal('forbidden', message);
  }

  /** Leaves the password as the way in. @throws Refusal forbidden where there is none, or the last proof is not recent */
  async disconnect(session: Session, clientInfo: ClientInfo): Promise<void> {
    const { accounts, people, onAccountEvent } = this.options;
    const { id, password, subject } = await people.recentAuthentication.requireRecent(session);
    if (subject === null) return;
    if (password === null)
      throw new Refusal('forbidden', 'Set a password first. Without one you could no longer sign in.');
    if (await accounts.update('accounts', id, { subject: null }, { subject, erased_at: null })) {
      onAccountEvent?.({ type: 'PROVIDER_DISCONNECTED', account_id: id, clientInfo });
    }
  }

  /** An account that has their verified address and no way in yet. One with a password is its owner's to connect. */
  private async waiting(person: VerifiedPerson, clientInfo: ClientInfo): Promise<Account | null> {
    const { accounts } = this.options.people;
    const account = person.address && (await accounts.findByEmail(person.address.email));
    if (account === null) return null;
    if (account.password !== null) {
      this.refused(account.id, 'NOT_CONNECTED', clientInfo);
      const message = `Your address has an account with a password: sign in with that, then connect ${this.host} under Settings → Security.`;
      throw new Refusal('forbidden', message);
    }
    if (account.subject === null && (await this.link(account, person.subject, { password: null }, clientInfo))) {
      return accounts.get(account.id);
    }
    return this.refuseUninvited(account.id, clientInfo);
  }

  /** A new account, where somewhere their address's domain is let in. */
  private async admit(person: VerifiedPerson, clientInfo: ClientInfo): Promise<Account> {
    const { people, members } = this.options;
    const { email, domain } = this.addressOf(person, clientInfo);
    if (!(await members.domains.isAdmitted(domain))) return this.refuseUninvited(null, clientInfo);
    return people.accounts.create({ name: person.name, email, subject: person.subject }, clientInfo);
  }

  private addressOf({ address }: VerifiedPerson, clientInfo: ClientInfo): NonNullable<VerifiedPerson['address']> {
    if (address !== null) return address;
    this.refused(null, 'NOT_ADMITTED', clientInfo);
    const message = `${this.host} does not say that an e-mail address of yours is verified: without one it lets in only whoever connected it to an account.`;
    throw new Refusal('forbidden', message);
  }

  private refuseUninvited(accountId: string | null, clientInfo: ClientInfo): never {
    this.refused(accountId, 'NOT_ADMITTED', clientInfo);
    const message = `${this.host} knows you, but nobody let you in here: ask an owner of your organization for an invitation.`;
    throw new Refusal('forbidden', message);
  }

  private async enter(accountId: string, { address }: VerifiedPerson): Promise<void> {
    if (address === null) return;
    const { domains } = this.options.members;
    await domains.recordVouchedDomain(accountId, address.domain);
    await domains.joinOrganizations(accountId, address.domain);
  }

  /** Answers whether the account had nobody yet, and nobody else has the subject. */
  private async link(
    { id }: Account,
    subject: string,
    when: { password?: null },
    clientInfo: ClientInfo,
  ): Promise<boolean> {
    const { accounts, onAccountEvent } = this.options;
    const linked = await accounts.update('accounts', id, { subject }, { ...when, subject: null, erased_at: null });
    if (linked) onAccountEvent?.({ type: 'PROVIDER_CONNECTED', account_id: id, clientInfo });
    return linked;
  }

  private refused(account_id: string | null, reason: Reason, clientInfo: ClientInfo): void {
    this.options.onAccountEvent?.({ type: 'SIGN_IN_REFUSED', account_id, reason, clientInfo });
  }
}
