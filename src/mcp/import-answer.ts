import { cut } from './cut.ts';
import type { RowError } from './import-rows.ts';

type Result = 'CREATED' | 'UPDATED' | 'UNCHANGED';

/** One row on its way: what it says, the record it is about, and what became of it. */
export interface Row {
  /** Its place in the call, from 0. */
  row: number;
  /** Of the record that it makes or changes; absent where it cannot be read. */
  id?: string;
  /** It changes the record, rather than making it. */
  changes: boolean;
  /** As given and normalised, without defaults. */
  fields: Record<string, unknown>;
  /** The same for rows that say the same. */
  content: string;
  /** The earlier row that says the same. */
  twin?: Row;
  result?: Result;
  errors?: RowError[];
  /** Errors that are not among them. */
  untold?: number;
}

export interface ImportedRow {
  row: number;
  id?: string;
  result?: Result;
  errors?: RowError[];
  /** Errors that the answer had no room for. */
  more_errors?: number;
}

export interface Imported {
  created: number;
  updated: number;
  unchanged: number;
  rows: ImportedRow[];
  /** What to do next, where nothing was written. */
  message?: string;
  pending?: true;
}

/** So many characters of errors are told whole; then the first of each row, cut: an answer has its limit. */
const ERRORS_WHOLE = 15_000;
/** Errors of one row that an answer may hold. */
export const MOST_ROW_ERRORS = 20;
const FIELD_CUT = 30;
const MESSAGE_CUT = 100;

const NOTHING_WRITTEN = 'Nothing was written: mend the rows that have errors, then send all rows again.';

/** The answer: what was written (or, in a dry run, would be), and of each row its record or what is wrong with it. */
export function answered(rows: readonly Row[], what: 'WRITTEN' | 'DRY_RUN' | 'REFUSED'): Imported {
  const counts = { CREATED: 0, UPDATED: 0, UNCHANGED: 0 };
  let spent = 0;
  const told = rows.map(({ row, id, twin, ...own }): ImportedRow => {
    const errors = own.errors ?? twin?.errors;
    const result = twin?.result ? 'UNCHANGED' : own.result;
    if (errors !== undefined) {
      const shown = shownErrors(errors, own.untold ?? twin?.untold ?? 0, spent < ERRORS_WHOLE);
      spent += JSON.stringify(shown).length;
      return { row, ...(id === undefined ? {} : { id }), ...shown };
    }
    if (what === 'REFUSED' || result === undefined) return { row, id: id! };
    counts[result]++;
    return { row, id: id!, result };
  });
  return {
    created: counts.CREATED,
    updated: counts.UPDATED,
    unchanged: counts.UNCHANGED,
    rows: told,
    ...(what === 'REFUSED' ? { message: NOTHING_WRITTEN } : {}),
  };
}

type Shown = Pick<ImportedRow, 'errors' | 'more_errors'>;

function shownErrors(errors: readonly RowError[], untold: number, whole: boolean): Shown {
  const most = whole ? MOST_ROW_ERRORS : 1;
  const shown = errors.slice(0, most).map((error) => {
    const hint = whole ? error.hint : undefined;
    return {
      field: cut(error.field, whole ? 200 : FIELD_CUT),
      message: cut(error.message, whole ? 500 : MESSAGE_CUT),
      ...(hint === undefined ? {} : { hint }),
    };
  });
  const more = errors.length - shown.length + untold;
  return { errors: shown, ...(more > 0 ? { more_errors: more } : {}) };
}
