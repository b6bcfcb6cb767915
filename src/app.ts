import type { AddressInfo } from 'node:net';
import { addressOf } from './cli/connect.ts';
import type { Config } from './config.ts';
import { createApp } from './http/app.ts';
import { unavailable } from './http/errors.ts';
import type { Health } from './http/health.ts';
import { createLimits } from './http/limits.ts';
import { startServer, stopServer } from './http/server.ts';
import { visitors } from './http/visitor.ts';
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

type Prepare = (stores: Stores) => Promise<unknown>;
/** What takes back the steps done so far, in their order. */
type Ends = (() => unknown)[];

/**
 * Opens the stores, listens, makes sure of the installation, and lets the read models catch up.
 * @param prepare runs on the open stores before the first start is looked for: the demo fills them there
 */
export async function startApp(config: Config, logger: Logger, prepare?: Prepare): Promise<Started> {
  const ends: Ends = [];
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    return { ...(await start(config, logger, prepare, ends)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(config: Config, logger: Logger, prepare: Prepare | undefined, ends: Ends) {
  const exclusive = config.eventStoreUrl === null || config.mongodbUrl === null;
  if (exclusive) ends.push(lockDataFolder(config.dataDir).release);
  const stores = await openStores(config);
  ends.push(stores.close);
  const { events, accounts } = stores;
  const cursorKey = await secret(accounts, 'cursor-key');
  const register = createRegister({
    ...stores,
    exclusive,
    cursorKey,
    riskAcceptanceMaxDays: config.riskAcceptanceMaxDays,
    writeWaitMs: config.writeWaitMs,
    log: logger,
  });
  const { handler, projections, tools } = register;
  let starting: Promise<unknown> = Promise.resolve();
  ends.push(() => projections.stop().then(() => starting));
  const now = () => new Date();
  const authenticator = new Authenticator({ accounts, handler, now });
  let installed = false;
  const app = createApp({
    tools,
    authenticate: async (credential) => {
      if (!installed) throw unavailable();
      return authenticator.authenticate(credential);
    },
    limits: createLimits(config.rateLimitPerMinute, visitors(config.trustedProxies)),
    health: () => healthOf(stores, register),
    baseUrl: addressOf(config),
    version: VERSION,
    logger,
  });
  // Before anything is made: the token of a first start that then could not listen would never be shown.
  const server = await startServer(app.callback(), { host: config.host, port: config.port, tls: config.tls });
  let stopping = false;
  ends.push(() => {
    stopping = true;
    return stopServer(server, GRACE_MS);
  });
  await prepare?.(stores);
  const { installation, organizationId, token } = await firstStart({ accounts, log: events, handler, now });
  installed = true;
  starting = projections
    .start(installation)
    .then(() => projections.runner.caughtUp(Date.now(), 60_000))
    .then(() => repairTokens({ accounts, handler, now }, events, projections.organizations))
    .catch((error: unknown) => stopping || logger.error({ err: error }, 'the read models could not be started'));
  return { port: (server.address() as AddressInfo).port, organizationId, firstToken: token };
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
