/** Pages of other origins may call tools with a token, if the operator allows their origin. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { request, startToyService, type ToyService } from '../support/mcp/toy-tools.ts';

const APP = 'https://app.example.com';
const ENDPOINT = '/api/mcp/v1';
const DIRECT = '/api/mcp/tools/echo';
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

const test = suite<{ service: ToyService }>('calls from other origins');

test.before(async (context) => {
  context.service = await startToyService({ toolOrigins: new Set([APP]) });
});
test.after(async ({ service }) => service.stop());

const requestFrom = (
  { url }: ToyService,
  path: string,
  method: string,
  origin: string,
  extra: Record<string, string> = {},
) => {
  const headers = { Origin: origin, ...(method === 'POST' ? { 'Content-Type': 'application/json' } : {}), ...extra };
  const body = method !== 'POST' ? {} : { body: path.startsWith(ENDPOINT) ? PING : '{}' };
  return request(url + path, { method, headers, ...body });
};

for (const path of [ENDPOINT, `${ENDPOINT}/`, `${ENDPOINT}/readonly`, DIRECT]) {
  test(`${path} answers a page of an allowed origin, and names the headers it may send`, async ({ service }) => {
    const preflight = await requestFrom(service, path, 'OPTIONS', APP, { Authorization: '' });
    assert.is(preflight.status, 204);
    assert.is(preflight.headers.get('access-control-allow-origin'), APP);
    assert.is(preflight.headers.get('access-control-allow-credentials'), null);
    assert.match(preflight.headers.get('access-control-allow-methods')!, 'POST');
    for (const name of ['Authorization', 'Content-Type', 'MCP-Protocol-Version', 'Mcp-Method', 'Last-Event-ID']) {
      assert.match(preflight.headers.get('access-control-allow-headers')!, name);
    }
    const reply = await requestFrom(service, path, 'POST', APP);
    assert.is(reply.status, 200);
    assert.is(reply.headers.get('access-control-allow-origin'), APP);
    assert.is(reply.headers.get('access-control-allow-credentials'), null);
    assert.match(reply.headers.get('access-control-expose-headers')!, 'WWW-Authenticate');
    assert.match(reply.headers.get('vary')!, 'Origin');
  });

  test(`${path} refuses that page without a token, with a readable error`, async ({ service }) => {
    const refusal = await requestFrom(service, path, 'POST', APP, { Authorization: '', Cookie: '__Host-session=x' });
    assert.is(refusal.status, 401);
    assert.is(refusal.headers.get('access-control-allow-origin'), APP);
  });

  test(`${path} refuses every other origin`, async ({ service }) => {
    for (const origin of [
      'https://evil.example',
      'null',
      `${APP}.evil.example`,
      'http://app.example.com',
      `${APP}:8443`,
    ]) {
      for (const method of ['POST', 'OPTIONS']) {
        const reply = await requestFrom(service, path, method, origin);
        assert.ok(reply.status === 403 || reply.status === 405, `${method} ${origin}: ${reply.status}`);
        assert.is(reply.headers.get('access-control-allow-origin'), null);
      }
      assert.match((await requestFrom(service, path, 'POST', origin)).headers.get('vary')!, 'Origin');
    }
  });
}

test('keeps health and all other addresses closed to allowed origins', async ({ service }) => {
  for (const path of ['/api/mcp/v1/health', '/api/mcp/openapi.json']) {
    const reply = await requestFrom(service, path, 'GET', APP);
    assert.is(reply.headers.get('access-control-allow-origin'), null, path);
  }
  assert.is((await requestFrom(service, '/api/mcp/v1/health', 'GET', APP)).status, 403);
});

test('allows no origin without the setting', async () => {
  const service = await startToyService();
  try {
    const reply = await requestFrom(service, ENDPOINT, 'POST', APP);
    assert.equal([reply.status, reply.headers.get('access-control-allow-origin')], [403, null]);
  } finally {
    await service.stop();
  }
});

test.run();
