/** A small OpenID provider over HTTP. Tests choose its claims and can make its answers invalid. */
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const CLIENT = { clientId: 'veritrail', clientSecret: 'between: us & them' };

type Json = Record<string, unknown>;

export interface TestProvider {
  issuer: string;
  settings: { issuer: string; clientId: string; clientSecret: string };
  /** The person who signs in: claims of the ID token besides those of the protocol. */
  person: Json;
  /** Claims that the userinfo address alone has. */
  info: Json;
  /** Changes an ID token before it is signed. */
  changeClaims: (claims: Json) => Json;
  /** The key that signs; the published key unless replaced. */
  key: KeyObject;
  /** Changes the address to which the browser returns. */
  answer: (parameters: URLSearchParams) => void;
  /** If set, every address returns this answer. */
  down: number | null;
  /** True if a code can be exchanged several times. */
  sloppy: boolean;
  /** Another address that it redirects browsers through, such as a company's own sign-in page. */
  redirectVia: string | null;
  /** The parameters of the last authorization request, and all requested paths. */
  authorizationParameters: URLSearchParams;
  paths: string[];
  stop(): Promise<void>;
}

interface Grant {
  parameters: URLSearchParams;
  person: Json;
  info: Json;
}

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEY_ID = 'one';

/** Returns an ID token, signed by this key. */
function jwt(claims: Json, key: KeyObject): string {
  const encodePart = (json: Json) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const text = `${encodePart({ alg: 'RS256', kid: KEY_ID, typ: 'JWT' })}.${encodePart(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

/** @param port 0: any */
export async function startProvider(port = 0): Promise<TestProvider> {
  const server = createServer((request, response) => void serve(request, response)).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const codes = new Map<string, Grant>();
  const tokens = new Map<string, Grant>();
  const provider: TestProvider = {
    issuer,
    settings: { issuer, ...CLIENT },
    person: {},
    info: {},
    changeClaims: (claims) => claims,
    key: privateKey,
    answer: () => undefined,
    down: null,
    sloppy: false,
    redirectVia: null,
    authorizationParameters: new URLSearchParams(),
    paths: [],
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  const routes: Record<string, (url: URL, request: IncomingMessage, response: ServerResponse) => unknown> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      authorization_response_iss_parameter_supported: true,
      id_token_signing_alg_values_supported: ['RS256'],
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
    }),
    '/jwks': () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, use: 'sig', alg: 'RS256' }] }),
    '/authorize': ({ searchParams }, _request, response) => {
      provider.authorizationParameters = searchParams;
      const code = randomUUID();
      codes.set(code, { parameters: searchParams, person: provider.person, info: provider.info });
      const callback = new URL(searchParams.get('redirect_uri')!);
      callback.search = String(new URLSearchParams({ code, state: searchParams.get('state')!, iss: issuer }));
      provider.answer(callback.searchParams);
      const callbackAddress =
        provider.redirectVia === null
          ? callback.href
          : `${provider.redirectVia}?to=${encodeURIComponent(callback.href)}`;
      response.writeHead(302, { Location: callbackAddress }).end();
    },
    '/token': async (_url, request) => {
      const form = new URLSearchParams(await textOf(request));
      const code = form.get('code') ?? '';
      const grant = codes.get(code);
      if (!provider.sloppy) codes.delete(code);
      if (grant === undefined || !isClient(request) || !matchesRequest(grant.parameters, form))
        return { error: 'invalid_grant' };
      const access_token = randomUUID();
      tokens.set(access_token, grant);
      const now = Math.floor(Date.now() / 1_000);
      const times = { iat: now, exp: now + 60 };
      const claims = { iss: issuer, aud: CLIENT.clientId, nonce: grant.parameters.get('nonce'), ...times };
      const id_token = jwt(provider.changeClaims({ ...claims, ...grant.person }), provider.key);
      return { access_token, token_type: 'Bearer', expires_in: 60, id_token };
    },
    '/userinfo': (_url, { headers }) => {
      const grant = tokens.get(String(headers.authorization).replace(/^Bearer /, ''));
      return grant === undefined ? { error: 'invalid_token' } : { sub: grant.person.sub, ...grant.info };
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, issuer);
    provider.paths.push(url.pathname);
    if (provider.down !== null) return void response.writeHead(provider.down).end();
    const answer = (await routes[url.pathname]?.(url, request, response)) as Json | undefined;
    if (response.writableEnded) return;
    const status = answer === undefined ? 404 : 'error' in answer ? 400 : 200;
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer ?? {}));
  }

  return provider;
}

/** Checks a client's HTTP Basic credentials. Both parts are form-encoded first (RFC 6749 section 2.3.1). */
function isClient({ headers }: IncomingMessage): boolean {
  const credentials = Buffer.from(String(headers.authorization).replace(/^Basic /, ''), 'base64').toString();
  const [id, secret] = credentials.split(':').map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
  return id === CLIENT.clientId && secret === CLIENT.clientSecret;
}

function matchesRequest(asked: URLSearchParams, form: URLSearchParams): boolean {
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url');
  const proven = asked.get('code_challenge_method') === 'S256' && asked.get('code_challenge') === challenge;
  return proven && asked.get('redirect_uri') === form.get('redirect_uri');
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

/** Creates a key that the provider doesn't publish. */
export const strangeKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
