import type { Condition } from '../../stores/read-store.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import { firstRowCondition } from './change-conditions.ts';

const HOUR_MS = 3_600_000;
/** More events of a credential are not counted. */
const MAX_COUNTED = 10_000;

type Credential = { organizationId: string; tokenId: string };

/** Counts the events of a credential since a time, by the history. So all instances agree. @param limit the count ends here */
async function countSince(
  { models }: Pick<Snapshot, 'models'>,
  { organizationId, tokenId }: Credential,
  since: string,
  { only, limit }: { only?: Condition; limit: number },
): Promise<number> {
  const where: Condition[] = [
    firstRowCondition(undefined),
    { key: 'log_time', op: 'range', gte: since },
    { key: 'token_id', op: 'eq', value: tokenId },
    ...(only === undefined ? [] : [only]),
  ];
  const [result] = await models.count({ collection: 'changes', organizationId, where, limit });
  return result?.total ?? 0;
}

/** Counts the changes of existing records that a credential made in the last hour. @param limit the count ends here */
export function countRecentChanges(
  snapshot: Pick<Snapshot, 'models' | 'now'>,
  organizationId: string,
  tokenId: string,
  limit: number,
): Promise<number> {
  const since = new Date(snapshot.now().getTime() - HOUR_MS).toISOString();
  const only = { key: 'revision', op: 'range', gt: 1 } as const;
  return countSince(snapshot, { organizationId, tokenId }, since, { only, limit });
}

/** Counts the changes and the proposals that a credential made today (UTC). */
export async function countToday(snapshot: Snapshot, organizationId: string, tokenId: string) {
  const credential = { organizationId, tokenId };
  const since = `${snapshot.today()}T00:00:00.000Z`;
  const only = { key: 'event_type', op: 'eq', value: 'ProposalMade' } as const;
  const [all, proposals] = await Promise.all([
    countSince(snapshot, credential, since, { limit: MAX_COUNTED }),
    countSince(snapshot, credential, since, { only, limit: MAX_COUNTED }),
  ]);
  return { changes: all - proposals, proposals };
}
