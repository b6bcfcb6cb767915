import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createRegister, type Register } from './app/create-register.ts';
import { HttpGateway } from './app/http-gateway.ts';
import type { Logger } from './app/logger.ts';
import { Metrics } from './app/metrics.ts';
import { addressOf } from './app/service-address.ts';
import { runShutdown, type ShutdownStep } from './app/shutdown.ts';
import type { Config } from './config.ts';
import { metricsListener } from './http/metrics-endpoint.ts';
import { startServer, stopServer } from './http/server.ts';
import { AccessEvents } from './identity/access-log/access-events.ts';
import { AccountNames } from './identity/accounts/account-names.ts';
import { type Identity, openIdentity } from './identity/identity.ts';
import { firstStart, sharedSecret } from './identity/installation/installation.ts';
import { repairAccountStore } from './identity/installation/repair.ts';
import { migrateAccounts } from './identity/migrations/migrate.ts';
import { SchemaWatch } from './identity/migrations/schema-watch.ts';
import { openStores, type Stores, usesDataFolder } from './stores/open.ts';
import { lockDataFolder } from './stores/sqlite/data-folder.ts';

/** A started service. */
export interface RunningService {
  /** The port that it listens on. */
  port: number;
  /** The first organization. */
  organizationId: string;
  /** The organization's first token, only on the start that created it. */
  firstToken: string | null;
  /** The secret of the first owner's set-up link; null once they have a password. */
  setupLink: string | null;
  stop(): Promise<void>;
}

/** Time for requests in progress to finish at shutdown. */
const REQUEST_GRACE_MS = 8_000;
/** Time for the whole shutdown. Orchestrators kill the process after a while. */
const STOP_TIMEOUT_MS = 13_000;
/** On the first start, the longest wait until tools can be called. */
const FIRST_START_WAIT_MS = 10_000;

type Prepare = (stores: Stores) => Promise<unknown>;

/**
 * Opens the stores, listens, creates the installation if needed, and starts the read models.
 * @param prepare runs on the open stores before the installation is created; the demo fills them there
 */
export async function startApp(config: Config, logger: Logger, prepare?: Prepare): Promise<RunningService> {
  const shutdownSteps: ShutdownStep[] = [];
  const stop = () => runShutdown(shutdownSteps.splice(0), STOP_TIMEOUT_MS, logger);
  try {
    return { ...(await startSteps(config, logger, prepare, shutdownSteps)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startSteps(config: Config, logger: Logger, prepare: Prepare | undefined, shutdownSteps: ShutdownStep[]) {
  const exclusive = usesDataFolder(config);
  if (exclusive) shutdownSteps.push({ name: 'data folder lock', run: lockDataFolder(config.dataDir).release });
  const stores = await openStores(config);
  shutdownSteps.push({ name: 'stores', run: stores.close });
  const { accounts } = stores;
  const metrics = config.metrics === null ? null : new Metrics();
  const events = metrics?.countAppends(stores.events) ?? stores.events;
  await migrateAccounts(accounts, { exclusive, log: logger });
  const cursorKey = await sharedSecret(accounts, 'cursor-key');
  const names = new AccountNames(accounts);
  const accessEvents = new AccessEvents();
  const register = createRegister({
    ...stores,
    events,
    names,
    exclusive,
    cursorKey,
    riskAcceptanceMaxDays: config.riskAcceptanceMaxDays,
    writeWaitMs: config.writeWaitMs,
    reportGenerated: (caller, download) => accessEvents.emit({ type: 'REPORT_GENERATED', caller, download }),
    log: logger,
    onTiming: logger.isLevelEnabled('debug') ? (details, message) => logger.debug(details, message) : undefined,
  });
  const { handler, instances, projections, sealer } = register;
  shutdownSteps.push({ name: 'instances', run: () => instances.stop() });
  let starting: Promise<unknown> = Promise.resolve();
  shutdownSteps.push({ name: 'repair after start', run: () => starting });
  shutdownSteps.push({ name: 'read models', run: () => projections.stop() });
  shutdownSteps.push({ name: 'seals', run: () => sealer.stop() });
  // Listens before anything is created: if the port were taken, the first token would never be shown.
  const gateway = new HttpGateway();
  const server = await startServer(gateway.listener, { host: config.host, port: config.port, tls: config.tls });
  let stopping = false;
  const close = () => {
    stopping = true;
    return stopServer(server, REQUEST_GRACE_MS);
  };
  shutdownSteps.push({ name: 'requests', run: close });
  const { port } = server.address() as AddressInfo;
  const now = () => new Date();
  const baseUrl = addressOf(config, port);
  const identity = openIdentity({ accounts, names, events: accessEvents, handler, now, baseUrl, log: logger });
  await gateway.open({ config, port, stores, register, identity, events: accessEvents, metrics, now, logger });
  if (metrics !== null) await serveMetrics(metrics, config, register, identity, shutdownSteps);
  // Runs after the last request has finished.
  shutdownSteps.splice(-1, 0, { name: 'access log', run: () => identity.close() });
  const outdated = async (reason: string) => {
    gateway.retire(reason);
    logger.error(reason);
    await instances.stop();
    await sealer.stop();
    await projections.stop();
    await identity.close();
  };
  const watch = new SchemaWatch({ accounts, outdated });
  watch.start();
  shutdownSteps.push({ name: 'schema watch', run: () => watch.stop() });
  await instances.start();
  await prepare?.(stores);
  const { installation, organizationId, token } = await firstStart({ accounts, log: events, handler, now });
  gateway.acceptCredentials();
  identity.start();
  sealer.start();
  const caughtUp = projections.start(installation).then(() => projections.runner.waitUntilCaughtUp(Date.now(), 60_000));
  void caughtUp.catch(() => undefined).finally(() => gateway.markReady());
  starting = caughtUp
    .then(() => (stopping ? 0 : repairAccountStore({ accounts, handler, now }, events, projections.organizations)))
    .catch((error: unknown) => stopping || logger.error({ err: error }, 'the read models could not be started'));
  // On the first start, people call at once. Later starts have more to build, and nobody waits for a token.
  if (token !== null)
    await Promise.race([caughtUp.catch(() => undefined), pause(FIRST_START_WAIT_MS, undefined, { ref: false })]);
  return { port, organizationId, firstToken: token, setupLink: await identity.people.setupLink(installation) };
}

/** Connects the metrics to the service, and serves them on loopback if METRICS_PORT is set. */
async function serveMetrics(
  metrics: Metrics,
  config: Config,
  register: Register,
  identity: Identity,
  shutdownSteps: ShutdownStep[],
) {
  metrics.watch(register, identity);
  const port = config.metrics?.port ?? null;
  if (port === null) return;
  const server = await startServer(metricsListener(metrics), { host: '127.0.0.1', port, setting: 'METRICS_PORT' });
  shutdownSteps.push({ name: 'metrics', run: () => stopServer(server, 0) });
}
