import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import type { OnAccountEvent } from '../access-log/access-events.ts';
import { type Account, toAccount } from '../accounts/account.ts';
import type { ClientInfo } from '../client-info.ts';
import type { Session, Sessions } from '../sign-in/sessions.ts';
import { updateAtomically } from '../update-atomically.ts';
import type { Factors } from './factors.ts';
import type { RecentAuthentication } from './recent-authentication.ts';

/** The secret for an authenticator app, in three forms. */
export interface TotpEnrolment {
  /** Base32, in groups of four to be typed. */
  secret: string;
  /** `otpauth://totp/…` */
  uri: string;
  /** The URI as a QR code: an `<svg>` element. */
  qr: string;
}

export interface TotpOptions {
  accounts: AccountStore;
  factors: Factors;
  recentAuthentication: RecentAuthentication;
  sessions: Sessions;
  now: () => Date;
  onAccountEvent: OnAccountEvent;
}

const ISSUER = 'veritrail';
/** The only settings that all apps support: RFC 6238 with SHA-1, six digits, steps of 30 s. */
const KIND = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** 160 bits, as RFC 4226 advises. */
const SECRET_BYTES = 20;
/** A clock may be off by this many steps. */
const WINDOW = 1;

/** Authenticator apps as second factors. */
export class Totp {
  constructor(private readonly options: TotpOptions) {}

  /**
   * Starts adding an app. Called again within 15 minutes, it returns the same secret.
   * @throws Refusal forbidden without a recent authentication; invalid_transition when there is an app already
   */
  async enrol(session: Session): Promise<TotpEnrolment> {
    const { recentAuthentication, sessions } = this.options;
    const account = await recentAuthentication.requireRecent(session);
    refuseSecond(account);
    const pending = (await sessions.currentChallenge(session, 'TOTP'))?.value;
    const base32 = pending ?? new Secret({ size: SECRET_BYTES }).base32;
    if (pending === undefined) await sessions.storeChallenge(session, 'TOTP', base32);
    const label = account.email ?? account.name ?? account.id;
    const uri = new TOTP({ ...KIND, issuer: ISSUER, label, secret: Secret.fromBase32(base32) }).toString();
    return { secret: base32.replace(/.{4}(?=.)/g, '$& '), uri, qr: renderSVG(uri, { border: 2 }) };
  }

  /**
   * Adds the app once it shows the right code.
   * @returns recovery codes for the first factor, which also ends all other sessions; otherwise null
   * @throws Refusal forbidden for a wrong code; invalid_transition unless `enrol` was called before
   */
  async add(session: Session, code: string, clientInfo: ClientInfo): Promise<string[] | null> {
    const { accounts, factors, recentAuthentication, sessions, onAccountEvent } = this.options;
    const account = await recentAuthentication.requireRecent(session);
    refuseSecond(account);
    const secret = (await sessions.currentChallenge(session, 'TOTP'))?.value;
    if (secret === undefined) {
      throw new Refusal('invalid_transition', 'Adding the app took too long. Start again with a new QR code.');
    }
    const step = this.stepOf(secret, code);
    if (step === null) {
      throw new Refusal(
        'forbidden',
        'This code does not match. Enter the one that the app shows now, and check the clock of your device.',
        {
          field: 'code',
        },
      );
    }
    await sessions.takeChallenge(session, 'TOTP');
    const wasAdded = await accounts.update(
      'accounts',
      account.id,
      { totp: { secret, step } },
      { totp: null, erased_at: null },
    );
    if (!wasAdded) refuseSecond({ totp: { secret, step } });
    onAccountEvent({ type: 'FACTOR_ADDED', account_id: account.id, factor: 'TOTP', clientInfo });
    return factors.afterAdded(session);
  }

  /** Removes the app. @throws Refusal forbidden for a wrong password; not_found when there is no app */
  async remove(session: Session, password: string | null, clientInfo: ClientInfo): Promise<void> {
    const { accounts, factors, recentAuthentication, onAccountEvent } = this.options;
    const account = await recentAuthentication.requirePasswordOrRecent(session, password, clientInfo);
    if (account.totp === null)
      throw new Refusal('not_found', 'The authenticator app has already been removed. Check the list again.');
    await accounts.update('accounts', account.id, { totp: null });
    await factors.afterRemoved(account.id);
    onAccountEvent({ type: 'FACTOR_REMOVED', account_id: account.id, factor: 'TOTP', clientInfo });
  }

  /** Uses a code. No instance accepts it, or one of an earlier step, again. */
  async use(accountId: string, code: string): Promise<boolean> {
    const used = await updateAtomically<Account>(this.options.accounts, 'accounts', accountId, (account) => {
      const totp = account && toAccount(account).totp;
      const step = totp && this.stepOf(totp.secret, code);
      return totp === null || step === null || step <= totp.step ? null : { totp: { ...totp, step } };
    });
    return used !== null;
  }

  /** Returns the time step of a code (30 s since 1970), or null if it is wrong or too far away. */
  private stepOf(secret: string, code: string): number | null {
    const token = code.replace(/\s/g, '');
    if (!/^\d{6}$/.test(token)) return null;
    const timestamp = this.options.now().getTime();
    const off = TOTP.validate({ ...KIND, token, secret: Secret.fromBase32(secret), timestamp, window: WINDOW });
    return off === null ? null : TOTP.counter({ period: KIND.period, timestamp }) + off;
  }
}

function refuseSecond({ totp }: Pick<Account, 'totp'>): void {
  if (totp === null) return;
  throw new Refusal('invalid_transition', 'You already have an authenticator app. Remove it to add another.');
}
