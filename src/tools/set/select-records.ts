import { Refusal } from '../../commands/engine/refusal.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { countMatches, type MatchingRecord, matchRecords } from '../../queries/lists/match-records.ts';
import type { PinnedMoment } from '../../queries/moments/moment.ts';
import type { Snapshot } from '../../queries/moments/snapshot.ts';
import type { FamilyName } from '../../register/families.ts';
import { type FamilyChange, MAX_SELECTED_RECORDS } from './set-input.ts';

/*
 * The records that a call with `set` changes. The position in its selection lets a repeated write find its records again,
 * also those that the first attempt changed and that the filter no longer matches.
 */

/** A record that a filter matched, and what is set on it. */
export interface SelectedRecord extends MatchingRecord {
  type: FamilyName;
  set: Record<string, unknown>;
}

/** The records that the filters of a call match at a moment. */
export interface RecordSelection {
  moment: PinnedMoment;
  records: readonly SelectedRecord[];
  /** The number of records that match beyond those of one call. */
  remaining: number;
}

/** Where the records of a call are searched. */
export interface SelectionSource {
  snapshot: Snapshot;
  organizationId: string;
  caller: Caller;
  changes: readonly FamilyChange[];
}

/**
 * Finds the records that a call's filters match at a moment. A call that hands over records of all types takes as many as it
 * may. The same call again goes on: the others have the old owner still.
 * @throws Refusal too_large
 */
export async function selectRecords(source: SelectionSource, moment: PinnedMoment): Promise<RecordSelection> {
  const { snapshot, organizationId, caller, changes } = source;
  const records: SelectedRecord[] = [];
  for (const { type, family, set, filter } of changes) {
    const limit = MAX_SELECTED_RECORDS + 1 - records.length;
    const matches = await matchRecords({ snapshot, organizationId, moment }, family, caller, filter, limit);
    records.push(...matches.map((match) => ({ ...match, type, set })));
    if (records.length > MAX_SELECTED_RECORDS) return { moment, ...(await firstOf(source, moment, records)) };
  }
  return { moment, records, remaining: 0 };
}

async function firstOf(
  { snapshot, organizationId, caller, changes }: SelectionSource,
  moment: PinnedMoment,
  records: readonly SelectedRecord[],
): Promise<Omit<RecordSelection, 'moment'>> {
  const isHandover = changes.every(({ set, filter }) => Object.keys(set).join() === 'owner_id' && filter.owner_id);
  if (!isHandover || changes.length === 1) throw tooManyRecords();
  let total = 0;
  for (const { family, filter } of changes) {
    total += await countMatches({ snapshot, organizationId, moment }, family, caller, filter);
  }
  return { records: records.slice(0, MAX_SELECTED_RECORDS), remaining: total - MAX_SELECTED_RECORDS };
}

function tooManyRecords(): Refusal {
  const message =
    `More than ${MAX_SELECTED_RECORDS} records match, and one call changes at most ${MAX_SELECTED_RECORDS}. ` +
    'Give type or more conditions, or list the records and give their ids in several calls.';
  return new Refusal('too_large', message, { field: 'filter' });
}
