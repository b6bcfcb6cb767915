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

/** The path of the MCP endpoint, the only resource that tokens are valid for. */
export const MCP_PATH = '/api/mcp/v1';

/** The loopback names of this machine, as written in URLs. */
export const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** The addresses of the authorization server and its protected resource, below the base address. */
export class OAuthAddresses {
  /** The issuer's identifier: scheme, host and port, without a slash at the end. */
  readonly issuer: string;
  /** The resource's identifier, which access tokens are bound to. */
  readonly resource: string;
  /** All spellings of the resource that clients use. */
  readonly resourceAliases: readonly string[];
  /** This machine's loopback names with the port, if the base address is one of them; else empty. */
  private readonly loopbackHosts: readonly string[];

  constructor(baseUrl: string) {
    const { origin, protocol, hostname, port } = new URL(baseUrl);
    this.issuer = origin;
    this.resource = origin + MCP_PATH;
    const loopback = protocol === 'http:' && LOOPBACK_NAMES.has(hostname);
    this.loopbackHosts = loopback ? [...LOOPBACK_NAMES].map((name) => (port === '' ? name : `${name}:${port}`)) : [];
    const bases = [...new Set([origin, ...this.loopbackHosts.map((host) => `http://${host}`)])];
    this.resourceAliases = bases.flatMap((base) => [
      base + MCP_PATH,
      `${base}${MCP_PATH}/`,
      `${base}/api/mcp/tools`,
      base,
      `${base}/`,
    ]);
  }

  /** Returns the base address for a request's Host header. On loopback it keeps the client's own name for the machine. */
  baseFor(host: string | undefined): string {
    return host !== undefined && this.loopbackHosts.includes(host.toLowerCase())
      ? `http://${host.toLowerCase()}`
      : this.issuer;
  }

  /** Returns the address of the resource's metadata (RFC 9728 section 3.1). */
  resourceMetadataFor(host: string | undefined): string {
    return `${this.baseFor(host)}/.well-known/oauth-protected-resource${MCP_PATH}`;
  }

  /** Returns the resource's metadata. RFC 9728 requires the identifier that the client used. */
  protectedResource(host: string | undefined): object {
    return {
      resource: this.baseFor(host) + MCP_PATH,
      authorization_servers: [this.issuer],
      scopes_supported: [READ_SCOPE, WRITE_SCOPE],
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
      protected_resources: [this.resource],
    };
  }
}

/** Signature algorithms for clients with a key. */
export const SIGNING_ALGORITHMS = ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'] as const;
