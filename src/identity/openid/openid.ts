import { Refusal } from '../../commands/engine/refusal.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import type { AccountEvent, OnAccountEvent } from '../access-log/access-events.ts';
import type { Account } from '../accounts/account.ts';
import type { People } from '../accounts/people.ts';
import type { ClientInfo } from '../client-info.ts';
import type { Members } from '../memberships/members.ts';
import type { CreatedSession, Session } from '../sign-in/sessions.ts';
import type { SignInStep } from '../sign-in/sign-in.ts';
import { toVerifiedPerson, type VerifiedPerson } from './claims.ts';
import { OpenIdProvider, type OpenIdSettings, TOLERANCE_SECONDS } from './openid-provider.ts';
import {
  CALLBACK_PATH,
  type OpenIdTransaction,
  OpenIdTransactions,
  type TransactionIntent,
} from './openid-transaction.ts';

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
  /** Reports why the provider could not be used. The text contains no secrets. */
  report: (why: string) => void;
}

type Reason = Extract<AccountEvent, { type: 'SIGN_IN_REFUSED' }>['reason'];

/** A sign-in through the provider. `hasJoined` is true if it accepted an invitation. */
export interface OpenIdSignIn {
  step: SignInStep;
  hasJoined: boolean;
}

/** Signs people in through the OpenID provider, and connects them to their accounts. */
export class OpenId {
  /** The provider's host, as people know it. */
  readonly host: string;
  private readonly provider: OpenIdProvider;
  private readonly transactions: OpenIdTransactions;

  constructor(private readonly options: OpenIdOptions) {
    const { settings, baseUrl, report } = options;
    this.provider = new OpenIdProvider({ ...settings, redirectUri: `${baseUrl}${CALLBACK_PATH}`, report });
    this.transactions = new OpenIdTransactions(options);
    this.host = this.provider.host;
  }

  /** Starts a transaction. Returns the provider's address and the browser's cookie. @throws Refusal unavailable */
  async begin(intent: TransactionIntent): Promise<{ address: string; cookie: string }> {
    const { cookie, transaction } = this.transactions.begin(intent);
    return { address: await this.provider.address(transaction), cookie };
  }

  /** Returns a browser's transaction, or null if it must start again. */
  findTransaction(cookie: string | null): OpenIdTransaction | null {
    return this.transactions.read(cookie);
  }

  /** Returns the person that the provider verified. Works once for each transaction. @throws Refusal forbidden, unavailable */
  async redeem(transaction: OpenIdTransaction, query: string, clientInfo: ClientInfo): Promise<VerifiedPerson> {
    try {
      if (!(await this.transactions.finish(transaction)))
        throw new Refusal('forbidden', 'This sign-in was already used. Start again.');
      return toVerifiedPerson(await this.provider.redeem(query, transaction));
    } catch (error) {
      if (error instanceof Refusal && error.code === 'forbidden') this.recordRefusal(null, 'BAD_ANSWER', clientInfo);
      throw error;
    }
  }

  /**
   * Signs a person in to the account with this subject, or to an account with this address and no credentials. Creates an
   * account if an invitation or the domain of the address admits the person.
   * @param invitation the secret of the link they followed; may be invalid
   * @throws Refusal forbidden
   */
  async signIn(person: VerifiedPerson, invitation: string | null, clientInfo: ClientInfo): Promise<OpenIdSignIn> {
    const { people } = this.options;
    const existingAccount =
      (await people.accounts.findBySubject(person.subject)) ?? (await this.connectByAddress(person, clientInfo));
    if (
      existingAccount === null &&
      invitation !== null &&
      (await people.links.find(invitation))?.kind === 'INVITATION'
    ) {
      const newcomer = { name: person.name, email: this.addressOf(person, clientInfo).email, subject: person.subject };
      const step = await people.welcome.join(invitation, newcomer, clientInfo, 'OPENID');
      const { account_id } = step.session;
      const fields = { provider_factors: person.usedTwoFactors };
      await this.options.accounts.update('accounts', account_id, fields, { erased_at: null });
      await this.joinByDomain(account_id, person);
      return { step, hasJoined: true };
    }
    const account = await this.withProviderFactors(
      existingAccount ?? (await this.createAdmittedAccount(person, clientInfo)),
      person,
    );
    await this.joinByDomain(account.id, person);
    return { step: await people.signIn.withVerifiedAccount(account, 'OPENID', clientInfo), hasJoined: false };
  }

  /**
   * Stores the factors that the provider used. If they became two, all other sessions end, because they were opened with
   * one: the account's own first second factor does the same.
   */
  private async withProviderFactors(account: Account, { usedTwoFactors }: VerifiedPerson): Promise<Account> {
    if (account.provider_factors === usedTwoFactors) return account;
    const generation = account.generation + (usedTwoFactors && account.password === null ? 1 : 0);
    const changes = { provider_factors: usedTwoFactors, generation };
    await this.options.accounts.update('accounts', account.id, changes, { erased_at: null });
    return { ...account, ...changes };
  }

