import { Refusal } from '../commands/refusal.ts';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';
import { type Account, findAccount } from './account.ts';
import { type ClientInfo, describeBrowser } from './client-info.ts';
import { generateSecret, secretId } from './secret-text.ts';
import { updateAtomically } from './update-atomically.ts';

/** SECOND_FACTOR: the password was right, and opens nothing yet. */
export type Stage = 'SECOND_FACTOR' | 'SIGNED_IN';

/** Something the service asked for and waits to see answered, kept so that no browser can make it up. */
export interface Challenge {
  purpose: 'TOTP' | 'REGISTER_PASSKEY' | 'USE_PASSKEY';
  value: string;
  expires_at: string;
}

/** A person at a browser. The id is the SHA-256 of the cookie's value, so it may be shown and sent in forms. */
export interface Session extends AccountRecord {
  account_id: string;
  stage: Stage;
  /** The account's at the time of the proof: a session of an earlier one is over. */
  generation: number;
  address: string;
  /** In words: `Firefox on Linux`. */
  browser: string;
  created_at: string;
  /** No more exact than a minute. */
  seen_at: string;
  /** When it ends by itself: what idleness and age allow. */
  expires_at: string;
  /** When it ends however much it is used. */
  ends_at: string;
  /** When the person last proved who they are. */
  confirmed_at: string;
  /** Wrong codes in a row; of a session at SECOND_FACTOR. */
  failures: number;
  challenge: Challenge | null;
}

/** A session's cookie, told this once, and what is kept of it. */
export interface CreatedSession {
  cookie: string;
  session: Session;
}

export interface SessionsOptions {
  accounts: AccountStore;
  now: () => Date;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** How long a session lasts unused, and at most. */
const LIFETIMES: Readonly<Record<Stage, { idleMs: number; maxMs: number }>> = {
  SECOND_FACTOR: { idleMs: 10 * MINUTE_MS, maxMs: 10 * MINUTE_MS },
  SIGNED_IN: { idleMs: DAY_MS, maxMs: 7 * DAY_MS },
};
const CHALLENGE_LIFETIME_MS = 15 * MINUTE_MS;
const MAX_FAILURES = 5;
const SIGN_IN_AGAIN = 'This sign-in is over: sign in again.';

/** People signed in by a browser. Nothing is kept in memory: what one instance ends is over on all. */
export class Sessions {
  constructor(private readonly options: SessionsOptions) {}

  /** Begins a session for an account as it was when somebody proved to be its owner. */
  async create(
    account: Pick<Account, 'id' | 'generation'>,
    clientInfo: ClientInfo,
    stage: Stage,
  ): Promise<CreatedSession> {
    const cookie = generateSecret();
    const now = this.options.now();
    const at = (ms: number) => new Date(now.getTime() + ms).toISOString();
    const { idleMs, maxMs: wholeMs } = LIFETIMES[stage];
    const session: Session = {
      id: secretId(cookie)!,
      account_id: account.id,
      stage,
      generation: account.generation,
      address: clientInfo.address,
      browser: describeBrowser(clientInfo.agent),
      created_at: at(0),
      seen_at: at(0),
      expires_at: at(Math.min(idleMs, wholeMs)),
      ends_at: at(wholeMs),
      confirmed_at: at(0),
      failures: 0,
      challenge: null,
    };
    await this.options.accounts.insert('sessions', session);
    return { cookie, session };
  }

  /**
   * Turns a session at SECOND_FACTOR into one that is signed in, under another cookie: the first is dead, whoever has it.
   * @throws Refusal forbidden when it is no more, or was turned already
   */
  async completeSecondFactor({ id, account_id, generation }: Session, clientInfo: ClientInfo): Promise<CreatedSession> {
    if (!(await this.options.accounts.remove('sessions', id))) throw new Refusal('forbidden', SIGN_IN_AGAIN);
    return this.create({ id: account_id, generation }, clientInfo, 'SIGNED_IN');
  }

  /** The session of stage SIGNED_IN behind a cookie; null for any other. Notes that it is in use. */
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

