import Router from '@koa/router';
import type { Middleware } from 'koa';
import { methodNotAllowed, notFound } from '../http/http-errors.ts';
import type { RequestState } from '../http/request.ts';
import { assetRoutes } from './assets.ts';
import type { WebContext } from './context.ts';
import { allRoutes } from './pages.ts';
import { Site } from './site.ts';
import type { PageContext, Route } from './visit.ts';

/**
 * All pages, as a middleware for the end of the chain: what it does not know it leaves alone, except that a browser is
 * shown a page for what nobody else knew either.
 */
export function createPages(context: WebContext): Middleware<RequestState> {
  const site = new Site(context);
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  const routes = allRoutes(context);
  for (const route of routes) {
    router.register(route.path, [route.method], (ctx) => site.serve(ctx, route));
  }
  // After all of them, for paths overlap: one may be the fixed part of what another leaves open.
  for (const [path, allowed] of methodsByPath(routes)) {
    router.all(path, (ctx) => site.showError(ctx, methodNotAllowed(allowed)));
  }
  assetRoutes(router);
  const dispatch = router.routes();
  return async (ctx, next) => {
    const page = ctx as PageContext;
    await dispatch(page, next);
    const unknown = ctx.respond !== false && ctx.body == null && ctx.status === 404 && !ctx.response.get('Allow');
    if (unknown && wantsPage(page)) await site.showError(page, notFound());
  };
}

/** What an Allow header says, for each path. */
function methodsByPath(routes: readonly Route[]): Map<string, string> {
  const allowed = new Map<string, string>();
  for (const { method, path } of routes) {
    const names = method === 'GET' ? 'GET, HEAD' : method;
    const others = allowed.get(path);
    allowed.set(path, others === undefined ? names : `${others}, ${names}`);
  }
  return allowed;
}

/** Programs that ask for JSON, or for anything, get the errors that they know. */
function wantsPage({ method, headers }: PageContext): boolean {
  return (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html');
}
