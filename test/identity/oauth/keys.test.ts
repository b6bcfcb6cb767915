import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as assert from 'uvu/assert';
import type { OutboundNetwork } from '../../../src/identity/oauth/metadata-fetch.ts';
import { authorizeUrl, newClient, pkce, postForm, REDIRECT } from '../../support/identity/oauth-raw.ts';
import { type OAuthService, TestBrowser } from '../../support/identity/oauth-service.ts';
import { oauthSuite } from '../../support/identity/oauth-suite.ts';

const { test, start } = oauthSuite('clients with a key');

const CLIENT = 'https://assistant.example/client.json';
const KEYS = 'https://assistant.example/keys.json';
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' };

const servers: Server[] = [];
test.after.each(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Serves a client's documents by path. */
async function publish(documents: Record<string, object>): Promise<OutboundNetwork & { requestedUrls: string[] }> {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', Connection: 'close' });
    response.end(JSON.stringify(documents[request.url ?? ''] ?? {}));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const fetched: string[] = [];
  return {
    requestedUrls: fetched,
    resolve: async () => ['93.184.216.34'],
    get: (url) => {
      fetched.push(url.href);
      return new Promise((resolve) => get({ host: '127.0.0.1', port, path: url.pathname }, resolve));
    },
  };
}

/** Returns a client assertion (RFC 7523), signed by the client's key. */
function assertion(service: OAuthService, claims: object = {}, key = privateKey): string {
  const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const payload = { iss: CLIENT, sub: CLIENT, aud: service.url, jti: randomUUID(), iat: now, exp: now + 60, ...claims };
  const text = `${encodePart({ alg: 'ES256', kid: 'one' })}.${encodePart(payload)}`;
  const signature = createSign('sha256').update(text).sign({ key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

const document = (keys: object) => ({
  ...{ client_id: CLIENT, client_name: 'With a key', redirect_uris: [REDIRECT] },
  ...{ token_endpoint_auth_method: 'private_key_jwt', ...keys },
});

async function allowClient(service: OAuthService) {
  const { verifier, challenge } = pkce();
  const callback = await new TestBrowser(service, service.owner).allow(authorizeUrl(service, CLIENT, challenge));
  const grantRequest = { grant_type: 'authorization_code', redirect_uri: REDIRECT, resource: service.resource };
  const fields = { ...grantRequest, code: callback.searchParams.get('code')!, code_verifier: verifier };
  return (proof: object) => postForm(service, '/oauth/token', { ...fields, ...proof });
}

test('authenticates a client by its key at the token endpoint, and nobody else', async () => {
  const service = await start({ network: await publish({ '/client.json': document({ jwks: { keys: [jwk] } }) }) });
  const exchange = await allowClient(service);
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const proof = (client_assertion: string) => ({ client_assertion_type: ASSERTION, client_assertion });
  for (const [what, wrong] of [
    ['no proof', { client_id: CLIENT }],
    ['another key', proof(assertion(service, {}, stranger))],
    ['for another server', proof(assertion(service, { aud: 'https://other.example' }))],
    ['expired', proof(assertion(service, { exp: Math.floor(Date.now() / 1000) - 60 }))],
  ] as const) {
    const { status, json } = await exchange(wrong);
    assert.equal([status, json.error], [401, 'invalid_client'], what);
  }
  const validProof = proof(assertion(service));
  assert.is((await exchange(validProof)).status, 200);
  assert.is((await exchange(validProof)).json.error, 'invalid_client', 'a proof counts once');
});

test('fetches a client’s keys under the rules of documents', async () => {
  const network = await publish({ '/client.json': document({ jwks_uri: KEYS }), '/keys.json': { keys: [jwk] } });
  const service = await start({ network });
  const exchange = await allowClient(service);
  const proof = { client_assertion_type: ASSERTION, client_assertion: assertion(service) };
  assert.is((await exchange(proof)).status, 200);
  assert.equal(network.requestedUrls, [CLIENT, KEYS]);
});

test('does not fetch keys from a private address', async () => {
  const fetched: string[] = [];
  const network: OutboundNetwork = {
    resolve: async () => ['10.0.0.1'],
    get: (url) => {
      fetched.push(url.href);
      return Promise.reject(new Error('asked'));
    },
  };
  const service = await start({ network });
  const keys = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: KEYS };
  const client = await newClient(service, keys);
  const client_assertion = assertion(service, { iss: client, sub: client });
  const fields = {
    grant_type: 'refresh_token',
    refresh_token: 'x',
    client_assertion_type: ASSERTION,
    client_assertion,
  };
  assert.is((await postForm(service, '/oauth/token', fields)).status >= 400, true);
  assert.equal(fetched, []);
});

test('never issues a client secret', async () => {
  const service = await start();
  for (const token_endpoint_auth_method of ['client_secret_basic', 'client_secret_post', 'client_secret_jwt']) {
    const client = await newClient(service, { token_endpoint_auth_method });
    const [, registration] = /^cli_([\w-]+)\./.exec(client)!;
    assert.not.match(Buffer.from(registration!, 'base64url').toString(), 'client_secret');
  }
});

test.run();
