import * as assert from 'uvu/assert';
import type { AuthorizationError } from '../../../src/identity/oauth/authorization-error.ts';
import { StoreUnavailable } from '../../../src/stores/errors.ts';
import { authorizeUrl, newClient, pkce, REDIRECT } from '../../support/identity/oauth-raw.ts';
import { type OAuthService, TestBrowser } from '../../support/identity/oauth-service.ts';
import { oauthSuite } from '../../support/identity/oauth-suite.ts';

const { test, start } = oauthSuite('invalid requests');

const WEB = 'https://assistant.example/land?from=x';
const PRIVATE = 'cursor://anysphere.cursor-mcp/callback';
/** Redirects that do not lead to the person's own machine, and the host that people see. */
const ELSEWHERE = [
  [WEB, 'assistant.example', 'WEB'],
  [PRIVATE, 'cursor', 'PRIVATE_USE'],
] as const;

/** Asserts the answer to a client, which gets it by a redirect or by a link on our page. */
function assertAnswer(service: OAuthService, answer: string, redirect: string, error: string): void {
  const callback = new URL(answer);
  const { searchParams } = new URL(redirect);
  assert.ok(answer.startsWith(redirect.split('?')[0]!), answer);
  assert.is(callback.hash, '');
  assert.is(callback.searchParams.get('from'), searchParams.get('from'));
  assert.is(callback.searchParams.get('error'), error);
  assert.is(callback.searchParams.get('state'), 'a-state');
  assert.is(callback.searchParams.get('iss'), service.url);
  assert.not(callback.searchParams.has('code'));
}

for (const [what, fields, error] of [
  ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
  ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['a challenge without method', { code_challenge_method: undefined }, 'invalid_request'],
  ['a challenge that is too short', { code_challenge: 'abc' }, 'invalid_request'],
  ['a token instead of a code', { response_type: 'token' }, 'unsupported_response_type'],
  ['no type', { response_type: undefined }, 'invalid_request'],
  ['an answer in the fragment', { response_mode: 'fragment' }, 'unsupported_response_mode'],
  ['an answer by a form', { response_mode: 'form_post' }, 'unsupported_response_mode'],
  ['response_mode web_message', { response_mode: 'web_message' }, 'unsupported_response_mode'],
  [
    'response_mode fragment, and no challenge',
    { response_mode: 'fragment', code_challenge: undefined },
    'invalid_request',
  ],
  [
    'response_mode form_post, and a token',
    { response_mode: 'form_post', response_type: 'token' },
    'unsupported_response_type',
  ],
  ['another resource', { resource: 'https://other.example/api/mcp/v1' }, 'invalid_target'],
  ['only another resource in a list', { resource: ['https://other.example/'] }, 'invalid_target'],
  ['a path below our resource', { resource: 'http://127.0.0.1/api/mcp/v1/../../x' }, 'invalid_target'],
  ['prompt=none', { prompt: 'none' }, 'login_required'],
  ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
  ['a request object by address', { request_uri: 'https://evil.example/request' }, 'request_uri_not_supported'],
  ['max_age=0', { max_age: '0' }, 'invalid_request'],
  ['an id_token_hint', { id_token_hint: 'e30.e30.' }, 'invalid_request'],
  ['two challenge methods', { code_challenge_method: ['S256', 'S256'] }, 'invalid_request'],
] as const) {
  test(`refuses a request for ${what}: by redirect to a loopback client, else on our page`, async () => {
    const service = await start();
    const redirect_uris = [REDIRECT, ...ELSEWHERE.map(([uri]) => uri)];
    const client = await newClient(service, { redirect_uris });
    for (const person of [null, service.owner]) {
      const browser = new TestBrowser(service, person);
      const authorizeWith = (redirect_uri: string) =>
        browser.request(authorizeUrl(service, client, pkce().challenge, { redirect_uri, ...fields }));
      const redirected = await authorizeWith(REDIRECT);
      assert.is(redirected.status, 303);
      assertAnswer(service, redirected.headers.get('location')!, REDIRECT, error);
      for (const [redirect_uri, host, kind] of ELSEWHERE) {
        const response = await authorizeWith(redirect_uri);
        assert.is(response.status, 400);
        assert.is(response.headers.get('location'), null);
        const body = (await response.json()) as AuthorizationError;
        assert.equal([body.code, body.host], [error, host]);
        assert.equal([body.answer?.host, body.answer?.kind], [host, kind]);
        assertAnswer(service, body.answer!.uri, redirect_uri, error);
      }
    }
  });
}

