import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type OAuthPages, startOAuthPages } from '../../support/identity/oauth-pages.ts';
import { authorizeUrl, newClient, pkce } from '../../support/identity/oauth-raw.ts';
import { type PageAnswer, pathOf, unescapeHtml } from '../../support/web/web.ts';

const HTML_INJECTION = `"><img src=x onerror="alert('1')">`;
const WEB_REDIRECT_URI = 'https://assistant.example/land?from=x';

const test = suite<{ site: OAuthPages }>('authorization error page');

test.before.each(async (context) => {
  context.site = await startOAuthPages();
});
test.after.each(({ site }) => site.stop());

/** Opens a client's authorization request for `redirect_uri` in a browser without a session. */
async function requestAuthorization(
  site: OAuthPages,
  redirect_uri: string,
  fields: Record<string, string | undefined>,
): Promise<PageAnswer> {
  const client = await newClient(site.target, {
    client_name: `Call +1 555 ${HTML_INJECTION}`,
    redirect_uris: [redirect_uri],
  });
  const url = authorizeUrl(site.target, client, pkce().challenge, { redirect_uri, ...fields });
  return site.stranger().get(pathOf(url));
}

const linkIn = ({ text }: PageAnswer) => /<a class="button" href="([^"]*)"/.exec(text)?.[1];

test('shows the problem and the host that asked, and links to the client with the error', async ({ site }) => {
  const response = await requestAuthorization(site, WEB_REDIRECT_URI, { prompt: 'none' });
  assert.is(response.status, 400);
  assert.match(String(response.headers['content-type']), 'text/html');
  const text = unescapeHtml(response.text);
  for (const expectedText of ['veritrail always asks', '<strong>assistant.example</strong>', 'login_required']) {
    assert.match(text, expectedText);
  }
  const link = new URL(unescapeHtml(linkIn(response)!));
  assert.is(link.origin + link.pathname, 'https://assistant.example/land');
  const answer = Object.fromEntries(link.searchParams);
  assert.equal(Object.keys(answer).sort(), ['error', 'error_description', 'from', 'iss', 'state']);
  assert.equal([answer.from, answer.error, answer.state], ['x', 'login_required', 'a-state']);
  assert.is(answer.iss, site.target.url);
});

test('links to a desktop program that has its own URL scheme', async ({ site }) => {
  const response = await requestAuthorization(site, 'com.example.app:/callback', { code_challenge: undefined });
  assert.match(unescapeHtml(linkIn(response)!), /^com\.example\.app:\/callback\?error=invalid_request&/);
  assert.match(unescapeHtml(response.text), 'the program on this computer that opens com.example.app: addresses');
});

test('escapes all input, omits the client’s name, and cannot be framed', async ({ site }) => {
  for (const fields of [
    { state: HTML_INJECTION },
    { resource: HTML_INJECTION },
    { response_type: HTML_INJECTION },
    { scope: HTML_INJECTION, prompt: HTML_INJECTION },
  ]) {
    const response = await requestAuthorization(site, WEB_REDIRECT_URI, { code_challenge: undefined, ...fields });
    assert.is(response.status, 400);
    assert.not.match(response.text, /<img|onerror="|Call \+1/);
    assert.is(response.headers['x-frame-options'], 'DENY');
    const policy = String(response.headers['content-security-policy']);
    for (const part of ["default-src 'none'", "form-action 'self';", "frame-ancestors 'none'"]) {
      assert.match(policy, part);
    }
    assert.is(response.headers['cache-control'], 'no-store');
    assert.is(response.headers['referrer-policy'], 'same-origin');
  }
});

for (const [problem, fields, message] of [
  ['an unknown client', { client_id: `cli_${HTML_INJECTION}` }, 'does not know this assistant'],
  ['an unregistered redirect_uri', { redirect_uri: 'https://evil.example/' }, 'an address that it has not registered'],
] as const) {
  test(`links nowhere for ${problem}`, async ({ site }) => {
    const response = await requestAuthorization(site, WEB_REDIRECT_URI, fields);
    assert.is(response.status, 400);
    assert.match(unescapeHtml(response.text), message);
    assert.not.match(response.text, /class="button"|<img|evil\.example/);
  });
}

test('shows a page for an expired request', async ({ site }) => {
  const response = await site.stranger().get('/oauth/authorize/none_of_these');
  assert.is(response.status, 400);
  assert.match(unescapeHtml(response.text), 'has expired');
  assert.is(linkIn(response), undefined);
});

test.run();
