import { grantHandlers, type Provider } from './oidc-provider.ts';

const GRANT = 'authorization_code';

/**
 * Lets clients leave out `redirect_uri` when they exchange a code, as OAuth 2.1 has it: PKCE binds the code to who asked for
 * it. The library would want it from clients with several, and take another port of this machine for another address.
 * One that is given must still be the request's.
 */
export function allowOmittedRedirect(provider: Provider): void {
  const handlers = grantHandlers(provider);
  const exchange = handlers.get(GRANT)!;
  handlers.set(GRANT, async (ctx, next) => {
    const params = ctx.oidc.params!;
    if (params.redirect_uri === undefined && params.code !== undefined) {
      // Nothing is kept under a code that is wrong, and no request has an empty address.
      params.redirect_uri = (await provider.AuthorizationCode.find(String(params.code)))?.redirectUri ?? '';
    }
    await exchange(ctx, next);
  });
}
