import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Middleware } from 'koa';
import type { Caller } from '../../commands/organization/caller.ts';
import { mcpAddressOf } from '../../identity/oauth/addresses.ts';
import type { McpExchange, ProtocolAnswer } from '../../mcp/protocol/mcp-exchange.ts';
import type { Protocol } from '../../mcp/protocol/protocol.ts';
import { ProtocolError, RPC_ERRORS } from '../../mcp/protocol/protocol-message.ts';
import { isObject } from '../../tools/schema/client-values.ts';
import { type Admit, admitAfterWait } from '../access/admission.ts';
import type { ScopeGuard } from '../access/challenge.ts';
import type { Penalties } from '../access/rate-limits.ts';
import { parseJson, readBody, requireJson } from '../body.ts';
import { acceptsCoding, isWorthCompressing } from '../compression.ts';
import { HttpError, methodNotAllowed, toHttpError } from '../http-errors.ts';
import { API_HEADERS, clientSignal, type RequestContext, type RequestState, toLoggable } from '../request.ts';

/**
 * The MCP endpoint. It bypasses the router and writes the response itself: most calls come here, and each further layer
 * would slow all of them down.
 */
export function mcpEndpoint(
  protocol: Protocol,
  admit: Admit,
  requireScope: ScopeGuard,
  penalties: Penalties,
): Middleware<RequestState> {
  async function serve({ req, res, state }: RequestContext): Promise<void> {
    if (req.method !== 'POST') throw methodNotAllowed('POST');
    const admitted = await admit(req);
    state.account = admitted.account_id;
    const streams = requireAcceptable(req.headers.accept);
    requireJson(req);
    const receive = () => readBody(req);
    await penalties.run(admitted, receive, async (body) => {
      const caller = await admitAfterWait(admit, req, admitted);
      const message = parse(body);
      if (caller.scopes !== undefined) requireScope(caller, toolOf(message), req);
      const exchange = new HttpExchange(req.headers, res, state, caller, streams);
      const answer = await protocol.answer(message, exchange);
      exchange.send(answer);
      return answer.isInvalidCall ?? false;
    });
  }

  return async (ctx, next) => {
    if (mcpAddressOf(ctx.req.url) === undefined) return next();
    ctx.respond = false;
    try {
      await serve(ctx);
    } catch (error) {
      sendError(ctx, error);
      throw error;
    }
  };
}

/** Returns true if the client also accepts a stream. @throws HttpError 406 if it doesn't accept JSON */
function requireAcceptable(accept = '*/*'): boolean {
  if (accept === 'application/json, text/event-stream') return true;
  const types = accept
    .toLowerCase()
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(';')[0]?.trim());
  if (!types.some((type) => type === 'application/json' || type === 'application/*' || type === '*/*')) {
    throw new HttpError(406, 'invalid_input', 'Accept must list application/json and text/event-stream.');
  }
  return types.includes('text/event-stream');
}

function parse(body: Buffer): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new ProtocolError(400, RPC_ERRORS.parseError, 'Parse error: the body is not JSON.');
  }
}

/** Returns the tool that a message calls, or an empty string. */
function toolOf(message: unknown): string {
  if (!isObject(message) || message.method !== 'tools/call' || !isObject(message.params)) return '';
  return typeof message.params.name === 'string' ? message.params.name : '';
}

/** Statuses about the credential, its rate limit, and a store that can't check it. */
const PLAIN_HTTP_STATUSES: ReadonlySet<number> = new Set([401, 429, 503]);

/** Sends transport errors as JSON-RPC errors, and errors about the credential as plain HTTP errors. */
function sendError({ res, state }: RequestContext, thrown: unknown): void {
  if (res.headersSent || res.destroyed) return void res.destroy();
  const error = thrown instanceof ProtocolError ? thrown : toHttpError(thrown);
  const headers = error instanceof HttpError ? Object.entries(error.headers).flat() : [];
  const plain = error instanceof ProtocolError || PLAIN_HTTP_STATUSES.has(error.status);
  const body = plain ? error : new ProtocolError(error.status, rpcCode(error.status), error.message);
  writeJson(res, state, { status: error.status, text: JSON.stringify(body) }, headers);
}

const rpcCode = (status: number) => (status >= 500 ? RPC_ERRORS.internalError : RPC_ERRORS.invalidRequest);

/** Sends a protocol answer: as plain JSON, or as a stream if a notification was sent before it. */
export class HttpExchange implements McpExchange {
  private clientGone: AbortSignal | undefined;

  constructor(
    readonly headers: IncomingHttpHeaders,
    private readonly response: ServerResponse,
    private readonly state: RequestState,
    readonly caller: Caller,
    readonly streams: boolean,
  ) {}

  get signal(): AbortSignal {
    this.clientGone ??= clientSignal(this.response);
    return this.clientGone;
  }

  onMethod(method: string, tool?: string): void {
    this.state.rpc = toLoggable(method);
    if (tool !== undefined) this.state.tool = tool;
  }

  notify(message: string): void {
    const { response } = this;
    // Drops progress for slow readers: the next message supersedes it, and buffering would let them exhaust memory.
    if (response.destroyed || response.writableNeedDrain) return;
    if (!response.headersSent) {
      const type = ['Content-Type', 'text/event-stream', 'X-Accel-Buffering', 'no'];
      response.writeHead(200, [...type, ...API_HEADERS, 'X-Request-Id', this.state.id]);
    }
    response.write(event(message));
  }

  send(answer: ProtocolAnswer): void {
    const { headers, response, state } = this;
    const { status, text } = answer;
    if (response.headersSent) response.end(event(text));
    else if (text === '') response.writeHead(status, [...API_HEADERS, 'X-Request-Id', state.id]).end();
    else writeJson(response, state, answer, [], headers);
  }
}

const JSON_TYPE = 'application/json';

const event = (message: string) => `event: message\ndata: ${message}\n\n`;

/** Writes a JSON answer with as few calls to node as possible. A large one is compressed if the request's headers allow it. */
function writeJson(
  response: ServerResponse,
  state: RequestState,
  { status, text, rest }: ProtocolAnswer,
  headers: readonly string[] = [],
  requestHeaders: IncomingHttpHeaders = {},
): void {
  const length = Buffer.byteLength(text) + (rest?.length ?? 0);
  if (isWorthCompressing(JSON_TYPE, length) && acceptsCoding(requestHeaders, 'gzip')) {
    const zipped = gzipSync(rest === undefined ? text : Buffer.concat([Buffer.from(text), rest]));
    const coding = ['Content-Encoding', 'gzip', 'Content-Length', String(zipped.length), 'Vary', 'Accept-Encoding'];
    const type = ['Content-Type', JSON_TYPE];
    response.writeHead(status, [...type, ...coding, ...headers, ...API_HEADERS, 'X-Request-Id', state.id]).end(zipped);
    return;
  }
  const type = ['Content-Type', JSON_TYPE, 'Content-Length', String(length)];
  response.writeHead(status, [...type, ...headers, ...API_HEADERS, 'X-Request-Id', state.id]);
  if (rest === undefined) response.end(text);
  else {
    response.write(text);
    response.end(rest);
  }
}
