import type { Session } from './sessions.ts';
import { unbuilt } from './unbuilt.ts';
import type { Visitor } from './visitor.ts';

/** What an authenticator app is given. */
export interface TotpEnrolment {
  /** Base32, in groups of four to be typed. */
  secret: string;
  /** `otpauth://totp/…` */
  uri: string;
  /** The same as a picture: an `<svg>` element. */
  qr: string;
}

/** Codes of an authenticator app: RFC 6238 with SHA-1, six digits and steps of 30 seconds, as all apps do. */
export class Totp {
  /**
   * Begins to add an app, or goes on with what was begun within 15 minutes: asking again shows the same secret.
   * @throws Refusal forbidden unless the last proof is recent; conflict when there is an app already
   */
  async enrol(session: Session): Promise<TotpEnrolment> {
    return unbuilt(this, session);
  }

  /**
   * Adds the app once it shows the right code.
   * @returns recovery codes, shown this once, with the first factor; else null
   * @throws Refusal forbidden for a wrong code; conflict when nothing was begun
   */
  async add(session: Session, code: string, visitor: Visitor): Promise<string[] | null> {
    return unbuilt(session, code, visitor);
  }

  /** @throws Refusal forbidden for a wrong password */
  async remove(session: Session, password: string | null, visitor: Visitor): Promise<void> {
    return unbuilt(session, password, visitor);
  }
}
