import { grantHandlers, type Provider } from './oidc-provider.ts';

const GRANT = 'authorization_code';

/**
 * Lets clients omit `redirect_uri` when they exchange a code, as in OAuth 2.1: PKCE binds the code to the client. The
 * library requires it from clients with several redirect URIs, and treats another loopback port as another URI. A client
 * that sends `redirect_uri` must still send the one from its authorization request.
 */
export function allowOmittedRedirectUri(provider: Provider): void {
  const handlers = grantHandlers(provider);
  const exchange = handlers.get(GRANT)!;
  handlers.set(GRANT, async (ctx, next) => {
    const params = ctx.oidc.params!;
    if (params.redirect_uri === undefined && params.code !== undefined) {
      // For an unknown code, the URI is empty, and the library refuses the exchange.
      params.redirect_uri = (await provider.AuthorizationCode.find(String(params.code)))?.redirectUri ?? '';
    }
    await exchange(ctx, next);
  });
}
