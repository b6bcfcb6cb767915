import { Refusal } from '../../commands/engine/refusal.ts';
import type { Account, Factor } from '../accounts/account.ts';
import { type ClientInfo, rememberedBrowserId } from '../client-info.ts';
import type { CreatedSession, Session, Sessions } from '../sign-in/sessions.ts';
import { accountLimit, type Throttle } from '../sign-in/throttle.ts';
import type { Factors } from './factors.ts';
import type { Passkeys } from './passkeys.ts';
import type { RecentAuthentication } from './recent-authentication.ts';
import type { Totp } from './totp.ts';

/** A way to authenticate again without signing out. */
export type ReauthenticationMethod = 'PASSWORD' | Exclude<Factor, 'RECOVERY_CODE'>;

export interface ReauthenticationOptions {
  factors: Factors;
  passkeys: Passkeys;
  recentAuthentication: RecentAuthentication;
  sessions: Sessions;
  throttle: Throttle;
  totp: Totp;
}

/** Authenticates a signed-in person again: by password, authenticator app or passkey. The session gets a new cookie. */
export class Reauthentication {
  constructor(private readonly options: ReauthenticationOptions) {}

  /** Returns the methods that an account has. Empty if it can only sign in again at its OpenID provider. */
  async methodsOf(account: Account): Promise<ReauthenticationMethod[]> {
    const factors = (await this.options.factors.of(account)).filter((factor) => factor !== 'RECOVERY_CODE');
    return account.password === null ? factors : ['PASSWORD', ...factors];
  }

  /** @throws Refusal forbidden, rate_limited */
  withPassword(session: Session, password: string, clientInfo: ClientInfo): Promise<CreatedSession> {
    return this.options.recentAuthentication.confirmPassword(session, password, clientInfo);
  }

  /** @throws Refusal forbidden, rate_limited */
  async withTotp(session: Session, code: string, clientInfo: ClientInfo): Promise<CreatedSession> {
    const { sessions, throttle, totp } = this.options;
    const { account_id, generation } = session;
    // Counted separately, so guesses on the sign-in page don't lock out the signed-in owner.
    const throttledClient =
      rememberedBrowserId({ id: account_id, generation }, clientInfo) === null ? clientInfo : null;
    const gate = accountLimit(`reauthenticate:${account_id}`);
    if (!(await throttle.attempt(gate, throttledClient, () => totp.use(account_id, code)))) {
      throw new Refusal('forbidden', 'This code is wrong or was already used. Enter the next one that the app shows.', {
        field: 'code',
      });
    }
    return sessions.renew(session);
  }

  /**
   * @param response the browser's answer to `Passkeys.authenticationOptions`, as JSON
   * @throws Refusal forbidden
   */
  async withPasskey(session: Session, response: unknown): Promise<CreatedSession> {
    if (!(await this.options.passkeys.use(session, response))) {
      throw new Refusal('forbidden', 'The passkey could not be verified. Try again.', { field: 'credential' });
    }
    return this.options.sessions.renew(session);
  }
}
