import type { Role } from '../commands/caller.ts';
import type { Account } from './account.ts';
import type { Link } from './links.ts';
import type { Session } from './sessions.ts';
import type { SignedIn } from './sign-in.ts';
import { unbuilt } from './unbuilt.ts';
import type { Visitor } from './visitor.ts';

/** What a guest is told about themselves in a form. */
export interface Newcomer {
  name: string;
  email: string;
  password: string;
}

export interface Invitation {
  organization_id: string;
  role: Role;
  /** An account's id, or SYSTEM. */
  made_by: string;
}

/** Makes an account a member, as the inviter may now. @throws Refusal when the inviter no longer may */
export type Join = (invitation: Invitation, accountId: string) => Promise<void>;

/** What follows from a link, by its kind. All throw Refusal not_found for a link that is no more. */
export class Welcome {
  /** What the page shows: the link, and the account it is for (SETUP, RESET). Uses nothing up. */
  async look(secret: string): Promise<{ link: Link; account: Account | null }> {
    return unbuilt(this, secret);
  }

  /** SETUP: the first owner chooses name, e-mail address and password. */
  async setUp(secret: string, person: Newcomer, visitor: Visitor): Promise<SignedIn> {
    return unbuilt(secret, person, visitor);
  }

  /** INVITATION, by somebody new. @throws Refusal conflict when the address has an account: sign in, then accept */
  async join(secret: string, person: Newcomer, visitor: Visitor): Promise<SignedIn> {
    return unbuilt(secret, person, visitor);
  }

  /** INVITATION, by who is signed in. @returns the organization's id */
  async accept(secret: string, session: Session): Promise<string> {
    return unbuilt(secret, session);
  }

  /** RESET: ends all sessions; a second factor is still asked for. */
  async reset(secret: string, password: string, visitor: Visitor): Promise<SignedIn> {
    return unbuilt(secret, password, visitor);
  }
}
