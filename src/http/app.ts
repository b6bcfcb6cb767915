import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';
import type { Logger } from 'pino';
import type { Caller } from '../commands/caller.ts';
import { createProtocol } from '../mcp/protocol.ts';
import type { ToolBox } from '../mcp/tool.ts';
import { type Authenticate, callerOf } from './authentication.ts';
import { directToolRoutes } from './direct-tools.ts';
import { type Health, healthRoutes } from './health.ts';
import { mcpEndpoint } from './mcp-endpoint.ts';
import { openapiRoute } from './openapi.ts';
import { originGuard } from './origin.ts';
import { type RequestState, requests } from './request.ts';

/** What the HTTP service is made of. */
export interface HttpParts {
  tools: ToolBox;
  /**
   * The caller behind an exact `Bearer <token>` credential; null when it is none of ours (unknown, expired, revoked).
   * Throws StoreUnavailable when that can't be known.
   */
  authenticate: Authenticate;
  /** Store and projection state; where `serving` is false, health and readyz answer 503. */
  health(): Promise<Health>;
  /** The service's own address, as its users write it: its host and origin are let in beside loopback's. */
  baseUrl: string;
  version: string;
  logger: Logger;
}

/** The Koa app: the MCP endpoint, the direct form of the tools and its OpenAPI document, health. */
export function createApp(parts: HttpParts): Koa<RequestState> {
  const { tools, version, logger } = parts;
  const guard = originGuard(parts.baseUrl);
  const admit = async (request: IncomingMessage): Promise<Caller> => {
    guard(request);
    return callerOf(request, parts.authenticate);
  };

  const router = new Router<RequestState>();
  healthRoutes(router, parts, admit);
  directToolRoutes(router, tools, admit);
  openapiRoute(router, parts);

  const app = new Koa<RequestState>();
  // Routes' faults are logged with their request; what Koa still reports is a connection lost or cut.
  app.on('error', (error: unknown) => logger.debug({ err: error }, 'connection lost'));
  app.use(requests(logger));
  app.use(mcpEndpoint(createProtocol(tools, { name: 'veritrail', version }), admit));
  app.use(router.routes()).use(router.allowedMethods());
  return app;
}
