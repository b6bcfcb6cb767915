import type { AddressInfo } from 'node:net';
import { openClock } from './app/clock/open-clock.ts';
import { createHttpApp } from './app/create-http-app.ts';
import { createRegister, type Register } from './app/create-register.ts';
import { HttpGateway } from './app/http-gateway.ts';
import { limitAppends } from './app/limit-appends.ts';
import type { Logger } from './app/logger.ts';
import type { Metrics } from './app/metrics.ts';
import { SecurityLog } from './app/security-log.ts';
import { serviceUrl } from './app/service-address.ts';
import { Shutdown } from './app/shutdown.ts';
import { ReadsInThread } from './app/threads/reads-in-thread.ts';
import { startProjectionThread } from './app/threads/start-projection-thread.ts';
import { ReportingThread } from './app/threads/start-reporting-thread.ts';
import { writeInThread } from './app/threads/writes-in-thread.ts';
import type { ServiceClock } from './clock/service-clock.ts';
import { withTimeout } from './clock/with-timeout.ts';
import type { Config } from './config.ts';
import { openSpool, type SpooledFiles } from './http/files/spooled-files.ts';
import { metricsListener } from './http/metrics-endpoint.ts';
import { transportHeaders } from './http/security-headers.ts';
import { startServer, stopServer } from './http/server.ts';
import { AccessEvents } from './identity/access-log/access-events.ts';
import { AccountNames } from './identity/accounts/account-names.ts';
import { type ComparedLog, type Identity, openIdentity } from './identity/identity.ts';
import { findInstallation, firstStart, sharedSecret } from './identity/installation/installation.ts';
import { migrateAccounts } from './identity/migrations/migrate.ts';
import { SchemaWatch } from './identity/migrations/schema-watch.ts';
import type { DemoAccount } from './identity/sign-in/demo-sign-in.ts';
import type { ServedProjections } from './projections/served-projections.ts';
import { explainStartError } from './stores/data-folder.ts';
import { openStores, type StoreSettings, type Stores, usesDataFolder } from './stores/open.ts';
import { lockDataFolder } from './stores/sqlite/lock-data-folder.ts';
import { ApprovalFinisher } from './tools/proposals/approval-finisher.ts';
import type { ToolService } from './tools/tool.ts';
import { VERSION } from './version.ts';

export interface RunningService {
  port: number;
  /** The first organization. */
  organizationId: string;
  /** The organization's first token, only on the start that created it. */
  firstToken: string | null;
  /** The secret of the first owner's set-up link; null once they have a password, and with the demo. */
  setupLink: string | null;
  /** The secret of the link to the demo's people; null without the demo. */
  demoLink: string | null;
  /** @param reason the signal, for the log */
  stop(reason?: string): Promise<void>;
}

/** Time for requests in progress to finish at shutdown. */
const REQUEST_GRACE_MS = 8_000;
/** Time for the whole shutdown. Orchestrators kill the process after a while. */
const STOP_TIMEOUT_MS = 13_000;
/** On the first start, the longest wait until tools can be called. */
const FIRST_START_WAIT_MS = 10_000;
/** The longest wait for the read models before tools are answered all the same. */
const CATCH_UP_WAIT_MS = 60_000;

/** The account store is compared with the log only while the log was read to its end at most so long ago. */
const MAX_COMPARISON_LAG_MS = 10_000;

/** Fills the stores with the demo, and returns its people. Null if the stores hold other data. */
type LoadDemo = (stores: Stores, today: Date) => Promise<readonly DemoAccount[] | null>;

/**
 * Starts the service: listens, opens the stores, creates the installation if needed, and starts the read models.
 * @param loadDemo runs on the open stores before the installation is created
 */
export async function startApp(config: Config, logger: Logger, loadDemo?: LoadDemo): Promise<RunningService> {
  const shutdown = new Shutdown({ timeoutMs: STOP_TIMEOUT_MS, log: logger });
  try {
    const assembled = await assemble(config, logger, shutdown);
    const demo = (await loadDemo?.(assembled.stores, assembled.clock.now())) ?? null;
    return { ...(await run(assembled, demo, logger, shutdown)), stop: (reason) => shutdown.run(reason) };
  } catch (error) {
    await shutdown.run();
    throw usesDataFolder(config) ? explainStartError(config.dataDir, error) : error;
  }
}

/** The service, put together and listening, before it has an installation. */
interface AssembledService {
  stores: Stores;
  clock: ServiceClock;
  register: Register;
  identity: Identity;
  gateway: HttpGateway;
  reporting: ReportingThread;
  port: number;
}

