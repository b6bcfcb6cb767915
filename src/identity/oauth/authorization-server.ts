import { createHmac } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { isOutage } from '../../commands/engine/refusal.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import { generateToken } from '../tokens/token.ts';
import {
  ALL_SCOPES,
  OAUTH_PATHS,
  type OAuthAddresses,
  READ_SCOPE,
  SIGNING_ALGORITHMS,
  WRITE_SCOPE,
} from './addresses.ts';
import { type AuthorizationError, authorizationErrorOf } from './authorization-error.ts';
import type { ClientDocuments } from './client-documents.ts';
import { applyClientPolicy } from './client-policy.ts';
import type { Clients } from './clients.ts';
import { allowOmittedRedirectUri } from './code-exchange.ts';
import { MAX_DOCUMENT_BYTES, MAX_KEYS_BYTES } from './metadata-fetch.ts';
import type { loadOAuthKeys } from './oauth-keys.ts';
import {
  type Configuration,
  type ErrorOut,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from './oidc-provider.ts';
import { type AdapterOptions, BlankAdapter, GrantAdapter, StoreAdapter } from './store-adapter.ts';

/** The lifetime of an access token. Clients refresh it. */
const ACCESS_SECONDS = 15 * 60;
/** The time a person may take to sign in and to answer. */
const INTERACTION_SECONDS = 30 * 60;

export interface AuthorizationServerOptions {
  addresses: OAuthAddresses;
  accounts: AccountStore;
  clients: Clients;
  models: AdapterOptions;
  keys: Awaited<ReturnType<typeof loadOAuthKeys>>;
  /** Returns the account of our own session cookie, or null. */
  signedInAccount(request: IncomingMessage): Promise<string | null>;
  /** Counts an authorization request. Returns 0 if it is allowed, otherwise the seconds to wait. */
  countRequest(request: IncomingMessage): Promise<number>;
  documents: Pick<ClientDocuments, 'fetch'>;
  /** Called for a refused authorization request that our own page answers. The library leaves the response to us. */
  onRefusal(request: IncomingMessage, error: AuthorizationError): void;
  /** Reports an error on our side. */
  report(error: unknown): void;
}

/** Creates the library's server with the code flow and PKCE only. */
export function createAuthorizationServer(options: AuthorizationServerOptions): Provider {
  const { addresses, report } = options;
  const provider = new Provider(addresses.issuer, configuration(options));
  // The library takes the base address from the forwarding headers. `serve` in oauth.ts overwrites those that a client sends.
  provider.proxy = true;
  provider.on('server_error', (ctx, error) => {
    if (isOutage(error)) answerOutage(ctx);
    else report(error);
  });
  // By default the library redirects errors to the client. This hands all of them to renderError instead.
  provider.on('authorization.error', (_ctx, error) => Object.assign(error, { allow_redirect: false }));
  (provider as EventEmitter).on('error', report);
  allowOmittedRedirectUri(provider);
  // Tokens have veritrail's format, so a malformed or foreign token is refused without a look-up.
  const { AccessToken, RefreshToken } = provider;
  Object.defineProperty(AccessToken.prototype, 'generateTokenId', {
    value(this: { format: string }) {
      this.format = 'opaque';
      return generateToken('ACCESS');
    },
  });
  Object.defineProperty(RefreshToken.prototype, 'generateTokenId', { value: () => nextRefreshToken(options.keys) });
  return provider;
}

/**
 * Returns the text of a new refresh token. One that replaces another follows from that one's text, so that every use of it,
 * at any instance, gets the same successor, and no store holds its text.
 */
function nextRefreshToken({ refreshKey }: AuthorizationServerOptions['keys']): string {
  const used = Provider.ctx?.oidc.entities.RotatedRefreshToken?.jti;
  return generateToken(
    'REFRESH',
    used === undefined ? undefined : createHmac('sha256', refreshKey).update(used).digest(),
  );
}

/** Answers 503 instead of the library's 500, for programs. People get a page. */
function answerOutage(ctx: KoaContextWithOIDC): void {
  if (ctx.path.startsWith(OAUTH_PATHS.authorize)) return;
  ctx.status = 503;
  ctx.set('Retry-After', '2');
  const error_description = 'The service cannot reach its data at the moment. Try again shortly.';
  ctx.body = { error: 'temporarily_unavailable', error_description };
}

function configuration(options: AuthorizationServerOptions): Configuration {
  return {
    adapter: (name) => adapterOf(name, options),
    jwks: options.keys.jwks,
    scopes: [READ_SCOPE, WRITE_SCOPE],
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'private_key_jwt'],
    enabledJWA: { clientAuthSigningAlgValues: [...SIGNING_ALGORITHMS], idTokenSigningAlgValues: ['ES256'] },
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'ES256',
      token_endpoint_auth_method: 'none',
    },
    pkce: { required: () => true },
    cookies: cookies(options),
    routes: {
      authorization: OAUTH_PATHS.authorize,
      token: OAUTH_PATHS.token,
      registration: OAUTH_PATHS.register,
      revocation: OAUTH_PATHS.revoke,
      jwks: OAUTH_PATHS.jwks,
    },
    ttl: lifetimes(),
    features: features(options),
    interactions: {
      policy: policy(options),
      url: (_ctx, interaction) => `${OAUTH_PATHS.interaction}/${interaction.uid}`,
    },
    extraClientMetadata: {
      properties: ['software_id'],
      // Runs for every client, whether it registered or published a document, before the library's checks.
      validator: (_ctx, _key, _value, metadata) => applyClientPolicy(metadata as Record<string, unknown>),
    },
    // This hook runs after the request was checked and before the person is asked.
    extraParams: { response_mode: checkRequest(options) },
    findAccount: async (_ctx, id) => {
      const account = await options.accounts.get('accounts', id);
      if (account === null || (account.erased_at ?? null) !== null) return undefined;
      return { accountId: id, claims: () => ({ sub: id }) };
    },
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    // Revoking a token, or using one twice, ends the whole grant.
    revokeGrantPolicy: () => true,
    // The library's session lives for one request, so nothing may expire with it.
    expiresWithSession: async () => false,
    // These responses neither set nor read our cookies, so any origin may call.
    clientBasedCORS: () => true,
    renderError: (ctx, out, error) => answerError(ctx, out, error, options),
    fetch: (address) => options.documents.fetch(address, Provider.ctx?.req ?? null),
    fetchResponseBodyLimits: {
      'client_id metadata document': MAX_DOCUMENT_BYTES,
      jwks_uri: MAX_KEYS_BYTES,
      sector_identifier_uri: 0,
    },
  };
}

