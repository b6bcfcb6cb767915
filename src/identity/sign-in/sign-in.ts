import { Refusal } from '../../commands/engine/refusal.ts';
import type { OnAccountEvent, SignInRefusalReason } from '../access-log/access-events.ts';
import { type Account, emailKey, type Factor } from '../accounts/account.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { type ClientInfo, rememberedBrowserId } from '../client-info.ts';
import type { Factors } from '../second-factor/factors.ts';
import type { Passkeys } from '../second-factor/passkeys.ts';
import type { RecentAuthentication } from '../second-factor/recent-authentication.ts';
import type { Recovery } from '../second-factor/recovery.ts';
import type { Totp } from '../second-factor/totp.ts';
import type { CreatedSession, Session, Sessions } from './sessions.ts';
import { accountLimit, type Throttle } from './throttle.ts';

/** The result of a step of signing in. The cookie replaces the browser's earlier one. */
export interface SignInStep extends CreatedSession {
  next: 'DONE' | 'SECOND_FACTOR';
  /** The factors that can be used next. Empty when done. */
  factors: Factor[];
}

export interface SignInOptions {
  accounts: Accounts;
  factors: Factors;
  passkeys: Passkeys;
  recentAuthentication: RecentAuthentication;
  recovery: Recovery;
  sessions: Sessions;
  throttle: Throttle;
  totp: Totp;
  onAccountEvent: OnAccountEvent;
}

/** Signs people in, step by step. A refusal reads the same whether the address has an account or not. */
export class SignIn {
  constructor(private readonly options: SignInOptions) {}

  /** @throws Refusal forbidden if the address or the password is wrong; rate_limited with retry_after_seconds */
  async withPassword(email: string, password: string, clientInfo: ClientInfo): Promise<SignInStep> {
    const { accounts, recentAuthentication } = this.options;
    const account = await accounts.findByEmail(email);
    const id = account?.id ?? null;
    const browserId = rememberedBrowserId(account, clientInfo);
    const limitName = browserId === null ? `sign-in:${emailKey(email) ?? email}` : `known:${id}:${browserId}`;
    const countedClient = browserId === null ? clientInfo : null;
    const isCorrect = await this.runThrottled(id, clientInfo, () =>
      recentAuthentication.checkPassword(limitName, account, password, countedClient),
    );
    if (!isCorrect || account === null) {
      this.recordRefusal(id, 'WRONG_PASSWORD', clientInfo);
      throw new Refusal('forbidden', 'The e-mail address or password is wrong. Check both and try again.');
    }
    await accounts.rehash(account, password);
    return this.startSession(account, 'PASSWORD', clientInfo);
  }

  /** Signs in somebody who opened a link or came from the OpenID provider. An account with a second factor still needs it. */
  withVerifiedAccount(account: Account, by: 'LINK' | 'OPENID', clientInfo: ClientInfo): Promise<SignInStep> {
    return this.startSession(account, by, clientInfo);
  }

  /** Returns the factors that can complete a pending session. */
  async factorsOf(pending: Session): Promise<Factor[]> {
    const account = await this.options.accounts.get(pending.account_id);
    return account === null ? [] : this.options.factors.of(account);
  }

  /**
   * @param cookie the cookie of the session at SECOND_FACTOR
   * @throws Refusal forbidden, rate_limited; after five wrong codes the session ends
   */
  async withTotp(cookie: string | undefined, code: string, clientInfo: ClientInfo): Promise<SignInStep> {
    const { sessions, throttle, totp } = this.options;
    const pending = await sessions.requirePending(cookie);
    const { account_id, generation } = pending;
    // Failures are counted per account, because somebody with the password can open any number of sessions.
    const browserId = rememberedBrowserId({ id: account_id, generation }, clientInfo);
    const limit = accountLimit(browserId === null ? `totp:${account_id}` : `totp:${account_id}:${browserId}`);
    const isCorrect = await this.runThrottled(account_id, clientInfo, () =>
      throttle.attempt(limit, browserId === null ? clientInfo : null, () => totp.use(account_id, code)),
    );
    if (!isCorrect)
      await this.refuseFactor(
        pending,
        clientInfo,
        'This code is wrong or was already used. Enter the next one that the app shows.',
      );
    return this.completeSecondFactor(pending, 'TOTP', clientInfo);
  }

  /**
   * Recovery codes are too long to guess, so attempts are not rate-limited.
   * @throws Refusal forbidden; after five wrong codes the session ends
   */
  async withRecoveryCode(cookie: string | undefined, code: string, clientInfo: ClientInfo): Promise<SignInStep> {
    const { sessions, recovery, onAccountEvent } = this.options;
    const pending = await sessions.requirePending(cookie);
    const codesLeft = await recovery.use(pending.account_id, code);
    if (codesLeft === null)
      return this.refuseFactor(
        pending,
        clientInfo,
        'This recovery code is wrong or was already used. Try another one.',
      );
    onAccountEvent({ type: 'RECOVERY_CODE_USED', account_id: pending.account_id, left: codesLeft, clientInfo });
    return this.completeSecondFactor(pending, 'RECOVERY_CODE', clientInfo);
  }

