import type { AccountRecord, AccountStore } from '../stores/account-store.ts';
import type { Account } from './account.ts';
import { unbuilt } from './unbuilt.ts';
import type { Visitor } from './visitor.ts';

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
  /** The account's at the time of the proof. */
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
export interface Begun {
  cookie: string;
  session: Session;
}

export interface SessionsParts {
  accounts: AccountStore;
  now: () => Date;
}

/** People signed in by a browser. Nothing is kept in memory: what one instance ends is over on all. */
export class Sessions {
  constructor(private readonly parts: SessionsParts) {}

  /**
   * Begins a session for an account as it was when somebody proved to be its owner.
   * @throws Refusal forbidden when that proof has meanwhile lost its worth
   */
  async begin(account: Pick<Account, 'id' | 'generation'>, visitor: Visitor, stage: Stage): Promise<Begun> {
    return unbuilt(this.parts, account, visitor, stage);
  }

  /** The session of stage SIGNED_IN behind a cookie; null for any other. Notes that it is in use. */
  async find(cookie: string | undefined): Promise<Session | null> {
    return unbuilt(cookie);
  }

  /** The session of stage SECOND_FACTOR behind a cookie; null for any other. It gives no right but to prove more. */
  async pending(cookie: string | undefined): Promise<Session | null> {
    return unbuilt(cookie);
  }

  /** Those signed in, last seen first. */
  async list(accountId: string): Promise<Session[]> {
    return unbuilt(accountId);
  }

  /** Ends one session of an account. Answers whether there was one. */
  async end(accountId: string, sessionId: string): Promise<boolean> {
    return unbuilt(accountId, sessionId);
  }

  /** Ends all sessions of an account but one, those at SECOND_FACTOR too. Answers how many. */
  async endOthers(accountId: string, keepSessionId: string | null): Promise<number> {
    return unbuilt(accountId, keepSessionId);
  }
}
