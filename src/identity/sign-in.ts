import { Refusal } from '../commands/refusal.ts';
import { type Account, emailKey, type Factor } from './account.ts';
import type { AccountEvent, OnAccountEvent } from './account-events.ts';
import type { Accounts } from './accounts.ts';
import type { Factors } from './factors.ts';
import type { Passkeys } from './passkeys.ts';
import type { Proof } from './proof.ts';
import type { Recovery } from './recovery.ts';
import type { Begun, Session, Sessions } from './sessions.ts';
import { accountGate, type Throttle } from './throttle.ts';
import type { Totp } from './totp.ts';
import { knownBrowser, type Visitor } from './visitor.ts';

/** A step of signing in that was taken. The cookie replaces any the browser had. */
export interface SignedIn extends Begun {
  next: 'DONE' | 'SECOND_FACTOR';
  /** What may be asked for next; empty when done. */
  factors: Factor[];
}

export interface SignInOptions {
  accounts: Accounts;
  factors: Factors;
  passkeys: Passkeys;
  proof: Proof;
  recovery: Recovery;
  sessions: Sessions;
  throttle: Throttle;
  totp: Totp;
  onAccountEvent: OnAccountEvent;
}

type Reason = Extract<AccountEvent, { type: 'SIGN_IN_REFUSED' }>['reason'];

/** Signing in, step by step. Every refusal says the same whoever is or is not behind the address. */
export class SignIn {
  constructor(private readonly options: SignInOptions) {}

  /** @throws Refusal forbidden for anything wrong; rate_limited with retry_after_seconds */
  async withPassword(email: string, password: string, visitor: Visitor): Promise<SignedIn> {
    const { accounts, proof } = this.options;
    const account = await accounts.byEmail(email);
    const id = account?.id ?? null;
    const known = knownBrowser(account, visitor);
    const gate = known === null ? `sign-in:${emailKey(email) ?? email}` : `known:${id}:${known}`;
    const counted = known === null ? visitor : null;
    const good = await this.noteThrottled(id, visitor, () => proof.check(gate, account, password, counted));
    if (!good || account === null) {
      this.refused(id, 'WRONG_PASSWORD', visitor);
      throw new Refusal('forbidden', 'E-mail address or password is wrong: check both and try again.');
    }
    await accounts.rehash(account, password);
    return this.begin(account, 'PASSWORD', visitor);
  }

  /** For who proved themselves elsewhere: by a link, or at the OpenID provider. A second factor is asked for all the same. */
  withProof(account: Account, by: 'LINK' | 'OPENID', visitor: Visitor): Promise<SignedIn> {
    return this.begin(account, by, visitor);
  }

  /** The factors that a pending session may be finished with. */
  async factorsOf(pending: Session): Promise<Factor[]> {
    const account = await this.options.accounts.get(pending.account_id);
    return account === null ? [] : this.options.factors.of(account);
  }

  /**
   * @param cookie that of the session at SECOND_FACTOR
   * @throws Refusal forbidden, rate_limited; after five wrong codes the session is over
   */
  async withTotp(cookie: string | undefined, code: string, visitor: Visitor): Promise<SignedIn> {
    const { sessions, throttle, totp } = this.options;
    const pending = await sessions.requirePending(cookie);
    const { account_id, generation } = pending;
    // Counted beside the session: who knows the password begins as many of those as they like.
    const known = knownBrowser({ id: account_id, generation }, visitor);
    const gate = accountGate(known === null ? `totp:${account_id}` : `totp:${account_id}:${known}`);
    const good = await this.noteThrottled(account_id, visitor, () =>
      throttle.attempt(gate, known === null ? visitor : null, () => totp.use(account_id, code)),
    );
    if (!good) await this.failFactor(pending, visitor, 'This code is wrong or was used: type the one shown next.');
    return this.advance(pending, 'TOTP', visitor);
  }