/** Creates the service's objects in the order in which they need each other. */
async function assemble(config: Config, logger: Logger, shutdown: Shutdown): Promise<AssembledService> {
  if (usesDataFolder(config)) shutdown.add('data folder lock', lockDataFolder(config.dataDir).release);
  const metrics = config.metrics === null ? null : await createMetrics();
  const { gateway, port } = await listen(config, metrics, shutdown);
  const stores = await openOwnStores(config, logger, metrics, shutdown);
  const { accounts } = stores;
  const storeSettings = storeSettingsOf(config);
  const clock = await openClock(storeSettings, stores, logger);
  shutdown.add('clock', () => clock.stop());
  const timings = logger.isLevelEnabled('debug');
  const projections = startProjectionThread(
    { stores: storeSettings, timings, time: clock.shared.memory },
    stores,
    logger,
  );
  shutdown.add('read models', () => projections.stop());
  const reporting = new ReportingThread({ ...config, stores: storeSettings, time: clock.shared.memory }, logger);
  const names = new AccountNames(accounts);
  const accessEvents = new AccessEvents();
  const securityLog = config.logSecurityEvents ? new SecurityLog(logger) : null;
  if (securityLog !== null) accessEvents.listen(securityLog.record);
  const cursorKey = await sharedSecret(accounts, 'cursor-key');
  const reportGenerated: ToolService['reportGenerated'] = (caller, download) =>
    accessEvents.emit({ type: 'REPORT_GENERATED', caller, download });
  const heavyReads = new ReadsInThread({
    spool: openReportFiles(config, shutdown),
    settings: { stores: storeSettings, cursorKey, version: VERSION, time: clock.shared.memory },
    served: () => projections.servedGeneration(),
    reportGenerated,
    log: logger,
  });
  shutdown.add('heavy reads', () => heavyReads.stop());
  const register = createRegister({
    ...stores,
    projections,
    heavyReads,
    names,
    clock,
    exclusive: usesDataFolder(config),
    cursorKey,
    riskAcceptanceMaxDays: config.riskAcceptanceMaxDays,
    writeWaitMs: config.writeWaitMs,
    reportGenerated,
    onAppended: securityLog?.recordAppended,
    log: logger,
    onTiming: timings ? (details, message) => logger.debug(details, message) : undefined,
  });
  const { handler, instances, sealer } = register;
  shutdown.add('instances', () => instances.stop());
  shutdown.add('seals', () => sealer.stop());
  const baseUrl = serviceUrl(config, port);
  const comparedLog = createComparedLog(stores, projections, clock);
  const identity = openIdentity({ accounts, names, accessEvents, handler, comparedLog, clock, baseUrl, log: logger });
  shutdown.add('access log', () => identity.close());
  const app = { config, port, stores, register, heavyReads, identity, accessEvents, gateway, metrics, clock };
  gateway.serve(await createHttpApp({ ...app, reporting, securityLog, logger }));
  metrics?.watch(register, identity, heavyReads);
  const watch = new SchemaWatch({
    accounts,
    onOutdated: (reason) => retire(reason, { register, identity, gateway, reporting }, logger),
  });
  watch.start();
  shutdown.add('schema watch', () => watch.stop());
  await instances.start();
  return { stores, clock, register, identity, gateway, reporting, port };
}

/** Returns the settings of the stores, which threads get. The others may hold secrets. */
function storeSettingsOf({ dataDir, eventStoreUrl, mongodbUrl }: Config): StoreSettings {
  return { dataDir, eventStoreUrl, mongodbUrl };
}

/**
 * Listens on the service's port, and for metrics on loopback if they have a port. Call it before anything is created: a
 * taken port then leaves no installation behind, whose first token was never shown.
 */
async function listen(
  config: Config,
  metrics: Metrics | null,
  shutdown: Shutdown,
): Promise<{ gateway: HttpGateway; port: number }> {
  const { host, port, tls, metrics: settings } = config;
  const gateway = new HttpGateway(transportHeaders(serviceUrl(config)));
  const server = await startServer(gateway.listener, { host, port, tls });
  shutdown.add('requests', () => stopServer(server, REQUEST_GRACE_MS));
  const metricsPort = settings?.port ?? null;
  if (metrics !== null && metricsPort !== null) {
    const options = { host: '127.0.0.1', port: metricsPort, setting: 'METRICS_PORT' };
    const metricsServer = await startServer(metricsListener(metrics), options);
    shutdown.add('metrics', () => stopServer(metricsServer, 0));
  }
  return { gateway, port: (server.address() as AddressInfo).port };
}

