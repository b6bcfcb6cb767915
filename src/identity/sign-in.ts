import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import type { Account, Factor } from './account.ts';
import type { Noted } from './noted.ts';
import type { Begun, Session, Sessions } from './sessions.ts';
import { unbuilt } from './unbuilt.ts';
import type { Visitor } from './visitor.ts';

/** A step of signing in that was taken. The cookie replaces any the browser had. */
export interface SignedIn extends Begun {
  next: 'DONE' | 'SECOND_FACTOR';
  /** What may be asked for next; empty when done. */
  factors: Factor[];
}

export interface SignInParts {
  sessions: Sessions;
  noted: Noted;
}

/** Signing in, step by step. Every refusal says the same whoever is or is not behind the address. */
export class SignIn {
  constructor(private readonly parts: SignInParts) {}

  /** @throws Refusal forbidden for anything wrong; rate_limited with retry_after_seconds */
  async withPassword(email: string, password: string, visitor: Visitor): Promise<SignedIn> {
    return unbuilt(this.parts, email, password, visitor);
  }

  /** For who proved themselves elsewhere: by a link, or at the OpenID provider. Asks for the second factor where there is one. */
  async withProof(account: Account, by: 'LINK' | 'OPENID', visitor: Visitor): Promise<SignedIn> {
    return unbuilt(account, by, visitor);
  }

  /** The factors that a pending session may be finished with. */
  async factorsOf(pending: Session): Promise<Factor[]> {
    return unbuilt(pending);
  }

  /** `cookie` is that of the session at SECOND_FACTOR. @throws Refusal forbidden, rate_limited; after 5 wrong codes the session is over */
  async withTotp(cookie: string | undefined, code: string, visitor: Visitor): Promise<SignedIn> {
    return unbuilt(cookie, code, visitor);
  }

  /** @throws Refusal as withTotp */
  async withRecoveryCode(cookie: string | undefined, code: string, visitor: Visitor): Promise<SignedIn> {
    return unbuilt(cookie, code, visitor);
  }

  /** What `navigator.credentials.get` takes, as JSON, is made by Passkeys.authenticationOptions. @throws Refusal as withTotp */
  async withPasskey(
    cookie: string | undefined,
    response: AuthenticationResponseJSON,
    visitor: Visitor,
  ): Promise<SignedIn> {
    return unbuilt(cookie, response, visitor);
  }

  /** Ends whatever session the cookie names. */
  async signOut(cookie: string | undefined, visitor: Visitor): Promise<void> {
    return unbuilt(cookie, visitor);
  }
}