  /** The session of stage SECOND_FACTOR behind a cookie; null for any other. It gives no right but to prove more. */
  pending(cookie: string | undefined): Promise<Session | null> {
    return this.findByStage(cookie, 'SECOND_FACTOR');
  }

  /** The same. @throws Refusal forbidden when there is none */
  async requirePending(cookie: string | undefined): Promise<Session> {
    const session = await this.pending(cookie);
    if (session === null) throw new Refusal('forbidden', SIGN_IN_AGAIN);
    return session;
  }

  /** Those signed in, last seen first. */
  async list(accountId: string): Promise<Session[]> {
    const account = await findAccount(this.options.accounts, accountId);
    const sessions = await this.all(accountId);
    return sessions
      .filter((session) => session.stage === 'SIGNED_IN' && this.isValid(session, account))
      .sort((a, b) => b.seen_at.localeCompare(a.seen_at) || a.id.localeCompare(b.id));
  }

  /** Ends one session of an account. Answers whether there was one. */
  async end(accountId: string, sessionId: string): Promise<boolean> {
    const { accounts } = this.options;
    const session = await accounts.get<Session>('sessions', sessionId);
    return session?.account_id === accountId && (await accounts.remove('sessions', sessionId));
  }

  /** Ends all sessions of an account but one, those at SECOND_FACTOR too. Answers how many. */
  async endOthers(accountId: string, keepSessionId: string | null): Promise<number> {
    let ended = 0;
    for (const { id } of await this.all(accountId)) {
      if (id !== keepSessionId && (await this.options.accounts.remove('sessions', id))) ended += 1;
    }
    return ended;
  }

  /** Notes that the person has just proved who they are. */
  async recordReauthentication(session: Session): Promise<void> {
    await this.options.accounts.update('sessions', session.id, { confirmed_at: this.options.now().toISOString() });
  }

  /** Counts a wrong code. After five the session is over. */
  async recordFailure({ id }: Session): Promise<void> {
    const { accounts } = this.options;
    const failed = await updateAtomically<Session>(accounts, 'sessions', id, (found) =>
      found === null ? null : { failures: found.failures + 1 },
    );
    if (failed !== null && failed.failures >= MAX_FAILURES) await accounts.remove('sessions', id);
  }

  /** Keeps what will be asked for, in the place of any other. */
  async challenge(session: Session, purpose: Challenge['purpose'], value: string): Promise<void> {
    const expires_at = new Date(this.options.now().getTime() + CHALLENGE_LIFETIME_MS).toISOString();
    await this.options.accounts.update('sessions', session.id, { challenge: { purpose, value, expires_at } });
  }

  /** What was last asked for, if for this purpose and not long ago. */
  async currentChallenge({ id }: Session, purpose: Challenge['purpose']): Promise<Challenge | null> {
    const challenge = (await this.options.accounts.get<Session>('sessions', id))?.challenge ?? null;
    const good = challenge?.purpose === purpose && challenge.expires_at > this.options.now().toISOString();
    return good ? challenge : null;
  }

  /** The same, used up: of several who take it at once, one gets it. */
  async takeChallenge(session: Session, purpose: Challenge['purpose']): Promise<Challenge | null> {
    const challenge = await this.currentChallenge(session, purpose);
    if (challenge === null) return null;
    const taken = await this.options.accounts.update('sessions', session.id, { challenge: null }, { challenge });
    return taken ? challenge : null;
  }

  private async findByStage(cookie: string | undefined, stage: Stage): Promise<Session | null> {
    const id = secretId(cookie);
    const session = id === null ? null : await this.options.accounts.get<Session>('sessions', id);
    if (session?.stage !== stage) return null;
    return this.isValid(session, await findAccount(this.options.accounts, session.account_id)) ? session : null;
  }

  /** Whether it lasts, and the account is still what it was begun for. */
  private isValid(session: Session, account: Account | null): boolean {
    if (account === null || account.erased_at !== null) return false;
    return session.expires_at > this.options.now().toISOString() && session.generation === account.generation;
  }

  private all(accountId: string): Promise<Session[]> {
    return this.options.accounts.find<Session>('sessions', 'account_id', accountId);
  }
}
