import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Config } from '../config.ts';
import { clientInfoReader } from '../http/access/client-info-reader.ts';
import { createRateLimits } from '../http/access/rate-limits.ts';
import { Cookies } from '../http/cookies.ts';
import { createApp, type HttpServiceOptions } from '../http/create-app.ts';
import { createPdfPrinter } from '../http/files/pdf-printer.ts';
import type { RecordFileRoutesOptions } from '../http/files/record-file-routes.ts';
import type { ReportFileRoutesOptions } from '../http/files/report-file-routes.ts';
import { HttpError, unavailable } from '../http/http-errors.ts';
import { Readiness } from '../http/readiness.ts';
import type { AccessEvents } from '../identity/access-log/access-events.ts';
import type { Identity } from '../identity/identity.ts';
import { sharedSecret } from '../identity/installation/installation.ts';
import { requireOrganization } from '../identity/memberships/actor.ts';
import { createOAuth } from '../identity/oauth/oauth.ts';
import { OpenId } from '../identity/openid/openid.ts';
import type { ToolBox } from '../mcp/tools/toolbox.ts';
import { readMemberNames } from '../queries/records/member-names.ts';
import { reportChoices } from '../reports/report-choices.ts';
import type { Stores } from '../stores/open.ts';
import { createPages } from '../web/server/create-pages.ts';
import type { Register } from './create-register.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { readHealth } from './read-health.ts';
import { addressOf, endpointOf } from './service-address.ts';
import { VERSION } from './version.ts';

export interface HttpGatewayOptions {
  config: Config;
  /** The port that the server listens on. */
  port: number;
  stores: Stores;
  register: Register;
  identity: Identity;
  events: AccessEvents;
  metrics: Metrics | null;
  now: () => Date;
  logger: Logger;
}

/**
 * The listener of the HTTP server. The server must listen before the service is built, because only then its port is known.
 *
 * 1. Until `open`, requests wait some seconds, then get 503.
 * 2. Until `acceptCredentials`, every credential gets 503.
 * 3. Until `markReady`, calls of tools and downloads wait some seconds.
 * 4. After `retire`, everything but `/livez` gets 503.
 */
export class HttpGateway {
  private serve: RequestListener = (request, response) => void this.holdUntilOpen(request, response);
  private acceptsCredentials = false;
  /** Ready once the service is built. */
  private readonly openReadiness = new Readiness();
  /** Ready once tools and downloads can be answered. */
  private readonly toolReadiness = new Readiness();

  readonly listener: RequestListener = (request, response) => this.serve(request, response);

  /** Builds tools, OAuth and pages, and serves them. */
  async open(options: HttpGatewayOptions): Promise<void> {
    const { config, port, stores, register, identity, events, metrics, now, logger } = options;
    const { accounts } = stores;
    const { people, members, tokens, organizationTokens, authenticator } = identity;
    const baseUrl = addressOf(config, port);
    const readClientInfo = clientInfoReader(config.trustedProxies);
    const limits = createRateLimits(config.rateLimitPerMinute, readClientInfo);
    const cookies = new Cookies(baseUrl);
    const signedIn = async (request: IncomingMessage) => {
      const cookie = cookies.session(request);
      const session = cookie === null ? null : await people.sessions.find(cookie);
      return session?.stage === 'SIGNED_IN' ? session.account_id : null;
    };
    const oauth = await createOAuth({
      ...{ accounts, tokens, members, signedIn, baseUrl, now },
      addressOf: (request) => readClientInfo(request).address,
      ...{ metadataFetch: config.clientMetadataFetch, log: logger },
      report: (error) => logger.error({ err: error }, 'the OAuth server failed'),
    });
    const openId =
      config.oidc &&
      new OpenId({
        ...{ settings: config.oidc, accounts, people, members, baseUrl, now },
        key: await sharedSecret(accounts, 'openid'),
        onAccountEvent: events.emit,
        report: (why) => logger.warn({ why }, 'the OpenID provider could not be used'),
      });
    const printer = createPdfPrinter(config.chromiumPath);
    const pages = createPages({
      ...{ baseUrl, people, members, tokens, organizationTokens, oauth, readClientInfo, limits, logger, now },
      endpoint: endpointOf(config, port),
      formKey: await sharedSecret(accounts, 'form-key'),
      accessLogReader: register.accessLogReader,
      readNames: (organizationId, accountIds) =>
        readMemberNames(register.reader.snapshot(), organizationId, accountIds),
      canPrintPdf: printer.isAvailable,
      reportChoices: (caller, id) => reportChoices(register.reader, caller, id),
      onAssistantEvent: events.emit,
      openId,
      organizationNameOf: async (id) => (await requireOrganization(register.handler, id)).name,
    });
    const authenticate = (credential: string, request: IncomingMessage) => {
      if (!this.acceptsCredentials) throw unavailable();
      return authenticator.authenticate(credential, () => readClientInfo(request).address);
    };
    const health = () => readHealth(stores, register);
    const { reader } = register;
    const tools = metrics?.countTools(register.tools) ?? register.tools;
    const sessions = async (request: IncomingMessage) => {
      const account = this.acceptsCredentials ? await signedIn(request) : null;
      return account === null ? null : members.callerOf(account);
    };
    const recordFiles: RecordFileRoutesOptions = {
      files: register.recordFiles,
      onDownload: (caller, download) => events.emit({ type: 'EXPORT_DOWNLOADED', caller, download }),
    };
    const reports: ReportFileRoutesOptions = {
      reader,
      printer,
      onReportGenerated: (caller, download) => events.emit({ type: 'REPORT_GENERATED', caller, download }),
    };
    const app = createApp({
      ...{ tools, authenticate, limits, health, baseUrl, version: VERSION, logger, oauth, pages },
      ...{ sessions, recordFiles, reports },
      waitUntilReady: () => this.toolReadiness.wait(),
      toolOrigins: new Set(config.allowedOrigins),
      metrics: metrics === null ? undefined : metricsOptions(metrics, config, tools),
    });
    this.serve = app.callback();
    this.openReadiness.ready();
  }

  /** Answers every request 503 with this reason from now on, except `/livez`. */
  retire(reason: string): void {
    this.serve = retiredListener(reason);
  }

  /** Looks up credentials from now on. */
  acceptCredentials(): void {
    this.acceptsCredentials = true;
  }

  /** Answers calls of tools without a wait from now on. */
  markReady(): void {
    this.toolReadiness.ready();
  }

  private async holdUntilOpen(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const initialListener = this.serve;
    // Orchestrators need the current state, so probes don't wait.
    if (!PROBES.has(request.url ?? '')) await this.openReadiness.wait();
    if (this.serve === initialListener) refuse(response, unavailable());
    else this.serve(request, response);
  }
}

const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz']);

function retiredListener(reason: string): RequestListener {
  const refusal = new HttpError(503, 'unavailable', reason);
  return ({ url }, response) => {
    if (url !== '/livez') return refuse(response, refusal);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"status":"ok"}');
  };
}

function refuse(response: ServerResponse, refusal: HttpError): void {
  response.writeHead(refusal.status, { ...refusal.headers, 'Content-Type': 'application/json', Connection: 'close' });
  response.end(JSON.stringify(refusal));
}

function metricsOptions(metrics: Metrics, config: Config, tools: ToolBox): HttpServiceOptions['metrics'] {
  const toolLabel = (tool = '') => (tools.has(tool) ? tool : 'other');
  return {
    source: metrics,
    token: config.metrics?.token ?? null,
    onResponse: (status, tool) => metrics.countRequest(toolLabel(tool), status),
  };
}
