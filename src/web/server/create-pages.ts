import Router from '@koa/router';
import type { Middleware } from 'koa';
import { ClientGone, methodNotAllowed, notFound } from '../../http/http-errors.ts';
import type { RequestState } from '../../http/request.ts';
import { assetRoutes } from './assets.ts';
import type { WebContext } from './context.ts';
import type { PageContext, Route } from './page-request.ts';
import { PageServer } from './page-server.ts';
import { allRoutes } from './pages.ts';

/**
 * Returns a middleware with all pages. It stands before the routes of programs. So a browser gets an error page also where
 * no route answered, and for a file that its person can't have.
 */
export function createPages(context: WebContext): Middleware<RequestState> {
  const site = new PageServer(context);
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  const routes = allRoutes(context);
  // Literal paths first, because paths overlap: `/members/invite` also fits `/members/:account`.
  for (const [path, routesOfPath] of literalFirst(routesByPath(routes))) {
    for (const route of routesOfPath) router.register(path, [route.method], (ctx) => site.serve(ctx, route));
    const allowed = allowedMethods(routesOfPath);
    router.all(path, (ctx) => site.showError(ctx, methodNotAllowed(allowed)));
  }
  assetRoutes(router);
  const dispatch = router.routes();
  return async (ctx, next) => {
    const page = ctx as PageContext;
    try {
      await (ctx.path.startsWith('/api/') ? next() : dispatch(page, next));
    } catch (error) {
      if (error instanceof ClientGone || ctx.headerSent || ctx.respond === false || !wantsPage(page)) throw error;
      return site.showError(page, error);
    }
    const isUnanswered = ctx.respond !== false && ctx.body == null && ctx.status === 404 && !ctx.response.get('Allow');
    if (isUnanswered && wantsPage(page)) await site.showError(page, notFound());
  };
}

function routesByPath(routes: readonly Route[]): Map<string, Route[]> {
  const byPath = new Map<string, Route[]>();
  for (const route of routes) {
    const routesOfPath = byPath.get(route.path);
    if (routesOfPath === undefined) byPath.set(route.path, [route]);
    else routesOfPath.push(route);
  }
  return byPath;
}

/** Sorts paths so that a literal segment comes before a parameter. */
function literalFirst(byPath: ReadonlyMap<string, Route[]>): [path: string, routes: Route[]][] {
  const parameterPlaces = (path: string) => path.replace(/[^/]+/g, (segment) => (segment.startsWith(':') ? '1' : '0'));
  return [...byPath].sort(([a], [b]) => parameterPlaces(a).localeCompare(parameterPlaces(b)));
}

function allowedMethods(routes: readonly Route[]): string {
  return routes.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
}

/** Returns true for browsers. Programs with a token, or that accept JSON or anything, get the JSON error. */
function wantsPage({ method, headers }: PageContext): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    (headers.accept ?? '').includes('text/html') &&
    headers.authorization === undefined
  );
}
