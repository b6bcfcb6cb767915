import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { randomId } from '../../commands/ids.ts';
import { asRefusal, Refusal } from '../../commands/refusal.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import { generateToken } from '../token.ts';
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
import { allowOmittedRedirect } from './code-exchange.ts';
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
import { type AdapterOptions, GrantAdapter, NoSessions, StoreAdapter } from './store-adapter.ts';

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
  /** The account that our own session cookie says, or null. */
  signedIn(request: IncomingMessage): Promise<string | null>;
  /** Counts a request that is put to a person. Answers in how many seconds the next one may be, or 0 where this one is. */
  waitToAsk(request: IncomingMessage): Promise<number>;
  documents: Pick<ClientDocuments, 'fetch'>;
  /** Told of an authorization request that is answered by our own page: the library leaves the response to us. */
  refused(request: IncomingMessage, error: AuthorizationError): void;
  /** Told what went wrong on our side. */
  report(error: unknown): void;
}

/** The library's server, as this service has it: the code flow with PKCE for public clients, and nothing else. */
export function createAuthorizationServer(options: AuthorizationServerOptions): Provider {
  const { addresses, report } = options;
  const provider = new Provider(addresses.issuer, configuration(options));
  // Our own wrapper says in these headers what the base address is, whatever the client's said: see http/oauth.ts.
  provider.proxy = true;
  provider.on('server_error', (ctx, error) => {
    if (isOutage(error)) answerOutage(ctx);
    else report(error);
  });
  // By itself the library redirects to the client at once. So it hands all errors to renderError, which is asked next.
  provider.on('authorization.error', (_ctx, error) => Object.assign(error, { allow_redirect: false }));
  (provider as EventEmitter).on('error', report);
  allowOmittedRedirect(provider);
  // Tokens of a form that is known for ours, and for false, without asking a store.
  const { AccessToken, RefreshToken } = provider;
  Object.defineProperty(AccessToken.prototype, 'generateTokenId', {
    value(this: { format: string }) {
      this.format = 'opaque';
      return generateToken('ACCESS');
    },
  });
  Object.defineProperty(RefreshToken.prototype, 'generateTokenId', { value: () => generateToken('REFRESH') });
  return provider;
}

function isOutage(error: unknown): boolean {
  const refusal = asRefusal(error);
  return refusal instanceof Refusal && refusal.code === 'unavailable';
}

/** Tells a program to try again, where the library has told it of a fault. People are told by a page. */
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
    ttl: ttl(),
    features: features(options),
    interactions: {
      policy: policy(options),
      url: (_ctx, interaction) => `${OAUTH_PATHS.interaction}/${interaction.uid}`,
    },
    extraClientMetadata: {
      properties: ['software_id'],
      // Runs for every client, registered or by document, before the library's own checks.
      validator: (_ctx, _key, _value, metadata) => applyClientPolicy(metadata as Record<string, unknown>),
    },
    // The hook runs when the request has been checked, and before anybody is asked.
    extraParams: { response_mode: settleRequest(options) },
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
    // A token that is revoked or used twice ends the whole grant.
    revokeGrantPolicy: () => true,
    // Nothing is bound to the library's session, which lives for one request.
    expiresWithSession: async () => false,
    // Answers carry no cookie of ours and take none, so any page may ask.
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

/** A program that is asked by a browser is told in JSON; a person by our page, unless the client may learn of it at once. */
function answerError(
  ctx: KoaContextWithOIDC,
  out: ErrorOut,
  error: unknown,
  { refused }: AuthorizationServerOptions,
): void {
  if (!ctx.path.startsWith(OAUTH_PATHS.authorize)) {
    ctx.body = out;
    return;
  }
  const failed = authorizationErrorOf(ctx, out, error);
  if (failed.atOnce) {
    ctx.status = 303;
    ctx.redirect(failed.answer!.uri);
    return;
  }
  ctx.respond = false;
  refused(ctx.req, failed);
}

function adapterOf(name: string, { models, clients }: AuthorizationServerOptions) {
  if (name === 'Session') return new NoSessions();
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
    // The one of the library's session, of which nothing is kept, goes no further than where it is made.
    long: { ...options, path: OAUTH_PATHS.authorize },
    short: options,
  };
}

/** In seconds. Refresh tokens live as long as the grant, and no token outlives it. */
function ttl(): Configuration['ttl'] {
  const left = (ctx: KoaContextWithOIDC | undefined) => Math.max(1, ctx?.oidc.entities.Grant?.remainingTTL ?? 1);
  return {
    AccessToken: (ctx) => Math.min(ACCESS_SECONDS, left(ctx)),
    RefreshToken: (ctx) => left(ctx),
    AuthorizationCode: 60,
    Interaction: INTERACTION_SECONDS,
    Session: 60,
    // Said by whoever makes it: see consent.ts.
    Grant: 60,
    IdToken: 60,
  };
}

function features({ addresses }: AuthorizationServerOptions): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
    revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
    registration: { enabled: true, idFactory: () => randomId('cli'), issueRegistrationAccessToken: false },
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
        if (!addresses.resourceAliases.includes(resource)) throw new errors.InvalidTarget();
        return { scope: ALL_SCOPES, audience: addresses.resource, accessTokenFormat: 'opaque' };
      },
    },
  };
}

/**
 * Counts a valid request and completes it. A request without a scope of ours gets all scopes. It gets the resource in
 * every spelling, because a client may ask for the token in another spelling than for the code.
 */
function settleRequest({ addresses, waitToAsk }: AuthorizationServerOptions) {
  return async (ctx: KoaContextWithOIDC, mode: string | undefined) => {
    const { params } = ctx.oidc;
    if (params === undefined) return;
    if (mode !== undefined && mode !== 'query') {
      params.response_mode = undefined;
      throw new errors.UnsupportedResponseMode();
    }
    const wait = await waitToAsk(ctx.req);
    if (wait > 0) {
      ctx.set('Retry-After', String(wait));
      throw new errors.TemporarilyUnavailable(`too many requests: try again in ${wait} s`);
    }
    const asked = String(params.scope ?? '').split(' ');
    if (!asked.includes(READ_SCOPE) && !asked.includes(WRITE_SCOPE)) params.scope = ALL_SCOPES;
    params.resource = [...addresses.resourceAliases];
  };
}

/** Each request is asked about anew, and holds for who is signed in when it is answered. */
function policy({ signedIn }: AuthorizationServerOptions) {
  const { Check, Prompt } = interactionPolicy;
  const login = new Prompt(
    { name: 'login', requestable: true },
    new Check('not_who_is_signed_in', 'somebody has to sign in', async ({ oidc, req }) => {
      const session = oidc.session!;
      const right = session.accountId !== undefined && session.accountId === (await signedIn(req));
      // Somebody else has signed in since it was allowed: they are asked as if nobody had been.
      if (!right) delete session.accountId;
      return !right;
    }),
  );
  const consent = new Prompt(
    { name: 'consent', requestable: true },
    new Check('not_allowed_yet', 'somebody has to allow it', ({ oidc }) => oidc.result?.consent === undefined),
  );
  return [login, consent];
}
