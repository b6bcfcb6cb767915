import { randomId } from '../../commands/engine/ids.ts';
import { nullIfDamaged } from '../../commands/engine/refusal.ts';
import { organizationAggregate } from '../../commands/families.ts';
import { recordFirstName } from '../accounts/account-names.ts';
import { executeOrganizationCommand } from '../memberships/actor.ts';
import { migrateAccounts } from '../migrations/migrate.ts';
import type { IssuedToken, Tokens } from '../tokens/tokens.ts';
import type { EventLogReader } from './event-log-reader.ts';
import {
  FIRST_OWNER_NAME,
  FIRST_TOKEN_ROLE,
  InstallationError,
  type InstallationOptions,
  loggedInstallationId,
  refuseUnfinishedRestore,
  storedInstallationId,
  storeInstallationId,
} from './installation.ts';

/**
 * Sets up an empty account store for an existing log: the installation id, a new account that is OWNER of every
 * organization, and a token for it. The id is stored last, so an interrupted run can be repeated: it then continues with
 * the account that the earlier one has made OWNER.
 * @throws InstallationError
 */
export async function adoptLog(options: InstallationOptions & { tokens: Tokens }): Promise<IssuedToken> {
  const { accounts, log, handler, tokens, now } = options;
  const storedId = await storedInstallationId(accounts);
  if (storedId !== null)
    throw new InstallationError('The account store is not empty. Only an empty one can adopt a log.');
  const installation = await loggedInstallationId(log);
  if (installation === null)
    throw new InstallationError('The log is empty, there is nothing to adopt. Start the service.');

  await refuseUnfinishedRestore(accounts);

  await migrateAccounts(accounts);
  const account_id = (await accounts.all('accounts'))[0]?.id ?? randomId('acc');
  const organizations = await organizationsIn(log, handler);
  const owner = { id: account_id, name: FIRST_OWNER_NAME, organizations, created_at: now().toISOString() };
  await accounts.insert('accounts', owner);
  await recordFirstName(accounts, account_id, owner.name);
  for (const id of organizations) {
    await executeOrganizationCommand(handler, id, { type: 'AddMember', account_id, role: 'OWNER' });
  }
  const issuedToken = await tokens.create({ name: 'First token', account_id, role: FIRST_TOKEN_ROLE, organizations });
  if (await storeInstallationId(accounts, installation)) return issuedToken;
  throw new InstallationError('Another process set up this account store meanwhile. Start the service.');
}

/** Returns the log's organizations. Nobody can join one of which an event can't be read. */
async function organizationsIn(log: EventLogReader, handler: InstallationOptions['handler']): Promise<string[]> {
  const organizationIds: string[] = [];
  for await (const events of log.readAll(null)) {
    for (const { type, metadata } of events) {
      const isReadable =
        type === 'OrganizationCreated' &&
        (await handler.load(organizationAggregate(metadata.organization_id)).catch(nullIfDamaged)) !== null;
      if (isReadable) organizationIds.push(metadata.organization_id);
    }
  }
  return organizationIds;
}