async function openOwnStores(
  config: Config,
  logger: Logger,
  metrics: Metrics | null,
  shutdown: Shutdown,
): Promise<Stores> {
  const exclusive = usesDataFolder(config);
  const stores = writeInThread(await openStores(config), config, logger);
  shutdown.add('stores', stores.close);
  await migrateAccounts(stores.accounts, { exclusive, log: logger });
  const events = limitAppends(stores.events, config.maxEventsPerHour);
  return { ...stores, events: metrics?.countAppends(events) ?? events };
}

function openReportFiles(config: Config, shutdown: Shutdown): SpooledFiles {
  const { files, close } = openSpool(usesDataFolder(config) ? config.dataDir : null);
  shutdown.add('report files', close);
  return files;
}

/** Loads the package for metrics, which takes longer than any other, only if they are served. */
async function createMetrics(): Promise<Metrics> {
  const { Metrics } = await import('./app/metrics.ts');
  return new Metrics();
}

/** Stops work on stores that a newer version has migrated. The process continues, so that its operator sees the reason. */
async function retire(
  reason: string,
  { register, identity, gateway, reporting }: Pick<AssembledService, 'register' | 'identity' | 'gateway' | 'reporting'>,
  logger: Logger,
): Promise<void> {
  gateway.close(reason);
  logger.error(reason);
  await register.instances.stop();
  await register.sealer.stop();
  await reporting.stop();
  await register.projections.stop();
  await identity.close();
}

function createComparedLog(
  { events, accounts }: Stores,
  projections: ServedProjections,
  clock: ServiceClock,
): ComparedLog {
  return {
    organizations: () => projections.organizations,
    isTrusted: () => clock.isTrusted() && isLeaderUpToDate(projections, clock.now()),
    check: () => Promise.all([events.check(), accounts.check()]),
  };
}

/** Returns true on the instance that leads the projections, while they have caught up with the log. */
function isLeaderUpToDate({ ready, progress }: ServedProjections, now: Date): boolean {
  return ready && progress.role === 'LEADER' && now.getTime() - progress.caughtUpAt < MAX_COMPARISON_LAG_MS;
}

/** Creates the installation if needed, and starts what runs in the background. */
async function run(
  { stores, clock, register, identity, gateway, reporting, port }: AssembledService,
  demo: readonly DemoAccount[] | null,
  logger: Logger,
  shutdown: Shutdown,
): Promise<Omit<RunningService, 'stop'>> {
  const { accounts, events } = stores;
  const { handler, sealer } = register;
  const { now } = clock;
  const finisher = new ApprovalFinisher({
    proposals: register.proposals,
    reader: register.reader,
    organizations: () => register.projections.organizations,
    mayRun: () => clock.isTrusted() && isLeaderUpToDate(register.projections, now()),
    callerOf: (accountId) => identity.members.callerOf(accountId),
    log: logger,
  });
  shutdown.add('approved proposals', () => finisher.stop());
  shutdown.add('reporting database', () => reporting.stop());
  // A first start writes, and nothing else can happen before that.
  const isComplete = (await findInstallation({ accounts, log: events }))?.complete ?? false;
  if (!isComplete) await clock.whenTrusted();
  const { installation, organizationId, token } = await firstStart({ accounts, log: events, handler, now });
  gateway.open();
  identity.start();
  sealer.start();
  const caughtUp = catchUp(register, installation, now);
  void caughtUp.catch(() => undefined).finally(() => gateway.markReady());
  void caughtUp
    .then(() => {
      identity.reconciler.start();
      finisher.start();
      reporting.start(installation);
    })
    .catch((error: unknown) => {
      if (!shutdown.hasBegun) logger.error({ err: error }, 'the read models could not be started');
    });
  // After the first start, people call immediately. Later starts have more to build, and nobody waits for a token.
  if (token !== null) {
    await withTimeout(FIRST_START_WAIT_MS, caughtUp, () => undefined).catch(() => undefined);
  }
  const { people } = identity;
  const demoLink = demo === null ? null : people.demo.open(demo);
  const setupLink = demo === null ? await people.setupLink(installation) : null;
  return { port, organizationId, firstToken: token, setupLink, demoLink };
}

async function catchUp({ projections }: Register, installation: string, now: () => Date): Promise<void> {
  await projections.start(installation);
  await projections.progress.waitUntilCaughtUp(now().getTime(), CATCH_UP_WAIT_MS);
}
