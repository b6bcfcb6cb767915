import { hasPassed, type TimeSource } from '../../clock/service-clock.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';
import { type Account, findAccount } from '../accounts/account.ts';
import { type ClientInfo, describeBrowser } from '../client-info.ts';
import { updateAtomically } from '../update-atomically.ts';
import { generateSecret, secretId } from './secret-text.ts';

/** SECOND_FACTOR: the password was right, but the second factor is still missing. */
export type Stage = 'SECOND_FACTOR' | 'SIGNED_IN';

/**
 * A value that the browser must answer to: a passkey challenge, or the secret of a new authenticator app. It is
 * stored, so a browser can't choose it.
 */
export interface Challenge {
  purpose: 'TOTP' | 'REGISTER_PASSKEY' | 'USE_PASSKEY';
  value: string;
  expires_at: string;
}

/** A browser that is signed in. Its id is the SHA-256 of the cookie's value, so it may be shown and sent in forms. */
export interface Session extends AccountRecord {
  account_id: string;
  stage: Stage;
  /**
   * The account's generation at sign-in. A new password or a first second factor raises the account's, and this
   * session ends.
   */
  generation: number;
  address: string;
  /** Such as `Firefox on Linux`. */
  browser: string;
  created_at: string;
  /** Precise to a minute. */
  seen_at: string;
  /** The end by idleness or age, whichever comes first. */
  expires_at: string;
  /** The end by age, even if the session is in use. */
  ends_at: string;
  /** The time of the person's last authentication. */
  confirmed_at: string;
  /** Wrong codes entered at SECOND_FACTOR. */
  failures: number;
  challenge: Challenge | null;
}

/** A new session with its cookie, which is returned only once. */
export interface CreatedSession {
  cookie: string;
  session: Session;
}

export interface SessionsOptions {
  accounts: AccountStore;
  now: TimeSource;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Maximum lifetime of a session without use (idleMs), and in total (maxMs). */
const LIFETIMES: Readonly<Record<Stage, { idleMs: number; maxMs: number }>> = {
  SECOND_FACTOR: { idleMs: 10 * MINUTE_MS, maxMs: 10 * MINUTE_MS },
  SIGNED_IN: { idleMs: DAY_MS, maxMs: 7 * DAY_MS },
};
const CHALLENGE_LIFETIME_MS = 15 * MINUTE_MS;
const MAX_FAILURES = 5;
const SIGN_IN_AGAIN = 'This sign-in has expired. Sign in again.';

/** Creates, finds and ends sessions. Nothing is cached, so ending a session takes effect on every instance. */
export class Sessions {
  constructor(private readonly options: SessionsOptions) {}

  /** Creates a session. `account` is as it was when the person authenticated. */
  async create(
    account: Pick<Account, 'id' | 'generation'>,
    clientInfo: ClientInfo,
    stage: Stage,
  ): Promise<CreatedSession> {
    const cookie = generateSecret();
    const now = this.options.now();
    const at = (ms: number) => new Date(now.getTime() + ms).toISOString();
    const { idleMs, maxMs } = LIFETIMES[stage];
    const session: Session = {
      id: secretId(cookie)!,
      account_id: account.id,
      stage,
      generation: account.generation,
      address: clientInfo.address,
      browser: describeBrowser(clientInfo.agent),
      created_at: at(0),
      seen_at: at(0),
      expires_at: at(Math.min(idleMs, maxMs)),
      ends_at: at(maxMs),
      confirmed_at: at(0),
      failures: 0,
      challenge: null,
    };
    await this.options.accounts.insert('sessions', session);
    return { cookie, session };
  }

  /**
   * Replaces a session at SECOND_FACTOR with a signed-in one, which has a new cookie. The old cookie stops working.
   * @throws Refusal forbidden if the session has ended or was replaced before
   */
  async completeSecondFactor({ id, account_id, generation }: Session, clientInfo: ClientInfo): Promise<CreatedSession> {
    if (!(await this.options.accounts.remove('sessions', id))) throw new Refusal('forbidden', SIGN_IN_AGAIN);
    return this.create({ id: account_id, generation }, clientInfo, 'SIGNED_IN');
  }

  /**
   * Replaces the session of a person who authenticated again just now with one that has a new cookie. The old cookie stops
   * working, so whoever copied it gains nothing by the person's authentication. The session's age doesn't begin anew.
   * @throws Refusal forbidden if the session has ended or was replaced before
   */
  async renew(session: Session): Promise<CreatedSession> {
    const { accounts, now } = this.options;
    if (!(await accounts.remove('sessions', session.id))) throw new Refusal('forbidden', SIGN_IN_AGAIN);
    const cookie = generateSecret();
    const renewed = { ...session, id: secretId(cookie)!, confirmed_at: now().toISOString(), challenge: null };
    await accounts.insert('sessions', renewed);
    return { cookie, session: renewed };
  }

