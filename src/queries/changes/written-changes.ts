import { familyOf } from '../../commands/families.ts';
import type { LinkState } from '../../commands/link.ts';
import type { FieldChange } from '../../projections/history/change-document.ts';
import { fieldDifferences, linkFieldChanges } from '../../projections/history/change-rows.ts';
import { shortenValue } from './list-changes.ts';

/** A field that a call changed on a record that existed before, with the values before and after. */
export interface WrittenChange extends FieldChange {
  record_id: string;
}

/** The members of an answer that say what its call changed. */
export interface WrittenChanges {
  changes?: WrittenChange[];
  more_changes?: number;
}

/** A state before and after a command, or as it would be. Equal if the command was done by an earlier call. */
interface Transition {
  before: object | null;
  state: object | null;
}

const MAX_CHANGED_RECORDS = 50;
const MAX_CHANGES_CHARACTERS = 10_000;

/** Returns what a command changed on a record, as its history has it. Nothing for a new record: its answer has all of it. */
export function recordChanges(id: string, { before, state }: Transition): WrittenChange[] {
  if (before === null || state === null || before === state) return [];
  return toWritten(id, fieldDifferences(familyOf(id).historyFields, before, state));
}

/** Returns what a command changed on a link, as the history of the record `id` has it. Nothing for a new link. */
export function linkChanges(id: string, linkedId: string, { before, state }: Transition): WrittenChange[] {
  if (before === state || !(before as LinkState | null)?.linked) return [];
  return toWritten(id, linkFieldChanges({ before: before as LinkState, after: state as LinkState }, id, linkedId));
}

function toWritten(record_id: string, changes: readonly FieldChange[]): WrittenChange[] {
  return changes.map(({ field, from, to }) => ({ record_id, field, from: shortenValue(from), to: shortenValue(to) }));
}

/** Returns the changes of at most 50 records for an answer, and the number of the others. */
export function writtenChanges(byRecord: readonly (readonly WrittenChange[])[]): WrittenChanges {
  const changed = byRecord.filter((changes) => changes.length > 0);
  const all = changed.slice(0, MAX_CHANGED_RECORDS).flat();
  let characters = 0;
  const changes = all.filter((change) => {
    characters += JSON.stringify(change).length + 1;
    return characters <= MAX_CHANGES_CHARACTERS;
  });
  const more = changed.flat().length - changes.length;
  return {
    ...(changes.length > 0 ? { changes } : {}),
    ...(more > 0 ? { more_changes: more } : {}),
  };
}
