import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileRefusal } from './cells/cell.ts';
import { openCsv } from './csv/open-csv.ts';
import { findEncoding } from './csv/text-encoding.ts';
import { decodeText } from './decode-text.ts';
import { openMarkup, openXls, openZip } from './workbook/open-spreadsheet.ts';
import type { Workbook } from './workbook.ts';

/** Bytes that show a file's format. */
const INSPECTED_BYTES = 1_024;
/** The start of a page in HTML, or of a spreadsheet in the XML of Excel 2003. Some programs save such files as .xls. */
const MARKUP_START = /^\s*<(?:!doctype html|html|head|meta|body|table|\?xml)\b/i;
/** Texts that are no tables, by their beginning, with the refusal. */
const OTHER_FORMATS: readonly (readonly [RegExp, string])[] = [
  [/^%PDF-/, 'The file is a PDF, which has no cells. Ask for the spreadsheet, or copy its table into one.'],
  [/^\s*(?:\{\s*"|\[\s*[[{])/, 'The file is JSON. Save its rows as CSV or .xlsx.'],
];
const CHARSET = /<meta[^<>]*?charset=["']?([\w-]+)|<\?xml[^<>]*?encoding="([\w-]+)"/i;

/**
 * Opens a spreadsheet, recognized by its content: a CSV, a workbook of Excel, LibreOffice or Numbers, or an HTML table.
 * @param encoding of a CSV that isn't in UTF-8, such as windows-1252
 */
export async function openWorkbook(path: string, encoding?: string): Promise<Workbook> {
  const { start, size } = await inspect(path).catch(() => {
    throw fileRefusal('The file can’t be read. Check its name and your permissions.');
  });
  const signature = start.toString('hex', 0, 4);
  if (signature === '504b0304') return await openZip(path);
  if (signature === 'd0cf11e0') return await openXls(path);
  // Letters of UTF-16 are separated by zeros.
  const text = start.toString('latin1').replace(/^\xef\xbb\xbf|^\xff\xfe|^\xfe\xff|\0/g, '');
  const other = OTHER_FORMATS.find(([beginning]) => beginning.test(text));
  if (other !== undefined) throw fileRefusal(other[1]);
  if (!MARKUP_START.test(text)) return await openCsv(path, size, encoding);
  const [, html, xml] = CHARSET.exec(text) ?? [];
  return openMarkup(await readText(path, encoding ?? html ?? xml));
}

/** Returns the file's size and its first bytes. */
async function inspect(path: string): Promise<{ start: Buffer; size: number }> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(INSPECTED_BYTES), 0, INSPECTED_BYTES, 0);
    return { start: buffer.subarray(0, bytesRead), size: (await file.stat()).size };
  } finally {
    await file.close();
  }
}

async function readText(path: string, encoding: string | undefined): Promise<string> {
  const { label } = await findEncoding(path, encoding);
  const pieces: string[] = [];
  for await (const piece of decodeText(createReadStream(path), undefined, label)) pieces.push(piece);
  return pieces.join('');
}
