import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { addressOf } from './cli/connect.ts';
import type { Config } from './config.ts';
import { metricsListener } from './http/metrics-endpoint.ts';
import { startServer, stopServer } from './http/server.ts';
import { HttpGateway } from './http-gateway.ts';
import { type Identity, openIdentity } from './identity/identity.ts';
import { firstStart, secret } from './identity/installation.ts';
import { migrateAccounts } from './identity/migrations/migrate.ts';
import { SchemaWatch } from './identity/migrations/watch.ts';
import { repair } from './identity/repair.ts';
import type { Logger } from './logger.ts';
import { Metrics } from './metrics.ts';
import { createRegister, type Register } from './register.ts';
import { runShutdown, type ShutdownStep } from './shutdown.ts';
import { openStores, type Stores, usesDataFolder } from './stores/open.ts';
import { lockDataFolder } from './stores/sqlite/data-folder.ts';

export interface RunningService {
  /** Where it listens. */
  port: number;
  /** The first organization, and its first token on the one start that made it. */
  organizationId: string;
  firstToken: string | null;
  /** The secret of a link for the first owner, as long as they have no password. */
  setupLink: string | null;
  stop(): Promise<void>;
}

/** Requests in flight get so long to finish. */
const REQUEST_GRACE_MS = 8_000;
/** And all of a stop so long: orchestrators do not wait for ever. */
const STOP_TIMEOUT_MS = 13_000;
/** A first start is told of when it can be called, or after this. */
const FIRST_START_WAIT_MS = 10_000;

type Prepare = (stores: Stores) => Promise<unknown>;

/**
 * Opens the stores, listens, makes sure of the installation, and lets the read models catch up.
 * @param prepare runs on the open stores before the first start is looked for: the demo fills them there
 */
export async function startApp(config: Config, logger: Logger, prepare?: Prepare): Promise<RunningService> {
  const ends: ShutdownStep[] = [];
  const stop = () => runShutdown(ends.splice(0), STOP_TIMEOUT_MS, logger);
  try {
    return { ...(await start(config, logger, prepare, ends)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(config: Config, logger: Logger, prepare: Prepare | undefined, ends: ShutdownStep[]) {
  const exclusive = usesDataFolder(config);
  if (exclusive) ends.push({ name: 'lock of the data folder', run: lockDataFolder(config.dataDir).release });
  const stores = await openStores(config);
  ends.push({ name: 'stores', run: stores.close });
  const { accounts } = stores;
  const metrics = config.metrics === null ? null : new Metrics();
  const events = metrics?.log(stores.events) ?? stores.events;
  await migrateAccounts(accounts, { exclusive, log: logger });
  const cursorKey = await secret(accounts, 'cursor-key');
  const register = createRegister({
    ...stores,
    events,
    exclusive,
    cursorKey,
    riskAcceptanceMaxDays: config.riskAcceptanceMaxDays,
    writeWaitMs: config.writeWaitMs,
    // Nobody draws a report before there is an identity to let them in.
    reportGenerated: (caller, report) => identity.accessLog.reportGenerated(caller, report),
    log: logger,
    timed: logger.isLevelEnabled('debug') ? (details, message) => logger.debug(details, message) : undefined,
  });
  const { handler, instances, projections, sealer } = register;
  ends.push({ name: 'register of instances', run: () => instances.stop() });
  let starting: Promise<unknown> = Promise.resolve();
  ends.push({ name: 'repair after the start', run: () => starting });
  ends.push({ name: 'read models', run: () => projections.stop() });
  ends.push({ name: 'seals', run: () => sealer.stop() });
  // Before anything is made: the token of a first start that then could not listen would never be shown.
  const gateway = new HttpGateway();
  const server = await startServer(gateway.listener, { host: config.host, port: config.port, tls: config.tls });
  let stopping = false;
  const close = () => {
    stopping = true;
    return stopServer(server, REQUEST_GRACE_MS);
  };
  ends.push({ name: 'requests', run: close });
  const { port } = server.address() as AddressInfo;
  const now = () => new Date();
  const identity = openIdentity({ accounts, handler, now, baseUrl: addressOf(config, port), log: logger });
  await gateway.open({ config, port, stores, register, identity, metrics, now, logger });
  if (metrics !== null) await serveMetrics(metrics, config, register, identity, ends);
  // After the last request is through.
  ends.splice(-1, 0, { name: 'access log', run: () => identity.close() });
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
  ends.push({ name: 'watch over the schema', run: () => watch.stop() });
  await instances.start();
  await prepare?.(stores);
  const { installation, organizationId, token } = await firstStart({ accounts, log: events, handler, now });
  gateway.acceptCredentials();
  identity.start();
  sealer.start();
  const caughtUp = projections.start(installation).then(() => projections.runner.caughtUp(Date.now(), 60_000));
  void caughtUp.catch(() => undefined).finally(() => gateway.markReady());
  starting = caughtUp
    .then(() => (stopping ? 0 : repair({ accounts, handler, now }, events, projections.organizations)))
    .catch((error: unknown) => stopping || logger.error({ err: error }, 'the read models could not be started'));
  // Whoever starts it for the first time calls it at once; later there may be much to build, and the token is known.
  if (token !== null)
    await Promise.race([caughtUp.catch(() => undefined), pause(FIRST_START_WAIT_MS, undefined, { ref: false })]);
  return { port, organizationId, firstToken: token, setupLink: await identity.people.setupLink(installation) };
}

/** Lets the metrics look at the parts, and serves them to this machine where a port is set. */
async function serveMetrics(
  metrics: Metrics,
  config: Config,
  register: Register,
  identity: Identity,
  ends: ShutdownStep[],
) {
  metrics.watch(register, identity);
  const port = config.metrics?.port ?? null;
  if (port === null) return;
  const server = await startServer(metricsListener(metrics), { host: '127.0.0.1', port, setting: 'METRICS_PORT' });
  ends.push({ name: 'metrics', run: () => stopServer(server, 0) });
}
