import { BYTE_ORDER_MARK, csvLine } from '../../reports/formats/report-csv.ts';
import { valueAt } from '../../reports/sections/report-columns.ts';
import type { SheetValue } from '../../sheets/xlsx/sheet-xml.ts';
import { writeXlsx, XLSX_MEDIA_TYPE } from '../../sheets/xlsx/write-xlsx.ts';
import { textOf } from '../../texts/value-text.ts';
import type { FileFormat } from './file-format.ts';

/** The content of a file, read one batch at a time. */
export interface FileContent {
  /** The family's plural, or `changes`. */
  name: string;
  columns: readonly string[];
  batches: AsyncIterable<readonly object[]>;
  /** Separates the cells of a CSV. */
  delimiter?: string | undefined;
}

export interface RecordFileFormat extends FileFormat {
  /** True if people edit the file in a spreadsheet program: it also has the names of linked records. */
  isTable: boolean;
  /** True if each line stands alone, so that a download can be resumed after any of them. */
  isResumable: boolean;
  /** Yields the file as fast as the client reads. @param isRest the file continues an interrupted one */
  write(content: FileContent, isRest: boolean): AsyncGenerator<string | Uint8Array>;
}

/** JSON Lines, https://jsonlines.org: each record as in its list with view FULL. */
const jsonl: RecordFileFormat = {
  name: 'jsonl',
  mediaType: 'application/x-ndjson',
  extension: 'jsonl',
  isTable: false,
  isResumable: true,
  async *write({ batches }) {
    for await (const documents of batches) {
      yield documents.map((document) => `${JSON.stringify(document)}\n`).join('');
    }
  },
};

/** RFC 4180. As in reports, no cell can become a formula. */
const csv: RecordFileFormat = {
  name: 'csv',
  mediaType: 'text/csv; charset=utf-8',
  extension: 'csv',
  isTable: true,
  isResumable: true,
  async *write({ columns, batches, delimiter }, isRest) {
    if (!isRest) yield `${BYTE_ORDER_MARK}${csvLine(columns, delimiter)}`;
    for await (const documents of batches) {
      const lines = documents.map((document) => columns.map((column) => valueAt({ ...document }, column)));
      yield lines.map((cells) => csvLine(cells, delimiter)).join('');
    }
  },
};

/** A workbook with one sheet. Numbers, truth values, dates and times have their types. */
const xlsx: RecordFileFormat = {
  name: 'xlsx',
  mediaType: XLSX_MEDIA_TYPE,
  extension: 'xlsx',
  isTable: true,
  isResumable: false,
  write: ({ name, columns, batches }) => writeXlsx([{ name, headings: columns, rows: sheetRows(columns, batches) }]),
};

async function* sheetRows(
  columns: FileContent['columns'],
  batches: FileContent['batches'],
): AsyncGenerator<SheetValue[]> {
  for await (const documents of batches) {
    for (const document of documents) yield columns.map((column) => sheetValue(valueAt({ ...document }, column)));
  }
}

/** Returns a value as a workbook has it: numbers and truth values with their types, lists and objects as text. */
function sheetValue(value: unknown): SheetValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return textOf(value, { people: new Map(), showIds: true });
}

export const RECORD_FILE_FORMATS: readonly RecordFileFormat[] = [jsonl, csv, xlsx];
