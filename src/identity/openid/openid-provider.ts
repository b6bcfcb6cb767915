import * as client from 'openid-client';
import { Refusal } from '../../commands/refusal.ts';
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
  /** Told why the provider could not be used, without anything secret. */
  report: (why: string) => void;
}

/** The provider's claims about a person, after every check. */
export type Claims = Readonly<Record<string, unknown>> & { iss: string; sub: string };

type Secrets = Pick<OpenIdTransaction, 'state' | 'nonce' | 'verifier' | 'errand'>;

const TIMEOUT_SECONDS = 10;
/** The provider's metadata is fetched again after this time. */
const METADATA_CACHE_MS = 60 * 60_000;
/** The accepted difference between the provider's clock and ours. */
export const TOLERANCE_SECONDS = 30;
/** Errors have causes; more than so many are no chain. */
const MAX_CAUSES = 5;

/** It gave no answer that could be read. */
class ProviderUnavailable extends Error {
  override readonly name = 'ProviderAway';
}

/**
 * The OpenID provider, as OpenID Connect Core 1.0 describes it: the authorization code flow with PKCE S256. It is asked about
 * itself when it is first needed, so that the service starts without it.
 */
export class OpenIdProvider {
  /** The provider's host, as people know it. */
  readonly host: string;
  private known: { config: client.Configuration; until: number } | null = null;
  private readonly discovered = singleFlight(() => this.discover());

  constructor(private readonly options: OpenIdProviderOptions) {
    this.host = new URL(options.issuer).host;
  }

  /** Returns the address to send a browser to. @throws Refusal unavailable */
  async address({ state, nonce, verifier, errand }: Secrets): Promise<string> {
    const config = await this.configuration();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: this.options.redirectUri,
      scope: 'openid email profile',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...{ state, nonce },
      ...(errand.purpose === 'REAUTHENTICATE' ? { max_age: '0' } : {}),
    });
    return url.href;
  }

  /**
   * Takes what a browser came back with, and checks state, issuer, code, and of the ID token signature, issuer, audience,
   * nonce and times.
   * @param query as it stood in the address
   * @throws Refusal forbidden for an answer that is not good; unavailable
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
      const said = tokens.claims()!;
      // Providers may leave e-mail address and name out of the ID token. They are then fetched with the access token.
      if (said.email !== undefined || config.serverMetadata().userinfo_endpoint === undefined) return said;
      const { email, email_verified, ...info } = await client.fetchUserInfo(config, tokens.access_token, said.sub);
      return { ...info, ...said, email, email_verified };
    } catch (error) {
      this.options.report(whyOf(error));
      if (isAway(error)) throw this.away();
      throw new Refusal('forbidden', `${this.host} did not sign you in: try again, or sign in with a password.`);
    }
  }

  private async configuration(): Promise<client.Configuration> {
    if (this.known !== null && this.known.until > performance.now()) return this.known.config;
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
          // Settings let nothing but this machine have such an issuer.
          execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : [],
        },
      );
      client.enableNonRepudiationChecks(config);
      this.known = { config, until: performance.now() + METADATA_CACHE_MS };
      return config;
    } catch (error) {
      this.options.report(whyOf(error));
      throw this.away();
    }
  }

  private away(): Refusal {
    const message = `${this.host} cannot be reached at the moment. Try again shortly, or sign in with a password.`;
    return new Refusal('unavailable', message);
  }
}

/** By HTTP Basic, which every provider is to know unless it says otherwise (OpenID Connect Discovery 1.0, section 3). */
function authentication(secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const known = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (known.includes('client_secret_basic') ? basic : post)(server, ...rest);
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

function isAway(error: unknown): boolean {
  return [...causesOf(error)].some((cause) => cause instanceof ProviderUnavailable);
}

/** In words of the library and of the network: what was sent may be secret, and stands in none of them. */
function whyOf(error: unknown): string {
  return [...causesOf(error)]
    .map((cause) =>
      'code' in cause && typeof cause.code === 'string' ? `${cause.message} (${cause.code})` : cause.message,
    )
    .join(': ');
}
