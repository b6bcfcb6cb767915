/** Secrets sent to every route. At its most verbose log level, the service logs none of them. */
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { generateToken } from '../../src/identity/tokens/token.ts';
import { until } from '../support/run/wait.ts';
import { type Service, startService } from '../support/service.ts';

const test = suite<{ service: Service; written: () => string }>('secrets in logs');

test.before(async (context) => {
  const service = await startService({ LOG_LEVEL: 'trace' });
  // The service shows the first token once, on purpose, before any request.
  const { length } = service.output();
  context.service = service;
  context.written = () => service.output().slice(length);
});
test.after(async ({ service }) => service.stop());

/** A request with a secret: its first line, more headers, its body. */
type Place = [line: string, headers?: readonly string[], body?: string];

const JSON_BODY = 'Content-Type: application/json';
const FORM = 'Content-Type: application/x-www-form-urlencoded';
const bearer = (token: string) => `Authorization: Bearer ${token}`;
const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** Places where people and programs put secrets, rightly or by mistake. */
const PLACES: Record<string, (secret: string) => Place> = {
  'a credential': (s) => ['GET /api/mcp/v1/health', [bearer(s)]],
  'a credential for the direct form': (s) => ['GET /api/mcp/tools/listOrganizations', [bearer(s)]],
  'a credential for the MCP endpoint': (s) => ['POST /api/mcp/v1', [bearer(s), JSON_BODY], rpc('tools/list', {})],
  'two credentials': (s) => ['GET /api/mcp/v1/health', [bearer(s), bearer(`${s}x`)]],
  'a credential after two spaces': (s) => ['GET /api/mcp/v1/health', [`Authorization: Bearer  ${s}`]],
  'a credential in pieces': (s) => ['GET /api/mcp/v1/health', [`Authorization: Bearer\r\n ${s}`]],
  'a bare credential': (s) => ['GET /api/mcp/v1/health', [`Authorization: ${s}`]],
  'another scheme': (s) => ['GET /api/mcp/v1/health', [`Authorization: Basic ${s}`]],
  'a header of another name': (s) => ['GET /api/mcp/v1/health', [`X-Api-Key: ${s}`, `User-Agent: ${s}`]],
  'a header that breaks the request': (s) => ['GET /api/mcp/v1/health', [`Authorization: Bearer ${s}\0`]],
  'a cookie': (s) => ['GET /', [`Cookie: veritrail=${s}; __Host-veritrail=${s}`]],
  'a query': (s) => [`GET /api/mcp/tools/listOrganizations?token=${s}&access_token=${s}`],
  'a query of the endpoint': (s) => [`POST /api/mcp/v1?api_key=${s}`, [JSON_BODY], '{}'],
  'a path': (s) => [`GET /${s}`],
  'a path of a tool': (s) => [`GET /api/mcp/tools/${s}`],
  'a path of the endpoint': (s) => [`POST /api/mcp/v1/${s}`],
  'the end of a long path': (s) => [`GET /${'a/'.repeat(83)}${s}`],
  'an escaped path': (s) => [`GET /%2e/%76${s}%00`],
  'a target with a password': (s) => [`GET http://user:${s}@localhost/livez`],
  'a fragment': (s) => [`GET /livez#${s}`],
  'a method': (s) => [`${s} /livez`],
  'a JSON-RPC method': (s) => ['POST /api/mcp/v1', [JSON_BODY], rpc(s, {})],
  'a tool name': (s) => ['POST /api/mcp/v1', [JSON_BODY], rpc('tools/call', { name: s })],
  'an argument': (s) => [
    'POST /api/mcp/v1',
    [JSON_BODY],
    rpc('tools/call', { name: 'listVendors', arguments: { query: s, [s]: 1 } }),
  ],
  'a body that is not JSON': (s) => ['POST /api/mcp/tools/listVendors', [JSON_BODY], `{"${s}`],
  'a body of another type': (s) => ['POST /api/mcp/tools/listVendors', [FORM], `token=${s}`],
  'a password': (s) => ['POST /sign-in', [FORM], `email=a%40b.example&password=${s}`],
  'a second factor': (s) => ['POST /sign-in/second-factor', [FORM], `code=${s}`],
  'a link': (s) => [`GET /welcome?key=${s}`, [`Referer: http://localhost/welcome?key=${s}`]],
  'a password that a link sets': (s) => [`POST /welcome?key=${s}`, [FORM], `name=A&password=${s}`],
  'an authorization code': (s) => [
    'POST /oauth/token',
    [FORM],
    `grant_type=authorization_code&code=${s}&code_verifier=${s}&client_id=x`,
  ],
  'a refresh token': (s) => ['POST /oauth/token', [FORM], `grant_type=refresh_token&refresh_token=${s}&client_id=${s}`],
  'a client secret': (s) => [
    'POST /oauth/token',
    [FORM, `Authorization: Basic ${btoa(`x:${s}`)}`],
    `client_secret=${s}`,
  ],
  'an authorization request': (s) => [`GET /oauth/authorize?client_id=${s}&state=${s}&login_hint=${s}`],
  'a callback from an OpenID provider': (s) => [`GET /sign-in/callback?code=${s}&state=${s}`],
  'a token to revoke': (s) => ['POST /oauth/revoke', [FORM], `token=${s}`],
};

/** Sends one request unchanged and waits for the end of its response. */
async function send(url: string, token: string, [line, headers = [], body = '']: Place): Promise<void> {
  const { port } = new URL(url);
  const auth = headers.some((header) => header.startsWith('Authorization')) ? [] : [bearer(token)];
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const all = [`${line} HTTP/1.1`, `Host: localhost:${port}`, 'Connection: close', ...auth, ...headers, ...length];
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${all.join('\r\n')}\r\n\r\n${body}`));
    socket.resume().once('error', () => undefined);
    socket.once('close', () => resolve());
  });
}

let sentCount = 0;

for (const [name, place] of Object.entries(PLACES)) {
  for (const isCorrect of [false, true]) {
    test(`${name}: ${isCorrect ? 'a valid token' : 'an unknown token'} is not logged`, async ({ service, written }) => {
      const secret = isCorrect ? service.token : generateToken();
      await send(service.url, service.token, place(secret));
      // The log is in order: once the next request is in it, this one's lines are complete.
      sentCount += 1;
      await fetch(`${service.url}/sent/${sentCount}`);
      await until(() => written().includes(`"path":"/sent/${sentCount}"`));
      // Searches for the middle, in case the log cut or escaped the beginning.
      assert.not.match(written(), secret.slice(8, 24));
    });
  }
}

test('logs what is not secret, which shows that this test can find a secret', async ({ service, written }) => {
  await fetch(`${service.url}/here/it/is?not=this`);
  await until(() => written().includes('"path":"/here/it/is"'));
  assert.not.match(written(), 'not=this');
  assert.match(written(), '"tool":"listVendors"');
});

test.run();
