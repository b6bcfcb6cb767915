import { createHash } from 'node:crypto';
import { Refusal } from '../../../commands/engine/refusal.ts';
import type { Caller } from '../../../commands/organization/caller.ts';
import { type MatchingRecord, matchRecords } from '../../../queries/lists/match-records.ts';
import type { PinnedMoment } from '../../../queries/moments/moment.ts';
import type { Snapshot } from '../../../queries/moments/snapshot.ts';
import type { FamilyName } from '../../../register/families.ts';
import { type FamilyChange, MAX_SELECTED_RECORDS } from './set-input.ts';

/*
 * The records that a call with `set` changes. The dry run answers them as a text that the write must repeat.
 * An example is `391.2026-11-23.pZ2v…`: the position and day of the dry run, and a hash of the ids and revisions that it
 * matched.
 *
 * The hash detects changes between the two calls. The position lets a repeated write find its records again, also those
 * that the first attempt changed and that the filter no longer matches.
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

const SELECTION = /^(\d{1,15})\.(\d{4}-\d{2}-\d{2})\.[\w-]+$/;
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

/** Returns the text by which a write names the records of its dry run. */
export function selectionText({ moment, records }: RecordSelection): string {
  return `${moment.position}.${moment.today}.${selectionHash(records)}`;
}

/** Returns a hash of the records' ids and revisions, in any order. */
export function selectionHash(records: readonly Pick<SelectedRecord, 'id' | 'revision'>[]): string {
  const revisions = records.map(({ id, revision }) => `${id} ${revision}`).sort();
  return createHash('sha256').update(revisions.join()).digest('base64url').slice(0, HASH_CHARACTERS);
}

/** Returns the moment of the dry run that answered this text; null if none did. */
export function momentOfSelection(text: string): PinnedMoment | null {
  const match = SELECTION.exec(text);
  return match === null ? null : { position: Number(match[1]), today: match[2]! };
}
