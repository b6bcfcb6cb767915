import type { Result } from '@modelcontextprotocol/server';
import { isObject, type UncheckedObject } from '../../tools/schema/client-values.ts';
import type { ProtocolAnswer } from './mcp-exchange.ts';

/** The error codes of JSON-RPC 2.0. */
export const RPC_ERRORS = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
} as const;

const JSONRPC_VERSION = '2.0';

export type RequestId = string | number;

export interface RpcRequest {
  kind: 'request';
  id: RequestId;
  method: string;
  params: UncheckedObject;
  meta: UncheckedObject;
}

/** A message that gets no answer: a notification, or a client's response. */
interface RpcOneWayMessage {
  kind: 'notification' | 'response';
}

/** A JSON-RPC error with its HTTP status. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly data?: unknown,
    /** The request's id, if it could be read. */
    readonly id?: RequestId,
  ) {
    super(message);
  }

  /** Returns the JSON-RPC message. Without an id the member is left out, because MCP doesn't allow null. */
  toJSON(): object {
    const error = { code: this.code, message: this.message, ...(this.data === undefined ? {} : { data: this.data }) };
    return { jsonrpc: JSONRPC_VERSION, ...(this.id === undefined ? {} : { id: this.id }), error };
  }
}

/** An id is a string or a safe integer. A larger number would lose digits and could not be echoed exactly. */
const isRequestId = (value: unknown): value is RequestId => typeof value === 'string' || Number.isSafeInteger(value);

const invalid = (message: string, id?: RequestId) =>
  new ProtocolError(400, RPC_ERRORS.invalidRequest, message, undefined, id);

const NO_PARAMS: UncheckedObject = Object.freeze({});

/** Reads one parsed message. Some clients write absent params as null. @throws ProtocolError if it is not a single JSON-RPC 2.0 message */
export function readMessage(message: unknown): RpcRequest | RpcOneWayMessage {
  if (Array.isArray(message)) throw invalid('Batches are not supported. Send each message in its own request.');
  if (!isObject(message)) throw invalid('The body must be one JSON-RPC message, an object.');
  const { id, method } = message;
  const params = message.params ?? NO_PARAMS;
  const requestId = isRequestId(id) ? id : undefined;
  if (message.jsonrpc !== JSONRPC_VERSION) throw invalid('"jsonrpc" must be "2.0".', requestId);
  if (method === undefined && ('result' in message || 'error' in message)) return { kind: 'response' };
  if (typeof method !== 'string') throw invalid('"method" must be a string.', requestId);
  if (!isObject(params)) throw invalid('"params" must be an object.', requestId);
  if (!('id' in message)) return { kind: 'notification' };
  if (requestId === undefined) throw invalid('"id" must be a string or an integer of at most 9007199254740991.');
  const meta = params._meta ?? NO_PARAMS;
  if (!isObject(meta))
    throw new ProtocolError(400, RPC_ERRORS.invalidParams, '"_meta" must be an object.', undefined, requestId);
  return { kind: 'request', id: requestId, method, params, meta };
}

export const invalidParams = (message: string) => new ProtocolError(200, RPC_ERRORS.invalidParams, message);

/** The key of a result's prepared members. It is a symbol, so the SDK copies them and neither checks nor serializes them. */
export const PREPARED = Symbol('prepared members');

interface PreparedMembers {
  /** JSON from the first of these members to the end of the message: `"tools":[…]}}`. */
  text: string | Buffer;
  /** True if the input of the called tool was invalid. */
  isInvalidCall?: boolean;
}

/** A result of the SDK, to which prepared members can belong. */
export type PreparedResult = Result & { [PREPARED]?: PreparedMembers };

/** Returns the answer with a result: the members that the SDK knows, and then the prepared ones. */
export function resultAnswer(id: RequestId, result: PreparedResult): ProtocolAnswer {
  const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  const members = JSON.stringify(result);
  const prepared = result[PREPARED];
  if (prepared === undefined) return { status: 200, text: `${start}${members}}` };
  const { text, isInvalidCall = false } = prepared;
  const open = `${start}${members.slice(0, -1)}${members === '{}' ? '' : ','}`;
  if (typeof text === 'string') return { status: 200, text: open + text, isInvalidCall };
  return { status: 200, text: open, rest: text, isInvalidCall };
}
