import { randomBytes, randomUUID } from 'node:crypto';
import type { Role } from '../commands/caller.ts';
import type { CommandHandler } from '../commands/handler.ts';
import { derivedId, itemCommandId } from '../commands/ids.ts';
import type { AccountRecord, AccountStore } from '../stores/account-store.ts';
import { recordFirstName } from './account-names.ts';
import { executeOrganizationCommand } from './actor.ts';
import type { EventLogReader } from './event-log-reader.ts';
import { migrateAccounts } from './migrations/migrate.ts';
import { DEFAULT_TOKEN_DAYS, storeToken } from './token-record.ts';

/** Log and account store do not belong together. `message` says what to do. */
export class InstallationError extends Error {
  override readonly name = 'InstallationError';
}

export interface Installation {
  /** UUID: the log's first event, the account store and every checkpoint hold it. */
  installation: string;
  /** The first organization, derived from it. */
  organizationId: string;
}

export interface InstallationOptions {
  accounts: AccountStore;
  log: EventLogReader;
  handler: CommandHandler;
  now: () => Date;
}

interface Secret extends AccountRecord {
  value: string;
}

/** Enough for every tool; members are the owner's own affair, in the pages. */
export const FIRST_TOKEN_ROLE: Role = 'ADMIN';
const DEFAULT_NAMES = { organization: 'My organization', owner: 'Owner' };
const DAY_MS = 86_400_000;
const RESTORE = 'Restore a backup that holds both';

/**
 * The installation that these stores are, made where they are empty: its first organization, with an owner and a token.
 * Every step can be taken twice and by two processes at once: a first start that was cut off is finished by the next.
 * @returns `token` only to the one process that made it
 * @throws InstallationError
 */
export async function firstStart(options: InstallationOptions): Promise<Installation & { token: string | null }> {
  const found = await findInstallation(options);
  if (found?.complete) return { ...toInstallation(found.installation), token: null };
  const { installation, organizationId } = await createInstallation(options, DEFAULT_NAMES);
  return { installation, organizationId, token: await createFirstToken(options, { installation, organizationId }) };
}

/** The first half of the first start: everything but the token. */
export async function createInstallation(
  options: InstallationOptions,
  names: typeof DEFAULT_NAMES,
): Promise<Installation> {
  const { accounts, handler, now } = options;
  // An empty account store is begun in today's shape.
  await migrateAccounts(accounts);
  // The fence: of several processes that start together one inserts it, and all go on with that one's.
  await storeInstallationId(accounts, randomUUID());
  const installation = (await storedInstallationId(accounts))!;
  const { organizationId } = toInstallation(installation);
  const owner_id = firstOwnerId(installation);
  const owner = { id: owner_id, name: names.owner, organizations: [organizationId], created_at: now().toISOString() };
  await accounts.insert('accounts', owner);
  await recordFirstName(accounts, owner_id, owner.name);
  await executeOrganizationCommand(
    handler,
    organizationId,
    {
      type: 'CreateOrganization',
      name: names.organization,
      import_key: randomBytes(32).toString('hex'),
      installation,
      owner_id,
    },
    undefined,
    { command_id: itemCommandId(installation, 'organization'), input: { installation } },
  );
  return { installation, organizationId };
}

/** Made last, so that a token which is kept says that nothing before it is missing. */
async function createFirstToken(options: InstallationOptions, { installation, organizationId }: Installation) {
  const { accounts, handler, now } = options;
  const created_at = now().toISOString();
  const token_id = derivedId('tok', installation);
  const grant = { account_id: firstOwnerId(installation), role: FIRST_TOKEN_ROLE, read_only: false };
  const expires_at = new Date(now().getTime() + DEFAULT_TOKEN_DAYS * DAY_MS).toISOString();
  const { state } = await executeOrganizationCommand(
    handler,
    organizationId,
    { type: 'CreateToken', token_id, ...grant, expires_at },
    undefined,
    { command_id: itemCommandId(installation, 'token'), input: { token_id } },
  );
  const issued = await storeToken(accounts, {
    id: token_id,
    name: 'First token',
    ...grant,
    organizations: [organizationId],
    created_at,
    // What the log says, where another attempt wrote it.
    expires_at: state?.tokens[token_id]?.expires_at ?? expires_at,
  });
  return issued?.token ?? null;
}

/**
 * What log and account store say of themselves; null where nothing was ever begun.
 * @throws InstallationError where one of them is missing, or is another installation's
 */
export async function findInstallation(
  options: Pick<InstallationOptions, 'accounts' | 'log'>,
): Promise<{ installation: string; complete: boolean } | null> {
  const { accounts, log } = options;
  // The log first: whoever began it had inserted the installation's id before.
  const logged = await loggedInstallationId(log);
  const kept = await storedInstallationId(accounts);
  if (kept === null) {
    if (logged === null) return null;
    const remedy = `${RESTORE}, or keep the log and begin the accounts anew with: veritrail init --adopt-log`;
    throw new InstallationError(`The log holds facts, but the account store is empty. ${remedy}`);
  }
  if (logged !== null && logged !== kept) {
    const remedy = `${RESTORE}, or point the settings at the stores that belong together. To keep this log, empty the account store and run: veritrail init --adopt-log`;
    throw new InstallationError(`The log is installation ${logged}, the account store is ${kept}'s. ${remedy}`);
  }
  const complete = (await accounts.all('tokens')).length > 0;
  // Asked again: a first start may have ended between the two looks.
  if (complete && logged === null && (await loggedInstallationId(log)) === null) {
    const remedy = `${RESTORE}, or empty the account store to begin anew. (veritrail init --adopt-log is for the other case, a log without accounts.)`;
    throw new InstallationError(`The account store has tokens, but the log is empty. ${remedy}`);
  }
  return { installation: kept, complete };
}

/** Where an installation's first organization is. */
export function toInstallation(installation: string): Installation {
  return { installation, organizationId: derivedId('org', installation) };
}

/** The installation that the log's first event names; null for an empty log. */
export async function loggedInstallationId(log: EventLogReader): Promise<string | null> {
  for await (const events of log.readAll(null)) {
    const first = events[0];
    if (first === undefined) continue;
    if (first.type === 'OrganizationCreated' && typeof first.data.installation === 'string') {
      return first.data.installation;
    }
    throw new InstallationError('The log does not begin with an organization of veritrail: it is not one of ours.');
  }
  return null;
}

/** Answers whether it was kept: an account store keeps the first one for ever. */
export function storeInstallationId(accounts: AccountStore, installation: string): Promise<boolean> {
  return accounts.insert('secrets', { id: 'installation', value: installation });
}

export async function storedInstallationId(accounts: AccountStore): Promise<string | null> {
  return (await accounts.get<Secret>('secrets', 'installation'))?.value ?? null;
}

/** 32 random bytes that all instances share, made by the first that asks: `cursor` signs cursors. */
export async function sharedSecret(accounts: AccountStore, name: string): Promise<Buffer> {
  await accounts.insert('secrets', { id: `key:${name}`, value: randomBytes(32).toString('hex') });
  return Buffer.from((await accounts.get<Secret>('secrets', `key:${name}`))!.value, 'hex');
}

/** The account that the first organization begins with. */
export function firstOwnerId(installation: string): string {
  return derivedId('acc', installation);
}
