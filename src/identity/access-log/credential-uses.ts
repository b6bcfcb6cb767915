import type { Caller } from '../../commands/organization/caller.ts';
import { roleAllows } from '../../commands/organization/permissions.ts';
import type { AccountStore } from '../../stores/account-store.ts';
import type { TokenRecord } from '../tokens/token-record.ts';
import { readAccessRows } from './read-access-rows.ts';

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

/** A token or assistant, and its calls of one day. */
export interface CredentialUse {
  id: string;
  name: string;
  /** The account in whose name it acts. */
  account_id: string;
  calls: number;
  /** Calls that its rights or a limit did not allow, and those after it had expired. */
  refused: number;
}

/**
 * Returns the credentials that made calls on a day (UTC), or that are among `ids`, by name: for readers of the access log all,
 * for others their own. A call counts in every organization that its credential reaches.
 */
export async function readCredentialUses(
  accounts: AccountStore,
  { account_id: readerId, roles }: Pick<Caller, 'account_id' | 'roles'>,
  { organizationId, day, ids }: { organizationId: string; day: string; ids: Iterable<string> },
): Promise<CredentialUse[]> {
  const role = roles.get(organizationId);
  const seesAll = role !== undefined && roleAllows(role, 'readAccessLog');
  const counts = await countUses(accounts, organizationId, day);
  const uses = [...new Set([...counts.keys(), ...ids])].map(async (id): Promise<CredentialUse | null> => {
    const token = await accounts.get<TokenRecord>('tokens', id);
    if (token === null || !(seesAll || token.account_id === readerId)) return null;
    const { name, account_id } = token;
    return { id, name, account_id, ...(counts.get(id) ?? NO_USE) };
  });
  const shown = (await Promise.all(uses)).filter((use) => use !== null);
  return shown.sort((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id));
}

const NO_USE = { calls: 0, refused: 0 };

/** Counts calls and refusals by token. The ids of counted rows begin with the start of their hour, or of their day. */
async function countUses(accounts: AccountStore, organizationId: string, day: string) {
  const counts = new Map<string, typeof NO_USE>();
  const countHour = async (hour: string) => {
    const start = `${day}T${hour}:00:00.000Z`;
    for await (const row of readAccessRows(accounts, organizationId, { from: `${start}~`, below: `${start}~~` })) {
      if (row.actor_id === null) continue;
      const { calls, refused } = counts.get(row.actor_id) ?? NO_USE;
      if (row.event_type === 'TOKEN_USED') counts.set(row.actor_id, { calls: calls + row.count, refused });
      else if (row.event_type === 'TOKEN_REFUSED' || row.event_type === 'CALL_REFUSED')
        counts.set(row.actor_id, { calls, refused: refused + row.count });
    }
  };
  await Promise.all(HOURS.map(countHour));
  return counts;
}
