import type { Middleware, Next } from 'koa';
import { OAUTH_PATHS } from '../../identity/oauth/addresses.ts';
import type { OAuth } from '../../identity/oauth/oauth.ts';
import { methodNotAllowed, toHttpError } from '../http-errors.ts';
import { API_HEADERS, type RequestContext, type RequestState } from '../request.ts';
import { hostGuard } from './origin.ts';
import type { RateLimits } from './rate-limits.ts';

const WELL_KNOWN = '/.well-known';
const SERVER_METADATA_PATH = `${WELL_KNOWN}/oauth-authorization-server`;
/** Endpoints that programs call themselves, not through a browser. */
const PROGRAM_PATHS: ReadonlySet<string> = new Set([OAUTH_PATHS.token, OAUTH_PATHS.revoke, OAUTH_PATHS.register]);
const METADATA_AGE_SECONDS = 300;
const PREFLIGHT_AGE_SECONDS = 3_600;

/**
 * Serves the OAuth endpoints and their metadata (RFC 8414, RFC 9728). CORS allows any origin on the endpoints that use no
 * cookie. Requests are counted by address; browsers of signed-in people are counted by account.
 */
export function oauthEndpoints(oauth: OAuth, limits: RateLimits): Middleware<RequestState> {
  const guard = hostGuard(oauth.addresses.issuer);
  return async (ctx, next) => {
    const { path } = ctx;
    if (!path.startsWith('/oauth/') && !path.startsWith(WELL_KNOWN)) return next();
    guard(ctx.req);
    if (path.startsWith(`${OAUTH_PATHS.interaction}/`)) return next();
    if (isAuthorizePath(path)) {
      // While the store is down, `signedIn` fails, so this counts by address. The handler reports the outage.
      await countRequest(ctx, limits, await oauth.signedIn(ctx.req).catch(() => null));
      oauth.requireTrust();
      return serveAuthorize(oauth, ctx, next);
    }
    await countRequest(ctx, limits, null);
    const metadata = metadataFor(oauth, ctx);
    if (metadata !== null) return answerWithCors(ctx, 'GET', () => sendDocument(ctx, metadata));
    if (path === OAUTH_PATHS.jwks) return answerWithCors(ctx, 'GET', () => serveByLibrary(oauth, ctx));
    if (PROGRAM_PATHS.has(path)) return answerWithCors(ctx, 'POST', () => serveProgram(oauth, ctx));
    return next();
  };
}

function isAuthorizePath(path: string): boolean {
  return path === OAUTH_PATHS.authorize || path.startsWith(`${OAUTH_PATHS.authorize}/`);
}

async function serveAuthorize(oauth: OAuth, ctx: RequestContext, next: Next): Promise<void> {
  if (ctx.method !== 'GET') throw methodNotAllowed('GET');
  await serveByLibrary(oauth, ctx);
  // oidc-provider left an authorization error to our error page.
  if (ctx.respond !== false) await next();
}

async function countRequest({ req }: RequestContext, limits: RateLimits, account: string | null): Promise<void> {
  if (account === null) await limits.admitStranger(req);
  else await limits.admitCaller({ account_id: account, token_id: null });
}

function metadataFor({ addresses, documents }: OAuth, { path, req }: RequestContext): object | null {
  if (path === SERVER_METADATA_PATH) return addresses.authorizationServer(documents.areAdvertised());
  return addresses.protectedResource(req.headers.host, path);
}

function sendDocument(ctx: RequestContext, document: object): void {
  // The document names the requested Host if that is a loopback name.
  ctx.vary('Host');
  ctx.set('Cache-Control', `public, max-age=${METADATA_AGE_SECONDS}`);
  ctx.body = document;
}

async function answerWithCors(ctx: RequestContext, allow: 'GET' | 'POST', answer: () => unknown): Promise<void> {
  ctx.set('Access-Control-Allow-Origin', '*');
  if (ctx.method === 'OPTIONS') {
    ctx.set({
      'Access-Control-Allow-Methods': allow,
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, MCP-Protocol-Version',
      'Access-Control-Max-Age': String(PREFLIGHT_AGE_SECONDS),
    });
    ctx.body = '';
    ctx.status = 204;
    return;
  }
  ctx.set('Access-Control-Expose-Headers', 'WWW-Authenticate, Retry-After');
  if (ctx.method !== allow && !(allow === 'GET' && ctx.method === 'HEAD')) throw methodNotAllowed(allow);
  await answer();
}

/** Serves an endpoint for programs. Anybody may register a client, because that stores nothing. */
async function serveProgram(oauth: OAuth, ctx: RequestContext): Promise<void> {
  try {
    oauth.requireTrust();
  } catch (error) {
    const { status, message, headers } = toHttpError(error);
    ctx.status = status;
    ctx.set(headers);
    ctx.body = { error: 'temporarily_unavailable', error_description: message };
    return;
  }
  await serveByLibrary(oauth, ctx);
}

/** Passes the request to oidc-provider, with our standard response headers. A page answers the errors that people see. */
async function serveByLibrary(oauth: OAuth, ctx: RequestContext): Promise<void> {
  ctx.respond = false;
  for (let i = 0; i < API_HEADERS.length; i += 2) ctx.res.setHeader(API_HEADERS[i]!, API_HEADERS[i + 1]!);
  ctx.res.setHeader('X-Request-Id', ctx.state.id);
  await oauth.serve(ctx.req, ctx.res);
  if (oauth.authorizationError(ctx.req) !== null) ctx.respond = true;
}