  /** A recovery code is beyond guessing, so nobody's failures keep its owner from using it. @throws Refusal as withTotp */
  async withRecoveryCode(cookie: string | undefined, code: string, visitor: Visitor): Promise<SignedIn> {
    const { sessions, recovery, onAccountEvent } = this.options;
    const pending = await sessions.requirePending(cookie);
    const left = await recovery.use(pending.account_id, code);
    if (left === null)
      return this.failFactor(pending, visitor, 'This recovery code is wrong or was used: try another.');
    onAccountEvent({ type: 'RECOVERY_CODE_USED', account_id: pending.account_id, left, visitor });
    return this.advance(pending, 'RECOVERY_CODE', visitor);
  }

  /**
   * @param response what the browser made of `Passkeys.authenticationOptions`, as JSON
   * @throws Refusal as withTotp
   */
  async withPasskey(cookie: string | undefined, response: unknown, visitor: Visitor): Promise<SignedIn> {
    const { sessions, passkeys } = this.options;
    const pending = await sessions.requirePending(cookie);
    if (!(await passkeys.use(pending, response))) {
      await this.failFactor(pending, visitor, 'The passkey could not be checked: try again.');
    }
    return this.advance(pending, 'PASSKEY', visitor);
  }

  /** Ends whatever session the cookie names. */
  async signOut(cookie: string | undefined, visitor: Visitor): Promise<void> {
    const { sessions, onAccountEvent } = this.options;
    const session = (await sessions.find(cookie)) ?? (await sessions.pending(cookie));
    if (session === null || !(await sessions.end(session.account_id, session.id))) return;
    if (session.stage === 'SIGNED_IN') onAccountEvent({ type: 'SIGNED_OUT', account_id: session.account_id, visitor });
  }

  /** Ends one other session of the person's, or all others. Answers how many. */
  async signOutOthers({ id, account_id }: Session, visitor: Visitor, only?: string): Promise<number> {
    const { sessions, onAccountEvent } = this.options;
    const ended = only === undefined ? sessions.endOthers(account_id, id) : sessions.end(account_id, only);
    const count = Number(await ended);
    if (count > 0) onAccountEvent({ type: 'SESSIONS_ENDED', account_id, count, visitor });
    return count;
  }

  private async begin(account: Account, by: 'PASSWORD' | 'LINK' | 'OPENID', visitor: Visitor): Promise<SignedIn> {
    const { factors, sessions, onAccountEvent } = this.options;
    const asked = await factors.of(account);
    if (asked.length > 0) {
      return { ...(await sessions.begin(account, visitor, 'SECOND_FACTOR')), next: 'SECOND_FACTOR', factors: asked };
    }
    const begun = await sessions.begin(account, visitor, 'SIGNED_IN');
    onAccountEvent({ type: 'SIGNED_IN', account_id: account.id, factor: by, visitor });
    return { ...begun, next: 'DONE', factors: [] };
  }

  private async advance(pending: Session, factor: Factor, visitor: Visitor): Promise<SignedIn> {
    const begun = await this.options.sessions.advance(pending, visitor);
    this.options.onAccountEvent({ type: 'SIGNED_IN', account_id: pending.account_id, factor, visitor });
    return { ...begun, next: 'DONE', factors: [] };
  }

  private async failFactor(pending: Session, visitor: Visitor, message: string): Promise<never> {
    await this.options.sessions.fail(pending);
    this.refused(pending.account_id, 'WRONG_FACTOR', visitor);
    throw new Refusal('forbidden', message, { field: 'code' });
  }

  private async noteThrottled<T>(accountId: string | null, visitor: Visitor, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refusal && error.code === 'rate_limited') this.refused(accountId, 'THROTTLED', visitor);
      throw error;
    }
  }

  private refused(account_id: string | null, reason: Reason, visitor: Visitor): void {
    this.options.onAccountEvent({ type: 'SIGN_IN_REFUSED', account_id, reason, visitor });
  }
}
