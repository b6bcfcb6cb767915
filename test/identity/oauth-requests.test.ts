import * as assert from 'uvu/assert';
import { authorizeUrl, newClient, pkce, REDIRECT } from '../support/oauth-raw.ts';
import { TestBrowser } from '../support/oauth-service.ts';
import { oauthSuite } from '../support/oauth-suite.ts';

const { test, start } = oauthSuite('requests that are not right');

for (const [what, fields, error] of [
  ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
  ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['a challenge without method', { code_challenge_method: undefined }, 'invalid_request'],
  ['a challenge that is too short', { code_challenge: 'abc' }, 'invalid_request'],
  ['a token instead of a code', { response_type: 'token' }, 'unsupported_response_type'],
  ['an answer in the fragment', { response_mode: 'fragment' }, 'unsupported_response_mode'],
  ['an answer by a form', { response_mode: 'form_post' }, 'unsupported_response_mode'],
  ['another resource', { resource: 'https://other.example/api/mcp/v1' }, 'invalid_target'],
  ['another resource beside ours', { resource: ['https://other.example/'] }, 'invalid_target'],
  ['a resource below ours', { resource: 'http://127.0.0.1/api/mcp/v1/../../x' }, 'invalid_target'],
  ['an answer without asking', { prompt: 'none' }, 'login_required'],
  ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
] as const) {
  test(`a request for ${what} is refused, at the client and by this issuer`, async () => {
    const service = await start();
    const client = await newClient(service);
    const browser = new TestBrowser(service, service.owner);
    const refused = await browser.request(authorizeUrl(service, client, pkce().challenge, fields));
    assert.is(refused.status, 303);
    const back = new URL(refused.headers.get('location')!);
    assert.is(back.origin + back.pathname, REDIRECT);
    const answer = back.hash === '' ? back.searchParams : new URLSearchParams(back.hash.slice(1));
    assert.is(answer.get('error'), error);
    assert.is(answer.get('state'), 'a-state');
    assert.is(answer.get('iss'), service.url);
    assert.not(answer.has('code'));
  });
}

for (const [what, fields] of [
  ['another redirect', { redirect_uri: 'https://evil.example/callback' }],
  ['another path', { redirect_uri: 'http://127.0.0.1:33418/other' }],
  ['another host of this machine', { redirect_uri: 'http://localhost:33418/callback' }],
  ['a user before the host', { redirect_uri: 'http://127.0.0.1:33418@evil.example/callback' }],
  ['a port that is none', { redirect_uri: 'http://127.0.0.1:99999/callback' }],
  ['no such client', { client_id: 'cli_00000000000000000000000000' }],
] as const) {
  test(`nothing is sent anywhere for ${what}`, async () => {
    const service = await start();
    const client = await newClient(service);
    const browser = new TestBrowser(service, service.owner);
    const refused = await browser.request(authorizeUrl(service, client, pkce().challenge, fields));
    assert.is(refused.status, 400);
    assert.is(refused.headers.get('location'), null);
    assert.match(refused.headers.get('content-type')!, 'text/plain');
  });
}

test('nobody begins more requests than people could be asked', async () => {
  const service = await start();
  const client = await newClient(service);
  const begin = async () =>
    (await fetch(authorizeUrl(service, client, pkce().challenge), { redirect: 'manual' })).status;
  const statuses = await Promise.all(Array.from({ length: 61 }, begin));
  assert.equal(statuses.sort().slice(-2), [303, 429]);
  service.visitor.address = '198.51.100.1';
  assert.is(await begin(), 303);
});

test.run();
