import { ErrorCode, JSONRPC_VERSION, type RequestId } from '@modelcontextprotocol/sdk/types.js';

/** What JSON-RPC and MCP call a request's `params`: an object whose `_meta` is one too. */
export type Params = Record<string, unknown>;

export interface RpcRequest {
  kind: 'request';
  id: RequestId;
  method: string;
  params: Params;
  meta: Params;
}

/** Something that is to be accepted and never answered: a notification, or a client's response. */
export interface RpcOneWayMessage {
  kind: 'notification' | 'response';
}

/** An error of the protocol itself: a JSON-RPC error, and the HTTP status that goes with it. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly data?: unknown,
    /** The id of the request concerned, where it could be read. */
    readonly id?: RequestId,
  ) {
    super(message);
  }

  /** The JSON-RPC message. The id is left out, never null, when there is none: MCP allows no null id. */
  toJSON(): object {
    const error = { code: this.code, message: this.message, ...(this.data === undefined ? {} : { data: this.data }) };
    return { jsonrpc: JSONRPC_VERSION, ...(this.id === undefined ? {} : { id: this.id }), error };
  }
}

export const isObject = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Ids are strings or whole numbers, and a number must survive being read: else it could not be echoed exactly. */
const isRequestId = (value: unknown): value is RequestId => typeof value === 'string' || Number.isSafeInteger(value);

const invalid = (message: string, id?: RequestId) =>
  new ProtocolError(400, ErrorCode.InvalidRequest, message, undefined, id);

const NO_PARAMS: Params = Object.freeze({});

/** Reads one parsed message. @throws ProtocolError when it is no JSON-RPC 2.0 message, or several */
export function readMessage(message: unknown): RpcRequest | RpcOneWayMessage {
  if (Array.isArray(message)) throw invalid('Batches are not supported: send each message in a request of its own.');
  if (!isObject(message)) throw invalid('The body must be one JSON-RPC message, an object.');
  const { id, method, params = NO_PARAMS } = message;
  const known = isRequestId(id) ? id : undefined;
  if (message.jsonrpc !== JSONRPC_VERSION) throw invalid('"jsonrpc" must be "2.0".', known);
  if (method === undefined && ('result' in message || 'error' in message)) return { kind: 'response' };
  if (typeof method !== 'string') throw invalid('"method" must be a string.', known);
  if (!isObject(params)) throw invalid('"params" must be an object.', known);
  if (!('id' in message)) return { kind: 'notification' };
  if (known === undefined) throw invalid('"id" must be a string or a whole number.');
  const meta = params._meta ?? NO_PARAMS;
  if (!isObject(meta))
    throw new ProtocolError(400, ErrorCode.InvalidParams, '"_meta" must be an object.', undefined, known);
  return { kind: 'request', id: known, method, params, meta };
}

/** A successful response around a result that is JSON text already. */
export const resultMessage = (id: RequestId, result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;

/** An error response around `data` that is JSON text already. */
export const errorMessage = (id: RequestId, code: number, message: string, data: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":${code},"message":${JSON.stringify(message)},"data":${data}}}`;
