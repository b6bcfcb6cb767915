import * as client from 'openid-client';
import { Refusal } from '../../commands/engine/refusal.ts';
import { singleFlight } from '../single-flight.ts';
import type { OpenIdTransaction } from './openid-transaction.ts';

export interface OpenIdSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

export interface OpenIdProviderOptions extends OpenIdSettings {
  /** The address to which the provider sends browsers back. */
  redirectUri: string;
  /** Reports why the provider could not be used. The text contains no secrets. */
  report: (why: string) => void;
}

/** The provider's claims about a person, after every check. */
export type Claims = Readonly<Record<string, unknown>> & { iss: string; sub: string };

type Secrets = Pick<OpenIdTransaction, 'state' | 'nonce' | 'verifier' | 'intent'>;

const TIMEOUT_SECONDS = 10;
const METADATA_CACHE_MS = 60 * 60_000;
/** The accepted difference between the provider's clock and ours. */
export const TOLERANCE_SECONDS = 30;
/** The longest chain of an error's causes. Guards against cycles. */
const MAX_CAUSES = 5;

/** The provider didn't answer, or answered with a server error. */
class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
}

/**
 * A client of the OpenID provider (OpenID Connect Core 1.0): the authorization code flow with PKCE S256. It fetches the
 * provider's metadata at first use, so the service starts without the provider.
 */
export class OpenIdProvider {
  readonly host: string;
  private cache: { config: client.Configuration; until: number } | null = null;
  private readonly discovered = singleFlight(() => this.discover());

  constructor(private readonly options: OpenIdProviderOptions) {
    this.host = new URL(options.issuer).host;
  }

  /** Returns the address to send a browser to. @throws Refusal unavailable */
  async address({ state, nonce, verifier, intent }: Secrets): Promise<string> {
    const config = await this.configuration();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: this.options.redirectUri,
      scope: 'openid email profile',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...(intent.purpose === 'REAUTHENTICATE' ? { max_age: '0' } : {}),
    });
    return url.href;
  }

  /**
   * Exchanges the code that a browser brought back. Checks state and issuer, and the ID token's signature, issuer,
   * audience, nonce and times.
   * @param query of the callback address, unchanged
   * @throws Refusal forbidden for an invalid answer; unavailable
   */
  async redeem(query: string, { state, nonce, verifier }: Secrets): Promise<Claims> {
    const config = await this.configuration();
    const url = new URL(this.options.redirectUri);
    url.search = query;
    try {
      const tokens = await client.authorizationCodeGrant(config, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      // Providers may leave e-mail address and name out of the ID token. They are then fetched with the access token.
      if (claims.email !== undefined || config.serverMetadata().userinfo_endpoint === undefined) return claims;
      const { email, email_verified, ...info } = await client.fetchUserInfo(config, tokens.access_token, claims.sub);
      return { ...info, ...claims, email, email_verified };
    } catch (error) {
      this.options.report(reasonOf(error));
      if (isUnavailable(error)) throw this.unavailable();
      throw new Refusal('forbidden', `${this.host} did not sign you in. Try again, or sign in with a password.`);
    }
  }

  private async configuration(): Promise<client.Configuration> {
    if (this.cache !== null && this.cache.until > performance.now()) return this.cache.config;
    return this.discovered();
  }

  private async discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.options;
    try {
      const config = await client.discovery(
        new URL(issuer),
        clientId,
        { [client.clockTolerance]: TOLERANCE_SECONDS },
        authentication(clientSecret),
        {
          timeout: TIMEOUT_SECONDS,
          [client.customFetch]: fetchFromProvider,
          // The settings accept an http issuer on loopback only.
          execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : [],
        },
      );
      client.enableNonRepudiationChecks(config);
      this.cache = { config, until: performance.now() + METADATA_CACHE_MS };
      return config;
    } catch (error) {
      this.options.report(reasonOf(error));
      throw this.unavailable();
    }
  }

  private unavailable(): Refusal {
    const message = `${this.host} cannot be reached at the moment. Try again shortly, or sign in with a password.`;
    return new Refusal('unavailable', message);
  }
}

/** Authenticates by HTTP Basic, the default of OpenID Connect Discovery 1.0, section 3. Otherwise by form fields. */
function authentication(secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

const fetchFromProvider: client.CustomFetch = async (url, options) => {
  let response: Response;
  try {
    response = await fetch(url, options as RequestInit);
  } catch (error) {
    throw new ProviderUnavailable('no answer', { cause: error });
  }
  if (response.status >= 500) throw new ProviderUnavailable(`answered ${response.status}`);
  return response;
};

function* causesOf(error: unknown): Generator<Error> {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth++) {
    yield cause;
    cause = cause.cause;
  }
}

function isUnavailable(error: unknown): boolean {
  return [...causesOf(error)].some((cause) => cause instanceof ProviderUnavailable);
}

/** Returns the messages of an error and its causes. They never contain values that were sent, which may be secret. */
function reasonOf(error: unknown): string {
  return [...causesOf(error)]
    .map((cause) =>
      'code' in cause && typeof cause.code === 'string' ? `${cause.message} (${cause.code})` : cause.message,
    )
    .join(': ');
}
