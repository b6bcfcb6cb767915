import { Refusal } from '../commands/engine/refusal.ts';
import { FAMILIES } from '../commands/families.ts';
import { type WrittenChanges, writtenChanges } from '../queries/changes/written-changes.ts';
import { toSingleLine } from '../tools/schema/input-parser.ts';
import { noEndMember } from '../tools/write.ts';
import type { CrosswalkSummary } from './crosswalk/crosswalk-import.ts';
import { type Accepted, type Answered, type CommandRow, isRefused, type SimilarRecord } from './import-row.ts';
import type { RowError } from './import-rows.ts';

type AnswerMode = 'WRITTEN' | 'DRY_RUN' | 'REFUSED';

export interface ImportedRow {
  row: number;
  id?: string;
  /** Only for records that the call selected. */
  name?: string;
  result?: Accepted['result'];
  /** Only if the row names its owner by a word: the account. */
  owner_id?: string;
  /** The dates that were read as "no end". */
  no_end?: string[];
  /** Other records with the same reference_id, and in a dry run the same name; and other rows of the call. */
  similar?: SimilarRecord[];
  /** Only for rows of spreadsheets: the record was imported from the same cells with other values, and stays as it is. */
  read_differently?: true;
  errors?: RowError[];
  more_errors?: number;
}

/** A record or link that an undo leaves, because somebody changed or used it since, or because it is refused. */
export interface Skipped {
  id: string;
  /** Only of a link: the other record. */
  linked_id?: string;
  /** OWNER_GONE: the owner before the call is no longer a member. */
  why: 'CHANGED_SINCE' | 'LINKED_SINCE' | 'OWNER_GONE' | 'REFUSED';
  /** Why it is refused, or which controls keep their framework. */
  message?: string;
  /** The fields that stay. Absent if the record or link stays as a whole. */
  fields?: readonly string[];
}

export interface ImportAnswer extends WrittenChanges {
  created: number;
  updated: number;
  unchanged: number;
  rows: ImportedRow[];
  /** Only of a crosswalk: the number of pairs of each two frameworks, by relation and result. */
  crosswalks?: CrosswalkSummary[];
  /** Only of an undo: the links that go back. */
  links?: { from_id: string; to_id: string; errors?: RowError[] }[];
  /** Only of an undo, as the number of those that did not fit. */
  skipped?: Skipped[];
  more_skipped?: number;
  /** The number of records and links that an undo or a hand-over leaves for a further call. */
  remaining?: number;
  /** Absent if nothing was written because of wrong rows. */
  call_id?: string;
  /** Only of a dry run: what the write must repeat if it changes many records. */
  selection?: string;
  pending?: true;
  incomplete?: true;
}

/** Characters of errors that an answer shows in full. After that it shows one shortened error per row. */
const MAX_FULL_ERROR_CHARACTERS = 15_000;
export const MAX_ERRORS_PER_ROW = 20;
const MAX_FIELD_CHARACTERS = 200;
const MAX_MESSAGE_CHARACTERS = 500;
/** Shorter limits, for the errors after `MAX_FULL_ERROR_CHARACTERS`. */
const MAX_SHORT_FIELD_CHARACTERS = 30;
const MAX_SHORT_MESSAGE_CHARACTERS = 100;
const MAX_NAME_CHARACTERS = 80;

/** The refusal of a call with invalid rows. Its answer has every row, so that a caller sees which are right. */
export function refusedRows(rows: readonly Answered[], field: string, advice: string): Refusal {
  return new Refusal('invalid_input', `Nothing was written. ${advice}`, { field }, importAnswer(rows, 'REFUSED'));
}

/**
 * Returns the answer: what was written (in a dry run: what would be), and each row's record or errors.
 * @param call_id absent if nothing is written because of wrong rows
 */
