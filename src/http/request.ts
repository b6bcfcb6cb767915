import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Middleware, Next, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import { ProtocolError } from '../mcp/protocol/protocol-message.ts';
import { HIDDEN_ORIGIN, hidesOrigin } from './access/hidden-origin.ts';
import { ClientGone, HttpError, invalidInput, methodNotAllowed, notFound, toHttpError } from './http-errors.ts';

/** Facts about a request. All of them are logged, so they never include a token or content. */
export interface RequestState {
  id: string;
  account?: string;
  /** The protocol's method, and the tool, called by MCP or the direct form. */
  rpc?: string;
  tool?: string;
}

export type RequestContext = ParameterizedContext<RequestState>;

/** Default headers: no caching, no content sniffing. In node's flat form: name, value, name, value. */
export const API_HEADERS = [
  'Cache-Control',
  'no-store',
  'X-Content-Type-Options',
  'nosniff',
  // If a browser shows an answer, it runs and loads nothing, and nobody can frame it.
  'Content-Security-Policy',
  "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  // Addresses of OAuth contain codes and states.
  'Referrer-Policy',
  'no-referrer',
] as const;

const NOT_MODIFIED = 304;
/** Style sheets, scripts and the icon of pages. Each page loads several, which would hide the other requests in the log. */
export const ASSETS_PATH = '/assets/';
/** Names and values together. Node limits their bytes to 16 KiB, with the address. */
const MAX_RAW_HEADERS = 200;
/**
 * Lists in a file's filters have one parameter for each value: about 400 at most. Koa and oidc-provider compare each with all
 * others: 7,500 would take 600 ms.
 */
const MAX_QUERY_PARAMETERS = 500;
/** Path segments as long as a secret. Real segments and method names are shorter. */
const LONG_SEGMENT = /[^/]{32,}/g;

/** Called after each answer, with its status and facts about the request. */
export type OnResponse = (status: number, state: RequestState) => void;

/** Gives each request an id, answers errors and requests that no route answered, and logs one line. */
export function requestMiddleware(logger: Logger, listeners: readonly OnResponse[] = []): Middleware<RequestState> {
  // Turns redaction off: none of these fields is a secret, and searching them costs more than the rest.
  const lines = logger.child({}, { redact: [] });
  const prefix = randomBytes(6).toString('base64url');
  let count = 0;
  return async (ctx, next) => {
    const startedAt = performance.now();
    count += 1;
    ctx.state.id = `${prefix}-${count}`;
    const error = await answer(ctx, next);
    if (ctx.respond !== false) setStandardHeaders(ctx);
    const status = error instanceof ClientGone ? 499 : ctx.res.statusCode;
    for (const listener of listeners) listener(status, ctx.state);
    const line = logFields(ctx, performance.now() - startedAt, status);
    if (error === undefined && ctx.path.startsWith(ASSETS_PATH)) lines.debug(line, 'request');
    else if (error === undefined || isExpected(error)) lines.info(line, 'request');
    else logger.error({ ...line, err: error }, 'request failed');
  };
}

/** Answers a request. Returns the error that was answered, if one was thrown. */
async function answer(ctx: RequestContext, next: Next): Promise<unknown> {
  try {
    requireAddress(ctx);
    refuseOddRequest(ctx);
    await next();
    if (!isAnswered(ctx)) throw unansweredError(ctx);
    return undefined;
  } catch (error) {
    if (error instanceof ClientGone) ctx.respond = false;
    if (ctx.respond !== false) writeError(ctx, error);
    return error;
  }
}

/**
 * Reads the client's address early, so that the socket remembers it. After a disconnect it is undefined, and the access log
 * would have no address. @throws ClientGone
 */
function requireAddress({ req: { socket } }: RequestContext): void {
  if (socket.remoteAddress === undefined) throw new ClientGone();
}

/** Refuses requests that no real client sends, or that proxies and servers read differently. @throws HttpError */
function refuseOddRequest({ req }: RequestContext): void {
  const { url = '', rawHeaders } = req;
  if (url[0] !== '/' || url.includes('#')) {
    throw invalidInput('Send a path that begins with a slash and has no fragment.');
  }
  if (rawHeaders.length > MAX_RAW_HEADERS) {
    throw new HttpError(431, 'invalid_input', `Send at most ${MAX_RAW_HEADERS / 2} header fields.`);
  }
  if (url.split('&', MAX_QUERY_PARAMETERS + 1).length > MAX_QUERY_PARAMETERS) throw tooManyParameters();
  const coding = req.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw invalidInput('Send the body plain or chunked.');
  }
  // Node keeps the first of several headers; a proxy in front may have used another.
  if (countHeader('host', rawHeaders) > 1) throw invalidInput('Send one Host header.');
}

/** Returns a signal that aborts with `ClientGone` if the client disconnects before its answer is written. */
export function clientSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed) controller.abort(new ClientGone());
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new ClientGone());
  });
  return controller.signal;
}

const tooManyParameters = () =>
  invalidInput(`The address has more than ${MAX_QUERY_PARAMETERS} query parameters. Send fewer, or use POST.`);

/** Counts how often a header was sent. @param name in lower case */
export function countHeader(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const headerName = rawHeaders[i] ?? '';
    if (headerName.length === name.length && headerName.toLowerCase() === name) count += 1;
  }
  return count;
}

/** Returns true if a route has answered the request, or answers it without Koa. */
function isAnswered(ctx: RequestContext): boolean {
  return ctx.respond === false || ctx.body != null || ctx.status === NOT_MODIFIED;
}

/** The error for a request that no route answered. The router sets Allow if only the method is wrong. */
function unansweredError(ctx: RequestContext): HttpError {
  const allow = ctx.response.get('Allow');
  return allow ? methodNotAllowed(allow) : notFound();
}

/** Sets the headers that every answer has, except those that a route has set itself. */
function setStandardHeaders(ctx: RequestContext): void {
  for (let i = 0; i < API_HEADERS.length; i += 2) {
    const name = API_HEADERS[i]!;
    if (!ctx.res.hasHeader(name)) ctx.set(name, API_HEADERS[i + 1]!);
  }
  ctx.set('X-Request-Id', ctx.state.id);
}

function writeError(ctx: RequestContext, error: unknown): void {
  const answer = toHttpError(error);
  ctx.status = answer.status;
  ctx.set(answer.headers);
  ctx.body = answer.toJSON();
}

function logFields({ req, state }: RequestContext, durationMs: number, status: number): object {
  const { id: request, ...fields } = state;
  return {
    request,
    method: req.method,
    path: loggablePath(req.url ?? ''),
    status,
    ms: Math.round(durationMs * 10) / 10,
    ...fields,
    ...(status === 403 && hidesOrigin(req.headers) ? { problem: HIDDEN_ORIGIN } : {}),
  };
}

function loggablePath(url: string): string {
  const query = url.indexOf('?');
  return toLoggable(query === -1 ? url : url.slice(0, query));
}

/** Returns a client's text for the log: shortened, and without segments that could be a secret sent by mistake. */
export function toLoggable(name: string): string {
  return name.length < 32 ? name : name.replace(LONG_SEGMENT, '…').slice(0, 200);
}

const isExpected = (error: unknown) =>
  error instanceof HttpError || error instanceof ProtocolError || error instanceof ClientGone;
