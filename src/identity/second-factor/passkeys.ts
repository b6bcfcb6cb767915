import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { AccountRecord, AccountStore } from '../../stores/account-store.ts';
import type { OnAccountEvent } from '../access-log/access-events.ts';
import { readName } from '../accounts/account.ts';
import type { ClientInfo } from '../client-info.ts';
import type { Session, Sessions } from '../sign-in/sessions.ts';
import type { Factors } from './factors.ts';
import type { RecentAuthentication } from './recent-authentication.ts';

/** A stored passkey. Its id is the credential's id, in base64url. */
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

export interface PasskeysOptions {
  accounts: AccountStore;
  factors: Factors;
  recentAuthentication: RecentAuthentication;
  sessions: Sessions;
  now: () => Date;
  onAccountEvent: OnAccountEvent;
  baseUrl: string;
}

export const MAX_PASSKEYS = 20;
/** A finger or PIN is optional, because the password was checked before. */
const USER_VERIFICATION = 'preferred';
/** Loaded with the first passkey, because the library takes long to load. */
const webauthn = () => import('@simplewebauthn/server');
const TRY_AGAIN = 'The passkey could not be verified. Try again.';

/** WebAuthn credentials as second factors. */
export class Passkeys {
  constructor(private readonly options: PasskeysOptions) {}

  /** False if the service is reached by an IP address: passkeys need a host name. */
  get available(): boolean {
    return isIP(this.place().expectedRPID.replace(/^\[|\]$/g, '')) === 0;
  }

  /** Returns an account's passkeys, oldest first. */
  async list(accountId: string): Promise<Passkey[]> {
    const passkeys = await this.options.accounts.find<Passkey>('passkeys', 'account_id', accountId);
    return passkeys.sort((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id));
  }

