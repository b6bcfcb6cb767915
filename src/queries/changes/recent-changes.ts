import type { Snapshot } from '../moments/snapshot.ts';
import { firstRowCondition } from './change-conditions.ts';

const HOUR_MS = 3_600_000;

/**
 * Counts the changes of existing records that a credential made in the last hour, by the history. So all instances agree.
 * @param limit the count ends here
 */
export async function countRecentChanges(
  { models, now }: Pick<Snapshot, 'models' | 'now'>,
  organizationId: string,
  tokenId: string,
  limit: number,
): Promise<number> {
  const since = new Date(now().getTime() - HOUR_MS).toISOString();
  const where = [
    firstRowCondition(undefined),
    { key: 'log_time', op: 'range', gt: since } as const,
    { key: 'token_id', op: 'eq', value: tokenId } as const,
    { key: 'revision', op: 'range', gt: 1 } as const,
  ];
  const [result] = await models.count({ collection: 'changes', organizationId, where, limit });
  return result?.total ?? 0;
}
