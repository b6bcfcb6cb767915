import { Refusal } from '../commands/refusal.ts';
import type { TokenRecord } from './token-record.ts';
import type { TokensParts } from './tokens.ts';

/** A record that others change meanwhile is looked at anew so often. */
const ATTEMPTS = 20;

/**
 * Takes an organization off what is kept of a token; the last one takes the token away. Done before the organization is
 * told, so that the token has no role there from now on.
 * @throws Refusal conflict
 */
export async function narrow(
  { accounts, changed, now }: Omit<TokensParts, 'handler'>,
  id: string,
  organizationId: string,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const record = await accounts.get<TokenRecord>('tokens', id);
    if (record === null || !record.organizations.includes(organizationId)) return;
    const organizations = record.organizations.filter((other) => other !== organizationId);
    const narrowed_at = now().toISOString();
    const ends = organizations.length === 0 ? { hash: null, revoked_at: record.revoked_at ?? narrowed_at } : {};
    const fields = { organizations, narrowed_at, ...ends };
    const before = { organizations: record.organizations, revoked_at: record.revoked_at };
    if (await accounts.update('tokens', id, fields, before)) return changed?.(id);
  }
  throw new Refusal('conflict', 'This token was changed at once by somebody else: look at it, then repeat.');
}
