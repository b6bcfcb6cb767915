import type { IncomingMessage, RequestListener } from 'node:http';
import type { Middleware } from 'koa';
import type { ServiceClock } from '../clock/service-clock.ts';
import type { Config } from '../config.ts';
import { authenticateBy } from '../http/access/admission.ts';
import { type ClientInfoReader, clientInfoReader } from '../http/access/client-info-reader.ts';
import { createRateLimits, type RateLimits } from '../http/access/rate-limits.ts';
import { Cookies } from '../http/cookies.ts';
import { createApp } from '../http/create-app.ts';
import { createPdfPrinter, type PdfPrinter } from '../http/files/pdf-printer.ts';
import type { RequestState } from '../http/request.ts';
import type { AccessEvents } from '../identity/access-log/access-events.ts';
import type { Identity } from '../identity/identity.ts';
import { sharedSecret } from '../identity/installation/installation.ts';
import { requireOrganization } from '../identity/memberships/actor.ts';
import { createOAuth, type OAuth } from '../identity/oauth/oauth.ts';
import type { OpenId } from '../identity/openid/openid.ts';
import { readMemberNames } from '../queries/records/member-names.ts';
import { reportChoices } from '../reports/report-choices.ts';
import { readSealStops, sealStopText } from '../seal/seal-stop.ts';
import type { Stores } from '../stores/open.ts';
import type { ToolBox } from '../tools/toolbox.ts';
import { BUILD_VERSION } from '../version.ts';
import { assetDataUrl } from '../web/server/assets.ts';
import { createPages } from '../web/server/create-pages.ts';
import type { Register } from './create-register.ts';
import type { HttpGateway } from './http-gateway.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { readHealth } from './read-health.ts';
import type { SecurityLog } from './security-log.ts';
import { mcpEndpointUrl, publicUrl, serviceUrl } from './service-address.ts';
import type { ReadsInThread } from './threads/reads-in-thread.ts';
import type { ReportingThread } from './threads/start-reporting-thread.ts';

export interface HttpAppOptions {
  config: Config;
  /** The port that the server listens on. */
  port: number;
  stores: Stores;
  register: Register;
  heavyReads: Pick<ReadsInThread, 'openRecordFile' | 'reportFiles' | 'spool'>;
  identity: Identity;
  accessEvents: AccessEvents;
  gateway: Pick<HttpGateway, 'isOpen' | 'waitUntilReady'>;
  metrics: Metrics | null;
  clock: ServiceClock;
  reporting: Pick<ReportingThread, 'state'>;
  securityLog: SecurityLog | null;
  logger: Logger;
}

interface RequestServices {
  baseUrl: string;
  readClientInfo: ClientInfoReader;
  limits: RateLimits;
  printer: PdfPrinter;
  /** Returns the account of a request's session cookie; null unless the person is signed in. */
  signedIn(request: IncomingMessage): Promise<string | null>;
}

/** Puts tools, files, OAuth and pages together as one listener. */
export async function createHttpApp(options: HttpAppOptions): Promise<RequestListener> {
  const { config, port, stores, register, heavyReads, identity, accessEvents, gateway, metrics, logger } = options;
  const { securityLog, reporting } = options;
  const baseUrl = serviceUrl(config, port);
  const readClientInfo = clientInfoReader(config.trustedProxies);
  const limits = createRateLimits(config.rateLimitPerMinute, readClientInfo);
  const printer = createPdfPrinter(config.chromiumPath, heavyReads.spool);
  const signedIn = sessionReader(identity, baseUrl);
  const services: RequestServices = { baseUrl, readClientInfo, limits, printer, signedIn };
  const oauth = await createAuthorizationServer(options, services);
  const tools = reportRefusedCalls(metrics?.countTools(register.tools) ?? register.tools, accessEvents);
  const pages = await createWebPages(options, services, oauth, tools);
  const app = createApp({
    tools,
    authenticate: authenticateBy(identity.authenticator, readClientInfo, gateway),
    sessions: async (request) => {
      const account = gateway.isOpen ? await signedIn(request) : null;
      if (account === null) return null;
      return { ...(await identity.members.callerOf(account)), clientInfo: readClientInfo(request) };
    },
    limits,
    health: () => readHealth(stores, register, identity.reconciler, reporting),
    baseUrl,
    publicUrl: publicUrl(config, port),
    version: BUILD_VERSION,
    icon: assetDataUrl('icon.svg'),
    logger,
    oauth,
    pages,
    recordFiles: {
      files: { filters: register.recordFiles.filters, open: (call, signal) => heavyReads.openRecordFile(call, signal) },
      onDownload: (caller, download) => accessEvents.emit({ type: 'EXPORT_DOWNLOADED', caller, download }),
    },
    reports: { files: heavyReads.reportFiles, printer },
    waitUntilReady: gateway.waitUntilReady,
    toolOrigins: new Set(config.allowedOrigins),
    metrics: metrics === null ? undefined : { source: metrics, token: config.metrics?.token ?? null },
    mcpTools: securityLog?.watchTools(tools),
    onResponse: [metrics?.countRequestsOf(tools), securityLog?.recordAnswer].filter(
      (listener) => listener !== undefined,
    ),
  });
  return app.callback();
}

