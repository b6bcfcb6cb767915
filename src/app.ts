import type { AddressInfo } from 'node:net';
import type { Config } from './config.ts';
import { createApp } from './http/app.ts';
import type { Health } from './http/health.ts';
import { startServer, stopServer } from './http/server.ts';
import { Authenticator } from './identity/authenticate.ts';
import { firstStart, secret } from './identity/installation.ts';
import { repairTokens } from './identity/repair.ts';
import type { Logger } from './log.ts';
import { createRegister, type Register } from './register.ts';
import { openStores, type Stores } from './stores/open.ts';
import { lockDataFolder } from './stores/sqlite/data-folder.ts';
import { VERSION } from './version.ts';

export interface Started {
  /** Where it listens. */
  port: number;
  /** The first organization, and its first token on the one start that made it. */
  organizationId: string;
  firstToken: string | null;
  stop(): Promise<void>;
}

/** Requests in flight get so long to finish. */
const GRACE_MS = 10_000;
/** A health check must not wait for a store that is away. */
const HEALTH_MS = 2_000;

/**
 * Opens the stores, makes sure of the installation, listens, and lets the read models catch up.
 * @param prepare runs on the open stores before the first start is looked for: the demo fills them there
 */
export async function startApp(
  config: Config,
  logger: Logger,
  prepare?: (stores: Stores) => Promise<unknown>,
): Promise<Started> {
  const needsFolder = config.eventStoreUrl === null || config.mongodbUrl === null;
  const lock = needsFolder ? lockDataFolder(config.dataDir) : null;
  const stores = await openStores(config);
  await prepare?.(stores);
  const { events, accounts } = stores;
  const cursorKey = await secret(accounts, 'cursor-key');
  const register = createRegister({
    ...stores,
    exclusive: needsFolder,
    cursorKey,
    riskAcceptanceMaxDays: config.riskAcceptanceMaxDays,
    writeWaitMs: config.writeWaitMs,
    log: logger,
  });
  const { handler, projections, tools } = register;
  const now = () => new Date();
  const { installation, organizationId, token } = await firstStart({ accounts, log: events, handler, now });
  const authenticator = new Authenticator({ accounts, handler, now });
  const health = () => healthOf(stores, register);
  const app = createApp({
    tools,
    authenticate: (credential) => authenticator.authenticate(credential),
    health,
    baseUrl: config.baseUrl ?? `http://${config.host}:${config.port}`,
    version: VERSION,
    logger,
  });
  const server = await startServer(app.callback(), { host: config.host, port: config.port });
  let stopping = false;
  const starting = projections
    .start(installation)
    .then(() => projections.runner.caughtUp(Date.now(), 60_000))
    .then(() => repairTokens({ accounts, handler, now }, events, projections.organizations))
    .catch((error: unknown) => stopping || logger.error({ err: error }, 'the read models could not be started'));
  return {
    port: (server.address() as AddressInfo).port,
    organizationId,
    firstToken: token,
    async stop() {
      stopping = true;
      await stopServer(server, GRACE_MS);
      await projections.stop();
      await starting;
      await stores.close();
      lock?.release();
    },
  };
}

/** Serving means: the event store answers, and the read models have caught up once. */
async function healthOf(stores: Stores, { projections }: Register): Promise<Health> {
  const bounded = <T>(work: Promise<T>) =>
    Promise.race([
      work,
      new Promise<never>((_, reject) => setTimeout(reject, HEALTH_MS, new Error('timeout')).unref()),
    ]);
  const answers = (work: Promise<unknown>) =>
    bounded(work).then(
      () => 'UP',
      () => 'DOWN',
    );
  const [eventStore, readStore, accountStore] = await Promise.all([
    answers(stores.events.head()),
    answers(stores.reads.register('active')),
    answers(stores.accounts.get('secrets', 'installation')),
  ]);
  const serving = [eventStore, readStore, accountStore].every((state) => state === 'UP') && projections.ready;
  return {
    serving,
    stores: { event_store: eventStore, read_store: readStore, account_store: accountStore },
    projections: projections.state(),
  };
}
