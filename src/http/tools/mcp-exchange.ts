import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Caller } from '../../commands/organization/caller.ts';
import type { McpExchange, ProtocolAnswer } from '../../mcp/protocol/protocol.ts';
import { API_HEADERS, clientSignal, loggable, type RequestState } from '../request.ts';

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
    this.state.rpc = loggable(method);
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
    const { response, state } = this;
    const { status, text } = answer;
    if (response.headersSent) response.end(event(text));
    else if (text === '') response.writeHead(status, [...API_HEADERS, 'X-Request-Id', state.id]).end();
    else writeJson(response, state, answer);
  }
}

const event = (message: string) => `event: message\ndata: ${message}\n\n`;

/** Writes a JSON answer with as few calls to node as possible. */
export function writeJson(
  response: ServerResponse,
  state: RequestState,
  { status, text, rest }: ProtocolAnswer,
  headers: readonly string[] = [],
): void {
  const length = Buffer.byteLength(text) + (rest?.length ?? 0);
  const type = ['Content-Type', 'application/json', 'Content-Length', String(length)];
  response.writeHead(status, [...type, ...headers, ...API_HEADERS, 'X-Request-Id', state.id]);
  if (rest === undefined) response.end(text);
  else {
    response.write(text);
    response.end(rest);
  }
}
