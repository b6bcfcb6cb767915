import { randomId } from '../../commands/engine/ids.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';
import type { OnAccountEvent } from '../access-log/access-events.ts';
import type { ClientInfo } from '../client-info.ts';
import type { TakenNames } from '../memberships/taken-names.ts';
import type { Factors } from '../second-factor/factors.ts';
import type { RecentAuthentication } from '../second-factor/recent-authentication.ts';
import { type Passwords, refuseWeakPassword } from '../sign-in/passwords.ts';
import type { CreatedSession, Session, Sessions } from '../sign-in/sessions.ts';
import { type Account, ERASED_FIELDS, emailKey, findAccount, readEmail, readPersonName, toAccount } from './account.ts';
import type { AccountNames } from './account-names.ts';
import type { OneTimeLinks } from './one-time-links.ts';

export interface NewAccount {
  name: string;
  email: string;
  /** Either a password or a subject is required. */
  password?: string;
  /** The person's id at the OpenID provider: `<issuer> <subject>`, separated by a space. */
  subject?: string;
}

export interface AccountsOptions {
  accounts: AccountStore;
  names: AccountNames;
  passwords: Passwords;
  recentAuthentication: RecentAuthentication;
  sessions: Sessions;
  factors: Factors;
  links: OneTimeLinks;
  now: () => Date;
  /** Takes an account out of every organization and revokes its credentials. @throws Refusal for a sole OWNER */
  leaveAll: (accountId: string) => Promise<void>;
  takenNames: TakenNames;
  onAccountEvent: OnAccountEvent;
}

/** People's accounts. Where `password` may be null, a sign-in within the last 15 minutes is enough. */
export class Accounts {
  constructor(private readonly options: AccountsOptions) {}

  /** Returns an account, also an erased one (see `erased_at`). */
  get(id: string): Promise<Account | null> {
    return findAccount(this.options.accounts, id);
  }

  /** Finds an account by any spelling of its address (see emailKey). */
  async findByEmail(email: string): Promise<Account | null> {
    const key = emailKey(email);
    return key === null ? null : this.find('email_key', key);
  }

  async findBySubject(subject: string): Promise<Account | null> {
    return this.find('subject', subject);
  }

  /**
   * Creates an account.
   * @throws Refusal invalid_input; conflict when an account with this e-mail address or subject exists
   */
  async create(newAccount: NewAccount, clientInfo: ClientInfo): Promise<Account> {
    const { accounts, names, passwords, now, onAccountEvent } = this.options;
    const address = readEmail(newAccount.email);
    const name = readPersonName(newAccount.name, address.email);
    if (newAccount.password !== undefined)
      await refuseWeakPassword(newAccount.password, { name, email: address.email });
    if ((await this.findByEmail(address.email)) !== null) throw addressTaken();
    const account = toAccount({
      id: randomId('acc'),
      name,
      ...address,
      password: newAccount.password === undefined ? null : await passwords.hash(newAccount.password),
      subject: newAccount.subject ?? null,
      created_at: now().toISOString(),
    });
    if (!(await accounts.insert('accounts', account))) throw addressTaken();
    await names.recordFirst(account.id, name);
    onAccountEvent({ type: 'ACCOUNT_CREATED', account_id: account.id, clientInfo });
    return account;
  }

  /**
   * Removes an account that was just created, because joining the organization failed. Its names go first: without an
   * account, nothing would ever erase them.
   */
  async discard(account: Account): Promise<void> {
    await this.options.names.erase(account.id);
    await this.options.accounts.remove('accounts', account.id);
  }

  /**
   * Sets name, address and password of the first owner, who has none yet.
   * @throws Refusal invalid_input; conflict when another account has this address, or the owner already has a password
   */
  async setUpOwner(
    id: string,
    person: Required<Omit<NewAccount, 'subject'>>,
    clientInfo: ClientInfo,
  ): Promise<Account> {
    const { accounts, names, passwords, now, takenNames, onAccountEvent } = this.options;
    const address = readEmail(person.email);
    const name = readPersonName(person.name, address.email);
    await takenNames.refuseForAccount(id, name);
    await refuseWeakPassword(person.password, { name, email: address.email });
    const password = await passwords.hash(person.password);
    const at = now().toISOString();
    const fields = { name, ...address, password, reset_at: at };
    if (!(await accounts.update('accounts', id, fields, { password: null, subject: null, erased_at: null })))
      throw addressTaken();
    // Only after the account is updated: of two concurrent writers, only one succeeds there. Earlier events keep the
    // earlier name.
    await names.record(id, name, at);
    onAccountEvent({ type: 'PASSWORD_CHANGED', account_id: id, by: 'LINK', clientInfo });
    return (await this.get(id))!;
  }

  /** Renames an account from now on. Earlier events keep the earlier name. @throws Refusal invalid_input, too_large */
  async rename({ account_id: id }: Session, newName: string): Promise<void> {
    const { accounts, names, now, takenNames } = this.options;
    const name = readPersonName(newName, (await this.get(id))?.email ?? null);
    await takenNames.refuseForAccount(id, name);
    await names.record(id, name, now().toISOString());
    // An account that is erased at the same moment must keep no name.
    if (!(await accounts.update('accounts', id, { name }, { erased_at: null }))) await names.erase(id);
  }

