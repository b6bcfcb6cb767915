import { Refusal } from '../commands/refusal.ts';
import type { AccountStore } from '../stores/account-store.ts';
import { type Account, findAccount } from './account.ts';
import { type ClientInfo, rememberedBrowserId } from './client-info.ts';
import type { Passwords } from './passwords.ts';
import type { Session, Sessions } from './sessions.ts';
import { accountLimit, type Throttle } from './throttle.ts';

export interface RecentAuthenticationOptions {
  accounts: AccountStore;
  passwords: Passwords;
  sessions: Sessions;
  throttle: Throttle;
  now: () => Date;
}

const RECENT_MS = 15 * 60_000;

/** Whether somebody signed in is still who they were, before something that matters. */
export class RecentAuthentication {
  constructor(private readonly options: RecentAuthenticationOptions) {}

  /** Whether the session's person proved who they are in the last 15 minutes, so that no password need be asked. */
  isRecent(session: Session): boolean {
    return this.options.now().getTime() - Date.parse(session.confirmed_at) < RECENT_MS;
  }

  /** @throws Refusal forbidden unless the last proof is recent: ask for the password and `confirm` it, then repeat */
  async requireRecent(session: Session): Promise<Account> {
    const account = await this.account(session);
    if (this.isRecent(session)) return account;
    const how = account.password === null ? 'sign out and in again' : 'confirm your password';
    throw new Refusal('forbidden', `You signed in a while ago: ${how} first.`, { field: 'current' });
  }

  /** Makes the session's last proof a recent one. @throws Refusal as prove */
  async confirmPassword(session: Session, password: string, clientInfo: ClientInfo): Promise<void> {
    await this.requirePasswordOrRecent(session, password, clientInfo);
    await this.options.sessions.recordReauthentication(session);
  }

  /**
   * Checks the password of a person signed in, or, where it is null, that their last proof is recent.
   * @throws Refusal forbidden, rate_limited
   */
  async requirePasswordOrRecent(session: Session, password: string | null, clientInfo: ClientInfo): Promise<Account> {
    if (password === null) return this.requireRecent(session);
    const account = await this.account(session);
    // At a gate of its own: strangers who try the address do not keep its owner from what they are at.
    const counted = rememberedBrowserId(account, clientInfo) === null ? clientInfo : null;
    if (await this.checkPassword(`confirm:${account.id}`, account, password, counted)) return account;
    throw new Refusal('forbidden', 'This is not your password: type it once more.', { field: 'current' });
  }

  /**
   * Whether it is the account's password; of nobody's it is checked as long.
   * @param clientInfo as Throttle.attempt has it
   * @throws Refusal rate_limited
   */
  checkPassword(
    gate: string,
    account: Account | null,
    password: string,
    clientInfo: ClientInfo | null,
  ): Promise<boolean> {
    const { throttle, passwords } = this.options;
    return throttle.attempt(accountLimit(gate), clientInfo, () =>
      passwords.matches(password, account?.password ?? null),
    );
  }

  private async account(session: Session): Promise<Account> {
    const account = await findAccount(this.options.accounts, session.account_id);
    if (account !== null && account.erased_at === null) return account;
    throw new Refusal('forbidden', 'This account is no more: sign in with another.');
  }
}
