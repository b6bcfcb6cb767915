import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AccessLogEntry } from '../../../src/identity/access-log/access-log-entry.ts';
import { askOnPages, type OAuthPages, startOAuthPages } from '../../support/identity/oauth-pages.ts';
import { exchange, REDIRECT } from '../../support/identity/oauth-raw.ts';
import { OWNER, pathOf, unescapeHtml, withoutFormTokens } from '../../support/web/web.ts';

const test = suite<{ site: OAuthPages }>('consent page');

test.before.each(async (context) => {
  context.site = await startOAuthPages();
});
test.after.each(({ site }) => site.stop());

test('shows the client, its request, that its name is unverified, and where the answer goes', async ({ site }) => {
  const { response } = await askOnPages(site, await site.signedIn());
  assert.is(response.status, 200);
  const text = unescapeHtml(response.text);
  for (const expectedText of [
    '“Helper <b>of</b> Ada”',
    '127.0.0.1:33418',
    'Nobody has verified its name',
    'read and change',
  ]) {
    assert.match(text, expectedText);
  }
  assert.not.match(response.text, '<b>of</b>');
  assert.match(String(response.headers['content-security-policy']), "form-action 'self' http://127.0.0.1:33418;");
  assert.match(String(response.headers['content-security-policy']), "frame-ancestors 'none'");
});

test('sends a person to sign in first, and back afterwards', async ({ site }) => {
  await site.signedIn();
  const browser = site.stranger();
  const { response: redirect, path } = await askOnPages(site, browser);
  assert.is(redirect.status, 303);
  assert.is(redirect.to, `/sign-in?next=${encodeURIComponent(path)}`);
  await browser.get(redirect.to!);
  const response = await browser.send('/sign-in', OWNER);
  assert.is(response.to, path);
  assert.is((await browser.follow(response)).status, 200);
});

test('gives the client a working code with the chosen access', async ({ site }) => {
  const browser = await site.signedIn();
  const { client, verifier, path } = await askOnPages(site, browser);
  const formAnswer = await browser.send(path, { answer: 'allow', access: 'read', role: 'AUDITOR', days: '7' });
  assert.is(formAnswer.status, 303);
  const last = await browser.get(pathOf(formAnswer.to));
  const callback = new URL(last.to!);
  assert.is(callback.origin + callback.pathname, REDIRECT);
  const answer = await exchange(site.target, client, callback.searchParams.get('code')!, verifier);
  assert.equal([answer.status, answer.json.scope], [200, 'compliance:read']);
  const [assistant] = await site.oauth.assistantsOf(site.web.ownerId);
  const { role, read_only, organizations, created_at, expires_at } = assistant!;
  assert.equal([role, read_only, organizations], ['AUDITOR', true, [site.web.organizationId]]);
  const [{ clientInfo, ...noted }] = site.noted as [AccessLogEntry];
  assert.equal(noted, {
    event_type: 'ASSISTANT_ALLOWED',
    actor_id: site.web.ownerId,
    client: 'Helper <b>of</b> Ada',
    organizations: [site.web.organizationId],
    details: { role: 'AUDITOR', access: 'read' },
  });
  assert.is(clientInfo?.address, '127.0.0.1');
  assert.is(Date.parse(expires_at) - Date.parse(created_at), 7 * 86_400_000);
});

test('records no access-log entry for a second answer', async ({ site }) => {
  const browser = await site.signedIn();
  const { path } = await askOnPages(site, browser);
  await browser.get(path);
  const first = await browser.send(path, { answer: 'allow' });
  for (const second of [
    { answer: 'deny' },
    { answer: 'allow', organizations: ['*', 'org_00000000000000000000000000'] },
  ]) {
    const formAnswer = await browser.send(path, second);
    assert.equal([formAnswer.status, formAnswer.to], [303, first.to]);
  }
  const recorded = site.noted.map(({ event_type, organizations }) => [event_type, organizations]);
  assert.equal(recorded, [['ASSISTANT_ALLOWED', [site.web.organizationId]]]);
});

