import { normalize } from '../../commands/normalize.ts';
import { errors } from './oidc-provider.ts';
import { redirectKind } from './redirects.ts';

const MAX_REDIRECTS = 10;
const MAX_NAME = 80;
/** The metadata fields that are used here. All others are ignored, as RFC 7591 allows. */
const ALLOWED_KEYS: ReadonlySet<string> = new Set([
  ...['client_id', 'client_id_issued_at', 'client_name', 'client_uri', 'redirect_uris', 'application_type'],
  ...['grant_types', 'response_types', 'token_endpoint_auth_method', 'token_endpoint_auth_signing_alg'],
  ...['jwks', 'jwks_uri', 'software_id'],
]);
const GRANTS: readonly unknown[] = ['authorization_code', 'refresh_token'];

/** A client's metadata as it came, from whomever: no value is known to be of its type. */
type Metadata = Record<string, unknown>;

/**
 * Reduces a client's metadata to what this server grants, in place. It drops or replaces values that stock clients send
 * without need, and refuses redirects that must get no code. Runs before the library's own checks.
 * @throws InvalidClientMetadata
 */
export function applyClientPolicy(metadata: Metadata): void {
  for (const key of Object.keys(metadata)) if (!ALLOWED_KEYS.has(key)) delete metadata[key];
  const redirects = redirectsOf(metadata.redirect_uris);
  // Clients seldom say it, or what they are not. Native ones may use any port of the loopback address (RFC 8252).
  metadata.application_type = redirects.every((uri) => redirectKind(uri) === 'WEB') ? 'web' : 'native';
  metadata.response_types = ['code'];
  metadata.grant_types = grantsOf(metadata.grant_types);
  if (metadata.token_endpoint_auth_method !== 'private_key_jwt') {
    // There are no shared secrets: whoever asks for one is a public client with PKCE, and is told so.
    metadata.token_endpoint_auth_method = 'none';
    for (const key of ['jwks', 'jwks_uri', 'token_endpoint_auth_signing_alg']) delete metadata[key];
  }
  tidy(metadata, 'client_name', nameOf(metadata.client_name));
  tidy(metadata, 'client_uri', webUri(metadata.client_uri));
  tidy(metadata, 'software_id', typeof metadata.software_id === 'string' ? metadata.software_id.slice(0, 200) : null);
}

function redirectsOf(given: unknown): string[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_REDIRECTS) {
    throw new errors.InvalidClientMetadata(`redirect_uris must be a list of 1 to ${MAX_REDIRECTS} addresses`);
  }
  for (const uri of given) {
    if (typeof uri === 'string' && redirectKind(uri) !== null) continue;
    const rule =
      'https addresses, http ones of the loopback address, or private-use schemes (a reversed domain name, or a known editor)';
    throw new errors.InvalidClientMetadata(`redirect_uris must be ${rule}, without fragment, user name and wildcard`);
  }
  return given as string[];
}

function grantsOf(given: unknown): unknown[] {
  const known = Array.isArray(given) ? given.filter((grant) => GRANTS.includes(grant)) : GRANTS;
  return [...new Set(['authorization_code', ...known])];
}

/** A name on one line, without characters that hide or turn others around. Null where none is left. */
function nameOf(given: unknown): string | null {
  if (typeof given !== 'string') return null;
  const visible = normalize(given, 'NFKC').replace(/\s+/gu, ' ').replace(/\p{C}/gu, '');
  const name = visible.replace(/ +/g, ' ').trim();
  return name === '' ? null : [...name].slice(0, MAX_NAME).join('');
}

function webUri(given: unknown): string | null {
  if (typeof given !== 'string' || given.length > 500 || !URL.canParse(given)) return null;
  return new URL(given).protocol === 'https:' ? new URL(given).href : null;
}

function tidy(metadata: Metadata, key: string, value: string | null): void {
  if (value === null) delete metadata[key];
  else metadata[key] = value;
}
