import Router from '@koa/router';
import type { Middleware } from 'koa';
import { notFound } from '../http/errors.ts';
import type { RequestState } from '../http/request.ts';
import { assetRoutes } from './assets.ts';
import { allRoutes } from './pages.ts';
import type { WebParts } from './parts.ts';
import { Site } from './site.ts';
import type { PageContext, Route } from './visit.ts';

/**
 * All pages, as a middleware for the end of the chain: what it does not know it leaves alone, except that a browser is
 * shown a page for what nobody else knew either.
 */
export function createPages(parts: WebParts): Middleware<RequestState> {
  const site = new Site(parts);
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  for (const [path, routes] of byPath(allRoutes(parts))) {
    router.all(path, (ctx) => site.serve(ctx, routes));
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

function byPath(routes: readonly Route[]): Map<string, Route[]> {
  const grouped = new Map<string, Route[]>();
  for (const route of routes) grouped.set(route.path, [...(grouped.get(route.path) ?? []), route]);
  return grouped;
}

/** Programs that ask for JSON, or for anything, get the errors that they know. */
function wantsPage({ method, headers }: PageContext): boolean {
  return (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html');
}
