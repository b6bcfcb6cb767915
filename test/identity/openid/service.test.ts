/** The whole service with a stock OpenID provider: its settings, claims and requirements. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Provider } from '../../../src/identity/oauth/oidc-provider.ts';
import { CLIENT } from '../../support/identity/openid-provider.ts';
import { isSignedIn, startProviderSignIn } from '../../support/identity/openid-suite.ts';
import { type Service, startService } from '../../support/service.ts';
import { OWNER, type PageAnswer, TestBrowser } from '../../support/web/web.ts';

const test = suite<{ stock: Server; issuer: string; service: Service }>('the service with a provider');

test.before(async (context) => {
  context.stock = createServer().listen(0, '127.0.0.1');
  await once(context.stock, 'listening');
  context.issuer = `http://127.0.0.1:${(context.stock.address() as AddressInfo).port}`;
  context.service = await startService({
    OIDC_ISSUER: context.issuer,
    OIDC_CLIENT_ID: CLIENT.clientId,
    OIDC_CLIENT_SECRET: CLIENT.clientSecret,
  });
  serveStock(context.stock, context.issuer, `${context.service.url}/sign-in/openid/callback`);
});
test.after(async ({ service, stock }) => {
  await service.stop();
  stock.closeAllConnections();
  stock.close();
});

test('an owner connects the provider, and then signs in with it', async ({ service, issuer }) => {
  const owner = browserOf(service.url);
  await owner.get(/\/welcome\?key=[\w-]+/.exec(service.output())![0]);
  await owner.send('/welcome/new', OWNER);
  await owner.get('/settings/security');
  const connected = await throughProvider(
    owner,
    await startProviderSignIn(owner, '/settings/security/provider'),
    issuer,
    service.url,
  );
  assert.match((await owner.follow(connected)).text, 'Your account is connected');

  const other = browserOf(service.url);
  await other.get('/sign-in?next=/settings/tokens');
  assert.is(
    (await throughProvider(other, await startProviderSignIn(other), issuer, service.url)).to,
    '/settings/tokens',
  );
  assert.ok(await isSignedIn(other));
  assert.not.match(service.output(), CLIENT.clientSecret);
  assert.not.match(service.output(), /code=|state=/);
});

const browserOf = (url: string) => new TestBrowser(url, new URL(url).host, new URL(url).origin);

/** Follows the provider's redirects in a new browser, back to the callback. */
async function throughProvider(
  browser: TestBrowser,
  address: string,
  issuer: string,
  back: string,
): Promise<PageAnswer> {
  const providerBrowser = browserOf(issuer);
  for (let to = address; ; ) {
    const { pathname, search, origin } = new URL(to, issuer);
    if (origin === back) return browser.get(pathname + search);
    const answer = await providerBrowser.get(pathname + search);
    if (answer.to === undefined) throw new Error(`the provider answered ${answer.status}: ${answer.text}`);
    to = answer.to;
  }
}

/** A provider that signs everybody in as Ada immediately. It returns her claims only from the userinfo endpoint. */
function serveStock(server: Server, issuer: string, redirectUri: string): void {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, redirect_uris: [redirectUri] }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a key of this test alone'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    ttl: { Session: 60, Grant: 60, Interaction: 60, IdToken: 60, AccessToken: 60 },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, email: OWNER.email, email_verified: true, name: OWNER.name }),
    }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: CLIENT.clientId, accountId: oidc.session!.accountId! });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const serve = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url!.startsWith('/interaction/')) serve(request, response);
    else void provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
  });
}

test.run();
