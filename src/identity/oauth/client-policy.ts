import { normalize } from '../../commands/engine/normalize.ts';
import { isReservedName } from '../../commands/organization/person-names.ts';
import { errors } from './oidc-provider.ts';
import { redirectKind } from './redirects.ts';

const MAX_REDIRECTS = 10;
const MAX_NAME_LENGTH = 80;
/** Characters of a name that are read. Normalizing can make eighteen of one. */
const MAX_READ_CHARACTERS = 500;
/** The metadata fields that are used here. All others are ignored, as RFC 7591 allows. */
const ALLOWED_KEYS: ReadonlySet<string> = new Set([
  'client_id',
  'client_id_issued_at',
  'client_name',
  'client_uri',
  'redirect_uris',
  'application_type',
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
  'token_endpoint_auth_signing_alg',
  'jwks',
  'jwks_uri',
  'software_id',
]);
const GRANTS: readonly unknown[] = ['authorization_code', 'refresh_token'];

/** A client's unchecked metadata. */
type Metadata = Record<string, unknown>;

/**
 * Reduces a client's metadata to what this server grants, in place. It drops or replaces values that stock clients send
 * without need, and refuses redirects that must get no code. Runs before the library's own checks.
 * @throws InvalidClientMetadata
 */
export function applyClientPolicy(metadata: Metadata): void {
  for (const key of Object.keys(metadata)) if (!ALLOWED_KEYS.has(key)) delete metadata[key];
  const redirects = redirectsOf(metadata.redirect_uris);
  // Clients often omit the type or send a wrong one. Native clients may use any loopback port (RFC 8252).
  metadata.application_type = redirects.every((uri) => redirectKind(uri) === 'WEB') ? 'web' : 'native';
  metadata.response_types = ['code'];
  metadata.grant_types = grantsOf(metadata.grant_types);
  if (metadata.token_endpoint_auth_method !== 'private_key_jwt') {
    // The server issues no client secrets. The response tells a client that asked for one that it is public.
    metadata.token_endpoint_auth_method = 'none';
    for (const key of ['jwks', 'jwks_uri', 'token_endpoint_auth_signing_alg']) delete metadata[key];
  }
  setOrDelete(metadata, 'client_name', nameOf(metadata.client_name));
  setOrDelete(metadata, 'client_uri', webUri(metadata.client_uri));
  setOrDelete(
    metadata,
    'software_id',
    typeof metadata.software_id === 'string' ? metadata.software_id.slice(0, 200) : null,
  );
}

function redirectsOf(uris: unknown): string[] {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECTS) {
    throw new errors.InvalidClientMetadata(`redirect_uris must be a list of 1 to ${MAX_REDIRECTS} addresses`);
  }
  for (const uri of uris) {
    if (typeof uri === 'string' && redirectKind(uri) !== null) continue;
    const rule =
      'https addresses, http addresses on loopback, or private-use schemes (a reversed domain name, or a known editor)';
    throw new errors.InvalidClientMetadata(`redirect_uris must be ${rule}, without a fragment, user name or wildcard`);
  }
  return uris as string[];
}

function grantsOf(grants: unknown): unknown[] {
  const supported = Array.isArray(grants) ? grants.filter((grant) => GRANTS.includes(grant)) : GRANTS;
  return [...new Set(['authorization_code', ...supported])];
}

/** Returns a name on one line, without control and bidirectional characters. Null if nothing is left, and for the service's own words. */
function nameOf(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const visible = normalize(text.slice(0, MAX_READ_CHARACTERS), 'NFKC').replace(/\s+/gu, ' ').replace(/\p{C}/gu, '');
  const name = [...visible.replace(/ +/g, ' ').trim()].slice(0, MAX_NAME_LENGTH).join('');
  return isReservedName(name) ? null : name;
}

function webUri(uri: unknown): string | null {
  if (typeof uri !== 'string' || uri.length > 500 || !URL.canParse(uri)) return null;
  return new URL(uri).protocol === 'https:' ? new URL(uri).href : null;
}

function setOrDelete(metadata: Metadata, key: string, value: string | null): void {
  if (value === null) delete metadata[key];
  else metadata[key] = value;
}
