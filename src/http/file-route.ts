import type Router from '@koa/router';
import type { Caller } from '../commands/caller.ts';
import { clientOf } from '../mcp/protocol-era.ts';
import type { Admit } from './admission.ts';
import { HttpError, toHttpRefusal } from './http-errors.ts';
import type { RequestContext, RequestState } from './request.ts';
import { cutWhenRevoked } from './revocation.ts';

export type FileContext = RequestContext & { params: Record<string, string> };

/**
 * An address where programs and people get a file: by a token, or by the session of the pages. A person at a browser who
 * has not signed in is led there first; whatever else is refused is answered as the direct form of the tools has it.
 */
export function fileRoute(
  router: Router<RequestState>,
  path: string,
  admit: Admit,
  serve: (ctx: FileContext, caller: Caller) => Promise<void>,
): void {
  router.get(path, async (ctx) => {
    const admitted = await admit(ctx.req).catch((error: unknown) => {
      if (!isStrangerAtBrowser(ctx, error)) throw error;
      return null;
    });
    if (admitted === null) return leadToSignIn(ctx);
    ctx.state.account = admitted.account_id;
    cutWhenRevoked(ctx, admit, admitted, (ctx as FileContext).params.id ?? '');
    try {
      // Who acts by the pages acts by no client.
      const client = admitted.token_id === null ? null : clientOf('legacy', {}, ctx.headers);
      await serve(ctx, { ...admitted, client });
    } catch (thrown) {
      // What cuts a file off that has begun can only be told to the log, and is a fault there.
      throw ctx.headerSent ? thrown : toHttpRefusal(thrown);
    }
  });
}

function isStrangerAtBrowser(ctx: RequestContext, error: unknown): boolean {
  const { accept = '', authorization } = ctx.req.headers;
  const isStranger = error instanceof HttpError && error.status === 401 && authorization === undefined;
  return isStranger && accept.includes('text/html');
}

function leadToSignIn(ctx: RequestContext): void {
  ctx.status = 303;
  ctx.set('Location', `/sign-in?next=${encodeURIComponent(ctx.url)}`);
  ctx.body = 'Sign in first: see the address in Location.';
}
