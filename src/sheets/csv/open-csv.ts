import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { CsvError, type Parser, parse } from 'csv-parse';
import {
  type Cell,
  damagedFile,
  displayText,
  fileRefusal,
  MAX_ROW_CHARACTERS,
  type RawRow,
  type RawSheet,
  rowTooLong,
} from '../cells/cell.ts';
import { decodeText } from '../decode-text.ts';
import type { Workbook } from '../workbook.ts';
import { delimiterOf } from './delimiter.ts';
import { findEncoding, WRONG_BYTE } from './text-encoding.ts';

/** Characters from which the delimiter is detected. */
const DETECTED_CHARACTERS = 65_536;

/**
 * An apostrophe that marks a text, or a part of it, as such. A spreadsheet would else run it as a formula. Veritrail writes
 * it too.
 */
const TEXT_MARK = /^'(?=[=+\-@\t\r])|(?<=[;\t\n\v\f\r\u0085\u2028\u2029])'(?=[=+\-@])/g;
/** In a file with semicolons, a comma begins such a part too. */
const TEXT_MARK_OR_COMMA = /^'(?=[=+\-@\t\r])|(?<=[,;\t\n\v\f\r\u0085\u2028\u2029])'(?=[=+\-@])/g;

/** The line below the headings of a table in Markdown: |---|:--:|. */
const MARKDOWN_RULE = /^\s*\|(?:\s*:?-{3,}:?\s*\|)+\s*$/;

/** Opens a CSV (RFC 4180) and detects its delimiter and encoding. @param size of the file in bytes */
export async function openCsv(path: string, size: number, encoding: string | undefined): Promise<Workbook> {
  const { label, notice, hasWrongBytes } = await findEncoding(path, encoding);
  let file: ReturnType<typeof createReadStream> | undefined;
  const close = () => void file?.destroy();
  return {
    sheets: [{ name: '', visible: true }],
    ...(notice === undefined ? {} : { notice }),
    open: async () => {
      close();
      const stream = createReadStream(path);
      file = stream;
      return {
        rows: withProblems(readRows(decodeText(stream, wrongEncoding(label), label, !hasWrongBytes)), hasWrongBytes),
        progress: () => Math.min(1, stream.bytesRead / Math.max(1, size)),
        close,
      };
    },
    close,
  };
}

const wrongEncoding = (label: string) => () =>
  fileRefusal(`The text is not ${label}. Give another --encoding, or save the file as "CSV UTF-8" or as .xlsx.`);

async function* readRows(text: AsyncGenerator<string, void, undefined>): RawSheet['rows'] {
  const start = await readStart(text);
  const delimiter = delimiterOf(start);
  const mark = delimiter === ';' ? TEXT_MARK_OR_COMMA : TEXT_MARK;
  const parser = parse({
    delimiter,
    // Files that several programs wrote mix line ends.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // 19" rack: a quotation mark inside a text is a letter.
    relax_quotes: true,
    raw: true,
    max_record_size: MAX_ROW_CHARACTERS,
  });
  pipeline(Readable.from(prependText(start, text)), parser, () => {});
  let row = 0;
  for await (const { record, raw } of records(parser)) {
    row++;
    if (MARKDOWN_RULE.test(raw)) continue;
    // A text behind a quoted one: the parser keeps the first quotation mark. A whole row could hide in such a cell.
    if (record.some((text) => text.startsWith('"')) && !raw.includes('"""')) throw wrongQuotes(row);
    const cells = cellsOf(record, mark);
    if (cells.size > 0) yield { row, cells, width: record.length };
  }
}

/** Tells the rows that have a letter for a wrong byte. */
async function* withProblems(rows: RawSheet['rows'], hasWrongBytes = false): RawSheet['rows'] {
  const problem = `has a byte that isn't UTF-8, here shown as ${WRONG_BYTE}. Correct the letter, or give --encoding`;
  for await (const row of rows) {
    const isWrong = hasWrongBytes && [...row.cells.values()].some((cell) => displayText(cell).includes(WRONG_BYTE));
    yield isWrong ? { ...row, problem } : row;
  }
}

async function readStart(text: AsyncGenerator<string, void, undefined>): Promise<string> {
  let start = '';
  while (start.length < DETECTED_CHARACTERS) {
    const next = await text.next();
    if (next.done) break;
    start += next.value;
  }
  return start;
}

async function* prependText(start: string, remaining: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield start;
  yield* remaining;
}

/** A row, and its text in the file. */
interface CsvRecord {
  record: string[];
  raw: string;
}

async function* records(parser: Parser): AsyncGenerator<CsvRecord, void, undefined> {
  try {
    yield* parser as AsyncIterable<CsvRecord>;
  } catch (error) {
    throw error instanceof CsvError ? refusalOf(error) : error;
  }
}

function refusalOf(error: CsvError): Error {
  const row = Number(error.records) + 1;
  if (error.code === 'CSV_MAX_RECORD_SIZE') return rowTooLong(row);
  return error.code.includes('QUOTE') ? wrongQuotes(row) : damagedFile();
}

const wrongQuotes = (row: number) =>
  fileRefusal(
    `A quotation mark in row ${row} begins a cell and doesn’t end it. Put the whole cell in quotation marks and double those inside.`,
  );

function cellsOf(record: readonly string[], mark: RegExp): RawRow['cells'] {
  const cells = new Map<number, Cell>();
  record.forEach((text, column) => {
    if (text.trim() !== '') cells.set(column, { kind: 'text', value: text.replace(mark, '') });
  });
  return cells;
}
