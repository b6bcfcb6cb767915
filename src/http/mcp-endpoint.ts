import type { IncomingMessage, ServerResponse } from 'node:http';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { Context, Middleware, Next } from 'koa';
import type { Caller } from '../commands/caller.ts';
import type { Answer, Exchange, Protocol } from '../mcp/protocol.ts';
import { ProtocolError } from '../mcp/protocol-message.ts';
import { parseJson, readBody, requireJson } from './body.ts';
import { clientSignal } from './client-signal.ts';
import { ClientGone, HttpError, methodNotAllowed, toHttpError } from './errors.ts';
import { API_HEADERS, type RequestState } from './request.ts';

export const MCP_PATH = '/api/mcp/v1';

/**
 * The MCP endpoint. It stands before the router and writes to the response itself: this is the path that every
 * call takes, and each layer more would cost all of them.
 */
export function mcpEndpoint(
  protocol: Protocol,
  admit: (request: IncomingMessage) => Promise<Caller>,
): Middleware<RequestState> {
  async function serve({ req, res, state }: Context & { state: RequestState }): Promise<void> {
    if (req.method !== 'POST') throw methodNotAllowed('POST');
    const caller = await admit(req);
    state.account = caller.account_id;
    const streams = requireAcceptable(req.headers.accept);
    requireJson(req);
    const message = parse(await readBody(req));
    const signal = clientSignal(res);
    const exchange: Exchange = {
      headers: req.headers,
      caller,
      get signal() {
        return signal();
      },
      seen: (method, tool) => {
        state.rpc = method.slice(0, 100);
        if (tool !== undefined) state.tool = tool;
      },
    };
    if (streams) exchange.notify = (text) => sendEvent(res, state, text);
    send(res, state, await protocol.answer(message, exchange));
  }

  return async (ctx, next: Next) => {
    if (!isEndpoint(ctx.req.url ?? '')) return next();
    ctx.respond = false;
    try {
      await serve(ctx);
    } catch (error) {
      if (ctx.res.headersSent) ctx.res.destroy();
      else if (!(error instanceof ClientGone)) sendError(ctx.res, ctx.state, error);
      throw error;
    }
  };
}

const isEndpoint = (url: string) =>
  url === MCP_PATH || (url.startsWith(MCP_PATH) && /^\/?(\?.*)?$/.test(url.slice(MCP_PATH.length)));

/** Whether the client takes a stream as well. @throws HttpError 406 when it doesn't take JSON */
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
  } catch {
    throw new ProtocolError(400, ErrorCode.ParseError, 'Parse error: the body is not JSON.');
  }
}

function send(res: ServerResponse, state: RequestState, { status, body }: Answer): void {
  if (res.headersSent) {
    res.end(body === null ? undefined : eventText(String(body)));
  } else if (body === null) {
    res.writeHead(status, [...API_HEADERS, 'X-Request-Id', state.id]).end();
  } else {
    const length = String(typeof body === 'string' ? Buffer.byteLength(body) : body.length);
    const type = ['Content-Type', 'application/json', 'Content-Length', length];
    res.writeHead(status, [...type, ...API_HEADERS, 'X-Request-Id', state.id]).end(body);
  }
}

/** A message ahead of the answer. The first one turns the response into a stream. */
function sendEvent(res: ServerResponse, state: RequestState, text: string): void {
  if (res.destroyed) return;
  if (!res.headersSent) {
    const type = ['Content-Type', 'text/event-stream', 'X-Accel-Buffering', 'no'];
    res.writeHead(200, [...type, ...API_HEADERS, 'X-Request-Id', state.id]);
  }
  res.write(eventText(text));
}

const eventText = (text: string) => `event: message\ndata: ${text}\n\n`;

/** Errors of the transport in the protocol's own form; those of the credential are plain HTTP's. */
function sendError(res: ServerResponse, state: RequestState, thrown: unknown): void {
  const error = thrown instanceof ProtocolError ? thrown : toHttpError(thrown);
  const plain = error instanceof ProtocolError || error.status === 401 || error.status === 503;
  const body = plain ? error : new ProtocolError(error.status, rpcCode(error.status), error.message);
  const headers = error instanceof HttpError ? Object.entries(error.headers).flat() : [];
  const text = JSON.stringify(body);
  const type = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(text))];
  res.writeHead(error.status, [...type, ...headers, ...API_HEADERS, 'X-Request-Id', state.id]).end(text);
}

const rpcCode = (status: number) => (status >= 500 ? ErrorCode.InternalError : ErrorCode.InvalidRequest);
