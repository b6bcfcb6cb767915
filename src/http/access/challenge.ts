import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../commands/organization/caller.ts';
import { ALL_SCOPES, MCP_PATH, mcpAddressOf, OAuthAddresses, WRITE_SCOPE } from '../../identity/oauth/addresses.ts';
import type { ToolBox } from '../../tools/toolbox.ts';
import { HttpError } from '../http-errors.ts';

type Challenge = (request: IncomingMessage) => string;

/** Values of WWW-Authenticate. They tell clients what is missing and where to get it (RFC 6750, RFC 9728). */
export interface Challenges {
  /** No credential was sent. */
  missing: Challenge;
  /** The credential is unknown, expired or revoked. */
  invalid: Challenge;
  /** An OAuth client needs a scope that it was not granted. */
  insufficient: Challenge;
}

export function challenges(baseUrl: string): Challenges {
  const addresses = new OAuthAddresses(baseUrl);
  const resourceParameters: Challenge = ({ headers, url }) => {
    // Other addresses, such as those of the direct form, belong to the same resource.
    const { path, scopes } = mcpAddressOf(url) ?? { path: MCP_PATH, scopes: ALL_SCOPES };
    return `resource_metadata="${addresses.resourceMetadataFor(headers.host, path)}", scope="${scopes}"`;
  };
  return {
    missing: (request) => `Bearer realm="veritrail", ${resourceParameters(request)}`,
    invalid: (request) =>
      `Bearer realm="veritrail", error="invalid_token", error_description="The access token is not valid", ${resourceParameters(request)}`,
    insufficient: (request) =>
      `Bearer realm="veritrail", error="insufficient_scope", error_description="The assistant was allowed to read only", ${resourceParameters(request)}`,
  };
}

/**
 * Refuses a tool to an OAuth client without its scope. The challenge lets the client ask for more (step-up).
 * Credentials without scopes are checked by the tool itself, and so are calls at the address that only reads: no scope helps
 * there.
 */
export type ScopeGuard = (caller: Caller, tool: string, request: IncomingMessage) => void;

/** Returns a guard that throws HttpError 403 for a tool beyond the granted scopes. */
export function scopeGuard(tools: Pick<ToolBox, 'has' | 'isReadOnly'>, baseUrl: string): ScopeGuard {
  const { insufficient } = challenges(baseUrl);
  return ({ scopes }, tool, request) => {
    if (scopes === undefined || scopes.includes(WRITE_SCOPE) || !tools.has(tool) || tools.isReadOnly(tool)) return;
    if (mcpAddressOf(request.url)?.readOnly) return;
    const message = 'The assistant may only read. Connect it again and allow it to make changes.';
    throw new HttpError(403, 'forbidden', message, { 'WWW-Authenticate': insufficient(request) });
  };
}