test('redirects to any client after the person has decided', async () => {
  const service = await start();
  for (const [redirect_uri] of ELSEWHERE) {
    const client = await newClient(service, { redirect_uris: [redirect_uri] });
    const browser = new TestBrowser(service, service.owner);
    const { page } = await browser.consent(authorizeUrl(service, client, pkce().challenge, { redirect_uri }));
    assertAnswer(service, (await browser.answer(page, null)).href, redirect_uri, 'access_denied');
    const callback = await browser.allow(authorizeUrl(service, client, pkce().challenge, { redirect_uri }));
    assert.ok(callback.searchParams.has('code'));
  }
});

test('refuses an answer that is late or from another browser', async () => {
  const service = await start();
  const client = await newClient(service, { redirect_uris: [WEB] });
  const browser = new TestBrowser(service, service.owner);
  const { page } = await browser.consent(authorizeUrl(service, client, pkce().challenge, { redirect_uri: WEB }));
  const redirected = await browser.request(page, 'POST');
  const resume = `${redirected.headers.get('location')}?client_id=${client}&redirect_uri=${encodeURIComponent(WEB)}`;
  const stranger = await new TestBrowser(service, null).request(resume);
  service.identity.clock.wait(31 * 60_000);
  for (const response of [stranger, await browser.request(resume)]) {
    assert.is(response.status, 400);
    const { reason, answer } = (await response.json()) as AuthorizationError;
    assert.equal([reason, answer], ['EXPIRED', null]);
  }
});

for (const [what, fields, reason] of [
  ['another redirect', { redirect_uri: 'https://evil.example/callback' }, 'UNKNOWN_REDIRECT'],
  ['another path', { redirect_uri: 'http://127.0.0.1:33418/other' }, 'UNKNOWN_REDIRECT'],
  ['another host of this machine', { redirect_uri: 'http://localhost:33418/callback' }, 'UNKNOWN_REDIRECT'],
  ['a user name before the host', { redirect_uri: 'http://127.0.0.1:33418@evil.example/callback' }, 'UNKNOWN_REDIRECT'],
  ['an invalid port', { redirect_uri: 'http://127.0.0.1:99999/callback' }, 'UNKNOWN_REDIRECT'],
  ['another redirect and no challenge', { redirect_uri: WEB, code_challenge: undefined }, 'UNKNOWN_REDIRECT'],
  ['an unknown client', { client_id: 'cli_00000000000000000000000000' }, 'UNKNOWN_CLIENT'],
  ['no client', { client_id: undefined }, 'UNKNOWN_CLIENT'],
] as const) {
  test(`neither redirects nor links to the client for ${what}`, async () => {
    const service = await start();
    const client = await newClient(service);
    const browser = new TestBrowser(service, service.owner);
    const refusal = await browser.request(authorizeUrl(service, client, pkce().challenge, fields));
    assert.is(refusal.status, 400);
    assert.is(refusal.headers.get('location'), null);
    const body = (await refusal.json()) as AuthorizationError;
    assert.equal([body.reason, body.answer], [reason, null]);
  });
}

test('tells people to try again while the stores are down', async () => {
  const service = await start();
  const client = await newClient(service);
  const fail = () => Promise.reject(new StoreUnavailable('away'));
  Object.assign(service.identity.accounts, { get: fail, put: fail });
  const response = await new TestBrowser(service, null).request(authorizeUrl(service, client, pkce().challenge));
  const { reason, answer } = (await response.json()) as AuthorizationError;
  assert.equal([response.status, reason, answer], [503, 'UNAVAILABLE', null]);
  assert.ok(service.faults.splice(0).every((fault) => fault instanceof StoreUnavailable));
});

test.run();