  /** Returns the input of `navigator.credentials.create`, as JSON. @throws Refusal forbidden without a recent authentication */
  async registrationOptions(session: Session): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { recentAuthentication, sessions } = this.options;
    const account = await recentAuthentication.requireRecent(session);
    const registered = await this.list(account.id);
    if (!this.available)
      throw new Refusal(
        'invalid_transition',
        'Passkeys need a host name, but this service is reached by an IP address. Add an authenticator app instead.',
      );
    if (registered.length >= MAX_PASSKEYS) {
      throw new Refusal(
        'invalid_transition',
        `You have ${MAX_PASSKEYS} passkeys, which is the limit. Remove one first.`,
      );
    }
    const name = account.email ?? account.name ?? account.id;
    const options = await (await webauthn()).generateRegistrationOptions({
      rpName: 'veritrail',
      rpID: this.place().expectedRPID,
      userID: new TextEncoder().encode(account.id),
      userName: name,
      userDisplayName: account.name ?? name,
      excludeCredentials: registered.map(({ id, transports }) => ({ id, transports })),
      authenticatorSelection: { residentKey: 'discouraged', userVerification: USER_VERIFICATION },
    });
    await sessions.storeChallenge(session, 'REGISTER_PASSKEY', options.challenge);
    return options;
  }

  /**
   * Adds a passkey.
   * @param response the browser's answer, as JSON
   * @returns recovery codes for the first factor, which also ends all other sessions; otherwise null
   * @throws Refusal forbidden, invalid_input, conflict
   */
  async register(session: Session, name: string, response: unknown, clientInfo: ClientInfo): Promise<string[] | null> {
    const { accounts, factors, recentAuthentication, sessions, now, onAccountEvent } = this.options;
    const account = await recentAuthentication.requireRecent(session);
    const label = readName(name);
    const expectedChallenge = (await sessions.takeChallenge(session, 'REGISTER_PASSKEY'))?.value;
    if (expectedChallenge === undefined) throw new Refusal('forbidden', TRY_AGAIN);
    const { registrationInfo } = await checked(async () =>
      (await webauthn()).verifyRegistrationResponse({
        ...this.place(),
        response: response as RegistrationResponseJSON,
        expectedChallenge,
        requireUserVerification: false,
      }),
    );
    if (registrationInfo === undefined) throw new Refusal('forbidden', TRY_AGAIN);
    const { credential } = registrationInfo;
    const passkey: Passkey = {
      id: credential.id,
      account_id: account.id,
      name: label,
      public_key: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: credential.transports ?? [],
      created_at: now().toISOString(),
      last_used_at: null,
    };
    if (!(await accounts.insert('passkeys', passkey))) {
      throw new Refusal('conflict', 'This passkey has already been added. Choose another one.');
    }
    onAccountEvent({ type: 'FACTOR_ADDED', account_id: account.id, factor: 'PASSKEY', clientInfo });
    return factors.afterAdded(session);
  }

  /** Returns the input of `navigator.credentials.get`, as JSON, for a session at SECOND_FACTOR. */
  async authenticationOptions(pending: Session): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const registered = await this.list(pending.account_id);
    const options = await (await webauthn()).generateAuthenticationOptions({
      rpID: this.place().expectedRPID,
      allowCredentials: registered.map(({ id, transports }) => ({ id, transports })),
      userVerification: USER_VERIFICATION,
    });
    await this.options.sessions.storeChallenge(pending, 'USE_PASSKEY', options.challenge);
    return options;
  }

  /** Returns true if the response answers the session's last challenge with a passkey of its account. Each challenge can be answered once. */
  async use(pending: Session, response: unknown): Promise<boolean> {
    const { accounts, sessions, now } = this.options;
    const expectedChallenge = (await sessions.takeChallenge(pending, 'USE_PASSKEY'))?.value;
    const id = (response as Partial<AuthenticationResponseJSON> | null)?.id;
    const passkey = typeof id === 'string' ? await accounts.get<Passkey>('passkeys', id) : null;
    if (expectedChallenge === undefined || passkey?.account_id !== pending.account_id) return false;
    const { counter } = passkey;
    const result = await checked(async () =>
      (await webauthn()).verifyAuthenticationResponse({
        ...this.place(),
        response: response as AuthenticationResponseJSON,
        expectedChallenge,
        credential: { id: passkey.id, publicKey: Buffer.from(passkey.public_key, 'base64url'), counter },
        requireUserVerification: false,
      }),
    ).catch((error: unknown) => {
      if (error instanceof Refusal) return null;
      throw error;
    });
    if (!result?.verified) return false;
    const used = { counter: result.authenticationInfo.newCounter, last_used_at: now().toISOString() };
    // If another instance raised the counter meanwhile, this passkey was used twice at once: refuse.
    return accounts.update('passkeys', passkey.id, used, { counter });
  }

  /** Removes a passkey. @throws Refusal forbidden for a wrong password; not_found */
  async remove(session: Session, id: string, password: string | null, clientInfo: ClientInfo): Promise<void> {
    const { accounts, factors, recentAuthentication, onAccountEvent } = this.options;
    const account = await recentAuthentication.requirePasswordOrRecent(session, password, clientInfo);
    if ((await accounts.get<Passkey>('passkeys', id))?.account_id !== account.id) throw noSuchPasskey();
    await accounts.remove('passkeys', id);
    await factors.afterRemoved(account.id);
    onAccountEvent({ type: 'FACTOR_REMOVED', account_id: account.id, factor: 'PASSKEY', clientInfo });
  }

  private place(): { expectedOrigin: string; expectedRPID: string } {
    const { origin, hostname } = new URL(this.options.baseUrl);
    return { expectedOrigin: origin, expectedRPID: hostname };
  }
}

/** Runs a check of the library. It throws for malformed responses, which are refused here. */
async function checked<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch {
    throw new Refusal('forbidden', TRY_AGAIN);
  }
}

const noSuchPasskey = () => new Refusal('not_found', 'There is no such passkey. Check the list again.');
