import { existsSync } from 'node:fs';
import { serviceUrl } from '../app/service-address.ts';
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

/** The open stores and services that commands work with. */
export interface OpenInstallation extends Stores, Pick<Identity, 'people' | 'members' | 'tokens' | 'accessLog'> {
  config: Config;
  handler: CommandHandler;
  accessEvents: AccessEvents;
  names: AccountNames;
}

/** Runs `work` with the configured stores, then closes them. @throws CommandError if there is no data folder */
export async function withStores(shell: Shell, work: (service: OpenInstallation) => Promise<void>): Promise<void> {
  const config = readConfig(shell.env, shell.cwd);
  if (usesDataFolder(config) && !existsSync(config.dataDir)) {
    throw new CommandError(`There is no data folder ${config.dataDir}. Start the service once, or set DATA_DIR.`);
  }
  const stores = await openStores(config);
  const instances = new LiveInstances({ reads: stores.reads });
  try {
    await requireSchema(stores.accounts);
    const now = () => new Date();
    await instances.follow();
    const { canRead } = instances;
    const handler = new CommandHandler(stores.events, {
      now,
      maxAcceptanceDays: config.riskAcceptanceMaxDays,
      canRead,
    });
    const log = { warn: (_details: object, message: string) => shell.err(message) };
    const { accounts } = stores;
    const names = new AccountNames(accounts);
    const accessEvents = new AccessEvents();
    const baseUrl = serviceUrl(config);
    const identity = openIdentity({ accounts, names, accessEvents, handler, now, baseUrl, log });
    const { people, members, tokens, accessLog } = identity;
    await work({ ...stores, people, members, tokens, accessLog, config, handler, accessEvents, names });
  } finally {
    await instances.stop();
    await stores.close();
  }
}

/** Runs `work` with the installation, then closes its stores. @throws CommandError if the first start has not completed */
export function withInstallation(
  shell: Shell,
  work: (service: OpenInstallation & Installation) => Promise<void>,
): Promise<void> {
  return withStores(shell, async (service) => {
    const match = await findInstallation({ accounts: service.accounts, log: service.events });
    if (!match?.complete) throw new CommandError('The stores are empty. Start the service once, or set DATA_DIR.');
    await work({ ...service, ...toInstallation(match.installation) });
  });
}
