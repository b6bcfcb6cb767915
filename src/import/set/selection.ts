import { createHash } from 'node:crypto';
import { Refusal } from '../../commands/engine/refusal.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { readSignedCursor, writeSignedCursor } from '../../queries/lists/cursor.ts';
import { type MatchingRecord, matchRecords } from '../../queries/lists/match-records.ts';
import type { PinnedMoment } from '../../queries/moments/moment.ts';
import type { Snapshot } from '../../queries/moments/snapshot.ts';
import type { FamilyName } from '../../register/families.ts';
import { type FamilyChange, MAX_SELECTED_RECORDS, type SetInput } from './set-input.ts';

/*
 * The records that a call with `set` changes. The dry run answers them as a text that the write must repeat. It holds the
 * position and day of the dry run, and a hash of the ids and revisions that it matched: `[391, "2026-11-23", "pZ2v…"]`.
 *
 * The hash detects changes between the two calls. The position lets a repeated write find its records again, also those
 * that the first attempt changed and that the filter no longer matches. A signature binds the text to the account and the
 * input of the dry run: a person who has seen that one agrees to nothing else.
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
}

/** Where the records of a call are searched. */
export interface SelectionSource {
  snapshot: Snapshot;
  organizationId: string;
  caller: Caller;
  changes: readonly FamilyChange[];
}

/** 132 bits, enough to make equal hashes of different records impossible in practice. */
const HASH_CHARACTERS = 22;

/** Finds the records that a call's filters match at a moment. @throws Refusal too_large */
export async function selectRecords(source: SelectionSource, moment: PinnedMoment): Promise<RecordSelection> {
  const { snapshot, organizationId, caller, changes } = source;
  const records: SelectedRecord[] = [];
  for (const { type, family, set, filter } of changes) {
    const limit = MAX_SELECTED_RECORDS + 1 - records.length;
    const matches = await matchRecords({ snapshot, organizationId, moment }, family, caller, filter, limit);
    records.push(...matches.map((match) => ({ ...match, type, set })));
    if (records.length > MAX_SELECTED_RECORDS) throw tooManyRecords();
  }
  return { moment, records };
}

function tooManyRecords(): Refusal {
  const message =
    `More than ${MAX_SELECTED_RECORDS} records match, and one call changes at most ${MAX_SELECTED_RECORDS}. ` +
    'Give type or more conditions, or list the records and give their ids in several calls.';
  return new Refusal('too_large', message, { field: 'filter' });
}

/** Returns the text by which a write names the records of its dry run. @param input of the call */
export function writeSelection(source: SelectionSource, input: SetInput, { moment, records }: RecordSelection): string {
  const { position, today } = moment;
  return writeSignedCursor(source.snapshot.cursorKey, boundTo(source, input), [
    position,
    today,
    selectionHash(records),
  ]);
}

/** Returns the moment of the dry run that answered a selection, and the hash of its records; null if none did. */
export function readSelection(
  source: SelectionSource,
  input: SetInput,
  selection: string,
): { moment: PinnedMoment; hash: string } | null {
  try {
    const key = source.snapshot.cursorKey;
    const bound = boundTo(source, input);
    const [position, today, hash] = readSignedCursor<[number, string, string]>(key, bound, selection, 'selection');
    return { moment: { position, today }, hash };
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** Returns the account and the parts of a call that must be the same in the dry run and in the write. */
function boundTo({ organizationId, caller }: SelectionSource, { type, set, ids, filter, reason }: SetInput): object {
  return { call: 'set', organizationId, account: caller.account_id, type, set, ids, filter, reason };
}

/** Returns a hash of the records' ids and revisions, in any order. */
export function selectionHash(records: readonly Pick<SelectedRecord, 'id' | 'revision'>[]): string {
  const revisions = records.map(({ id, revision }) => `${id} ${revision}`).sort();
  return createHash('sha256').update(revisions.join()).digest('base64url').slice(0, HASH_CHARACTERS);
}
