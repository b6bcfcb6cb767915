import * as assert from 'uvu/assert';
import { rejectionError } from '../../support/identity/identity.ts';
import {
  authorizeAsOwner,
  authorizeUrl,
  connectClient,
  exchange,
  newClient,
  pkce,
  statusWithToken,
} from '../../support/identity/oauth-raw.ts';
import { TestBrowser } from '../../support/identity/oauth-service.ts';
import { oauthSuite } from '../../support/identity/oauth-suite.ts';

const { test, start } = oauthSuite('consent');

test('a browser can neither see nor answer another browser’s request', async () => {
  const service = await start();
  const client = await newClient(service);
  const { page } = await new TestBrowser(service, service.owner).consent(
    authorizeUrl(service, client, pkce().challenge),
  );
  const attacker = new TestBrowser(service, service.owner);
  const answer = (await (await attacker.request(page)).json()) as { refusal: { code: string } };
  assert.is(answer.refusal.code, 'not_found');
  const allowed = { organizations: [service.organizationId], role: 'OWNER', read_only: false } as const;
  assert.match((await rejectionError(attacker.answer(page, allowed))).message, 'not_found');
  assert.equal(await service.oauth.assistantsOf(service.owner), []);
});

test('a consent is not valid for a person who signed in later', async () => {
  const service = await start();
  const client = await newClient(service);
  const browser = new TestBrowser(service, service.owner);
  const { page } = await browser.consent(authorizeUrl(service, client, pkce().challenge));
  const choice = JSON.stringify({ organizations: [service.organizationId], role: 'OWNER', read_only: false });
  const answered = await browser.request(`${page}?answer=${encodeURIComponent(choice)}`, 'POST');
  browser.person = 'acc_00000000000000000000000000';
  const response = await browser.request(answered.headers.get('location')!);
  const location = new URL(response.headers.get('location')!, service.url);
  assert.match(location.pathname, /^\/oauth\/interaction\//);
  assert.is.not(location.href, page);
  const details = (await (await browser.request(location.href)).json()) as { organizations: unknown[] };
  assert.equal(details.organizations, []);
});

test('an answer counts once, and an answer without an organization is refused', async () => {
  const service = await start();
  const client = await newClient(service);
  const browser = new TestBrowser(service, service.owner);
  const { page } = await browser.consent(authorizeUrl(service, client, pkce().challenge));
  const noChoice = { organizations: [], role: 'OWNER', read_only: false } as const;
  assert.match((await rejectionError(browser.answer(page, noChoice))).message, 'organizations');
  const foreignChoice = { ...noChoice, organizations: ['org_00000000000000000000000000'] };
  assert.match((await rejectionError(browser.answer(page, foreignChoice))).message, 'organization');
  const allowed = { ...noChoice, organizations: [service.organizationId] };
  const query = `?answer=${encodeURIComponent(JSON.stringify(allowed))}`;
  const send = async (answer: string) => (await browser.request(page + answer, 'POST')).headers.get('location');
  const [first, ...others] = await Promise.all([send(query), send(query), send(query)]);
  assert.match(first!, '/oauth/authorize/');
  assert.equal(others, [first, first], 'a double click leads to the same page as one click');
  assert.is(await send(''), first, 'and the answer stays valid');
  assert.ok(new URL((await browser.request(first!)).headers.get('location')!).searchParams.has('code'));
  assert.is((await service.oauth.assistantsOf(service.owner)).length, 1);
});

test('tells the client about a denial', async () => {
  const service = await start();
  const client = await newClient(service);
  const browser = new TestBrowser(service, service.owner);
  const { page } = await browser.consent(authorizeUrl(service, client, pkce().challenge));
  const callback = await browser.answer(page, null);
  assert.is(callback.searchParams.get('error'), 'access_denied');
  assert.is(callback.searchParams.get('iss'), service.url);
  assert.equal(
    await service.tokens.listOfAccount(service.owner).then((all) => all.filter(({ kind }) => kind === 'ASSISTANT')),
    [],
  );
});

test('shows a request only after sign-in', async () => {
  const service = await start();
  const client = await newClient(service);
  const browser = new TestBrowser(service, null);
  const response = await browser.open(authorizeUrl(service, client, pkce().challenge));
  assert.is(response.status, 302);
  assert.match(response.headers.get('location')!, /^\/sign-in\?next=%2Foauth%2Finteraction%2F/);
});

test('connecting a client again replaces its connection, but not another client’s', async () => {
  const service = await start();
  const other = await connectClient(service);
  const first = await connectClient(service);
  const { code, verifier } = await authorizeAsOwner(service, first.client, { scope: 'compliance:read' });
  assert.is(await statusWithToken(service, first.tokens.access_token), 401);
  const repeatedExchange = await exchange(service, first.client, code, verifier);
  assert.is(await statusWithToken(service, String(repeatedExchange.json.access_token)), 200);
  assert.is(await statusWithToken(service, other.tokens.access_token), 200);
  const clients = (await service.oauth.assistantsOf(service.owner)).map(({ client }) => client!.id);
  assert.equal(clients.sort(), [first.client, other.client].sort());
});

test.run();
