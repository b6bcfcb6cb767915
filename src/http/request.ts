import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { ProtocolError } from '../mcp/protocol-message.ts';
import { ClientGone, HttpError, invalidInput, methodNotAllowed, notFound, toHttpError } from './http-errors.ts';

/** What is known of a request while it is served: all of it goes to the log, so no token and no content. */
export interface RequestState {
  id: string;
  account?: string;
  /** The protocol's method, and the tool called by whichever form. */
  rpc?: string;
  tool?: string;
}

export type RequestContext = ParameterizedContext<RequestState>;

/** Answers are for their reader alone unless they say otherwise, and are what they say they are. As node takes them: name, value, name, value. */
export const API_HEADERS = [
  'Cache-Control',
  'no-store',
  'X-Content-Type-Options',
  'nosniff',
  // Should a browser show one: it neither runs nor loads anything, and nobody frames it.
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
] as const;

const NOT_MODIFIED = 304;
/** Names and values. Their bytes are bounded by node: 16 KiB with the address. */
const MAX_RAW_HEADERS = 200;
/** Longer than any part of an address or a method that is known, and shorter than any secret. */
const LONG_SEGMENT = /[^/]{32,}/g;

/** Is told of each request that was answered: the status, and the tool where it called one. */
export type OnResponse = (status: number, tool: string | undefined) => void;

/** Gives each request an id, answers what the routes inside throw or leave open, and writes one line to the log. */
export function requestMiddleware(logger: Logger, onResponse: OnResponse = () => undefined): Middleware<RequestState> {
  // The fields of these lines are known, and none is a secret: to search each line for some costs more than the rest.
  const lines = logger.child({}, { redact: [] });
  const prefix = randomBytes(6).toString('base64url');
  let count = 0;
  return async (ctx, next) => {
    const startedAt = performance.now();
    count += 1;
    ctx.state.id = `${prefix}-${count}`;
    let thrown: unknown;
    try {
      requireAddress(ctx);
      refuseOddRequest(ctx);
      await next();
      if (ctx.respond !== false && ctx.body == null && ctx.status !== NOT_MODIFIED) throw unansweredError(ctx);
    } catch (error) {
      thrown = error;
      if (error instanceof ClientGone) ctx.respond = false;
      if (ctx.respond !== false) writeError(ctx, error);
    }
    if (ctx.respond !== false) {
      for (let i = 0; i < API_HEADERS.length; i += 2) {
        const name = API_HEADERS[i]!;
        if (!ctx.res.hasHeader(name)) ctx.set(name, API_HEADERS[i + 1]!);
      }
      ctx.set('X-Request-Id', ctx.state.id);
    }
    const status = thrown instanceof ClientGone ? 499 : ctx.res.statusCode;
    onResponse(status, ctx.state.tool);
    const line = logFields(ctx, performance.now() - startedAt, status);
    if (thrown === undefined || isExpected(thrown)) lines.info(line, 'request');
    else logger.error({ ...line, err: thrown }, 'request failed');
  };
}

/**
 * The socket keeps its address once it was asked for it: else whoever hangs up at once could act, and be told of to the
 * access log as coming from nowhere. @throws ClientGone
 */
function requireAddress({ req: { socket } }: RequestContext): void {
  if (socket.remoteAddress === undefined) throw new ClientGone();
}

/** What no client sends, and what is read one way by some and another by others. @throws HttpError */
function refuseOddRequest({ req }: RequestContext): void {
  const { url = '', rawHeaders } = req;
  if (url[0] !== '/' || url.includes('#')) {
    throw invalidInput('Ask for a path, beginning with a slash and without fragment.');
  }
  if (rawHeaders.length > MAX_RAW_HEADERS) {
    throw new HttpError(431, 'invalid_input', `Send at most ${MAX_RAW_HEADERS / 2} header fields.`);
  }
  const coding = req.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw invalidInput('Send the body plain or chunked.');
  }
  // Node keeps the first of several, and the proxy in front may have gone by another.
  if (countHeader('host', rawHeaders) > 1) throw invalidInput('Send one Host header.');
}

/** How often a header was sent. @param name in lower case */
export function countHeader(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const headerName = rawHeaders[i] ?? '';
    if (headerName.length === name.length && headerName.toLowerCase() === name) count += 1;
  }
  return count;
}

/** What the router found no answer for: no such address, or (it has set Allow) no such method there. */
function unansweredError(ctx: RequestContext): HttpError {
  const allow = ctx.response.get('Allow');
  return allow ? methodNotAllowed(allow) : notFound();
}

function writeError(ctx: RequestContext, error: unknown): void {
  const answer = toHttpError(error);
  ctx.status = answer.status;
  ctx.set(answer.headers);
  ctx.body = answer.toJSON();
}

function logFields({ req, state }: RequestContext, took: number, status: number): object {
  const { id: request, ...fields } = state;
  return {
    request,
    method: req.method,
    path: loggablePath(req.url ?? ''),
    status,
    ms: Math.round(took * 10) / 10,
    ...fields,
  };
}

/** A request's path as the log may have it. */
function loggablePath(url: string): string {
  const query = url.indexOf('?');
  return loggable(query === -1 ? url : url.slice(0, query));
}

/** A name that a client chose, as the log may have it: cut, and without what may be a secret that was put there by mistake. */
export function loggable(name: string): string {
  return name.length < 32 ? name : name.replace(LONG_SEGMENT, '…').slice(0, 200);
}

const isExpected = (error: unknown) =>
  error instanceof HttpError || error instanceof ProtocolError || error instanceof ClientGone;
