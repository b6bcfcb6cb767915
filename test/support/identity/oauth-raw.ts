/** Sends single OAuth messages, so that tests can also send invalid ones. */
import { createHash, randomBytes } from 'node:crypto';
import { type OAuthService, TestBrowser } from './oauth-service.ts';

export const REDIRECT = 'http://127.0.0.1:33418/callback';

/** A service's address, and the resource that its tokens are for. */
export type Target = Pick<OAuthService, 'url' | 'resource'>;

export interface Answer {
  status: number;
  headers: Headers;
  json: Record<string, unknown>;
}

export interface TokenSet {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
}

export async function register(service: Target, metadata: object): Promise<Answer> {
  const response = await fetch(`${service.url}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  return toAnswer(response);
}

/** Registers a client with one loopback redirect. Returns its id. */
export async function newClient(service: Target, metadata: object = {}): Promise<string> {
  const answer = await register(service, { client_name: 'Raw client', redirect_uris: [REDIRECT], ...metadata });
  if (answer.status !== 201) throw new Error(`not registered: ${JSON.stringify(answer.json)}`);
  return String(answer.json.client_id);
}

/** Generates a verifier and its S256 challenge (RFC 7636). */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

type Fields = Record<string, string | readonly string[] | undefined>;

/** Returns an authorization request's address. Fields that are undefined are left out. */
export function authorizeUrl(service: Target, client_id: string, challenge: string, fields: Fields = {}): string {
  const url = new URL(`${service.url}/oauth/authorize`);
  url.search = query({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT,
    state: 'a-state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource: service.resource,
    ...fields,
  });
  return url.href;
}

/** Posts a form to an endpoint, as a client does. */
export async function postForm(service: Target, path: string, fields: Fields): Promise<Answer> {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: query(fields),
  });
  return toAnswer(response);
}

export function exchange(service: Target, client_id: string, code: string, verifier: string, fields: Fields = {}) {
  return postForm(service, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id,
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT,
    resource: service.resource,
    ...fields,
  });
}

export function refresh(service: Target, client_id: string, refresh_token: string, fields: Fields = {}) {
  return postForm(service, '/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token, ...fields });
}

/** Lets the owner allow a client. Returns the authorization code and the PKCE verifier. */
export async function authorizeAsOwner(service: OAuthService, client: string, fields: Fields = {}) {
  const { verifier, challenge } = pkce();
  const callback = await new TestBrowser(service, service.owner).allow(
    authorizeUrl(service, client, challenge, fields),
  );
  const code = callback.searchParams.get('code');
  if (code === null) throw new Error(`no code: ${callback}`);
  return { code, verifier };
}

/** Registers a client, lets the owner allow it, and exchanges the code for tokens. */
export async function connectClient(service: OAuthService, fields: Fields = {}) {
  const client = await newClient(service);
  const { code, verifier } = await authorizeAsOwner(service, client, fields);
  const answer = await exchange(service, client, code, verifier);
  if (answer.status !== 200) throw new Error(`no tokens: ${JSON.stringify(answer.json)}`);
  return { client, code, verifier, tokens: answer.json as unknown as TokenSet };
}

/** Sends a token to the resource. Returns the answer's status: 200 or 401. */
export async function statusWithToken(service: Target, token: string): Promise<number> {
  const response = await fetch(`${service.url}/api/mcp/v1`, { headers: { Authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response.status;
}

function query(fields: Fields): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const item of value === undefined ? [] : [value].flat()) parameters.append(name, item);
  }
  return parameters.toString();
}

async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { text };
  return { status: response.status, headers: response.headers, json };
}
