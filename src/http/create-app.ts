import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import type { OAuth } from '../identity/oauth/oauth.ts';
import { Protocol } from '../mcp/protocol/protocol.ts';
import type { ToolBox } from '../tools/toolbox.ts';
import {
  type Authenticate,
  admission,
  admissionWithOlderRoles,
  afterStart,
  type SessionCaller,
} from './access/admission.ts';
import { scopeGuard } from './access/challenge.ts';
import { oauthEndpoints } from './access/oauth-endpoints.ts';
import { crossOrigin } from './access/origin.ts';
import { Penalties, type RateLimits } from './access/rate-limits.ts';
import { compression } from './compression.ts';
import { RECORD_FILE_FORMATS } from './files/record-file-formats.ts';
import { type RecordFileRoutesOptions, recordFileRoutes } from './files/record-file-routes.ts';
import { availableReportFormats } from './files/report-file-formats.ts';
import { type ReportFileRoutesOptions, reportFileRoutes } from './files/report-file-routes.ts';
import { type Health, healthRoutes } from './health-routes.ts';
import { type MetricsSource, metricsRoute } from './metrics-endpoint.ts';
import { type OnResponse, type RequestState, requestMiddleware } from './request.ts';
import { directToolRoutes } from './tools/direct-tool-routes.ts';
import { mcpEndpoint } from './tools/mcp-endpoint.ts';
import { openapiRoute } from './tools/openapi-route.ts';

export interface HttpServiceOptions {
  tools: ToolBox;
  /**
   * Returns the caller of a bearer token, or null if it is unknown, expired or revoked.
   * @throws StoreUnavailable if the stores can't tell
   */
  authenticate: Authenticate;
  /** Returns a promise to wait for while the service starts, or null. */
  waitUntilReady?: () => Promise<void> | null;
  toolOrigins?: ReadonlySet<string>;
  limits: RateLimits;
  /** Reads the state of stores and projections. If `serving` is false, health and readyz answer 503. */
  health(): Promise<Health>;
  /** The service's public address. Its host and origin are allowed, and so is loopback. */
  baseUrl: string;
  /** The address under which people reach the pages. Without it, answers of tools name no page. */
  publicUrl?: string | undefined;
  version: string;
  /** The service's icon for MCP clients: an SVG as a `data:` address. */
  icon?: string | undefined;
  logger: Logger;
  /** The authorization server for assistants, and the pages for people. Both are optional. */
  oauth?: OAuth;
  pages?: Middleware<RequestState>;
  /** Returns the caller of a session of the pages, so that people can download files. */
  sessions?: SessionCaller;
  recordFiles?: RecordFileRoutesOptions;
  reports?: ReportFileRoutesOptions;
  /** Called after each answer. */
  onResponse?: readonly OnResponse[];
  /** Serves the metrics to callers with the token, if one is set. */
  metrics?: { source: MetricsSource; token: string | null } | undefined;
  /** The tools for the MCP endpoint, if they aren't `tools`: its answers don't show refusals by their status. */
  mcpTools?: ToolBox | undefined;
}

/** The Koa app: the MCP endpoint, the direct form of the tools and its OpenAPI document, health, OAuth, pages. */
export function createApp(options: HttpServiceOptions): Koa<RequestState> {
  const { tools, version, logger, oauth, pages, publicUrl } = options;
  const admit = admissionWithOlderRoles(options);
  const { waitUntilReady } = options;
  const admitCall = afterStart(
    admissionWithOlderRoles({ ...options, allowedOrigins: options.toolOrigins }),
    waitUntilReady,
  );
  const requireScope = scopeGuard(tools, options.baseUrl);
  const penalties = new Penalties();
  // Addresses are case-sensitive, as rules of proxies for them are.
  const router = new Router<RequestState>({ sensitive: true });
  healthRoutes(router, options, admit);
  const { metrics } = options;
  if (metrics && metrics.token !== null) metricsRoute(router, metrics.source, metrics.token, options.limits);
  directToolRoutes(router, options, admitCall, requireScope, penalties);
  openapiRoute(router, options, {
    records: options.recordFiles ? RECORD_FILE_FORMATS : [],
    reports: options.reports ? availableReportFormats(options.reports.printer) : [],
  });
  const admitReader = afterStart(admission(options, options.sessions), waitUntilReady);
  if (options.recordFiles) recordFileRoutes(router, admitReader, options.recordFiles);
  if (options.reports) reportFileRoutes(router, admitReader, { ...options.reports, publicUrl });

  const app = new Koa<RequestState>();
  // Route errors are logged with their request. Koa itself reports only lost connections.
  app.on('error', (error: unknown) => logger.debug({ err: error }, 'connection lost'));
  app.use(requestMiddleware(logger, options.onResponse));
  app.use(crossOrigin(options.baseUrl, options.toolOrigins ?? new Set()));
  app.use(compression());
  const { icon, mcpTools = tools } = options;
  const protocol = new Protocol({ name: 'veritrail', version, icon, tools: mcpTools, publicUrl });
  app.use(mcpEndpoint(protocol, admitCall, requireScope, penalties));
  if (oauth) app.use(oauthEndpoints(oauth, options.limits));
  if (pages) app.use(pages);
  app.use(router.routes()).use(router.allowedMethods());
  return app;
}
