import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { CsvError, type Parser, parse } from 'csv-parse';
import {
  type Cell,
  damagedFile,
  fileRefusal,
  MAX_ROW_CHARACTERS,
  type RawRow,
  type RawSheet,
  rowTooLong,
} from './cells/cell.ts';
import { decodeText } from './decode-text.ts';

/** Possible delimiters. If two are equally frequent in the header, the earlier wins: titles may have commas. */
const DELIMITERS = ['\t', ';', ','] as const;

/** Opens a CSV (RFC 4180) and detects its delimiter from the header. @param size of the file in bytes */
export function openCsv(path: string, size: number): RawSheet {
  const file = createReadStream(path);
  return {
    rows: readRows(decodeText(file)),
    progress: () => Math.min(1, file.bytesRead / Math.max(1, size)),
    close: () => void file.destroy(),
  };
}

async function* readRows(text: AsyncGenerator<string, void, undefined>): RawSheet['rows'] {
  const start = await readHeader(text);
  const parser = parse({
    delimiter: delimiterOf(start),
    relax_column_count: true,
    max_record_size: MAX_ROW_CHARACTERS,
  });
  pipeline(Readable.from(prependText(start, text)), parser, () => {});
  let row = 0;
  let width: number | undefined;
  for await (const record of records(parser)) {
    row++;
    const cells = cellsOf(record);
    if (cells.size === 0) continue;
    width ??= record.length;
    yield { row, cells, ...overflow(cells, width) };
  }
}

/** Reads the text up to the end of the first line that is not blank. */
async function readHeader(text: AsyncGenerator<string, void, undefined>): Promise<string> {
  let start = '';
  while (start.length <= MAX_ROW_CHARACTERS && headerEnd(start) === -1) {
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

/** Returns the index of the header's line break, or -1 if the text ends before it. */
function headerEnd(text: string): number {
  const start = text.search(/[^\r\n]/);
  if (start === -1) return -1;
  let isQuoted = false;
  for (let index = start; index < text.length; index++) {
    if (text[index] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (text[index] === '\n' || text[index] === '\r')) return index;
  }
  return -1;
}

/** Returns the most frequent delimiter in the header, outside of quotes. */
function delimiterOf(start: string): string {
  const end = headerEnd(start);
  const unquoted = (end === -1 ? start : start.slice(0, end)).replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => ({ delimiter, count: unquoted.split(delimiter).length - 1 }));
  const mostFrequent = counts.reduce((a, b) => (b.count > a.count ? b : a));
  return mostFrequent.count === 0 ? ',' : mostFrequent.delimiter;
}

async function* records(parser: Parser): AsyncGenerator<string[], void, undefined> {
  try {
    yield* parser as AsyncIterable<string[]>;
  } catch (error) {
    throw error instanceof CsvError ? refusalOf(error) : error;
  }
}

function refusalOf(error: CsvError): Error {
  const row = Number(error.records) + 1;
  if (error.code === 'CSV_MAX_RECORD_SIZE') return rowTooLong(row);
  if (!error.code.includes('QUOTE')) return damagedFile();
  return fileRefusal(
    `A quotation mark in row ${row} is not closed or is inside a text. Put the whole cell in quotation marks and double those inside.`,
  );
}

function cellsOf(record: readonly string[]): RawRow['cells'] {
  const cells = new Map<number, Cell>();
  record.forEach((text, column) => {
    if (text.trim() !== '') cells.set(column, { kind: 'text', value: text });
  });
  return cells;
}

/** Reports a row with more cells than the header: a text has the delimiter in it, and later values are in wrong columns. */
function overflow(cells: RawRow['cells'], width: number): { problem?: string } {
  if (Math.max(...cells.keys()) < width) return {};
  return { problem: 'has more cells than the header. Put texts that contain the delimiter in quotation marks' };
}
