import { organizationAggregate, organizationStream } from '../commands/families.ts';
import { commandOrganization } from './actor.ts';
import type { Log } from './log.ts';
import type { TokenRecord, TokensParts } from './tokens.ts';

/** What is younger may be under way in another process. */
const SETTLED_MS = 5 * 60_000;

/**
 * Writes into the log what a crash kept from it: tokens whose hash is gone, or never came to be stored, are revoked
 * there too. Done at start.
 * @returns how many
 */
export async function repairTokens(
  { accounts, handler, now }: TokensParts,
  log: Log,
  organizations: readonly string[],
): Promise<number> {
  const kept = new Map((await accounts.all<TokenRecord>('tokens')).map((record) => [record.id, record]));
  const reached = [...kept.values()].flatMap((record) => record.organizations);
  let repaired = 0;
  for (const organizationId of new Set([...organizations, ...reached])) {
    const { state } = await handler.load(organizationAggregate(organizationId), true);
    for (const [token_id, token] of Object.entries(state?.tokens ?? {})) {
      if (token.revoked) continue;
      const record = kept.get(token_id);
      const since = record ? record.revoked_at : await createdAt(log, organizationId, token_id);
      if (since === null || now().getTime() - Date.parse(since) < SETTLED_MS) continue;
      const reason = record ? 'Revoked before, by its hash alone.' : 'Its hash is not stored: nobody can use it.';
      await commandOrganization(handler, organizationId, { type: 'RevokeToken', token_id, reason });
      repaired += 1;
    }
  }
  return repaired;
}

async function createdAt(log: Log, organizationId: string, tokenId: string): Promise<string | null> {
  const events = await log.readStream(organizationStream(organizationId));
  const created = events.find(({ type, data }) => type === 'TokenCreated' && data.token_id === tokenId);
  return created?.metadata.recorded_at ?? null;
}
