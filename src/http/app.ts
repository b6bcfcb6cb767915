import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import type { Logger } from 'pino';
import type { OAuth } from '../identity/oauth/oauth.ts';
import { createProtocol } from '../mcp/protocol.ts';
import type { ToolBox } from '../mcp/toolbox.ts';
import { type Admit, admission, admissionWithOlderRoles, type SessionCaller } from './admission.ts';
import type { Authenticate } from './authentication.ts';
import { scopeGuard } from './challenge.ts';
import { crossOrigin } from './cross-origin.ts';
import { directToolRoutes } from './direct-tools.ts';
import { type Health, healthRoutes } from './health.ts';
import type { Limits } from './limits.ts';
import { LINE_FORMATS } from './line-formats.ts';
import { mcpEndpoint } from './mcp-endpoint.ts';
import { type Figures, metricsRoute } from './metrics.ts';
import { oauthEndpoints } from './oauth.ts';
import { openapiRoute } from './openapi.ts';
import { Penalties } from './penalty.ts';
import { type RecordFilesOptions, recordFileRoutes } from './record-files.ts';
import { type ReportFilesOptions, reportFileRoutes } from './report-files.ts';
import { offeredReportFormats } from './report-formats.ts';
import { type Answered, type RequestState, requests } from './request.ts';

/** What the HTTP service is made of. */
export interface HttpOptions {
  tools: ToolBox;
  /**
   * The caller behind an exact `Bearer <token>` credential; null when it is none of ours (unknown, expired, revoked).
   * Throws StoreUnavailable when that can't be known.
   */
  authenticate: Authenticate;
  /** Holds calls while the service starts. */
  hold?(): Promise<void> | null;
  /** Origins of pages that may call tools. */
  toolOrigins?: ReadonlySet<string>;
  /** How often who may ask. */
  limits: Limits;
  /** Store and projection state; where `serving` is false, health and readyz answer 503. */
  health(): Promise<Health>;
  /** The service's own address, as its users write it: its host and origin are let in beside loopback's. */
  baseUrl: string;
  version: string;
  logger: Logger;
  /** The authorization server for assistants, and the pages for people: a service can do without. */
  oauth?: OAuth;
  pages?: Middleware<RequestState>;
  /** Whom a session of the pages stands for: people get files by it. */
  sessions?: SessionCaller;
  /** Files of records and changes, and of reports. */
  recordFiles?: RecordFilesOptions;
  reports?: ReportFilesOptions;
  /** Told of each request; and the figures that it makes, for whoever has the token, where there is one. */
  metrics?: { answered: Answered; figures: Figures; token: string | null } | undefined;
}

/** The Koa app: the MCP endpoint, the direct form of the tools and its OpenAPI document, health, OAuth, pages. */
export function createApp(options: HttpOptions): Koa<RequestState> {
  const { tools, version, logger, oauth, pages } = options;
  const admit = admissionWithOlderRoles(options);
  const afterStart = (admission: Admit): Admit => {
    return async (request, again) => {
      const held = options.hold?.();
      if (held) await held;
      return admission(request, again);
    };
  };
  const admitCall = afterStart(admissionWithOlderRoles({ ...options, allowedOrigins: options.toolOrigins }));
  const requireScope = scopeGuard(tools, options.baseUrl);
  const penalties = new Penalties();
  // Addresses are as they are written, in small and large letters too: so are the rules of proxies for them.
  const router = new Router<RequestState>({ sensitive: true });
  healthRoutes(router, options, admit);
  const { metrics } = options;
  if (metrics && metrics.token !== null) metricsRoute(router, metrics.figures, metrics.token, options.limits);
  directToolRoutes(router, tools, admitCall, requireScope, penalties);
  openapiRoute(router, options, {
    records: options.recordFiles ? LINE_FORMATS : [],
    reports: options.reports ? offeredReportFormats(options.reports.printer) : [],
  });
  const admitReader = afterStart(admission(options, options.sessions));
  if (options.recordFiles) recordFileRoutes(router, admitReader, options.recordFiles);
  if (options.reports) reportFileRoutes(router, admitReader, options.reports);

  const app = new Koa<RequestState>();
  // Routes' faults are logged with their request; what Koa still reports is a connection lost or cut.
  app.on('error', (error: unknown) => logger.debug({ err: error }, 'connection lost'));
  app.use(requests(logger, options.metrics?.answered));
  app.use(crossOrigin(options.baseUrl, options.toolOrigins ?? new Set()));
  app.use(mcpEndpoint(createProtocol(tools, { name: 'veritrail', version }), admitCall, requireScope, penalties));
  if (oauth) app.use(oauthEndpoints(oauth, options.limits));
  app.use(router.routes()).use(router.allowedMethods());
  if (pages) app.use(pages);
  return app;
}
