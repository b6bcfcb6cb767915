/** Connecting an assistant that a crash interrupts after one of its writes. */
import * as assert from 'uvu/assert';
import type { StoredModel } from '../../../src/identity/oauth/stored-model.ts';
import type { AccountStore } from '../../../src/stores/account-store.ts';
import { open } from '../../support/identity/identity.ts';
import {
  authorizeUrl,
  connectClient,
  exchange,
  newClient,
  pkce,
  statusWithToken,
} from '../../support/identity/oauth-raw.ts';
import { type OAuthService, TestBrowser } from '../../support/identity/oauth-service.ts';
import { oauthSuite } from '../../support/identity/oauth-suite.ts';
import { MINUTE_MS, reconcile } from '../../support/identity/reconcile.ts';
import { beforeEachWrite, PowerCut } from '../../support/stores/before-each-write.ts';

const { test, start } = oauthSuite('interrupted');

async function startWithCut(): Promise<{ service: OAuthService; cut: PowerCut; whole: AccountStore }> {
  const identity = await open();
  const cut = new PowerCut();
  const { accounts } = beforeEachWrite({ accounts: identity.accounts }, cut.beforeWrite);
  const service = await start({ accounts, identity });
  return { service, cut, whole: identity.accounts };
}

/** Connects a client that has registered. */
async function connect(service: OAuthService, client: string, browser: TestBrowser): Promise<void> {
  const { verifier, challenge } = pkce();
  const callback = await browser.allow(authorizeUrl(service, client, challenge));
  const answer = await exchange(service, client, callback.searchParams.get('code')!, verifier);
  if (answer.status !== 200) throw new Error('no tokens');
}

test('leaves no assistant that nobody can use, after whichever write', async () => {
  let interrupted = 0;
  for (let writes = 0, isDone = false; !isDone; writes += 1) {
    assert.ok(writes < 40);
    const { service, cut, whole } = await startWithCut();
    const { identity, organizationId, owner } = service;
    const client = await newClient(service);
    cut.after(writes);
    isDone = await connect(service, client, new TestBrowser(service, owner)).then(
      () => true,
      () => false,
    );
    service.faults.length = 0;
    identity.clock.wait(16 * MINUTE_MS);
    const stores = { ...identity, accounts: whole, tokens: service.tokens };
    cut.after(Number.POSITIVE_INFINITY);
    await reconcile(stores, [organizationId]);
    const models = await whole.all<StoredModel>('oauth');
    const hasRefreshToken = models.some(({ kind }) => kind === 'RefreshToken');
    const assistants = await service.oauth.assistantsOf(owner);
    assert.is(assistants.length, hasRefreshToken ? 1 : 0, `after ${writes} writes`);
    if (!hasRefreshToken && (await whole.all('tokens')).length > 1) interrupted += 1;
  }
  assert.ok(interrupted >= 2, 'also between the token and its grant, and between the grant and its code');
});

test('leaves alone an assistant that has never called but can', async () => {
  const service = await start();
  const { identity, tokens, organizationId, owner } = service;
  const connected = await connectClient(service);
  const stores = { ...identity, tokens };
  assert.equal((await reconcile(stores, [organizationId])).found, []);
  identity.clock.waitDays(60);
  assert.equal((await reconcile(stores, [organizationId])).found, []);
  assert.is((await service.oauth.assistantsOf(owner)).length, 1);
  assert.is(await statusWithToken(service, connected.tokens.access_token), 401, 'its refresh token is still valid');
});

test.run();
