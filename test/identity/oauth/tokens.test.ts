import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { entryOf } from '../../../src/identity/access-log/access-log-entry.ts';
import { accountActor } from '../../../src/identity/memberships/actor.ts';
import type { TokenRecord } from '../../../src/identity/tokens/token-record.ts';
import {
  authorizeAsOwner,
  connectClient,
  exchange,
  newClient,
  pkce,
  postForm,
  REDIRECT,
  refresh,
  statusWithToken,
  type TokenSet,
} from '../../support/identity/oauth-raw.ts';
import type { OAuthService } from '../../support/identity/oauth-service.ts';
import { oauthSuite } from '../../support/identity/oauth-suite.ts';

const MINUTE_MS = 60_000;

const { test, start } = oauthSuite('codes and tokens');

test('a code works once, and a second use ends the grant', async () => {
  const service = await start();
  const { client, code, verifier, tokens } = await connectClient(service);
  assert.is(await statusWithToken(service, tokens.access_token), 200);
  const repeatedExchange = await exchange(service, client, code, verifier);
  assert.equal([repeatedExchange.status, repeatedExchange.json.error], [400, 'invalid_grant']);
  assert.is(await statusWithToken(service, tokens.access_token), 401);
  assert.is((await refresh(service, client, tokens.refresh_token)).json.error, 'invalid_grant');
  const assistants = (await service.tokens.listOfAccount(service.owner)).filter(({ kind }) => kind === 'ASSISTANT');
  assert.equal(
    assistants.map(({ state }) => state),
    ['REVOKED'],
  );
  await assertEnded(service, 'CODE_REUSED', 'Its authorization code was used again');
});

/** Checks the access log's entry and the history's reason for the grant that ended. */
async function assertEnded(service: OAuthService, reason: string, text: string): Promise<void> {
  const entries = service.assistantEvents.map(entryOf);
  const [{ id, revocation }] = (await service.tokens.list()).filter(({ kind }) => kind === 'ASSISTANT') as [
    TokenRecord,
  ];
  assert.equal(
    entries.map(({ event_type, actor_id, account_id, organizations, client, details, clientInfo }) => [
      ...[event_type, actor_id, account_id, organizations, client, details, clientInfo?.address],
    ]),
    [
      [
        ...['ASSISTANT_REVOKED', id, service.owner, [service.organizationId], 'Raw client', { reason }],
        service.clientInfo.address,
      ],
    ],
  );
  assert.match(String(revocation?.reason), text);
}

test('concurrent exchanges of a code give at most one token, and it is revoked', async () => {
  const service = await start();
  const client = await newClient(service);
  const { code, verifier } = await authorizeAsOwner(service, client);
  const answers = await Promise.all([1, 2, 3].map(() => exchange(service, client, code, verifier)));
  const successes = answers.filter(({ status }) => status === 200);
  assert.ok(successes.length <= 1);
  for (const { json } of successes) assert.is(await statusWithToken(service, String(json.access_token)), 401);
});

test('a code requires its verifier, redirect, client and resource', async () => {
  const service = await start();
  const [client, other] = [await newClient(service), await newClient(service)];
  const { code, verifier } = await authorizeAsOwner(service, client);
  const refusalOf = async (client_id: string, with_verifier: string, fields = {}) =>
    (await exchange(service, client_id, code, with_verifier, fields)).json.error;
  assert.is(await refusalOf(client, pkce().verifier), 'invalid_grant');
  assert.is(await refusalOf(client, ''), 'invalid_grant');
  assert.is(await refusalOf(client, verifier, { redirect_uri: 'http://127.0.0.1:1/callback' }), 'invalid_grant');
  assert.is(await refusalOf(other, verifier), 'invalid_grant');
  assert.is((await exchange(service, client, code, verifier)).status, 200);
  const second = await authorizeAsOwner(service, client);
  const otherResource = { resource: 'https://other.example/' };
  const answer = await exchange(service, client, second.code, second.verifier, otherResource);
  assert.is(answer.json.error, 'invalid_target');
});