const REPORTED_REFUSALS = { forbidden: 'FORBIDDEN', rate_limited: 'RATE_LIMITED' } as const;

/** Returns tools that report the calls with a token that they refuse, because its rights or a limit don't allow them. */
function reportRefusedCalls(tools: ToolBox, accessEvents: AccessEvents): ToolBox {
  return {
    ...tools,
    call: async (name, args, context) => {
      const result = await tools.call(name, args, context);
      const { caller } = context;
      if (caller.token_id !== null && (result.outcome === 'forbidden' || result.outcome === 'rate_limited'))
        accessEvents.emit({ type: 'CALL_REFUSED', caller, reason: REPORTED_REFUSALS[result.outcome] });
      return result;
    },
  };
}

function sessionReader({ people }: Identity, baseUrl: string): RequestServices['signedIn'] {
  const cookies = new Cookies(baseUrl);
  return async (request) => {
    const cookie = cookies.session(request);
    const session = cookie === null ? null : await people.sessions.find(cookie);
    return session?.stage === 'SIGNED_IN' ? session.account_id : null;
  };
}

function createAuthorizationServer(
  { config, stores, identity, accessEvents, clock, logger }: HttpAppOptions,
  { baseUrl, readClientInfo, signedIn }: RequestServices,
): Promise<OAuth> {
  return createOAuth({
    accounts: stores.accounts,
    tokens: identity.tokens,
    members: identity.members,
    signedIn,
    addressOf: (request) => readClientInfo(request).address,
    baseUrl,
    now: clock.now,
    requireTrust: clock.requireTrust,
    metadataFetch: config.clientMetadataFetch,
    log: logger,
    onAssistantEvent: accessEvents.emit,
    report: (error) => logger.error({ err: error }, 'the OAuth server failed'),
  });
}

/** Returns the sign-in with the configured OpenID provider; null without one. */
async function createOpenId(options: HttpAppOptions, baseUrl: string): Promise<OpenId | null> {
  const { config, stores, identity, accessEvents, clock, logger } = options;
  if (config.oidc === null) return null;
  const { OpenId } = await import('../identity/openid/openid.ts');
  return new OpenId({
    settings: config.oidc,
    accounts: stores.accounts,
    people: identity.people,
    members: identity.members,
    baseUrl,
    key: await sharedSecret(stores.accounts, 'openid'),
    now: clock.now,
    onAccountEvent: accessEvents.emit,
    report: (why) => logger.warn({ why }, 'the OpenID provider could not be used'),
  });
}

async function createWebPages(
  options: HttpAppOptions,
  { baseUrl, readClientInfo, limits, printer }: RequestServices,
  oauth: OAuth,
  tools: ToolBox,
): Promise<Middleware<RequestState>> {
  const { config, port, stores, register, identity, accessEvents, clock, logger } = options;
  return createPages({
    baseUrl,
    endpoint: mcpEndpointUrl(config, port),
    formKey: await sharedSecret(stores.accounts, 'form-key'),
    people: identity.people,
    members: identity.members,
    tokens: identity.tokens,
    organizationTokens: identity.organizationTokens,
    oauth,
    openId: await createOpenId(options, baseUrl),
    accessLogReader: register.accessLogReader,
    readNames: (organizationId, accountIds) => readMemberNames(register.reader.snapshot(), organizationId, accountIds),
    tools,
    proposals: register.proposals,
    reader: register.reader,
    scanReaderOf: register.scanReaderOf,
    onAssistantEvent: accessEvents.emit,
    sealingProblem: async (organizationId) => {
      const stops = await readSealStops(stores.reads);
      const stop = stops.find(({ organization_id }) => organization_id === organizationId);
      return stop === undefined ? null : sealStopText(stop);
    },
    canPrintPdf: printer.isAvailable,
    reportChoices: (caller, id) => reportChoices(register.reader, caller, id),
    organizationNameOf: async (id) => (await requireOrganization(register.handler, id)).name,
    readClientInfo,
    limits,
    logger,
    now: clock.now,
  });
}
