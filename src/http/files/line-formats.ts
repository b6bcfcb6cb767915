import { BYTE_ORDER_MARK, csvLine } from '../../reports/formats/report-csv.ts';
import { valueAt } from '../../reports/sections/report-columns.ts';
import type { FileFormat } from './file-format.ts';

/** Writes the lines of an export file. Each line stands alone, so that a download can be resumed after any of them. */
export interface LineFormat extends FileFormat {
  /** Returns the text before the first line of a whole file. */
  head(columns: readonly string[]): string;
  lines(documents: readonly object[], columns: readonly string[]): string;
}

/** JSON Lines, https://jsonlines.org: each record as in its list with view FULL. */
const jsonl: LineFormat = {
  name: 'jsonl',
  mediaType: 'application/x-ndjson',
  extension: 'jsonl',
  head: () => '',
  lines: (documents) => documents.map((document) => `${JSON.stringify(document)}\n`).join(''),
};

/** RFC 4180. As in reports, no cell can become a formula. */
const csv: LineFormat = {
  name: 'csv',
  mediaType: 'text/csv; charset=utf-8',
  extension: 'csv',
  head: (columns) => `${BYTE_ORDER_MARK}${csvLine(columns)}`,
  lines: (documents, columns) =>
    documents.map((document) => csvLine(columns.map((column) => valueAt({ ...document }, column)))).join(''),
};

export const LINE_FORMATS: readonly LineFormat[] = [jsonl, csv];