export function importAnswer(rows: readonly Answered[], mode: AnswerMode, call_id?: string): ImportAnswer {
  const counts = { CREATED: 0, UPDATED: 0, UNCHANGED: 0 };
  const answered = new AnsweredErrors();
  const answers = rows.map((answer): ImportedRow => {
    const { row } = answer;
    const judged = 'first' in answer ? answer.first : answer;
    const record = recordOfRow({ ...row, id: judged.row.id });
    if (isRefused(judged)) {
      const { errors, moreErrors = 0 } = judged;
      return { ...(hasRecord(row, mode) ? record : { row: row.row }), ...answered.of(errors, moreErrors) };
    }
    if (mode === 'REFUSED') return record;
    const result = 'first' in answer ? 'UNCHANGED' : judged.result;
    counts[result]++;
    const reading = 'first' in answer ? noEndMember(FAMILIES[row.type], row.fields) : readingMembers(judged);
    return { ...record, result, ...reading };
  });
  const accepted = rows.filter((row): row is Accepted => !('first' in row || isRefused(row)));
  return {
    created: counts.CREATED,
    updated: counts.UPDATED,
    unchanged: counts.UNCHANGED,
    rows: answers,
    ...(call_id === undefined ? {} : { call_id, ...writtenChanges(accepted.map((row) => row.changes)) }),
  };
}

/** Returns true if a wrong row has a record: one that the call selected, or one that another writer changed first. */
function hasRecord({ isUpdate, name }: CommandRow, mode: AnswerMode): boolean {
  return name !== undefined || (mode === 'WRITTEN' && isUpdate);
}

function recordOfRow({
  row,
  id,
  name,
}: Pick<ImportedRow, 'row' | 'name'> & { id?: string | undefined }): Pick<ImportedRow, 'row' | 'id' | 'name'> {
  return { row, id: id!, ...(name === undefined ? {} : { name: toSingleLine(name, MAX_NAME_CHARACTERS) }) };
}

function readingMembers({ row: { type, fields }, ownerId, item, similar }: Accepted) {
  return {
    ...noEndMember(FAMILIES[type], fields),
    ...(ownerId === undefined ? {} : { owner_id: ownerId }),
    ...(item === null ? { read_differently: true as const } : {}),
    ...similarMember(similar),
  };
}

const MAX_SIMILAR_PER_ROW = 2;
const MAX_SIMILAR_NAME_CHARACTERS = 40;

function similarMember(similar: readonly SimilarRecord[] = []): { similar?: SimilarRecord[] } {
  if (similar.length === 0) return {};
  const shortened = similar.slice(0, MAX_SIMILAR_PER_ROW);
  return {
    similar: shortened.map(({ id, name }) => ({
      id,
      name: name === null ? null : toSingleLine(name, MAX_SIMILAR_NAME_CHARACTERS),
    })),
  };
}

type RowErrors = Pick<ImportedRow, 'errors' | 'more_errors'>;

/** Limits the errors of one answer. The first rows show theirs in full. */
export class AnsweredErrors {
  private characters = 0;

  /** Returns the errors that a row of the answer shows. @param moreErrors errors that are only counted */
  of(errors: readonly RowError[], moreErrors: number): RowErrors {
    const rowErrors = answerErrors(errors, moreErrors, this.characters < MAX_FULL_ERROR_CHARACTERS);
    this.characters += JSON.stringify(rowErrors).length;
    return rowErrors;
  }
}

function answerErrors(errors: readonly RowError[], moreErrors: number, isFull: boolean): RowErrors {
  const shortened = errors.slice(0, isFull ? MAX_ERRORS_PER_ROW : 1).map((error) => {
    const hint = isFull ? error.hint : undefined;
    return {
      field: toSingleLine(error.field, isFull ? MAX_FIELD_CHARACTERS : MAX_SHORT_FIELD_CHARACTERS),
      message: toSingleLine(error.message, isFull ? MAX_MESSAGE_CHARACTERS : MAX_SHORT_MESSAGE_CHARACTERS),
      ...(hint === undefined ? {} : { hint }),
    };
  });
  const more = errors.length - shortened.length + moreErrors;
  return { errors: shortened, ...(more > 0 ? { more_errors: more } : {}) };
}
