import { randomBytes, randomUUID } from 'node:crypto';
import type { CommandHandler } from '../../commands/engine/handler.ts';
import { derivedId, itemCommandId } from '../../commands/engine/ids.ts';
import type { Role } from '../../commands/organization/caller.ts';
import { type AccountRecord, type AccountStore, RESTORE_MARK_PREFIX } from '../../stores/account-store.ts';
import { recordFirstName } from '../accounts/account-names.ts';
import { executeOrganizationCommand } from '../memberships/actor.ts';
import { migrateAccounts } from '../migrations/migrate.ts';
import { DEFAULT_TOKEN_DAYS, storeToken } from '../tokens/token-record.ts';
import type { EventLogReader, LoggedEvent } from './event-log-reader.ts';

/** The log and the account store don't belong together. `message` says what to do. */
export class InstallationError extends Error {
  override readonly name = 'InstallationError';
}

export interface Installation {
  /** UUID: the log's first event, the account store and every checkpoint hold it. */
  installation: string;
  /** The id of the first organization, derived from the installation's. */
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

/** Enough for every tool. Members are managed on the pages only, by an OWNER. */
export const FIRST_TOKEN_ROLE: Role = 'ADMIN';
/** The name of an account that nobody has set up yet. It is no role's name, so that "Owner" always means the role. */
export const FIRST_OWNER_NAME = 'First owner';
const DEFAULT_NAMES = { organization: 'My organization', owner: FIRST_OWNER_NAME };
const DAY_MS = 86_400_000;
const RESTORE = 'Restore a backup that holds both';

/**
 * Returns the installation of these stores. Empty stores get one: its first organization, with an owner and a token.
 * Every step can be repeated, also by two processes at once. The next start completes an interrupted one.
 * @returns `token` only for the process that created it
 * @throws InstallationError
 */
export async function firstStart(options: InstallationOptions): Promise<Installation & { token: string | null }> {
  const existingInstallation = await findInstallation(options);
  if (existingInstallation?.complete) return { ...toInstallation(existingInstallation.installation), token: null };
  const { installation, organizationId } = await createInstallation(options, DEFAULT_NAMES);
  return { installation, organizationId, token: await createFirstToken(options, { installation, organizationId }) };
}

/** Does the first start except for the token. */
export async function createInstallation(
  options: InstallationOptions,
  names: typeof DEFAULT_NAMES,
): Promise<Installation> {
  const { accounts, handler, now } = options;
  // An empty account store starts with the current schema.
  await migrateAccounts(accounts);
  // Several processes may start together. One inserts its id, and all continue with that one.
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

/** Creates the first token. It comes last, so a stored token means that the first start is complete. */
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
  const issuedToken = await storeToken(accounts, {
    id: token_id,
    name: 'First token',
    ...grant,
    organizations: [organizationId],
    created_at,
    // An earlier attempt may have written it to the log.
    expires_at: state?.tokens.get(token_id)?.expires_at ?? expires_at,
  });
  return issuedToken?.token ?? null;
}

/**
 * Returns the installation that log and account store belong to, or null if both are empty.
 * @throws InstallationError if one of them is empty or belongs to another installation
 */
export async function findInstallation(
  options: Pick<InstallationOptions, 'accounts' | 'log'>,
): Promise<{ installation: string; complete: boolean } | null> {
  const { accounts, log } = options;
  // The log first: the installation's id is stored before the log's first event.
  const loggedId = await loggedInstallationId(log, () => storedInstallationId(accounts));
  const storedId = await storedInstallationId(accounts);
  if (storedId === null) {
    if (loggedId === null) return null;
    await refuseUnfinishedRestore(accounts);
    const remedy = `${RESTORE}, or keep the log and begin the accounts anew with: veritrail init --adopt-log`;
    throw new InstallationError(`The log holds facts, but the account store is empty. ${remedy}`);
  }
  if (loggedId !== null && loggedId !== storedId) {
    const remedy = `${RESTORE}, or point the settings at the stores that belong together. To keep this log, empty the account store and run: veritrail init --adopt-log`;
    throw new InstallationError(`The log is installation ${loggedId}, the account store is ${storedId}'s. ${remedy}`);
  }
  const isComplete = (await accounts.all('tokens')).length > 0;
  // Read again: a first start may have ended between the two reads.
  if (isComplete && loggedId === null && (await loggedInstallationId(log, async () => storedId)) === null) {
    const remedy = `${RESTORE}, or empty the account store to begin anew. (veritrail init --adopt-log is for the other case, a log without accounts.)`;
    throw new InstallationError(`The account store has tokens, but the log is empty. ${remedy}`);
  }
  return { installation: storedId, complete: isComplete };
}

/**
 * Refuses stores that hold only a part of a log: other events after it would make another history.
 * @throws InstallationError if a restore was interrupted
 */
export async function refuseUnfinishedRestore(accounts: AccountStore): Promise<void> {
  const secrets = await accounts.all('secrets');
  if (!secrets.some(({ id }) => id.startsWith(RESTORE_MARK_PREFIX))) return;
  throw new InstallationError(
    'A restore was interrupted, so the log is not complete. Repeat "veritrail restore" with the same file to finish it, or empty the stores.',
  );
}

/** Returns an installation with the id of its first organization. */
export function toInstallation(installation: string): Installation {
  return { installation, organizationId: derivedId('org', installation) };
}

/**
 * Returns the installation id in the log's first event, or null for an empty log.
 * @param expectedId returns the id that the log should have. It is what an event that can't be read is compared with
 */
export async function loggedInstallationId(
  log: EventLogReader,
  expectedId: () => Promise<string | null> = async () => null,
): Promise<string | null> {
  for await (const events of log.readAll(null)) {
    const first = events[0];
    if (first === undefined) continue;
    if (first.data === null) return unreadableInstallationId(first, await expectedId());
    if (first.type === 'OrganizationCreated' && typeof first.data.installation === 'string') {
      return first.data.installation;
    }
    throw new InstallationError(
      'The log does not begin with an organization of veritrail. It belongs to another program.',
    );
  }
  return null;
}

/** Returns the expected id if the log's first event, which can't be read, is of its first organization. */
function unreadableInstallationId({ metadata }: LoggedEvent, expectedId: string | null): string {
  const isExpected = expectedId !== null && toInstallation(expectedId).organizationId === metadata.organization_id;
  if (isExpected) return expectedId;
  throw new InstallationError(`The log's first event cannot be read, so its installation is not known. ${RESTORE}.`);
}

/** Stores the installation id. Returns false if there is one already; it is never replaced. */
export function storeInstallationId(accounts: AccountStore, installation: string): Promise<boolean> {
  return accounts.insert('secrets', { id: 'installation', value: installation });
}

export async function storedInstallationId(accounts: AccountStore): Promise<string | null> {
  return (await accounts.get<Secret>('secrets', 'installation'))?.value ?? null;
}

/** Returns 32 random bytes that all instances share, such as `cursor` for signing cursors. The first caller creates them. */
export async function sharedSecret(accounts: AccountStore, name: string): Promise<Buffer> {
  await accounts.insert('secrets', { id: `key:${name}`, value: randomBytes(32).toString('hex') });
  return Buffer.from((await accounts.get<Secret>('secrets', `key:${name}`))!.value, 'hex');
}

/** Returns the id of the first organization's owner. */
export function firstOwnerId(installation: string): string {
  return derivedId('acc', installation);
}