  /** Returns the signed-in session of a cookie, or null. Records that it is in use. */
  async find(cookie: string | undefined): Promise<Session | null> {
    const session = await this.findByStage(cookie, 'SIGNED_IN');
    if (session === null) return null;
    const now = this.options.now().getTime();
    if (now - Date.parse(session.seen_at) < MINUTE_MS) return session;
    const seen_at = new Date(now).toISOString();
    const idle = new Date(now + LIFETIMES.SIGNED_IN.idleMs).toISOString();
    const expires_at = idle < session.ends_at ? idle : session.ends_at;
    await this.options.accounts.update('sessions', session.id, { seen_at, expires_at });
    return { ...session, seen_at, expires_at };
  }

  /** Returns the session at SECOND_FACTOR of a cookie, or null. It allows only entering the second factor. */
  findPending(cookie: string | undefined): Promise<Session | null> {
    return this.findByStage(cookie, 'SECOND_FACTOR');
  }

  /** Returns the session at SECOND_FACTOR of a cookie. @throws Refusal forbidden when there is none */
  async requirePending(cookie: string | undefined): Promise<Session> {
    const session = await this.findPending(cookie);
    if (session === null) throw new Refusal('forbidden', SIGN_IN_AGAIN);
    return session;
  }

  /** Returns an account's signed-in sessions, last seen first. */
  async list(accountId: string): Promise<Session[]> {
    const account = await findAccount(this.options.accounts, accountId);
    const sessions = await this.sessionsOf(accountId);
    return sessions
      .filter((session) => session.stage === 'SIGNED_IN' && this.isValid(session, account))
      .sort((a, b) => b.seen_at.localeCompare(a.seen_at) || a.id.localeCompare(b.id));
  }

  /** Returns the accounts that have sessions. */
  async accountIds(): Promise<Set<string>> {
    const sessions = await this.options.accounts.all<Session>('sessions');
    return new Set(sessions.map(({ account_id }) => account_id));
  }

  /** Ends one session of an account. Returns false if there is none. */
  async end(accountId: string, sessionId: string): Promise<boolean> {
    const { accounts } = this.options;
    const session = await accounts.get<Session>('sessions', sessionId);
    return session?.account_id === accountId && (await accounts.remove('sessions', sessionId));
  }

  /** Ends all sessions of an account except one, also those at SECOND_FACTOR. Returns their number. */
  async endOthers(accountId: string, keepSessionId: string | null): Promise<number> {
    let endedCount = 0;
    for (const { id } of await this.sessionsOf(accountId)) {
      if (id !== keepSessionId && (await this.options.accounts.remove('sessions', id))) endedCount += 1;
    }
    return endedCount;
  }

  /** Counts a wrong code. Ends the session at MAX_FAILURES. */
  async recordFailure({ id }: Session): Promise<void> {
    const { accounts } = this.options;
    const failed = await updateAtomically<Session>(accounts, 'sessions', id, (record) =>
      record === null ? null : { failures: record.failures + 1 },
    );
    if (failed !== null && failed.failures >= MAX_FAILURES) await accounts.remove('sessions', id);
  }

  /** Stores a challenge, replacing an earlier one. */
  async storeChallenge(session: Session, purpose: Challenge['purpose'], value: string): Promise<void> {
    const expires_at = new Date(this.options.now().getTime() + CHALLENGE_LIFETIME_MS).toISOString();
    await this.options.accounts.update('sessions', session.id, { challenge: { purpose, value, expires_at } });
  }

  /** Returns the stored challenge if it has this purpose and hasn't expired. */
  async currentChallenge({ id }: Session, purpose: Challenge['purpose']): Promise<Challenge | null> {
    const challenge = (await this.options.accounts.get<Session>('sessions', id))?.challenge ?? null;
    const isCurrent = challenge?.purpose === purpose && !hasPassed(challenge.expires_at, this.options.now);
    return isCurrent ? challenge : null;
  }

  /** Returns the stored challenge as currentChallenge does, and removes it. If several calls race, only one gets it. */
  async takeChallenge(session: Session, purpose: Challenge['purpose']): Promise<Challenge | null> {
    const challenge = await this.currentChallenge(session, purpose);
    if (challenge === null) return null;
    const isRemoved = await this.options.accounts.update('sessions', session.id, { challenge: null }, { challenge });
    return isRemoved ? challenge : null;
  }

  private async findByStage(cookie: string | undefined, stage: Stage): Promise<Session | null> {
    const id = secretId(cookie);
    const session = id === null ? null : await this.options.accounts.get<Session>('sessions', id);
    if (session?.stage !== stage) return null;
    return this.isValid(session, await findAccount(this.options.accounts, session.account_id)) ? session : null;
  }

  /** Returns true if the session hasn't expired and the account exists and has the same generation. */
  private isValid(session: Session, account: Account | null): boolean {
    if (account === null || account.erased_at !== null) return false;
    return session.generation === account.generation && !hasPassed(session.expires_at, this.options.now);
  }

  private sessionsOf(accountId: string): Promise<Session[]> {
    return this.options.accounts.find<Session>('sessions', 'account_id', accountId);
  }
}
