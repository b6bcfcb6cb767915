import { BYTE_ORDER_MARK, csvLine } from '../queries/report/render/report-csv.ts';
import { valueAt } from '../queries/report/report-columns.ts';
import type { FileFormat } from './file-format.ts';

/** How lines of any number are written: each by itself, so that a file can be cut behind any of them and gone on with. */
export interface LineFormat extends FileFormat {
  /** What comes before the first line, in a file from its start. */
  head(columns: readonly string[]): string;
  lines(documents: readonly object[], columns: readonly string[]): string;
}

/** JSON Lines, https://jsonlines.org: a record as its list has it with view FULL. */
const jsonl: LineFormat = {
  name: 'jsonl',
  mediaType: 'application/x-ndjson',
  extension: 'jsonl',
  head: () => '',
  lines: (documents) => documents.map((document) => `${JSON.stringify(document)}\n`).join(''),
};

/** RFC 4180, the cells as in reports: none can become a formula. */
const csv: LineFormat = {
  name: 'csv',
  mediaType: 'text/csv; charset=utf-8',
  extension: 'csv',
  head: (columns) => `${BYTE_ORDER_MARK}${csvLine(columns)}`,
  lines: (documents, columns) =>
    documents.map((document) => csvLine(columns.map((column) => valueAt({ ...document }, column)))).join(''),
};

export const LINE_FORMATS: readonly LineFormat[] = [jsonl, csv];
