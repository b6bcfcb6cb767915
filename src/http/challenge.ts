import type { IncomingMessage } from 'node:http';
import type { Caller } from '../commands/caller.ts';
import { Addresses, SCOPES, WRITE } from '../identity/oauth/addresses.ts';
import type { ToolBox } from '../mcp/toolbox.ts';
import { HttpError } from './http-errors.ts';

type Challenge = (request: IncomingMessage) => string;

/** Values of WWW-Authenticate that tell clients what they lack and where to get it (RFC 6750, RFC 9728). */
export interface Challenges {
  /** No credential was sent. */
  missing: Challenge;
  /** One was sent, and is none of ours or no longer. */
  invalid: Challenge;
  /** An OAuth client was not granted enough. */
  insufficient: Challenge;
}

export function challenges(baseUrl: string): Challenges {
  const addresses = new Addresses(baseUrl);
  const resourceParameters: Challenge = ({ headers }) =>
    `resource_metadata="${addresses.resourceMetadataFor(headers.host)}", scope="${SCOPES}"`;
  return {
    missing: (request) => `Bearer realm="veritrail", ${resourceParameters(request)}`,
    invalid: (request) =>
      `Bearer realm="veritrail", error="invalid_token", error_description="The access token is not valid", ${resourceParameters(request)}`,
    insufficient: (request) =>
      `Bearer realm="veritrail", error="insufficient_scope", error_description="The assistant was allowed to read only", ${resourceParameters(request)}`,
  };
}

/**
 * Refuses a tool to an OAuth client that was not granted it, in the way that lets the client ask for more (step-up).
 * Credentials without scopes are for the tool to refuse.
 */
export type ScopeGuard = (caller: Caller, tool: string, request: IncomingMessage) => void;

/** @returns throws HttpError 403 */
export function scopeGuard(tools: Pick<ToolBox, 'has' | 'isReadOnly'>, baseUrl: string): ScopeGuard {
  const { insufficient } = challenges(baseUrl);
  return ({ scopes }, tool, request) => {
    if (scopes === undefined || scopes.includes(WRITE) || !tools.has(tool) || tools.isReadOnly(tool)) return;
    const message = 'The assistant was allowed to read only: connect it again and allow it to make changes.';
    throw new HttpError(403, 'forbidden', message, { 'WWW-Authenticate': insufficient(request) });
  };
}
