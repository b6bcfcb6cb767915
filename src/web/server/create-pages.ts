import Router from '@koa/router';
import type { Middleware } from 'koa';
import { methodNotAllowed, notFound } from '../../http/http-errors.ts';
import type { RequestState } from '../../http/request.ts';
import { assetRoutes } from './assets.ts';
import type { WebContext } from './context.ts';
import type { PageContext, Route } from './page-request.ts';
import { PageServer } from './page-server.ts';
import { allRoutes } from './pages.ts';

/**
 * Returns a middleware with all pages, for the end of the chain. A browser gets an error page for an address that no route
 * answered.
 */
export function createPages(context: WebContext): Middleware<RequestState> {
  const site = new PageServer(context);
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  const routes = allRoutes(context);
  for (const route of routes) {
    router.register(route.path, [route.method], (ctx) => site.serve(ctx, route));
  }
  // After all routes, because paths overlap: `/welcome/new` also fits `/welcome/:name`.
  for (const [path, allowed] of methodsByPath(routes)) {
    router.all(path, (ctx) => site.showError(ctx, methodNotAllowed(allowed)));
  }
  assetRoutes(router);
  const dispatch = router.routes();
  return async (ctx, next) => {
    const page = ctx as PageContext;
    await dispatch(page, next);
    const isUnanswered = ctx.respond !== false && ctx.body == null && ctx.status === 404 && !ctx.response.get('Allow');
    if (isUnanswered && wantsPage(page)) await site.showError(page, notFound());
  };
}

/** Returns the value of the Allow header for each path. */
function methodsByPath(routes: readonly Route[]): Map<string, string> {
  const allowed = new Map<string, string>();
  for (const { method, path } of routes) {
    const names = method === 'GET' ? 'GET, HEAD' : method;
    const otherMethods = allowed.get(path);
    allowed.set(path, otherMethods === undefined ? names : `${otherMethods}, ${names}`);
  }
  return allowed;
}

/** Returns true for browsers. Programs that accept JSON or anything get the JSON error. */
function wantsPage({ method, headers }: PageContext): boolean {
  return (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html');
}
