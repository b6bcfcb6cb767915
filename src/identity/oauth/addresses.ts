/** The scopes that an OAuth client can be granted. */
export const READ_SCOPE = 'compliance:read';
export const WRITE_SCOPE = 'compliance:write';
export const ALL_SCOPES = `${READ_SCOPE} ${WRITE_SCOPE}`;

/** The paths of the protocol endpoints. */
export const OAUTH_PATHS = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
  jwks: '/oauth/jwks',
  interaction: '/oauth/interaction',
} as const;

export const MCP_PATH = '/api/mcp/v1';
/** The path at which the endpoint only reads, whatever the credential may do. */
export const READ_ONLY_MCP_PATH = `${MCP_PATH}/readonly`;

export interface McpAddress {
  /** The path as the client spells it, with or without a slash at its end. */
  path: string;
  readOnly: boolean;
  /** The scopes that a client can use there. */
  scopes: string;
}

const MCP_ADDRESSES: ReadonlyMap<string, McpAddress> = new Map(
  [MCP_PATH, READ_ONLY_MCP_PATH]
    .flatMap((path) => [path, `${path}/`])
    .map((path) => {
      const readOnly = path.startsWith(READ_ONLY_MCP_PATH);
      return [path, { path, readOnly, scopes: readOnly ? READ_SCOPE : ALL_SCOPES }];
    }),
);

/** Returns the address of the MCP endpoint that a request's path and query name; undefined for any other. */
export function mcpAddressOf(url = ''): McpAddress | undefined {
  if (!url.startsWith(MCP_PATH)) return undefined;
  return MCP_ADDRESSES.get(url) ?? MCP_ADDRESSES.get(url.split('?', 1)[0]!);
}

const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

/** The loopback names of this machine, as written in URLs. */
export const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** The addresses of the authorization server and its protected resource, below the base address. */
export class OAuthAddresses {
  /** The issuer's identifier: scheme, host and port, without a slash at the end. */
  readonly issuer: string;
  /** The resource's identifier, which access tokens are bound to. */
  readonly resource: string;
  /** All names of the resource that clients use, and the scopes that a token asked for by this name can have. */
  readonly scopesOfResource: ReadonlyMap<string, string>;
  /** This machine's loopback names with the port, if the base address is one of them; else empty. */
  private readonly loopbackHosts: readonly string[];

  constructor(baseUrl: string) {
    const { origin, protocol, hostname, port } = new URL(baseUrl);
    this.issuer = origin;
    this.resource = origin + MCP_PATH;
    const loopback = protocol === 'http:' && LOOPBACK_NAMES.has(hostname);
    this.loopbackHosts = loopback ? [...LOOPBACK_NAMES].map((name) => (port === '' ? name : `${name}:${port}`)) : [];
    const bases = [...new Set([origin, ...this.loopbackHosts.map((host) => `http://${host}`)])];
    const paths = [...MCP_ADDRESSES.keys(), '/api/mcp/tools', '/api/mcp/tools/', '', '/'];
    this.scopesOfResource = new Map(
      bases.flatMap((base) => paths.map((path) => [base + path, mcpAddressOf(path)?.scopes ?? ALL_SCOPES])),
    );
  }

  /** Returns the base address for a request's Host header. On loopback it keeps the client's own name for the machine. */
  baseFor(host: string | undefined): string {
    return host !== undefined && this.loopbackHosts.includes(host.toLowerCase())
      ? `http://${host.toLowerCase()}`
      : this.issuer;
  }

  /** Returns the address of the resource's metadata (RFC 9728 section 3.1). @param path the path that the client used */
  resourceMetadataFor(host: string | undefined, path: string): string {
    return this.baseFor(host) + RESOURCE_METADATA_PATH + path;
  }

  /**
   * Returns the metadata at an address; null if it is another one. RFC 9728 requires the identifier that the client used.
   * The address without a resource's path is for older clients.
   */
  protectedResource(host: string | undefined, metadataPath: string): object | null {
    if (!metadataPath.startsWith(RESOURCE_METADATA_PATH)) return null;
    const path = metadataPath.slice(RESOURCE_METADATA_PATH.length);
    const address = mcpAddressOf(path === '' || path === '/' ? MCP_PATH : path);
    if (address === undefined) return null;
    return {
      resource: this.baseFor(host) + address.path,
      authorization_servers: [this.issuer],
      scopes_supported: address.scopes.split(' '),
      bearer_methods_supported: ['header'],
      resource_name: 'veritrail',
    };
  }

  /** Returns the server's metadata (RFC 8414). @param documents true to advertise client ID metadata documents */
  authorizationServer(documents: boolean): object {
    const at = (path: string) => this.issuer + path;
    return {
      issuer: this.issuer,
      authorization_endpoint: at(OAUTH_PATHS.authorize),
      token_endpoint: at(OAUTH_PATHS.token),
      registration_endpoint: at(OAUTH_PATHS.register),
      revocation_endpoint: at(OAUTH_PATHS.revoke),
      jwks_uri: at(OAUTH_PATHS.jwks),
      scopes_supported: [READ_SCOPE, WRITE_SCOPE],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: [...SIGNING_ALGORITHMS],
      revocation_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      revocation_endpoint_auth_signing_alg_values_supported: [...SIGNING_ALGORITHMS],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: documents,
      protected_resources: [this.resource, this.issuer + READ_ONLY_MCP_PATH],
    };
  }
}

/** Signature algorithms for clients with a key. */
export const SIGNING_ALGORITHMS = ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'] as const;
