import type { Caller } from '../../commands/organization/caller.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import { CHANGES } from '../../projections/history/change-document.ts';
import type { Condition } from '../../stores/read-store.ts';
import type { Snapshot } from '../moments/snapshot.ts';
import { recordCondition } from './change-conditions.ts';

/** The changes of a whole organization, or of one of its records. */
export interface ChangeSource {
  snapshot: Snapshot;
  caller: Caller;
  organizationId: string;
  recordId?: string | undefined;
}

/** The moments that are one change away from a moment. */
export interface NeighbouringMoments {
  /** The position before the newest change; null if nothing is before it. */
  earlier: number | null;
  /** The position of the next change, `NOW` if that is the newest one of all, and null if there is none. */
  later: number | 'NOW' | null;
}

/** Returns the moments one change before and after a position. @param position null for now */
export async function neighbouringMoments(source: ChangeSource, position: number | null): Promise<NeighbouringMoments> {
  const [, earlier] = await positionsBeside(source, position === null ? null : { lte: position }, 'DESC');
  if (position === null) return { earlier: earlier ?? null, later: null };
  const [next, afterNext] = await positionsBeside(source, { gt: position }, 'ASC');
  return { earlier: earlier ?? null, later: next === undefined ? null : afterNext === undefined ? 'NOW' : next };
}

/** Returns the two positions of changes that come first in a direction. */
async function positionsBeside(
  source: ChangeSource,
  bounds: { lte: number } | { gt: number } | null,
  direction: 'ASC' | 'DESC',
): Promise<number[]> {
  const range: Condition[] = bounds === null ? [] : [{ key: 'position', op: 'range', ...bounds }];
  const rows = await source.snapshot.models.find({
    ...changesOf(source),
    where: [...changesOf(source).where, ...range],
    order: { key: 'position', direction },
    limit: 2,
  });
  return rows.map(({ key }) => Number(key));
}

/** Returns the log times of all changes, the earliest first. */
export async function changeTimes(source: ChangeSource): Promise<string[]> {
  const counts = await source.snapshot.models.count(changesOf(source), ['log_time']);
  return counts.flatMap(({ values: [time], total }) => Array<string>(total).fill(String(time))).sort();
}

function changesOf({ caller, organizationId, recordId }: ChangeSource) {
  requirePermission(caller, organizationId, 'readRecords');
  // An organization's events count once each, by their first row.
  const where: Condition[] =
    recordId === undefined ? [{ key: 'row_index', op: 'eq', value: 0 }] : [recordCondition([recordId])];
  return { collection: CHANGES.name, organizationId, where };
}
