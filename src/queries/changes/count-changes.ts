import type { Snapshot } from '../moments/snapshot.ts';
import { firstRowCondition } from './change-conditions.ts';

/**
 * Counts an organization's changes in a period, without its seals.
 * @param period positions: changes after the first, up to and with the second
 * @param limit the count ends here
 */
export async function countChangesBetween(
  { models }: Snapshot,
  organizationId: string,
  [after, upTo]: readonly [number, number],
  limit: number,
): Promise<number> {
  const period = { key: 'position', op: 'range', gt: after, lte: upTo } as const;
  const where = [firstRowCondition(undefined), period];
  const [result] = await models.count({ collection: 'changes', organizationId, where, limit });
  return result?.total ?? 0;
}
