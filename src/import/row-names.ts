import type { RecordNames } from '../tools/record-names.ts';
import { type RowError, type RowReader, rowError } from './import-rows.ts';

type Row = Readonly<Record<string, unknown>>;

/** A row with ids in place of words that name records, and the problems of its other words. */
export interface RowWithIds {
  input: Row;
  errors: readonly RowError[];
}

/** Finds the records that a row names by number or name. @param names null without read models */
export async function withRecordIds(reader: RowReader, row: Row, names: RecordNames | null): Promise<RowWithIds> {
  const words = names === null ? [] : reader.recordWords(row);
  if (names === null || words.length === 0) return { input: row, errors: [] };
  const { input, problems } = await names.replace(row, words);
  return {
    input: input as Row,
    errors: problems.map(({ path, problem }) => rowError({ ...problem, field: path.join('.') })),
  };
}
