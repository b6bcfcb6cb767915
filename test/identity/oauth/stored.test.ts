import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import { sweepExpired } from '../../support/identity/identity.ts';
import {
  authorizeAsOwner,
  authorizeUrl,
  connectClient,
  exchange,
  newClient,
  pkce,
  refresh,
  statusWithToken,
} from '../../support/identity/oauth-raw.ts';
import { TestBrowser } from '../../support/identity/oauth-service.ts';
import { oauthSuite } from '../../support/identity/oauth-suite.ts';

const { test, start } = oauthSuite('stored models');

const MINUTE_MS = 60_000;

test('clients, grants, tokens and pending requests survive a restart', async () => {
  const before = await start();
  const { client, tokens } = await connectClient(before);
  const { verifier, challenge } = pkce();
  const browser = new TestBrowser(before, before.owner);
  const { page } = await browser.consent(authorizeUrl(before, client, challenge));
  const jwks = await (await fetch(`${before.url}/oauth/jwks`)).json();
  await before.stop();

  const after = await start({ sharedWith: before });
  assert.is(await statusWithToken(after, tokens.access_token), 200);
  assert.is((await refresh(after, client, tokens.refresh_token)).status, 200);
  assert.equal(await (await fetch(`${after.url}/oauth/jwks`)).json(), jwks);
  browser.moveTo(after);
  const choice = { organizations: [after.organizationId], role: 'EDITOR', read_only: false } as const;
  const callback = await browser.answer(page.replace(before.url, after.url), choice);
  assert.is((await exchange(after, client, callback.searchParams.get('code')!, verifier)).status, 200);
});

test('two instances act as one server', async () => {
  const [firstService] = [await start()];
  const secondService = await start({ sharedWith: firstService });
  const client = await newClient(firstService);
  const { verifier, challenge } = pkce();
  const browser = new TestBrowser(firstService, firstService.owner);
  const { page } = await browser.consent(authorizeUrl(firstService, client, challenge));
  browser.moveTo(secondService);
  const choice = { organizations: [secondService.organizationId], role: 'EDITOR', read_only: false } as const;
  const callback = await browser.answer(page.replace(firstService.url, secondService.url), choice);
  const code = callback.searchParams.get('code')!;
  const tokens = (await exchange(secondService, client, code, verifier, { resource: firstService.resource })).json;
  assert.is(await statusWithToken(firstService, String(tokens.access_token)), 200);
  assert.is(await statusWithToken(secondService, String(tokens.access_token)), 200);
  const [assistant] = await secondService.oauth.assistantsOf(secondService.owner);
  await secondService.oauth.disconnect(assistant!.id, secondService.owner);
  assert.is(
    await statusWithToken(secondService, String(tokens.access_token)),
    401,
    'immediately on the instance that disconnected it',
  );
  firstService.identity.clock.wait(1_000);
  assert.is(await statusWithToken(firstService, String(tokens.access_token)), 401, 'within a second elsewhere');
});

test('using a refresh token at once on two instances gives both the same successor', async () => {
  const firstService = await start();
  const secondService = await start({ sharedWith: firstService });
  const { client, tokens } = await connectClient(firstService);
  const answers = await Promise.all(
    [firstService, secondService].map((service) => refresh(service, client, tokens.refresh_token)),
  );
  assert.equal(
    answers.map(({ status, json }) => [status, json.refresh_token]),
    Array(2).fill([200, answers[0]!.json.refresh_token]),
  );
  for (const { json } of answers) {
    for (const service of [firstService, secondService])
      assert.is(await statusWithToken(service, String(json.access_token)), 200);
  }
});

test('the stores contain no secret that a client or person sees', async () => {
  const service = await start();
  const { client, code, tokens } = await connectClient(service);
  const second = (await refresh(service, client, tokens.refresh_token)).json;
  const thirdGrant = await authorizeAsOwner(service, client);
  const browser = new TestBrowser(service, service.owner);
  const { details } = await browser.consent(authorizeUrl(service, client, pkce().challenge));
  const secrets = [tokens.access_token, tokens.refresh_token, second.access_token, second.refresh_token];
  const secretTexts = [
    ...secrets,
    code,
    thirdGrant.code,
    thirdGrant.verifier,
    details.uid,
    ...browser.cookieValues(),
  ].map(String);
  assert.ok(secretTexts.every((text) => text.length >= 20));
  const files = readdirSync(service.identity.dataDir, { recursive: true, withFileTypes: true }).filter((firstService) =>
    firstService.isFile(),
  );
  const all = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')).join();
  assert.ok(all.includes(client), 'the search finds a value that is not secret');
  for (const text of secretTexts) assert.not(all.includes(text), `the stores hold ${text.slice(0, 4)}…`);
});

test('an access token expires after 15 minutes, a refresh token with the grant', async () => {
  const service = await start();
  const { clock } = service.identity;
  const { client, tokens } = await connectClient(service);
  assert.is(tokens.expires_in, 900);
  clock.wait(15 * MINUTE_MS - 1);
  assert.is(await statusWithToken(service, tokens.access_token), 200);
  clock.wait(1);
  assert.is(await statusWithToken(service, tokens.access_token), 401);
  clock.waitDays(89);
  const second = await refresh(service, client, tokens.refresh_token);
  assert.is(second.status, 200);
  clock.waitDays(1);
  assert.is(await statusWithToken(service, String(second.json.access_token)), 401);
  assert.is((await refresh(service, client, String(second.json.refresh_token))).json.error, 'invalid_grant');
});

test('the sweeper deletes expired models only', async () => {
  const service = await start();
  const { client, tokens } = await connectClient(service);
  const { accounts, clock } = service.identity;
  const second = (await refresh(service, client, tokens.refresh_token)).json;
  clock.wait(31 * MINUTE_MS);
  await refresh(service, client, String(second.refresh_token));
  await sweepExpired(service.identity);
  const kinds = (await accounts.all('oauth')).map(({ kind }) => kind).sort();
  const refreshTokens = Array(3).fill('RefreshToken');
  assert.equal(kinds, ['AccessToken', 'Grant', ...refreshTokens], 'used ones are kept');
});

test('removing a member stops their assistant, and erasing an account stops refreshing', async () => {
  const service = await start();
  const { client, tokens } = await connectClient(service);
  const [assistant] = await service.oauth.assistantsOf(service.owner);
  await service.tokens.revokeInOrganization(assistant!.id, service.organizationId, await owner());
  assert.is(await statusWithToken(service, tokens.access_token), 401);
  assert.is((await refresh(service, client, tokens.refresh_token)).json.error, 'invalid_grant');
  const other = await connectClient(service);
  await service.identity.accounts.update('accounts', service.owner, { erased_at: '2026-03-01T09:00:00.000Z' });
  assert.is((await refresh(service, other.client, other.tokens.refresh_token)).json.error, 'invalid_grant');

  function owner() {
    return accountActor(service.owner);
  }
});

test.run();
