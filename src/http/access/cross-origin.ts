import type { Middleware } from 'koa';
import { mcpAddressOf } from '../../identity/oauth/addresses.ts';
import type { RequestState } from '../request.ts';
import { hostGuard } from './origin.ts';

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
