import { existsSync } from 'node:fs';
import { serviceUrl } from '../app/service-address.ts';
import type { ServiceClock } from '../clock/service-clock.ts';
import { CommandHandler } from '../commands/engine/handler.ts';
import { type Config, readConfig } from '../config.ts';
import { AccessEvents } from '../identity/access-log/access-events.ts';
import { AccountNames } from '../identity/accounts/account-names.ts';
import { type Identity, openIdentity } from '../identity/identity.ts';
import { findInstallation, type Installation, toInstallation } from '../identity/installation/installation.ts';
import { requireSchema } from '../identity/migrations/migrate.ts';
import { LiveInstances } from '../projections/engine/instances.ts';
import { openStores, type Stores, usesDataFolder } from '../stores/open.ts';
import { CommandError, type Shell } from './command.ts';
import { openCommandClock, waitForClock } from './command-clock.ts';

/** The open stores and services that commands work with. */
export interface OpenInstallation extends Stores, Pick<Identity, 'people' | 'members' | 'tokens' | 'accessLog'> {
  config: Config;
  clock: ServiceClock;
  handler: CommandHandler;
  accessEvents: AccessEvents;
  names: AccountNames;
}

interface CommandOptions {
  /** True if the command writes to the log, so that it needs a clock that is trusted. */
  writes?: boolean;
}

/** Runs `work` with the configured stores, then closes them. @throws CommandError if there is no data folder */
export async function withStores(
  shell: Shell,
  work: (service: OpenInstallation) => Promise<void>,
  { writes = false }: CommandOptions = {},
): Promise<void> {
  const config = readConfig(shell.env, shell.cwd);
  if (usesDataFolder(config) && !existsSync(config.dataDir)) {
    throw new CommandError(`There is no data folder ${config.dataDir}. Start the service once, or set DATA_DIR.`);
  }
  const stores = await openStores(config);
  const instances = new LiveInstances({ reads: stores.reads });
  let clock: ServiceClock | undefined;
  try {
    await requireSchema(stores.accounts);
    clock = await openCommandClock(config, stores);
    if (writes) await waitForClock(clock, shell);
    const { now, requireTrust } = clock;
    await instances.follow();
    const { canRead } = instances;
    const handler = new CommandHandler(stores.events, {
      now,
      requireTrust,
      maxAcceptanceDays: config.riskAcceptanceMaxDays,
      canRead,
    });
    const log = { warn: (_details: object, message: string) => shell.err(message) };
    const { accounts } = stores;
    const names = new AccountNames(accounts);
    const accessEvents = new AccessEvents();
    const baseUrl = serviceUrl(config);
    const identity = openIdentity({ accounts, names, accessEvents, handler, clock, baseUrl, log });
    const { people, members, tokens, accessLog } = identity;
    await work({ ...stores, people, members, tokens, accessLog, config, clock, handler, accessEvents, names });
  } finally {
    clock?.stop();
    await instances.stop();
    await stores.close();
  }
}

/** Runs `work` with the installation, then closes its stores. @throws CommandError if the first start has not completed */
export function withInstallation(
  shell: Shell,
  work: (service: OpenInstallation & Installation) => Promise<void>,
  options: CommandOptions = {},
): Promise<void> {
  const workInside = async (service: OpenInstallation) => {
    const match = await findInstallation({ accounts: service.accounts, log: service.events });
    if (!match?.complete) throw new CommandError('The stores are empty. Start the service once, or set DATA_DIR.');
    await work({ ...service, ...toInstallation(match.installation) });
  };
  return withStores(shell, workInside, options);
}
