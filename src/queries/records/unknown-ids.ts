import { StoreUnavailable } from '../../stores/errors.ts';
import { familyQueryOfType } from '../family-query.ts';
import { isIncomplete, type Reader } from '../moments/snapshot.ts';

/** The longest wait for the read models. Looking into the log for 200 records takes about as long. */
const MAX_WAIT_MS = 100;

/**
 * Returns those of a type's ids under which the read models know no record. The read models contain every write before this call, so
 * only a concurrent one can have added such a record. Returns none if the read models can't tell: they lag or don't answer,
 * or another instance leads, from which this one hears only once a second.
 */
export async function findUnknownIds(
  reader: Reader,
  organizationId: string,
  type: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  try {
    const snapshot = reader.snapshot();
    const { models, progress } = snapshot;
    const canTell =
      progress.role === 'LEADER' &&
      (await progress.waitUntilCaughtUp(snapshot.now().getTime(), MAX_WAIT_MS)) &&
      !isIncomplete(snapshot, organizationId);
    if (!canTell) return new Set();
    const known = new Set((await models.get(familyQueryOfType(type).plural, ids)).map(({ id }) => id));
    return new Set(ids.filter((id) => !known.has(id)));
  } catch (error) {
    if (error instanceof StoreUnavailable) return new Set();
    throw error;
  }
}
