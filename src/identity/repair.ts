import { organizationAggregate, organizationStream } from '../commands/families.ts';
import { executeOrganizationCommand } from './actor.ts';
import type { EventLogReader } from './event-log-reader.ts';
import { addToMembershipIndex } from './membership-index.ts';
import { removeOrganizationFromToken } from './remove-organization-from-token.ts';
import type { TokenRecord, TokensOptions } from './tokens.ts';

/** What is younger may be under way in another process. */
const SETTLED_MS = 5 * 60_000;

/**
 * Makes good what a crash left between the log and the account store: tokens, and where to look for memberships. Done at
 * every start, beside the service.
 * @returns how many differences there were
 */
export async function repairAccountStore(
  options: TokensOptions,
  log: EventLogReader,
  organizations: readonly string[],
): Promise<number> {
  return (await repairTokens(options, log, organizations)) + (await repairMembershipIndex(options, organizations));
}

/**
 * Writes into the log what a crash kept from it: tokens whose hash is gone, or never came to be stored, or which were
 * taken off an organization, are revoked there too; and takes those that an organization has revoked off it.
 * @returns how many
 */
export async function repairTokens(
  options: TokensOptions,
  log: EventLogReader,
  organizations: readonly string[],
): Promise<number> {
  const { accounts, handler, now } = options;
  const kept = new Map((await accounts.all<TokenRecord>('tokens')).map((record) => [record.id, record]));
  const reached = [...kept.values()].flatMap((record) => record.organizations);
  let repaired = 0;
  for (const organizationId of new Set([...organizations, ...reached])) {
    const { state } = await handler.load(organizationAggregate(organizationId), true);
    for (const [token_id, token] of Object.entries(state?.tokens ?? {})) {
      const record = kept.get(token_id);
      if (token.revoked) {
        if (record?.revoked_at !== null || !record.organizations.includes(organizationId)) continue;
        await removeOrganizationFromToken(options, token_id, organizationId);
        repaired += 1;
        continue;
      }
      const since = record ? unusableSince(record, organizationId) : await createdAt(log, organizationId, token_id);
      if (since === null || now().getTime() - Date.parse(since) < SETTLED_MS) continue;
      const reason = record
        ? 'Taken away before, in the account store alone.'
        : 'Its hash is not stored: nobody can use it.';
      await executeOrganizationCommand(handler, organizationId, { type: 'RevokeToken', token_id, reason });
      repaired += 1;
    }
  }
  return repaired;
}

/** Since when a token cannot be used in an organization, as far as the account store knows; null where it can. */
function unusableSince({ revoked_at, organizations, narrowed_at }: TokenRecord, organizationId: string): string | null {
  return revoked_at ?? (organizations.includes(organizationId) ? null : (narrowed_at ?? null));
}

async function createdAt(log: EventLogReader, organizationId: string, tokenId: string): Promise<string | null> {
  const events = await log.readStream(organizationStream(organizationId));
  const created = events.find(({ type, data }) => type === 'TokenCreated' && data.token_id === tokenId);
  return created?.metadata.recorded_at ?? null;
}

/** Lets every member's account say where to look for it. */
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
