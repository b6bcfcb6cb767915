import type { IncomingHttpHeaders } from 'node:http';
import type { Result } from '@modelcontextprotocol/server';
import type { Caller } from '../../commands/organization/caller.ts';
import { isObject, type UncheckedObject } from '../../tools/schema/client-values.ts';
import type { ProtocolAnswer } from './mcp-exchange.ts';

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

const MAX_ID_CHARACTERS = 1_000;

/** An id is a short string or a safe integer. A larger number would lose digits and could not be echoed exactly. */
const isRequestId = (value: unknown): value is RequestId =>
  typeof value === 'string' ? value.length <= MAX_ID_CHARACTERS : Number.isSafeInteger(value);

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
  if (requestId === undefined)
    throw invalid('"id" must be a string of at most 1000 characters or an integer of at most 9007199254740991.');
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

/*
 * The protocol's two eras on one endpoint. The legacy one starts with `initialize` and sends its version in a header.
 * The modern one (2026-07-28) sends everything in each request's `_meta`, and repeats it in headers that must agree.
 */

export const MODERN_VERSION = '2026-07-28';
export const LATEST_LEGACY_VERSION = '2025-11-25';

/** Older versions use another transport, and 2025-03-26 requires batches, which later versions forbid. */
const LEGACY_VERSIONS: readonly string[] = [LATEST_LEGACY_VERSION, '2025-06-18'];
export const SUPPORTED_VERSIONS: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS];

/** Returns true if a version's `serverInfo` can have icons. Older clients might refuse unknown members. */
export const knowsIcons = (version: string): boolean => version >= '2025-11-25';

/** Error codes that 2026-07-28 adds to JSON-RPC's. */
const HEADER_MISMATCH = -32020;
const UNSUPPORTED_PROTOCOL_VERSION = -32022;

/** The error code for an unknown resource. 2026-07-28 replaced the older code. */
export const RESOURCE_NOT_FOUND: Record<Era, number> = { legacy: -32002, modern: RPC_ERRORS.invalidParams };

export const META = 'io.modelcontextprotocol/';
export const SERVER_INFO = `${META}serverInfo`;

export type Era = 'legacy' | 'modern';

export const isLegacyVersion = (version: unknown): version is string =>
  typeof version === 'string' && LEGACY_VERSIONS.includes(version);

const headerMismatch = (message: string) => new ProtocolError(400, HEADER_MISMATCH, `Header mismatch: ${message}`);

const unsupported = (requested: string) =>
  new ProtocolError(400, UNSUPPORTED_PROTOCOL_VERSION, 'Unsupported protocol version', {
    supported: SUPPORTED_VERSIONS,
    requested: requested.slice(0, 100),
  });

/** The error for a method that the era doesn't have. */
export const methodNotFound = (era: Era, method: string) =>
  new ProtocolError(NOT_FOUND_STATUS[era], RPC_ERRORS.methodNotFound, `Method not found: ${method.slice(0, 100)}`);

const NOT_FOUND_STATUS: Record<Era, number> = { legacy: 200, modern: 404 };

const headerOf = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};

/** Refuses a version header with an unsupported version. The header can be missing: some clients don't send it. */
export function checkVersionHeader(headers: IncomingHttpHeaders): void {
  const version = headerOf(headers, 'mcp-protocol-version');
  if (version !== undefined && !SUPPORTED_VERSIONS.includes(version)) throw unsupported(version);
}

/**
 * Returns a request's era, by the versions in its `_meta` and header, which must not contradict each other. Checks all
 * other parts of a modern request too. Other reserved `_meta` keys don't matter: legacy clients send some.
 */
export function eraOf(request: RpcRequest, headers: IncomingHttpHeaders): Era {
  const header = headerOf(headers, 'mcp-protocol-version');
  const metaVersion = request.meta[`${META}protocolVersion`];
  if (metaVersion === undefined && header !== MODERN_VERSION) {
    checkVersionHeader(headers);
    return 'legacy';
  }
  if (typeof metaVersion !== 'string') throw missingMeta('protocolVersion');
  if (isLegacyVersion(metaVersion) && (header === undefined || header === metaVersion)) return 'legacy';
  if (header !== metaVersion) {
    throw headerMismatch(`MCP-Protocol-Version is ${quote(header)}, the body's _meta says ${quote(metaVersion)}`);
  }
  if (metaVersion !== MODERN_VERSION) throw unsupported(metaVersion);
  checkModern(request, headers);
  return 'modern';
}

function checkModern({ meta, method, params }: RpcRequest, headers: IncomingHttpHeaders): void {
  if (!isObject(meta[`${META}clientCapabilities`])) throw missingMeta('clientCapabilities');
  const info = meta[`${META}clientInfo`];
  if (info !== undefined && !(isObject(info) && typeof info.name === 'string' && typeof info.version === 'string')) {
    throw new ProtocolError(
      400,
      RPC_ERRORS.invalidParams,
      `_meta["${META}clientInfo"] must have a name and a version.`,
    );
  }
  const methodHeader = headerOf(headers, 'mcp-method');
  if (methodHeader !== method)
    throw headerMismatch(`Mcp-Method is ${quote(methodHeader)}, the body's method is ${quote(method)}`);
  const source = NAME_PARAMETERS.get(method);
  if (source === undefined) return;
  const name = headerOf(headers, 'mcp-name');
  if (name === undefined || decodeHeader(name) !== params[source]) {
    throw headerMismatch(`Mcp-Name is ${quote(name)}, which is not the body's params.${source}`);
  }
}

/** Returns true if a request states its version. A client that never does may be older than all supported versions. */
export function statesVersion({ meta }: RpcRequest, headers: IncomingHttpHeaders): boolean {
  return headerOf(headers, 'mcp-protocol-version') !== undefined || meta[`${META}protocolVersion`] !== undefined;
}

/** The methods whose requests have the header Mcp-Name, and the parameter that it repeats. */
const NAME_PARAMETERS = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

const missingMeta = (key: string) =>
  new ProtocolError(400, RPC_ERRORS.invalidParams, `Invalid params: _meta["${META}${key}"] is required.`);

const quote = (value: string | undefined) => (value === undefined ? 'missing' : `'${value.slice(0, 100)}'`);

/** Returns a header's value, decoded if it is `=?base64?…?=`; undefined if that isn't valid base64 of UTF-8. */
function decodeHeader(value: string): string | undefined {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value;
  const encoded = value.slice('=?base64?'.length, -'?='.length);
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the client's own name and version. They are only displayed and recorded, so they are shortened and cleaned. */
export function clientOf(era: Era, meta: UncheckedObject, headers: IncomingHttpHeaders): Caller['client'] {
  if (era === 'modern') {
    const info = meta[`${META}clientInfo`];
    return isObject(info) ? tidyClient(String(info.name), String(info.version)) : null;
  }
  const product = /^([^\s/()]+)(?:\/(\S+))?/.exec(headers['user-agent'] ?? '');
  return product ? tidyClient(product[1] ?? '', product[2] ?? '') : null;
}

/** Begins the names of this service's own programs. A caller's program with such a name gets quotation marks around it. */
const OWN_NAME = /^veritrail(?: |$)/i;

function tidyClient(name: string, version: string): Caller['client'] {
  const tidied = tidyText(name, 100);
  const tidy = { name: OWN_NAME.test(tidied) ? `"${tidied}"` : tidied, version: tidyText(version, 40) };
  return tidy.name === '' ? null : tidy;
}

const tidyText = (text: string, length: number) =>
  text
    .slice(0, length)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim();
