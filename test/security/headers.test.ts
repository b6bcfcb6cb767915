import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formTargetOf, pageHeaders, transportHeaders } from '../../src/http/security-headers.ts';
import { raw, startToyService, TOKEN } from '../support/mcp/toy-tools.ts';

const test = suite('security headers');

const policyOf = (headers: Record<string, string>) =>
  new Map(headers['Content-Security-Policy']!.split('; ').map((part) => part.split(/ (.*)/s, 2) as [string, string]));

test('a page loads only our own files and can’t be framed', () => {
  const headers = pageHeaders()();
  assert.equal(Object.fromEntries(policyOf(headers)), {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data:",
    'connect-src': "'self'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
    'base-uri': "'none'",
    'object-src': "'none'",
  });
  assert.not.match(headers['Content-Security-Policy']!, /unsafe|\*/);
  assert.is(headers['X-Frame-Options'], 'DENY');
  assert.is(headers['X-Content-Type-Options'], 'nosniff');
  assert.is(headers['Referrer-Policy'], 'same-origin');
  assert.is(headers['Cross-Origin-Opener-Policy'], 'same-origin');
  assert.is(headers['Cross-Origin-Resource-Policy'], 'same-origin');
  assert.match(headers['Permissions-Policy']!, /camera=\(\).*publickey-credentials-get=\(self\)/);
  assert.is(headers['Cache-Control'], 'no-store');
});

test('sends Strict-Transport-Security on https only', () => {
  assert.match(transportHeaders('https://grc.example.com')['Strict-Transport-Security']!, /^max-age=31536000$/);
  assert.is(transportHeaders('http://localhost:8080')['Strict-Transport-Security'], undefined);
});

test('a consent page may submit only to its client, also in a window that the client opened', () => {
  const headers = pageHeaders()({
    formTargets: [formTargetOf('https://assistant.example/callback?x=1')],
    mayBePopup: true,
  });
  assert.is(policyOf(headers).get('form-action'), "'self' https://assistant.example");
  assert.is(policyOf(headers).get('frame-ancestors'), "'none'");
  assert.is(headers['Cross-Origin-Opener-Policy'], 'unsafe-none');
});

test('a redirect address becomes a valid CSP source, or is refused', () => {
  for (const [uri, source] of [
    ['http://127.0.0.1:33418/', 'http://127.0.0.1:33418'],
    ['http://localhost:6274/oauth/callback', 'http://localhost:6274'],
    ['https://assistant.example:443/callback', 'https://assistant.example'],
    ['https://Assistant.example;evil/x', null],
    ['https://bücher.example/cb', 'https://xn--bcher-kva.example'],
    ['http://[::1]:33418/callback', 'http:'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor:'],
    ['com.example.app:/callback', 'com.example.app:'],
    ["vscode://x/'unsafe-inline'; script-src *", 'vscode:'],
  ] as const) {
    const useAsFormTarget = () => {
      const target = formTargetOf(uri);
      pageHeaders()({ formTargets: [target] });
      return target;
    };
    if (source === null) assert.throws(useAsFormTarget, undefined, uri);
    else assert.is(useAsFormTarget(), source, uri);
  }
});

for (const target of [
  '*',
  "'unsafe-inline'",
  'https://a b',
  'https://a;script-src',
  'https:/a',
  'https://a/path',
  'x',
  '',
]) {
  test(`${JSON.stringify(target)} is not a valid source`, () => {
    assert.throws(() => pageHeaders()({ formTargets: [target] }), /not a valid source/);
  });
}

test('every API response has security headers, allows no other origin, and does not name the server', async () => {
  const service = await startToyService();
  const auth = `Authorization: Bearer ${TOKEN}`;
  const sendRequest = (line: string, body = '', ...lines: string[]) => {
    const type = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`];
    return raw(
      service.port,
      `${[`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...lines, ...type].join('\r\n')}\r\n\r\n${body}`,
    );
  };
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  const answers = {
    'an answer of the endpoint': await sendRequest('POST /api/mcp/v1', ping, auth),
    'an accepted notification': await sendRequest(
      'POST /api/mcp/v1',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      auth,
    ),
    'no credential': await sendRequest('POST /api/mcp/v1', ping),
    'a wrong method': await sendRequest('GET /api/mcp/v1', '', auth),
    'no JSON': await sendRequest('POST /api/mcp/v1', '{', auth),
    'a direct call': await sendRequest('GET /api/mcp/tools/echo', '', auth),
    'a direct call refused': await sendRequest('GET /api/mcp/tools/echo'),
    health: await sendRequest('GET /api/mcp/v1/health', '', auth),
    'nothing there': await sendRequest('GET /nothing'),
    'an odd request': await sendRequest('GET /livez#x'),
    'another host': await sendRequest('GET /api/mcp/v1/health', '', 'Host: evil.example'),
  };
  for (const [name, answer] of Object.entries(answers)) {
    const head = `${answer.split('\r\n\r\n')[0]!}\r\n`;
    const headerOf = (header: string) => new RegExp(`\\r\\n${header}: (.*?)\\r\\n`, 'i').exec(head)?.[1];
    assert.is(headerOf('Cache-Control'), 'no-store', name);
    assert.is(headerOf('X-Content-Type-Options'), 'nosniff', name);
    const policy = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";
    assert.is(headerOf('Content-Security-Policy'), policy, name);
    assert.is(headerOf('Referrer-Policy'), 'no-referrer', name);
    assert.is(headerOf('Access-Control-Allow-Origin'), undefined, name);
    assert.is(headerOf('Server'), undefined, name);
    assert.is(headerOf('X-Powered-By'), undefined, name);
  }
  await service.stop();
});

test.run();
