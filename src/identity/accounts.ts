import type { AccountStore } from '../stores/account-store.ts';
import type { Account } from './account.ts';
import type { Noted } from './noted.ts';
import type { Passwords } from './passwords.ts';
import type { Proof } from './proof.ts';
import type { Session, Sessions } from './sessions.ts';
import { unbuilt } from './unbuilt.ts';
import type { Visitor } from './visitor.ts';

export interface NewAccount {
  name: string;
  email: string;
  /** One of the two. */
  password?: string;
  /** Who they are at the OpenID provider: issuer, a space, subject. */
  subject?: string;
}

export interface AccountsParts {
  accounts: AccountStore;
  passwords: Passwords;
  proof: Proof;
  sessions: Sessions;
  now: () => Date;
  /** Takes an account out of every organization and revokes its credentials. @throws Refusal for a sole OWNER */
  leaveAll: (accountId: string) => Promise<void>;
  noted: Noted;
}

/** People's accounts. Wherever a `password` may be null, a proof of the last 15 minutes does instead: see Proof.prove. */
export class Accounts {
  constructor(private readonly parts: AccountsParts) {}

  /** Also of an erased one: see `erased_at`. */
  async get(id: string): Promise<Account | null> {
    return unbuilt(this.parts, id);
  }

  /** However the address is written: see emailKey. */
  async byEmail(email: string): Promise<Account | null> {
    return unbuilt(email);
  }

  async bySubject(subject: string): Promise<Account | null> {
    return unbuilt(subject);
  }

  /** @throws Refusal invalid_input; conflict when the e-mail address has an account */
  async create(wanted: NewAccount, visitor: Visitor): Promise<Account> {
    return unbuilt(wanted, visitor);
  }

  /** @throws Refusal invalid_input */
  async rename(session: Session, name: string): Promise<void> {
    return unbuilt(session, name);
  }

  /** @throws Refusal invalid_input; conflict when the address has an account; forbidden for a wrong password */
  async changeEmail(session: Session, email: string, password: string | null, visitor: Visitor): Promise<void> {
    return unbuilt(session, email, password, visitor);
  }

  /** Ends all other sessions, and links that lead back in. @throws Refusal forbidden when `current` is wrong; invalid_input */
  async changePassword(session: Session, current: string | null, next: string, visitor: Visitor): Promise<void> {
    return unbuilt(session, current, next, visitor);
  }

  /** For whoever came by a link: ends all sessions. @throws Refusal invalid_input */
  async setPassword(id: string, password: string, visitor: Visitor): Promise<Account> {
    return unbuilt(id, password, visitor);
  }

  /**
   * Takes away everything about the person and leaves id and dates, so that history reads "former member".
   * @throws Refusal what leaveAll refuses, then nothing was done; forbidden for a wrong password
   */
  async erase(session: Session, password: string | null, visitor: Visitor): Promise<void> {
    return unbuilt(session, password, visitor);
  }

  /** Adds to, or takes from, the organizations where memberships are looked for. */
  async noteOrganization(id: string, organizationId: string, belongs: boolean): Promise<void> {
    return unbuilt(id, organizationId, belongs);
  }
}
