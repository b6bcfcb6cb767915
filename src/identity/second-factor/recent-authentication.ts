import { hasPassed, type TimeSource } from '../../clock/service-clock.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import { type Account, findAccount } from '../accounts/account.ts';
import { type ClientInfo, rememberedBrowserId } from '../client-info.ts';
import type { Passwords } from '../sign-in/passwords.ts';
import type { CreatedSession, Session, Sessions } from '../sign-in/sessions.ts';
import { accountLimit, type Throttle } from '../sign-in/throttle.ts';

export interface RecentAuthenticationOptions {
  accounts: AccountStore;
  passwords: Passwords;
  sessions: Sessions;
  throttle: Throttle;
  now: TimeSource;
}

const RECENT_MS = 15 * 60_000;

/** Checks, before sensitive actions, that the signed-in person authenticated recently. */
export class RecentAuthentication {
  constructor(private readonly options: RecentAuthenticationOptions) {}

  /** Returns true if the person authenticated within the last 15 minutes. */
  isRecent(session: Session): boolean {
    return !hasPassed(Date.parse(session.confirmed_at) + RECENT_MS, this.options.now);
  }

  /** @throws Refusal forbidden unless the person authenticated recently; confirm the password, then repeat */
  async requireRecent(session: Session): Promise<Account> {
    const account = await this.account(session);
    if (this.isRecent(session)) return account;
    const instruction = account.password === null ? 'sign out and in again' : 'confirm your password';
    throw new Refusal('forbidden', `You signed in more than 15 minutes ago. First ${instruction}.`, {
      field: 'current',
    });
  }

  /** Checks the password, and renews the session. @throws Refusal as requirePasswordOrRecent */
  async confirmPassword(session: Session, password: string, clientInfo: ClientInfo): Promise<CreatedSession> {
    await this.requirePasswordOrRecent(session, password, clientInfo);
    return this.options.sessions.renew(session);
  }

  /**
   * Checks the password of a signed-in person. If it is null, requires that they authenticated recently.
   * @throws Refusal forbidden, rate_limited
   */
  async requirePasswordOrRecent(session: Session, password: string | null, clientInfo: ClientInfo): Promise<Account> {
    if (password === null) return this.requireRecent(session);
    const account = await this.account(session);
    // Counted separately, so strangers who try the address don't lock out its signed-in owner.
    const throttledClient = rememberedBrowserId(account, clientInfo) === null ? clientInfo : null;
    if (await this.checkPassword(`confirm:${account.id}`, account, password, throttledClient)) return account;
    throw new Refusal('forbidden', 'This is not your password. Enter it again.', { field: 'current' });
  }

  /**
   * Returns true for the account's password. The check takes the same time if there is no such account.
   * @param clientInfo as in Throttle.attempt
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
    throw new Refusal('forbidden', 'This account has been deleted. Sign in with another one.');
  }
}
