import type Router from '@koa/router';
import type { Caller } from '../../commands/organization/caller.ts';
import { clientOf } from '../../mcp/protocol/protocol-message.ts';
import type { Admit } from '../access/admission.ts';
import { cutWhenRevoked } from '../access/revocation.ts';
import { HttpError, toHttpRefusal } from '../http-errors.ts';
import type { RequestContext, RequestState } from '../request.ts';

export type FileContext = RequestContext & { params: Record<string, string> };

/**
 * Registers a download route for programs with a token and for people with a session. A person who is not signed in is redirected
 * to the sign-in page. Other refusals get the REST API's JSON error.
 */
export function fileRoute(
  router: Router<RequestState>,
  path: string,
  admit: Admit,
  serve: (ctx: FileContext, caller: Caller) => Promise<void>,
): void {
  router.get(path, async (ctx) => {
    const caller = await admit(ctx.req).catch((error: unknown) => {
      if (!isSignedOutBrowser(ctx, error)) throw error;
      return null;
    });
    if (caller === null) return redirectToSignIn(ctx);
    ctx.state.account = caller.account_id;
    cutWhenRevoked(ctx, admit, caller, (ctx as FileContext).params.id ?? '');
    try {
      // A person with a session uses no client program.
      const client = caller.token_id === null ? null : clientOf('legacy', {}, ctx.headers);
      await serve(ctx, { ...caller, client });
    } catch (thrown) {
      // After the headers are sent, an error can only cut the file off and go to the log.
      throw ctx.headerSent ? thrown : toHttpRefusal(thrown);
    }
  });
}

function isSignedOutBrowser(ctx: RequestContext, error: unknown): boolean {
  const { accept = '', authorization } = ctx.req.headers;
  const isStranger = error instanceof HttpError && error.status === 401 && authorization === undefined;
  return isStranger && accept.includes('text/html');
}

function redirectToSignIn(ctx: RequestContext): void {
  ctx.status = 303;
  ctx.set('Location', `/sign-in?next=${encodeURIComponent(ctx.url)}`);
  ctx.body = 'Sign in first, at the address in the Location header.';
}