/** Answers with JSON, except on the authorization page: that redirects to the client or shows our own error page. */
function answerError(
  ctx: KoaContextWithOIDC,
  out: ErrorOut,
  error: unknown,
  { onRefusal }: AuthorizationServerOptions,
): void {
  if (!ctx.path.startsWith(OAUTH_PATHS.authorize)) {
    ctx.body = out;
    return;
  }
  const authorizationError = authorizationErrorOf(ctx, out, error);
  if (authorizationError.redirectImmediately) {
    ctx.status = 303;
    ctx.redirect(authorizationError.answer!.uri);
    return;
  }
  ctx.respond = false;
  onRefusal(ctx.req, authorizationError);
}

function adapterOf(name: string, { models, clients }: AuthorizationServerOptions) {
  if (name === 'Session') return new BlankAdapter();
  if (name === 'Client') return clients;
  return name === 'Grant' ? new GrantAdapter(name, models) : new StoreAdapter(name, models);
}

function cookies({ keys, addresses }: AuthorizationServerOptions): Configuration['cookies'] {
  const options = {
    httpOnly: true,
    sameSite: 'lax',
    signed: true,
    secure: addresses.issuer.startsWith('https:'),
  } as const;
  return {
    keys: [keys.cookieKey],
    names: { session: 'veritrail-oauth', interaction: 'veritrail-connect', resume: 'veritrail-resume' },
    // The library's session is never stored, so its cookie stays on the authorization path.
    long: { ...options, path: OAUTH_PATHS.authorize },
    short: options,
  };
}