  /**
   * @param response the browser's answer to `Passkeys.authenticationOptions`, as JSON
   * @throws Refusal forbidden; after five failed attempts the session ends
   */
  async withPasskey(cookie: string | undefined, response: unknown, clientInfo: ClientInfo): Promise<SignInStep> {
    const { sessions, passkeys } = this.options;
    const pending = await sessions.requirePending(cookie);
    if (!(await passkeys.use(pending, response))) {
      await this.refuseFactor(pending, clientInfo, 'The passkey could not be verified. Try again.');
    }
    return this.completeSecondFactor(pending, 'PASSKEY', clientInfo);
  }

  /** Ends the cookie's session. */
  async signOut(cookie: string | undefined, clientInfo: ClientInfo): Promise<void> {
    const { sessions, onAccountEvent } = this.options;
    const session = (await sessions.find(cookie)) ?? (await sessions.findPending(cookie));
    if (session === null || !(await sessions.end(session.account_id, session.id))) return;
    if (session.stage === 'SIGNED_IN')
      onAccountEvent({ type: 'SIGNED_OUT', account_id: session.account_id, clientInfo });
  }

  /** Ends one other session of the person, or all others. Returns their number. */
  async signOutOthers({ id, account_id }: Session, clientInfo: ClientInfo, sessionId?: string): Promise<number> {
    const { sessions, onAccountEvent } = this.options;
    const ending = sessionId === undefined ? sessions.endOthers(account_id, id) : sessions.end(account_id, sessionId);
    const count = Number(await ending);
    if (count > 0) onAccountEvent({ type: 'SESSIONS_ENDED', account_id, count, clientInfo });
    return count;
  }

  /**
   * Ends all sessions of a member, for an owner of an organization. The member can sign in again.
   * @param by the owner, and the organization that the access log shows it to. The member's others don't see it
   */
  async signOutMember(
    account_id: string,
    by: { actor_id: string; organization_id: string },
    clientInfo: ClientInfo,
  ): Promise<void> {
    const count = await this.options.sessions.endOthers(account_id, null);
    this.options.onAccountEvent({ type: 'SESSIONS_ENDED', account_id, count, by, clientInfo });
  }

  /** Ends all sessions of an account, for the operator. Returns their number. */
  async signOutEverywhere(account_id: string, clientInfo: ClientInfo): Promise<number> {
    const count = await this.options.sessions.endOthers(account_id, null);
    if (count > 0) this.options.onAccountEvent({ type: 'SESSIONS_ENDED', account_id, count, clientInfo });
    return count;
  }

  private async startSession(
    account: Account,
    by: 'PASSWORD' | 'LINK' | 'OPENID',
    clientInfo: ClientInfo,
  ): Promise<SignInStep> {
    const { factors, sessions, onAccountEvent } = this.options;
    const secondFactors = await factors.of(account);
    if (secondFactors.length > 0) {
      return {
        ...(await sessions.create(account, clientInfo, 'SECOND_FACTOR')),
        next: 'SECOND_FACTOR',
        factors: secondFactors,
      };
    }
    const signedInSession = await sessions.create(account, clientInfo, 'SIGNED_IN');
    onAccountEvent({ type: 'SIGNED_IN', account_id: account.id, factor: by, clientInfo });
    return { ...signedInSession, next: 'DONE', factors: [] };
  }

  private async completeSecondFactor(pending: Session, factor: Factor, clientInfo: ClientInfo): Promise<SignInStep> {
    const signedInSession = await this.options.sessions.completeSecondFactor(pending, clientInfo);
    this.options.onAccountEvent({ type: 'SIGNED_IN', account_id: pending.account_id, factor, clientInfo });
    return { ...signedInSession, next: 'DONE', factors: [] };
  }

  private async refuseFactor(pending: Session, clientInfo: ClientInfo, message: string): Promise<never> {
    await this.options.sessions.recordFailure(pending);
    this.recordRefusal(pending.account_id, 'WRONG_FACTOR', clientInfo);
    throw new Refusal('forbidden', message, { field: 'code' });
  }

  private async runThrottled<T>(accountId: string | null, clientInfo: ClientInfo, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refusal && error.code === 'rate_limited')
        this.recordRefusal(accountId, 'THROTTLED', clientInfo);
      throw error;
    }
  }

  private recordRefusal(account_id: string | null, reason: SignInRefusalReason, clientInfo: ClientInfo): void {
    this.options.onAccountEvent({ type: 'SIGN_IN_REFUSED', account_id, reason, clientInfo });
  }
}