test('tells the client that access was denied, and creates no assistant', async ({ site }) => {
  const browser = await site.signedIn();
  const { path } = await askOnPages(site, browser);
  const formAnswer = await browser.send(path, { answer: 'deny' });
  const callback = new URL((await browser.get(pathOf(formAnswer.to))).to!);
  assert.is(callback.searchParams.get('error'), 'access_denied');
  assert.equal(await site.oauth.assistantsOf(site.web.ownerId), []);
  assert.equal(
    site.noted.map(({ event_type }) => event_type),
    ['ASSISTANT_DENIED'],
  );
});

test('shows why a choice is refused, and lets the person send the form again', async ({ site }) => {
  const browser = await site.signedIn();
  const { path } = await askOnPages(site, browser);
  for (const [fields, expectedText] of [
    [{ organizations: [] }, 'at least one organization'],
    [{ organizations: ['org_00000000000000000000000000'] }, 'organization'],
    [{ days: '367' }, '1 to 366'],
    [{ role: 'KING' }, 'Choose a role'],
    [{ access: 'all' }, 'Choose one'],
  ] as const) {
    const response = await browser.send(path, { answer: 'allow', ...fields });
    assert.is(response.status, 400, expectedText);
    assert.match(unescapeHtml(response.text), expectedText);
    await browser.get(path);
  }
  assert.is((await browser.send(path, { answer: 'allow' })).status, 303);
});

test('does not reveal whether another organization exists', async ({ site }) => {
  await site.signedIn();
  const { web } = site;
  const browser = site.stranger();
  const guest = { name: 'Grace', email: 'grace@example.org', password: 'nanoseconds in a wire' };
  for (const [name, value] of (await web.invite(guest, 'EDITOR')).cookies) browser.cookies.set(name, value);
  const { id: foreignId } = await web.members.createOrganization('Another', web.ownerId);
  const { path } = await askOnPages(site, browser);
  const answer = async (organization: string) => {
    await browser.get(path);
    const { status, text } = await browser.send(path, { answer: 'allow', organizations: [organization] });
    return [status, withoutFormTokens(text).replaceAll(organization, 'ORG')];
  };
  const foreignAnswer = await answer(foreignId);
  assert.is(foreignAnswer[0], 400);
  assert.equal(foreignAnswer, await answer(foreignId.replace(/.{8}$/, '00000000')));
});

test('offers only reading when the client asks only to read', async ({ site }) => {
  const browser = await site.signedIn();
  const { response, path } = await askOnPages(site, browser, { scope: 'compliance:read' });
  assert.not.match(response.text, 'value="write"');
  const formAnswer = await browser.send(path, { answer: 'allow', access: 'write' });
  assert.is(formAnswer.status, 303);
  const [assistant] = await site.oauth.assistantsOf(site.web.ownerId);
  assert.ok(assistant!.read_only, 'read-only, although the form said write');
});

test('creates no assistant after a forged answer', async ({ site }) => {
  const browser = await site.signedIn();
  const { path } = await askOnPages(site, browser);
  const forged = {
    answer: 'allow',
    organizations: site.web.organizationId,
    access: 'write',
    role: 'OWNER',
    days: '366',
  };
  const origin = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
  for (const headers of [origin, {}]) {
    assert.is((await browser.post(path, forged, headers)).status, 403);
  }
  assert.equal(await site.oauth.assistantsOf(site.web.ownerId), []);
});

test('says when the request has expired', async ({ site }) => {
  const browser = await site.signedIn();
  const { path } = await askOnPages(site, browser);
  site.web.identity.clock.wait(31 * 60_000);
  const response = await browser.get(path);
  assert.is(response.status, 404);
  assert.match(unescapeHtml(response.text), 'Start again in the assistant');
});

test.run();