const TWO_REDIRECTS = ['http://127.0.0.1/callback', 'http://localhost/callback'];

test('a code exchanged without the redirect is bound by PKCE alone', async () => {
  const service = await start();
  const other = await newClient(service);
  for (const redirect_uris of [[REDIRECT], TWO_REDIRECTS.slice(0, 1), TWO_REDIRECTS]) {
    const client = await newClient(service, { redirect_uris });
    const { code, verifier } = await authorizeAsOwner(service, client);
    const exchangeWithoutRedirect = (client_id: string, with_verifier: string | undefined) =>
      exchange(service, client_id, code, '', { redirect_uri: undefined, code_verifier: with_verifier });
    assert.is((await exchangeWithoutRedirect(client, pkce().verifier)).json.error, 'invalid_grant');
    assert.is((await exchangeWithoutRedirect(client, undefined)).json.error, 'invalid_grant');
    assert.is((await exchangeWithoutRedirect(other, verifier)).json.error, 'invalid_grant');
    assert.is((await exchangeWithoutRedirect(client, verifier)).status, 200, redirect_uris.join());
    assert.is((await exchangeWithoutRedirect(client, verifier)).json.error, 'invalid_grant', 'and is valid once');
  }
  const unknown = await exchange(service, other, 'unknown', pkce().verifier, { redirect_uri: undefined });
  assert.is(unknown.json.error, 'invalid_grant');
});

test('refuses a code with another registered redirect than the request’s', async () => {
  const service = await start();
  const client = await newClient(service, { redirect_uris: [...TWO_REDIRECTS, 'https://assistant.example/callback'] });
  const { code, verifier } = await authorizeAsOwner(service, client);
  for (const redirect_uri of [
    ...TWO_REDIRECTS,
    'https://assistant.example/callback',
    'http://127.0.0.1:33419/callback',
  ]) {
    const refusal = await exchange(service, client, code, verifier, { redirect_uri });
    assert.equal([refusal.status, refusal.json.error], [400, 'invalid_grant'], redirect_uri);
  }
  assert.is((await exchange(service, client, code, verifier)).status, 200);
});

test('a refresh token used again within a minute gives the same successor, and all tokens work', async () => {
  const service = await start();
  const { clock } = service.identity;
  const { client, tokens } = await connectClient(service);
  const atOnce = [1, 2, 3].map(() => refresh(service, client, tokens.refresh_token));
  const first = (await Promise.all(atOnce)).map(({ json }) => json as unknown as TokenSet);
  clock.wait(MINUTE_MS);
  const late = (await refresh(service, client, tokens.refresh_token)).json as unknown as TokenSet;
  const all = [...first, late];
  assert.is(new Set(all.map(({ refresh_token }) => refresh_token)).size, 1);
  assert.is(new Set(all.map(({ access_token }) => access_token)).size, 4);
  for (const { access_token } of [tokens, ...all]) assert.is(await statusWithToken(service, access_token), 200);
  const next = await refresh(service, client, late.refresh_token);
  assert.is(next.status, 200);
  assert.is.not(next.json.refresh_token, late.refresh_token);
  assert.is(service.assistantEvents.length, 0);
});

test('the use of a successor is not forgotten when its predecessor is used again', async () => {
  const service = await start();
  const { client, tokens } = await connectClient(service);
  const second = (await refresh(service, client, tokens.refresh_token)).json as unknown as TokenSet;
  const third = (await refresh(service, client, second.refresh_token)).json as unknown as TokenSet;
  assert.is((await refresh(service, client, tokens.refresh_token)).json.refresh_token, second.refresh_token);
  assert.is((await refresh(service, client, second.refresh_token)).json.refresh_token, third.refresh_token);
  service.identity.clock.wait(MINUTE_MS + 1_000);
  assert.is((await refresh(service, client, second.refresh_token)).json.error, 'invalid_grant');
  assert.is((await refresh(service, client, third.refresh_token)).json.error, 'invalid_grant');
});

