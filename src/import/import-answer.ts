import { Refusal } from '../commands/engine/refusal.ts';
import { FAMILIES } from '../commands/families.ts';
import type { ImportOrigin } from '../commands/import-origin.ts';
import type { FamilyName } from '../register/families.ts';
import { toSingleLine } from '../tools/schema/input-parser.ts';
import { noEndMember } from '../tools/write.ts';
import type { CrosswalkSummary } from './crosswalk/crosswalk-import.ts';
import type { RowError } from './import-rows.ts';

/** A record, or a row by the id that its record would have. */
export interface SimilarRecord {
  id: string;
  name: string | null;
}

type Result = 'CREATED' | 'UPDATED' | 'UNCHANGED';
type AnswerMode = 'WRITTEN' | 'DRY_RUN' | 'REFUSED';

/** One row of a call: the command on its record, and later its result. */
export interface CommandRow {
  /** The row's index in the call, from 0. */
  row: number;
  type: FamilyName;
  /** The id of the record that it adds or changes. Absent if the row can't be read. */
  id?: string;
  /** The record's name, if the call selected the record instead of having a row for it. */
  name?: string;
  /** True if the row changes a record, false if it adds one. */
  isUpdate: boolean;
  /** The revision that the record must have. By default any. */
  expectedRevision?: number;
  /** The row adds a record whose stream is presumed not to exist. */
  isPresumedNew?: boolean;
  /** The id that follows from the cells of a spreadsheet's row. */
  rowId?: string;
  /** The row was imported before, from the same cells, with other values. Its record stays as it is. */
  isReadDifferently?: true;
  /** The row's normalized fields, without defaults. */
  fields: Record<string, unknown>;
  /** The fields with the words of a spreadsheet, such as an owner's name. */
  given: Record<string, unknown>;
  /** The row and the file that it was read from. */
  source: ImportOrigin['source'];
  /** The earlier row with the same content. */
  duplicateOf?: CommandRow;
  /** The account of an owner that the row names by a word. */
  ownerId?: string | undefined;
  result?: Result;
  /** Records and rows that look like this one. Searched for only in a dry run, or on request. */
  similar?: readonly SimilarRecord[];
  errors?: RowError[];
  /** The number of errors that `errors` leaves out. */
  moreErrors?: number;
}

export interface ImportedRow {
  row: number;
  id?: string;
  /** Only for records that the call selected. */
  name?: string;
  result?: Result;
  /** Only if the row names its owner by a word: the account. */
  owner_id?: string;
  /** The dates that were read as "no end". */
  no_end?: string[];
  /** Only in a dry run: other records, and other rows of the call, with the same name or reference_id. */
  similar?: SimilarRecord[];
  /** Only for rows of spreadsheets: the record was imported from the same cells with other values, and stays as it is. */
  read_differently?: true;
  errors?: RowError[];
  /** The number of errors that did not fit into the answer. */
  more_errors?: number;
}

export interface ImportAnswer {
  created: number;
  updated: number;
  unchanged: number;
  rows: ImportedRow[];
  /** Only of a crosswalk: the number of pairs of each two frameworks, by relation and result. */
  crosswalks?: CrosswalkSummary[];
  /** Only of a dry run of `set`: what the write must repeat. */
  selection?: string;
  pending?: true;
  incomplete?: true;
}

/** Characters of errors that an answer shows in full. After that it shows one shortened error per row. */
const MAX_FULL_ERROR_CHARACTERS = 15_000;
/** Errors of one row that an answer shows. */
export const MAX_ERRORS_PER_ROW = 20;
const MAX_FIELD_CHARACTERS = 200;
const MAX_MESSAGE_CHARACTERS = 500;
/** Shorter limits, for the errors after `MAX_FULL_ERROR_CHARACTERS`. */
const MAX_SHORT_FIELD_CHARACTERS = 30;
const MAX_SHORT_MESSAGE_CHARACTERS = 100;
const MAX_NAME_CHARACTERS = 80;

/** The refusal of a call with invalid rows. Its answer has every row, so that a caller sees which are right. */
export function refusedRows(rows: readonly CommandRow[], field: string, advice: string): Refusal {
  return new Refusal('invalid_input', `Nothing was written. ${advice}`, { field }, importAnswer(rows, 'REFUSED'));
}

/** Returns the answer: what was written (in a dry run: what would be), and each row's record or errors. */
export function importAnswer(rows: readonly CommandRow[], mode: AnswerMode): ImportAnswer {
  const counts = { CREATED: 0, UPDATED: 0, UNCHANGED: 0 };
  const answered = new AnsweredErrors();
  const answers = rows.map((row): ImportedRow => {
    const { duplicateOf } = row;
    const id = duplicateOf?.id ?? row.id;
    const errors = row.errors ?? duplicateOf?.errors;
    const result = duplicateOf?.result ? 'UNCHANGED' : row.result;
    if (errors !== undefined) {
      const moreErrors = row.moreErrors ?? duplicateOf?.moreErrors ?? 0;
      return { ...recordOfRow({ ...row, id }, hasRecord(row, mode)), ...answered.of(errors, moreErrors) };
    }
    const record = recordOfRow({ ...row, id }, true);
    if (mode === 'REFUSED' || result === undefined) return record;
    counts[result]++;
    return { ...record, result, ...readingMembers(row), ...similarMember(row.similar) };
  });
  return {
    created: counts.CREATED,
    updated: counts.UPDATED,
    unchanged: counts.UNCHANGED,
    rows: answers,
  };
}

/** Returns true if a wrong row has a record: one that the call selected, or one that another writer changed first. */
function hasRecord({ isUpdate, name }: CommandRow, mode: AnswerMode): boolean {
  return name !== undefined || (mode === 'WRITTEN' && isUpdate);
}

function recordOfRow(
  { row, id, name }: Pick<ImportedRow, 'row' | 'name'> & { id?: string | undefined },
  withId: boolean,
): Pick<ImportedRow, 'row' | 'id' | 'name'> {
  if (!withId) return { row };
  return { row, id: id!, ...(name === undefined ? {} : { name: toSingleLine(name, MAX_NAME_CHARACTERS) }) };
}

/** Returns the members that say how a row was read. */
function readingMembers({ type, fields, ownerId, isReadDifferently }: CommandRow) {
  return {
    ...noEndMember(FAMILIES[type], fields),
    ...(ownerId === undefined ? {} : { owner_id: ownerId }),
    ...(isReadDifferently ? { read_differently: true as const } : {}),
  };
}

/** Similar records that an answer names for a row, and the length of their names. */
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