/** Lifetimes in seconds. Refresh tokens live as long as the grant, and no token outlives it. */
function lifetimes(): Configuration['ttl'] {
  const secondsLeft = (ctx: KoaContextWithOIDC | undefined) => Math.max(1, ctx?.oidc.entities.Grant?.remainingTTL ?? 1);
  return {
    AccessToken: (ctx) => Math.min(ACCESS_SECONDS, secondsLeft(ctx)),
    RefreshToken: (ctx) => secondsLeft(ctx),
    AuthorizationCode: 60,
    Interaction: INTERACTION_SECONDS,
    Session: 60,
    // The default. consent.ts sets expiresIn on each grant.
    Grant: 60,
    IdToken: 60,
  };
}

function features({ addresses, clients }: AuthorizationServerOptions): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
    revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
    registration: {
      enabled: true,
      idFactory: (ctx) => clients.newId(ctx.oidc.body ?? {}),
      issueRegistrationAccessToken: false,
    },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch: async () => true,
      allowClient: async () => true,
      cacheDuration: { min: 300, max: 86_400 },
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => addresses.resource,
      useGrantedResource: async () => true,
      getResourceServerInfo: async (_ctx, resource) => {
        const scope = addresses.scopesOfResource.get(resource);
        if (scope === undefined) throw new errors.InvalidTarget();
        return { scope, audience: addresses.resource, accessTokenFormat: 'opaque' };
      },
    },
  };
}

/**
 * Counts a valid request and fills in defaults. Without a scope of ours it gets all scopes; for the address that only reads,
 * it gets the read scope, whatever it asks for. It gets every name of the resource, because clients may spell it
 * differently when they exchange the code.
 */
function checkRequest({ addresses, countRequest }: AuthorizationServerOptions) {
  return async (ctx: KoaContextWithOIDC, mode: string | undefined) => {
    const { params } = ctx.oidc;
    if (params === undefined) return;
    if (mode !== undefined && mode !== 'query') {
      params.response_mode = undefined;
      throw new errors.UnsupportedResponseMode();
    }
    const wait = await countRequest(ctx.req);
    if (wait > 0) {
      ctx.set('Retry-After', String(wait));
      throw new errors.TemporarilyUnavailable(`Too many requests. Try again in ${wait} s.`);
    }
    const scopes = String(params.scope ?? '').split(' ');
    if (!scopes.includes(READ_SCOPE) && !scopes.includes(WRITE_SCOPE)) params.scope = ALL_SCOPES;
    const resources = [params.resource].flat().map(String);
    if (resources.every((resource) => addresses.scopesOfResource.get(resource) === READ_SCOPE))
      params.scope = READ_SCOPE;
    params.resource = [...addresses.scopesOfResource.keys()];
  };
}

/** Asks for consent on every request. Only the person who is signed in then can give it. */
function policy({ signedInAccount }: AuthorizationServerOptions) {
  const { Check, Prompt } = interactionPolicy;
  const login = new Prompt(
    { name: 'login', requestable: true },
    new Check('account_not_signed_in', 'the person must sign in', async ({ oidc, req }) => {
      const session = oidc.session!;
      const isSignedIn = session.accountId !== undefined && session.accountId === (await signedInAccount(req));
      // The request's account isn't the one that is signed in now. Forgetting it makes the library ask for a sign-in.
      if (!isSignedIn) delete session.accountId;
      return !isSignedIn;
    }),
  );
  const consent = new Prompt(
    { name: 'consent', requestable: true },
    new Check('consent_missing', 'the person must give consent', ({ oidc }) => oidc.result?.consent === undefined),
  );
  return [login, consent];
}
