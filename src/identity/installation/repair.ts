import { organizationAggregate, organizationStream } from '../../commands/families.ts';
import { executeOrganizationCommand } from '../memberships/actor.ts';
import { addToMembershipIndex } from '../memberships/membership-index.ts';
import { removeOrganizationFromToken } from '../tokens/remove-organization-from-token.ts';
import type { TokenRecord, TokensOptions } from '../tokens/tokens.ts';
import type { EventLogReader } from './event-log-reader.ts';

/** Younger records are left alone, because another process may still be writing them. */
const MIN_DIFFERENCE_AGE_MS = 5 * 60_000;

/**
 * Repairs differences that a crash left between the log and the account store: tokens and the membership index. Runs in
 * the background at every start.
 * @returns the number of differences
 */
export async function repairAccountStore(
  options: TokensOptions,
  log: EventLogReader,
  organizations: readonly string[],
): Promise<number> {
  return (await repairTokens(options, log, organizations)) + (await repairMembershipIndex(options, organizations));
}

/**
 * Compares each organization's tokens in the log with their records in the account store. A token without a record,
 * or whose record no longer allows this organization, is revoked in the log. If the log has revoked a token, the
 * organization is removed from its record.
 * @returns the number of repairs
 */
export async function repairTokens(
  options: TokensOptions,
  log: EventLogReader,
  organizations: readonly string[],
): Promise<number> {
  const { accounts, handler } = options;
  const stored = new Map((await accounts.all<TokenRecord>('tokens')).map((record) => [record.id, record]));
  const organizationsOfTokens = [...stored.values()].flatMap((record) => record.organizations);
  let repaired = 0;
  for (const organizationId of new Set([...organizations, ...organizationsOfTokens])) {
    const { state } = await handler.load(organizationAggregate(organizationId), true);
    for (const [token_id, { revoked }] of state?.tokens.entries() ?? []) {
      const record = stored.get(token_id);
      const isRepaired = revoked
        ? await repairRecord(options, organizationId, record)
        : await repairLog(options, log, organizationId, { token_id, record });
      if (isRepaired) repaired += 1;
    }
  }
  return repaired;
}

/** Removes an organization that has revoked a token from the token's record. Returns false if nothing differs. */
async function repairRecord(
  options: TokensOptions,
  organizationId: string,
  record: TokenRecord | undefined,
): Promise<boolean> {
  if (record?.revoked_at !== null || !record.organizations.includes(organizationId)) return false;
  await removeOrganizationFromToken(options, record.id, organizationId);
  return true;
}

/** Revokes a token in an organization's log if nobody can use it there. Returns false if nothing differs. */
async function repairLog(
  { handler, now }: TokensOptions,
  log: EventLogReader,
  organizationId: string,
  { token_id, record }: { token_id: string; record: TokenRecord | undefined },
): Promise<boolean> {
  const since = record ? unusableSince(record, organizationId) : await createdAt(log, organizationId, token_id);
  if (since === null || now().getTime() - Date.parse(since) < MIN_DIFFERENCE_AGE_MS) return false;
  const reason = record
    ? 'Taken away before, in the account store alone.'
    : 'Its hash is not stored: nobody can use it.';
  await executeOrganizationCommand(handler, organizationId, { type: 'RevokeToken', token_id, reason });
  return true;
}

/** Returns the time since which the account store blocks a token in an organization, or null if it is usable. */
function unusableSince({ revoked_at, organizations, narrowed_at }: TokenRecord, organizationId: string): string | null {
  return revoked_at ?? (organizations.includes(organizationId) ? null : (narrowed_at ?? null));
}

async function createdAt(log: EventLogReader, organizationId: string, tokenId: string): Promise<string | null> {
  const events = await log.readStream(organizationStream(organizationId));
  const createdEvent = events.find(({ type, data }) => type === 'TokenCreated' && data.token_id === tokenId);
  return createdEvent?.metadata.recorded_at ?? null;
}

/** Adds missing members to the membership index. */
async function repairMembershipIndex(
  { accounts, handler }: TokensOptions,
  organizations: readonly string[],
): Promise<number> {
  let repaired = 0;
  for (const organizationId of organizations) {
    const { state } = await handler.load(organizationAggregate(organizationId), true);
    for (const account of Object.keys(state?.members ?? {})) {
      if (await addToMembershipIndex(accounts, account, organizationId)) repaired += 1;
    }
  }
  return repaired;
}