test('another client gets nothing by a refresh token that was used a moment ago', async () => {
  const service = await start();
  const [other, { client, tokens }] = [await newClient(service), await connectClient(service)];
  await refresh(service, client, tokens.refresh_token);
  assert.is((await refresh(service, other, tokens.refresh_token)).json.error, 'invalid_grant');
  assert.is((await refresh(service, client, tokens.refresh_token)).status, 200);
});

test('reusing a refresh token later ends the grant, and the access log says so', async () => {
  const service = await start();
  const { client, tokens } = await connectClient(service);
  const second = (await refresh(service, client, tokens.refresh_token)).json as unknown as TokenSet;
  const thirdTokens = (await refresh(service, client, second.refresh_token)).json as unknown as TokenSet;
  assert.is(await statusWithToken(service, thirdTokens.access_token), 200);
  service.identity.clock.wait(MINUTE_MS + 1_000);
  const reused = await refresh(service, client, tokens.refresh_token);
  assert.equal([reused.status, reused.json.error], [400, 'invalid_grant']);
  for (const { access_token } of [tokens, second, thirdTokens])
    assert.is(await statusWithToken(service, access_token), 401);
  assert.is((await refresh(service, client, thirdTokens.refresh_token)).json.error, 'invalid_grant');
  assert.equal(await service.oauth.assistantsOf(service.owner), []);
  await assertEnded(service, 'REFRESH_TOKEN_REUSED', 'Its refresh token was used again');
});

test('the grant ends with the membership behind it', async () => {
  const service = await start();
  const { members, organizationId, owner, identity } = service;
  const { client, tokens } = await connectClient(service);
  const second = randomId('acc');
  await identity.accounts.insert('accounts', { id: second, name: 'Second', organizations: [] });
  await members.add(organizationId, second, 'OWNER', accountActor(owner));
  await members.changeRole(organizationId, owner, 'ADMIN', accountActor(second));
  await members.changeEnd(organizationId, owner, '2026-03-01T09:10:00.000Z', accountActor(second));
  assert.is(await statusWithToken(service, tokens.access_token), 200);
  identity.clock.wait(10 * 60_000 + 1);
  assert.is(await statusWithToken(service, tokens.access_token), 401);
  const refreshed = await refresh(service, client, tokens.refresh_token);
  assert.equal([refreshed.status, refreshed.json.error], [400, 'invalid_grant']);
});

test('a refresh token works only for its client and the granted scopes', async () => {
  const service = await start();
  const other = await newClient(service);
  const { client, tokens } = await connectClient(service, { scope: 'compliance:read' });
  assert.is(tokens.scope, 'compliance:read');
  assert.is((await refresh(service, other, tokens.refresh_token)).json.error, 'invalid_grant');
  const extraScopes = { scope: 'compliance:read compliance:write' };
  assert.is((await refresh(service, client, tokens.refresh_token, extraScopes)).json.error, 'invalid_scope');
  const refreshed = await refresh(service, client, tokens.refresh_token, { scope: 'compliance:read' });
  assert.equal([refreshed.status, refreshed.json.scope], [200, 'compliance:read']);
});

test('a refresh token does not authenticate calls, and an access token does not refresh', async () => {
  const service = await start();
  const { client, tokens } = await connectClient(service);
  assert.is(await statusWithToken(service, tokens.refresh_token), 401);
  assert.is((await refresh(service, client, tokens.access_token)).json.error, 'invalid_grant');
  assert.is(await statusWithToken(service, tokens.access_token), 200);
});

test('revoking one token ends the grant, and another client cannot revoke it', async () => {
  const service = await start();
  const other = await newClient(service);
  for (const tokenName of ['access_token', 'refresh_token'] as const) {
    const { client, tokens } = await connectClient(service);
    const revoke = (client_id: string) => postForm(service, '/oauth/revoke', { client_id, token: tokens[tokenName] });
    assert.is((await revoke(other)).status, 200);
    assert.is(await statusWithToken(service, tokens.access_token), 200);
    assert.is((await revoke(client)).status, 200);
    assert.is(await statusWithToken(service, tokens.access_token), 401);
    assert.is((await refresh(service, client, tokens.refresh_token)).json.error, 'invalid_grant');
  }
});

test.run();