  /**
   * Changes the address that an account signs in with. For the operator, who can read all addresses anyway.
   * @throws Refusal invalid_input, not_found; conflict when the address has an account
   */
  async changeEmail(id: string, email: string, clientInfo: ClientInfo): Promise<void> {
    const { accounts, onAccountEvent } = this.options;
    const address = readEmail(email);
    const account = await this.get(id);
    if (account === null || account.erased_at !== null) throw noSuchAccount();
    if (!(await accounts.update('accounts', id, { ...address }, { erased_at: null }))) throw addressTaken();
    onAccountEvent({ type: 'EMAIL_CHANGED', account_id: id, clientInfo });
  }

  /**
   * Changes the password, ends all sessions and revokes links into the account. Returns a new session for the caller,
   * so a stolen copy of the old cookie stops working too.
   * @param current null only where the account has no password yet
   * @throws Refusal forbidden when `current` is wrong; invalid_input
   */
  async changePassword(
    session: Session,
    current: string | null,
    next: string,
    clientInfo: ClientInfo,
  ): Promise<CreatedSession> {
    const { sessions, recentAuthentication } = this.options;
    const account = await recentAuthentication.requirePasswordOrRecent(session, current, clientInfo);
    if (account.password !== null && current === null) {
      throw new Refusal('forbidden', 'Enter your current password too.', { field: 'current' });
    }
    const changedAccount = await this.replacePassword(account, next);
    this.options.onAccountEvent({ type: 'PASSWORD_CHANGED', account_id: account.id, by: 'PASSWORD', clientInfo });
    return sessions.create(changedAccount, clientInfo, 'SIGNED_IN');
  }

  /**
   * Sets a new password for somebody who opened a link, and ends all sessions.
   * @param requireGood refuses a link that is no longer valid; called last, because hashing may take long
   * @throws Refusal invalid_input, not_found, what `requireGood` refuses
   */
  async setPassword(
    id: string,
    password: string,
    clientInfo: ClientInfo,
    requireGood: () => Promise<void>,
  ): Promise<Account> {
    const account = await this.get(id);
    if (account === null || account.erased_at !== null) throw noSuchAccount();
    const reset_at = this.options.now().toISOString();
    const changedAccount = await this.replacePassword(account, password, { reset_at }, requireGood);
    this.options.onAccountEvent({ type: 'PASSWORD_CHANGED', account_id: id, by: 'LINK', clientInfo });
    return changedAccount;
  }

  /** Hashes the password again if its stored hash has an outdated cost. */
  async rehash({ id, password: old }: Account, password: string): Promise<void> {
    const { accounts, passwords } = this.options;
    if (old === null || !passwords.isStale(old)) return;
    await accounts.update('accounts', id, { password: await passwords.hash(password) }, { password: old });
  }

  /**
   * Erases everything about the person except id and dates. History then says "former member".
   * @throws Refusal as leaveAll does, before anything is erased; forbidden for a wrong password
   */
  async erase(session: Session, password: string | null, clientInfo: ClientInfo): Promise<void> {
    const { accounts, names, recentAuthentication, leaveAll, now, onAccountEvent } = this.options;
    const account = await recentAuthentication.requirePasswordOrRecent(session, password, clientInfo);
    const { id, organizations } = account;
    await leaveAll(id);
    // Erased before the account, and again below, because a name may be set in between.
    await names.erase(id);
    // First the credentials. Sessions of an erased account are invalid even before they are removed.
    const erased_at = now().toISOString();
    await accounts.update('accounts', id, { ...ERASED_FIELDS, erased_at });
    await this.finishErasing({ ...account, erased_at });
    onAccountEvent({ type: 'ACCOUNT_ERASED', account_id: id, organizations, clientInfo });
  }

  /**
   * Removes everything about an account that has been marked as erased. Nobody can sign in to repeat an interrupted call,
   * so the Reconciler does (see `isErasureUnfinished`).
   * @throws Refusal as leaveAll does
   */
  async finishErasing({ id, created_at, erased_at }: AccountRecord): Promise<void> {
    const { accounts, names, factors, sessions, links, leaveAll } = this.options;
    // The person may have joined an organization in another window. An erased account can't join one.
    await leaveAll(id);
    await names.erase(id);
    await sessions.endOthers(id, null);
    await factors.removePasskeys(id);
    await links.revokeAllOf(id);
    await accounts.put('accounts', { id, created_at, erased_at });
  }

  private async find(field: 'email_key' | 'subject', value: string): Promise<Account | null> {
    const [record] = await this.options.accounts.find('accounts', field, value);
    return record === undefined ? null : toAccount(record);
  }

  /** Replaces the password, ends all sessions and revokes all links. */
  private async replacePassword(
    account: Account,
    next: string,
    more: Pick<Partial<Account>, 'reset_at'> = {},
    requireGood?: () => Promise<void>,
  ): Promise<Account> {
    const { accounts, passwords, sessions, links } = this.options;
    await refuseWeakPassword(next, account);
    const fields = { ...more, password: await passwords.hash(next), generation: account.generation + 1 };
    const before = { password: account.password, erased_at: null };
    await requireGood?.();
    if (!(await accounts.update('accounts', account.id, fields, before))) {
      throw new Refusal('conflict', 'The password was just changed from another place. Sign in again.');
    }
    await sessions.endOthers(account.id, null);
    await links.revokeAllOf(account.id);
    return { ...account, ...fields };
  }
}

function noSuchAccount(): Refusal {
  return new Refusal('not_found', 'This account has been deleted. Ask for an invitation to create another.');
}

function addressTaken(): Refusal {
  return new Refusal('conflict', 'An account with this e-mail address exists. Sign in with it.', { field: 'email' });
}
