import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';
import { LOOPBACK_NAMES, mcpAddressOf } from '../../identity/oauth/addresses.ts';
import { HttpError } from '../http-errors.ts';
import type { RequestState } from '../request.ts';
import { HIDDEN_ORIGIN, hidesOrigin } from './hidden-origin.ts';

/**
 * Returns a guard against web pages of other origins, and against host names rebound to this address. Host must be a
 * loopback name or that of the base address. Origin, if sent, must be the service's own. The Origin `null` is refused,
 * unless the browser says that the page is of the same origin. That of a sandboxed page is not.
 *
 * It protects the MCP endpoint, the direct form and pages. The operator can allow other origins to call tools: see
 * `crossOrigin`. OAuth endpoints for programs need only `hostGuard`: see oauth-endpoints.ts.
 */
export function originGuard(
  baseUrl: string,
  allowedOrigins: ReadonlySet<string> = new Set(),
): (request: IncomingMessage) => void {
  const { origin: ownOrigin } = new URL(baseUrl);
  const classifyHost = hostClassifier(baseUrl);
  return ({ headers }) => {
    const { host = '', origin } = headers;
    const owner = classifyHost(host);
    if (owner === null) throw unknownHost();
    if (origin === undefined || origin === ownOrigin || allowedOrigins.has(origin)) return;
    if (hidesOrigin(headers)) throw new HttpError(403, 'forbidden', HIDDEN_ORIGIN);
    if (origin === 'null') return;
    if (owner !== 'LOOPBACK' || (origin !== `http://${host}` && origin !== `https://${host}`)) {
      throw foreignOrigin();
    }
  };
}

/** Returns a guard that checks only Host. */
export function hostGuard(baseUrl: string): (request: IncomingMessage) => void {
  const classifyHost = hostClassifier(baseUrl);
  return ({ headers: { host = '' } }) => {
    if (classifyHost(host) === null) throw unknownHost();
  };
}

/**
 * Refuses requests by which a page of another origin embeds this address. From another port or subdomain, browsers send
 * the cookie with them, and no Origin. Links that a person follows are allowed, and so are programs.
 */
export function refuseEmbedding({ headers }: IncomingMessage): void {
  const { 'sec-fetch-site': site, 'sec-fetch-dest': destination } = headers;
  if ((site === 'cross-site' || site === 'same-site') && destination !== 'document') throw foreignOrigin();
}

/** Returns a function that tells if a Host header is a loopback name or the base address's; null for any other. */
function hostClassifier(baseUrl: string): (host: string) => 'LOOPBACK' | 'BASE' | null {
  const { hostname } = new URL(baseUrl);
  return (host) => {
    const name = host.replace(/:\d{1,5}$/, '').toLowerCase();
    if (LOOPBACK_NAMES.has(name)) return 'LOOPBACK';
    return name === hostname ? 'BASE' : null;
  };
}

const foreignOrigin = () => new HttpError(403, 'forbidden', 'Requests from that Origin are not allowed.');
const unknownHost = () =>
  new HttpError(403, 'forbidden', 'This service does not answer to that Host. Use its configured address.');

const TOOLS_PATH = '/api/mcp/tools/';
const ALLOWED_METHODS = 'GET, POST';
const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'Accept',
  'Last-Event-ID',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
].join(', ');
const EXPOSED_HEADERS = 'WWW-Authenticate, Retry-After, X-Request-Id';
const PREFLIGHT_AGE_S = 3_600;

/**
 * Lets pages of these origins call the MCP endpoint and the direct form. They send a token in the header: these addresses
 * accept no cookie, and `Access-Control-Allow-Credentials` is never sent.
 */
export function crossOrigin(baseUrl: string, allowedOrigins: ReadonlySet<string>): Middleware<RequestState> {
  const guard = hostGuard(baseUrl);
  return async (ctx, next) => {
    if (allowedOrigins.size === 0 || !isForTools(ctx.path)) return next();
    ctx.vary('Origin');
    const { origin } = ctx.req.headers;
    if (origin === undefined || !allowedOrigins.has(origin)) return next();
    guard(ctx.req);
    ctx.set('Access-Control-Allow-Origin', origin);
    ctx.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
    if (ctx.method !== 'OPTIONS') return next();
    ctx.set({
      'Access-Control-Allow-Methods': ALLOWED_METHODS,
      'Access-Control-Allow-Headers': ALLOWED_HEADERS,
      'Access-Control-Max-Age': String(PREFLIGHT_AGE_S),
    });
    ctx.body = '';
    ctx.status = 204;
  };
}

const isForTools = (path: string) => mcpAddressOf(path) !== undefined || path.startsWith(TOOLS_PATH);
