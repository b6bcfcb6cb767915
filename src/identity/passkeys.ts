import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { AccountRecord } from '../stores/account-store.ts';
import type { Session } from './sessions.ts';
import { unbuilt } from './unbuilt.ts';
import type { Visitor } from './visitor.ts';

/** The id is the credential's own, in base64url. */
export interface Passkey extends AccountRecord {
  account_id: string;
  name: string;
  /** COSE, in base64url. */
  public_key: string;
  counter: number;
  transports: string[];
  created_at: string;
  last_used_at: string | null;
}

/** WebAuthn credentials as second factors. */
export class Passkeys {
  /** False where the service is reached by an IP address: browsers know passkeys for names only. */
  get available(): boolean {
    return unbuilt(this);
  }

  async list(accountId: string): Promise<Passkey[]> {
    return unbuilt(accountId);
  }

  /** What `navigator.credentials.create` takes, as JSON. @throws Refusal forbidden unless the last proof is recent */
  async registrationOptions(session: Session): Promise<PublicKeyCredentialCreationOptionsJSON> {
    return unbuilt(session);
  }

  /** @returns recovery codes, shown this once, with the first factor; else null. @throws Refusal */
  async register(
    session: Session,
    name: string,
    response: RegistrationResponseJSON,
    visitor: Visitor,
  ): Promise<string[] | null> {
    return unbuilt(session, name, response, visitor);
  }

  /** What `navigator.credentials.get` takes, as JSON, for a session at SECOND_FACTOR. */
  async authenticationOptions(pending: Session): Promise<PublicKeyCredentialRequestOptionsJSON> {
    return unbuilt(pending);
  }

  async rename(session: Session, id: string, name: string): Promise<void> {
    return unbuilt(session, id, name);
  }

  /** @throws Refusal forbidden for a wrong password; not_found */
  async remove(session: Session, id: string, password: string | null, visitor: Visitor): Promise<void> {
    return unbuilt(session, id, password, visitor);
  }
}
