import type { Condition } from '../../stores/read-store.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import { firstRowCondition } from './change-conditions.ts';

const HOUR_MS = 3_600_000;

/** Selects each event of an organization since a time once, by the history. So all instances agree. */
function eventsSince(organizationId: string, since: string, only: readonly Condition[] = []) {
  const where: Condition[] = [firstRowCondition(undefined), { key: 'log_time', op: 'range', gte: since }, ...only];
  return { collection: 'changes', organizationId, where };
}

/** Selects the changes of existing records that a credential made in the last hour. */
function lastHourOf(tokenId: string, organizationId: string, { now }: Pick<Snapshot, 'now'>) {
  return eventsSince(organizationId, new Date(now().getTime() - HOUR_MS).toISOString(), [
    { key: 'token_id', op: 'eq', value: tokenId },
    { key: 'revision', op: 'range', gt: 1 },
  ]);
}

/** Counts the changes of existing records that a credential made in the last hour. @param limit the count ends here */
export async function countRecentChanges(
  snapshot: Pick<Snapshot, 'models' | 'now'>,
  organizationId: string,
  tokenId: string,
  limit: number,
): Promise<number> {
  const [result] = await snapshot.models.count({ ...lastHourOf(tokenId, organizationId, snapshot), limit });
  return result?.total ?? 0;
}

/**
 * Returns the seconds until a credential has made fewer changes of existing records in an hour than `limit`: until enough of
 * the oldest ones are an hour old. 0 if it has made fewer now.
 */
export async function secondsUntilFewerChanges(
  snapshot: Pick<Snapshot, 'models' | 'now'>,
  organizationId: string,
  tokenId: string,
  limit: number,
): Promise<number> {
  const lastHour = lastHourOf(tokenId, organizationId, snapshot);
  const [result] = await snapshot.models.count(lastHour);
  const tooMany = (result?.total ?? 0) - limit + 1;
  if (tooMany <= 0) return 0;
  const order = { key: 'log_time', direction: 'ASC' } as const;
  const oldest = (await snapshot.models.find({ ...lastHour, order, limit: tooMany })).at(-1);
  const leavesAt = Date.parse(String(oldest?.key)) + HOUR_MS;
  // Events of exactly an hour ago still count.
  return Math.floor((leavesAt - snapshot.now().getTime()) / 1_000) + 1;
}

/** The changes and the proposals that a credential made. */
export interface CredentialChanges {
  changes: number;
  proposals: number;
}

/** Counts the changes and the proposals of each credential since a day began (UTC). Returns those that made any, by id. */
export async function changesByCredential(
  { models }: Pick<Snapshot, 'models'>,
  organizationId: string,
  day: string,
): Promise<Map<string, CredentialChanges>> {
  const events = eventsSince(organizationId, `${day}T00:00:00.000Z`, [{ key: 'token_id', op: 'present' }]);
  const credentials = new Map<string, CredentialChanges>();
  for (const { values, total } of await models.count(events, ['token_id', 'event_type'])) {
    const id = String(values[0]);
    const counts = credentials.get(id) ?? { changes: 0, proposals: 0 };
    counts[values[1] === 'ProposalMade' ? 'proposals' : 'changes'] += total;
    credentials.set(id, counts);
  }
  return credentials;
}