  /** Connects the account to this person at the provider. @throws Refusal forbidden, conflict */
  async connect(session: Session, person: VerifiedPerson, clientInfo: ClientInfo): Promise<void> {
    const { subject, address } = person;
    const account = await this.options.people.recentAuthentication.requireRecent(session);
    const recordDomain = () => address && this.options.members.domains.recordVouchedDomain(account.id, address.domain);
    if (account.subject === subject) return void (await recordDomain());
    if (account.subject !== null) {
      throw new Refusal(
        'conflict',
        'Your account is connected to another account at the provider. Disconnect that first.',
      );
    }
    if (!(await this.connectSubject(account, subject, {}, clientInfo))) {
      throw new Refusal(
        'conflict',
        `Your account at ${this.host} is connected to another account here. Sign in with that one, or disconnect it there first.`,
      );
    }
    await recordDomain();
  }

  /**
   * Renews the session of a person who has just signed in at the provider again.
   * @throws Refusal forbidden for another person, or without a new sign-in
   */
  async reauthenticate(
    session: Session,
    person: VerifiedPerson,
    begun_at: string,
    clientInfo: ClientInfo,
  ): Promise<CreatedSession> {
    const { accounts, sessions } = this.options.people;
    const account = await accounts.get(session.account_id);
    const earliest = Date.parse(begun_at) - TOLERANCE_SECONDS * 1_000;
    const { subject, authenticated_at } = person;
    if (account?.subject === subject && authenticated_at !== null && authenticated_at.getTime() >= earliest) {
      return sessions.renew(session);
    }
    this.recordRefusal(session.account_id, 'BAD_ANSWER', clientInfo);
    const message =
      account?.subject === subject
        ? `${this.host} did not confirm a new sign-in. Sign out here and in again, then continue within 15 minutes.`
        : `You signed in at ${this.host} with another account. Sign in there with the account that you use here.`;
    throw new Refusal('forbidden', message);
  }

  /** Disconnects the provider. @throws Refusal forbidden without a password or a recent authentication */
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

  /**
   * Connects the person to an account that has their verified address and no credentials yet. An account with a password must be
   * connected by its owner.
   */
  private async connectByAddress(person: VerifiedPerson, clientInfo: ClientInfo): Promise<Account | null> {
    const { accounts } = this.options.people;
    const account = person.address && (await accounts.findByEmail(person.address.email));
    if (account === null) return null;
    if (account.password !== null) {
      this.recordRefusal(account.id, 'NOT_CONNECTED', clientInfo);
      const message = `Your address has an account with a password. Sign in with it, then connect ${this.host} under Your account → Security.`;
      throw new Refusal('forbidden', message);
    }
    if (
      account.subject === null &&
      (await this.connectSubject(account, person.subject, { password: null }, clientInfo))
    ) {
      return accounts.get(account.id);
    }
    return this.refuseUninvited(account.id, clientInfo);
  }

  /** Creates an account for the person if an organization admits the domain of their address. */
  private async createAdmittedAccount(person: VerifiedPerson, clientInfo: ClientInfo): Promise<Account> {
    const { people, members } = this.options;
    const { email, domain } = this.addressOf(person, clientInfo);
    if (!(await members.domains.isAdmitted(domain))) return this.refuseUninvited(null, clientInfo);
    return people.accounts.create({ name: person.name, email, subject: person.subject }, clientInfo);
  }

  private addressOf({ address }: VerifiedPerson, clientInfo: ClientInfo): NonNullable<VerifiedPerson['address']> {
    if (address !== null) return address;
    this.recordRefusal(null, 'NOT_ADMITTED', clientInfo);
    const message = `${this.host} sent no verified e-mail address for you. Verify your address there, or sign in another way and connect ${this.host} under Your account → Security.`;
    throw new Refusal('forbidden', message);
  }

  private refuseUninvited(accountId: string | null, clientInfo: ClientInfo): never {
    this.recordRefusal(accountId, 'NOT_ADMITTED', clientInfo);
    const message = `${this.host} confirmed who you are, but you have no account here. Ask an owner of your organization for an invitation.`;
    throw new Refusal('forbidden', message);
  }

  private async joinByDomain(accountId: string, { address }: VerifiedPerson): Promise<void> {
    if (address === null) return;
    const { domains } = this.options.members;
    await domains.recordVouchedDomain(accountId, address.domain);
    await domains.joinOrganizations(accountId, address.domain);
  }

  /** Connects an account to a subject. Returns false if the account has another subject, or another account has this one. */
  private async connectSubject(
    { id }: Account,
    subject: string,
    condition: { password?: null },
    clientInfo: ClientInfo,
  ): Promise<boolean> {
    const { accounts, onAccountEvent } = this.options;
    const linked = await accounts.update('accounts', id, { subject }, { ...condition, subject: null, erased_at: null });
    if (linked) onAccountEvent?.({ type: 'PROVIDER_CONNECTED', account_id: id, clientInfo });
    return linked;
  }

  private recordRefusal(account_id: string | null, reason: Reason, clientInfo: ClientInfo): void {
    this.options.onAccountEvent?.({ type: 'SIGN_IN_REFUSED', account_id, reason, clientInfo });
  }
}
