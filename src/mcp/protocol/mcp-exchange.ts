import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../commands/organization/caller.ts';
import type { ToolBox } from '../../tools/toolbox.ts';

/** A message's HTTP context. */
export interface McpExchange {
  headers: IncomingHttpHeaders;
  caller: Caller;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** True if the client accepts messages before the answer. */
  readonly streams: boolean;
  /** Sends a message before the answer. May drop it if the client has not read earlier ones. */
  notify(message: string): void;
  /** Receives the request's method and tool, for the log. */
  onMethod(method: string, tool?: string): void;
}

/** An HTTP status and one JSON-RPC message. The text is empty if the message needs no answer. */
export interface ProtocolAnswer {
  status: number;
  text: string;
  /** True if the message or the tool's input in it was invalid. */
  isInvalidCall?: boolean;
  /** The end of the message, if it is the same for every request. */
  rest?: Buffer;
}

/** The service, as the protocol presents it. */
export interface ServedProtocol {
  name: string;
  version: string;
  /** An SVG, as a `data:` address. */
  icon?: string | undefined;
  tools: ToolBox;
  /** The address of the pages. Without it, answers of tools name no page. */
  publicUrl?: string | undefined;
}
