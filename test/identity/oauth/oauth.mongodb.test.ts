/** Steps of the OAuth server that must be atomic, on MongoDB with two instances. */
import * as assert from 'uvu/assert';
import { openMongoAccountStore } from '../../../src/stores/mongodb/account-store.ts';
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
import { startMongo } from '../../support/stores/mongodb.ts';

const mongo = await startMongo();
if (mongo) {
  const { test, start } = oauthSuite(`two instances, ${mongo.name}`);
  const closing: (() => Promise<void>)[] = [];

  const startBoth = async () => {
    const { url, close } = (await startMongo())!;
    const stores = [await openMongoAccountStore(url), await openMongoAccountStore(url)] as const;
    closing.push(...stores.map((store) => () => store.close()), close);
    const firstService = await start({ accounts: stores[0] });
    return [firstService, await start({ accounts: stores[1], sharedWith: firstService })] as const;
  };

  test.after.each(async () => {
    for (const close of closing.splice(0)) await close();
  });
  test.after(mongo.close);

  test('another instance can complete a request', async () => {
    const [firstService, secondService] = await startBoth();
    const client = await newClient(firstService);
    const { verifier, challenge } = pkce();
    const browser = new TestBrowser(firstService, firstService.owner);
    const { page } = await browser.consent(authorizeUrl(firstService, client, challenge));
    browser.moveTo(secondService);
    const choice = { organizations: [firstService.organizationId], role: 'EDITOR', read_only: false } as const;
    const callback = await browser.answer(page, choice);
    const resource = firstService.resource;
    const tokens = (await exchange(firstService, client, callback.searchParams.get('code')!, verifier, { resource }))
      .json;
    assert.is(await statusWithToken(secondService, String(tokens.access_token)), 200);
    const renewed = await refresh(secondService, client, String(tokens.refresh_token));
    assert.is(renewed.status, 200);
    const jwks = await Promise.all(
      [firstService, secondService].map(async ({ url }) => (await fetch(`${url}/oauth/jwks`)).text()),
    );
    assert.is(jwks[0], jwks[1]);
    firstService.identity.clock.wait(61_000);
    assert.is((await refresh(firstService, client, String(tokens.refresh_token))).json.error, 'invalid_grant');
    firstService.identity.clock.wait(1_000);
    assert.is(await statusWithToken(secondService, String(renewed.json.access_token)), 401);
  });

  test('of concurrent uses of a code at most one gets tokens, which are revoked', async () => {
    const [firstService, secondService] = await startBoth();
    const client = await newClient(firstService);
    const { code, verifier } = await authorizeAsOwner(firstService, client);
    const both = [firstService, secondService, firstService, secondService];
    const exchanged = await Promise.all(
      both.map((service) => exchange(service, client, code, verifier, { resource: firstService.resource })),
    );
    firstService.identity.clock.wait(1_000);
    const successes = exchanged.filter(({ status }) => status === 200);
    assert.ok(successes.length <= 1);
    for (const { json } of successes) assert.is(await statusWithToken(secondService, String(json.access_token)), 401);
    assert.equal(await secondService.oauth.assistantsOf(secondService.owner), []);
  });

  test('concurrent uses of a refresh token get the same successor, and access tokens that work', async () => {
    const [firstService, secondService] = await startBoth();
    const { client, tokens } = await connectClient(firstService);
    const all = [firstService, secondService, firstService, secondService];
    const refreshed = await Promise.all(all.map((service) => refresh(service, client, tokens.refresh_token)));
    const successors = new Set(refreshed.map(({ json }) => String(json.refresh_token)));
    assert.is(successors.size, 1);
    for (const { json } of refreshed) {
      for (const service of [firstService, secondService])
        assert.is(await statusWithToken(service, String(json.access_token)), 200);
    }
    assert.is((await refresh(secondService, client, [...successors][0]!)).status, 200);
  });

  test.run();
}
