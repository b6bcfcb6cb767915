/**
 * The protocol's two eras on one endpoint. The legacy one opens with `initialize` and names its version in a header;
 * the modern one (2026-07-28) says everything in every request's `_meta`, mirrored in headers that must agree.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { ErrorCode, LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from '../commands/caller.ts';
import { isObject, type Params, ProtocolError, type RpcRequest } from './protocol-message.ts';

const MODERN_VERSION = '2026-07-28';
export const LATEST_LEGACY_VERSION = LATEST_PROTOCOL_VERSION;

/** Older versions speak another transport; 2025-03-26 would have us receive batches, which every later version forbids. */
const LEGACY_VERSIONS = SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version >= '2025-06-18');
export const SUPPORTED_VERSIONS: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS];

/** Errors that 2026-07-28 defines beside JSON-RPC's own. */
const HEADER_MISMATCH = -32020;
const UNSUPPORTED_PROTOCOL_VERSION = -32022;

/** A resource that there is not: 2026-07-28 gave up the older code, which stands in a range for implementations. */
export const RESOURCE_NOT_FOUND: Record<Era, number> = { legacy: -32002, modern: ErrorCode.InvalidParams };

const META = 'io.modelcontextprotocol/';
export const SERVER_INFO = `${META}serverInfo`;

export type Era = 'legacy' | 'modern';

export const isLegacyVersion = (version: unknown): version is string =>
  typeof version === 'string' && LEGACY_VERSIONS.includes(version);

const mismatch = (message: string) => new ProtocolError(400, HEADER_MISMATCH, `Header mismatch: ${message}`);

const unsupported = (requested: string) =>
  new ProtocolError(400, UNSUPPORTED_PROTOCOL_VERSION, 'Unsupported protocol version', {
    supported: SUPPORTED_VERSIONS,
    requested: requested.slice(0, 100),
  });

const headerOf = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};

/** Refuses a version header that names no version of ours; it may be absent, as some clients leave it out. */
export function checkVersionHeader(headers: IncomingHttpHeaders): void {
  const version = headerOf(headers, 'mcp-protocol-version');
  if (version !== undefined && !SUPPORTED_VERSIONS.includes(version)) throw unsupported(version);
}

/**
 * Which era a request belongs to, by the version in its `_meta` and that of its header, which must not contradict
 * each other. A modern request is checked whole. Other reserved `_meta` keys decide nothing: legacy clients send some.
 */
export function eraOf(request: RpcRequest, headers: IncomingHttpHeaders): Era {
  const header = headerOf(headers, 'mcp-protocol-version');
  const claimed = request.meta[`${META}protocolVersion`];
  if (claimed === undefined && header !== MODERN_VERSION) {
    checkVersionHeader(headers);
    return 'legacy';
  }
  if (typeof claimed !== 'string') throw missingMeta('protocolVersion');
  if (isLegacyVersion(claimed) && (header === undefined || header === claimed)) return 'legacy';
  if (header !== claimed) {
    throw mismatch(`MCP-Protocol-Version is ${quote(header)}, the body's _meta says ${quote(claimed)}`);
  }
  if (claimed !== MODERN_VERSION) throw unsupported(claimed);
  checkModern(request, headers);
  return 'modern';
}

function checkModern({ meta, method, params }: RpcRequest, headers: IncomingHttpHeaders): void {
  if (!isObject(meta[`${META}clientCapabilities`])) throw missingMeta('clientCapabilities');
  const info = meta[`${META}clientInfo`];
  if (info !== undefined && !(isObject(info) && typeof info.name === 'string' && typeof info.version === 'string')) {
    throw new ProtocolError(400, ErrorCode.InvalidParams, `_meta["${META}clientInfo"] must have a name and a version.`);
  }
  const named = headerOf(headers, 'mcp-method');
  if (named !== method) throw mismatch(`Mcp-Method is ${quote(named)}, the body's method is ${quote(method)}`);
  const source = NAME_PARAMETERS.get(method);
  if (source === undefined) return;
  const name = headerOf(headers, 'mcp-name');
  if (name === undefined || decodeHeader(name) !== params[source]) {
    throw mismatch(`Mcp-Name is ${quote(name)}, which is not the body's params.${source}`);
  }
}

/** The methods whose requests carry Mcp-Name, and the parameter that it repeats. */
const NAME_PARAMETERS = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

const missingMeta = (key: string) =>
  new ProtocolError(400, ErrorCode.InvalidParams, `Invalid params: _meta["${META}${key}"] is required.`);

const quote = (value: string | undefined) => (value === undefined ? 'missing' : `'${value.slice(0, 100)}'`);

/** A header's value, decoded where it is wrapped as `=?base64?…?=`; undefined when that is no base64 of UTF-8. */
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

/** Who says to be calling: for display and the record only, so bounded and free of anything that upsets a terminal. */
export function clientOf(era: Era, meta: Params, headers: IncomingHttpHeaders): Caller['client'] {
  if (era === 'modern') {
    const info = meta[`${META}clientInfo`];
    return isObject(info) ? tidyClient(String(info.name), String(info.version)) : null;
  }
  const product = /^([^\s/()]+)(?:\/(\S+))?/.exec(headers['user-agent'] ?? '');
  return product ? tidyClient(product[1] ?? '', product[2] ?? '') : null;
}

function tidyClient(name: string, version: string): Caller['client'] {
  const tidy = { name: tidyText(name, 100), version: tidyText(version, 40) };
  return tidy.name === '' ? null : tidy;
}

const tidyText = (text: string, length: number) =>
  text
    .slice(0, length)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim();
