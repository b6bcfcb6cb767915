import type { Middleware } from 'koa';
import { MCP_PATH, PATHS } from '../identity/oauth/addresses.ts';
import type { OAuth } from '../identity/oauth/oauth.ts';
import { methodNotAllowed } from './http-errors.ts';
import { hostGuard } from './origin.ts';
import type { RateLimits } from './rate-limits.ts';
import { API_HEADERS, type RequestContext, type RequestState } from './request.ts';

const WELL_KNOWN = '/.well-known';
const SERVER_METADATA_PATH = `${WELL_KNOWN}/oauth-authorization-server`;
/** At the path-inserted place of the one resource, and at the root, where older clients look. */
const RESOURCE_METADATA_PATHS: ReadonlySet<string> = new Set(
  [MCP_PATH, ''].flatMap((path) => ['', '/'].map((slash) => `${WELL_KNOWN}/oauth-protected-resource${path}${slash}`)),
);
/** The endpoints that programs ask, not browsers on somebody's behalf. */
const PROGRAM_PATHS: ReadonlySet<string> = new Set([PATHS.token, PATHS.revoke, PATHS.register]);
/** Seconds. */
const METADATA_AGE_SECONDS = 300;
const PREFLIGHT_AGE_SECONDS = 3_600;

/**
 * The OAuth endpoints and what tells clients of them (RFC 8414, RFC 9728). Programs in web pages may ask those that no
 * cookie plays a part in: any origin, without credentials. All are counted by address, but browsers of people who have
 * signed in by their account.
 */
export function oauthEndpoints(oauth: OAuth, limits: RateLimits): Middleware<RequestState> {
  const guard = hostGuard(oauth.addresses.issuer);
  return async (ctx, next) => {
    const { path, method } = ctx;
    if (!path.startsWith('/oauth/') && !path.startsWith(WELL_KNOWN)) return next();
    guard(ctx.req);
    if (path.startsWith(`${PATHS.interaction}/`)) return next();
    const forBrowsers = path === PATHS.authorize || path.startsWith(`${PATHS.authorize}/`);
    // While the store is away nobody is known, and what is served next says so.
    countRequest(ctx, limits, forBrowsers ? await oauth.signedIn(ctx.req).catch(() => null) : null);
    const metadata = documentAt(oauth, ctx);
    if (metadata !== null) return answerOpenly(ctx, 'GET', () => sendDocument(ctx, metadata));
    if (path === PATHS.jwks) return answerOpenly(ctx, 'GET', () => serveByLibrary(oauth, ctx));
    if (PROGRAM_PATHS.has(path)) return answerOpenly(ctx, 'POST', () => serveProgram(oauth, ctx));
    if (!forBrowsers) return next();
    if (method !== 'GET') throw methodNotAllowed('GET');
    await serveByLibrary(oauth, ctx);
    // A page answers where the library left a request unanswered.
    if (ctx.respond !== false) await next();
  };
}

function countRequest({ req }: RequestContext, limits: RateLimits, account: string | null): void {
  if (account === null) limits.countStranger(req);
  else limits.countCaller({ account_id: account, token_id: null });
}

function documentAt({ addresses, documents }: OAuth, { path, req }: RequestContext): object | null {
  if (path === SERVER_METADATA_PATH) return addresses.authorizationServer(documents.areAdvertised());
  return RESOURCE_METADATA_PATHS.has(path) ? addresses.protectedResource(req.headers.host) : null;
}

function sendDocument(ctx: RequestContext, document: object): void {
  // By the Host that was asked for, where that is one of this machine's own names.
  ctx.vary('Host');
  ctx.set('Cache-Control', `public, max-age=${METADATA_AGE_SECONDS}`);
  ctx.body = document;
}

async function answerOpenly(ctx: RequestContext, allow: 'GET' | 'POST', answer: () => unknown): Promise<void> {
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

/** Registering is for everybody, so it is for nobody without end. */
async function serveProgram(oauth: OAuth, ctx: RequestContext): Promise<void> {
  const wait = ctx.path === PATHS.register ? oauth.waitToRegister(ctx.req) : 0;
  if (wait === 0) return serveByLibrary(oauth, ctx);
  ctx.status = 429;
  ctx.set('Retry-After', String(wait));
  const error_description = `Too many clients were registered: try again in ${wait} s.`;
  ctx.body = { error: 'temporarily_unavailable', error_description };
}

/** The library answers by itself, unless our own page has to; it is given the headers that all our answers have. */
async function serveByLibrary(oauth: OAuth, ctx: RequestContext): Promise<void> {
  ctx.respond = false;
  for (let i = 0; i < API_HEADERS.length; i += 2) ctx.res.setHeader(API_HEADERS[i]!, API_HEADERS[i + 1]!);
  ctx.res.setHeader('X-Request-Id', ctx.state.id);
  // Codes and states are in these addresses: no page that follows is told them.
  ctx.res.setHeader('Referrer-Policy', 'no-referrer');
  await oauth.serve(ctx.req, ctx.res);
  if (oauth.authorizationError(ctx.req) !== null) ctx.respond = true;
}
