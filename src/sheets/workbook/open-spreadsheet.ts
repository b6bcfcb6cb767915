import { readFile } from 'node:fs/promises';
import { CFB, type ParsingOptions, parse_zip, read, set_cptable, type WorkBook } from '@e965/xlsx';
import { damagedFile, fileRefusal, type RawSheet } from '../cells/cell.ts';
import type { Workbook } from '../workbook.ts';
import { readRows } from './sheet-rows.ts';
import { unzip } from './unzip.ts';

declare module '@e965/xlsx' {
  /** Reads a workbook from the parts of its zip file. The package exports it without a type. */
  export function parse_zip(container: unknown, options: ParsingOptions): WorkBook;
}

/** Blank cells come too, because a formula that was never calculated is one. */
const OPTIONS: ParsingOptions = { dense: true, cellNF: true, cellFormula: true, cellHTML: false, sheetStubs: true };

const ODS_PARTS = ['META-INF/manifest.xml', 'styles.xml'];

/** Opens a workbook in a zip file: XLSX, XLSM, XLSB, ODS or Numbers. */
export async function openZip(path: string): Promise<Workbook> {
  const parts = unzip(await readFile(path));
  refuseArchive([...parts.keys()]);
  const container = CFB.utils.cfb_new();
  for (const [name, content] of parts)
    CFB.utils.cfb_add(container, name, withoutLongReferences(content), { unsafe: true });
  // SheetJS wants parts that an ODS doesn't need to have.
  const missing = parts.has('content.xml') ? ODS_PARTS.filter((name) => !parts.has(name)) : [];
  for (const name of missing) CFB.utils.cfb_add(container, name, Buffer.from('<none/>'), { unsafe: true });
  const book = parse(() => parse_zip(container, OPTIONS));
  return workbookOf(book, hiddenTables(parts.get('content.xml')));
}

/** Refuses an archive with a spreadsheet in it. Parts of workbooks have other names, or belong to one. */
function refuseArchive(names: readonly string[]): void {
  const file = names.find((name) => /\.(?:csv|tsv|txt|xls[xmb]?|ods|numbers)$/i.test(name));
  const isWorkbook = names.some((name) => name === '[Content_Types].xml' || name === 'content.xml');
  if (file === undefined || isWorkbook) return;
  throw fileRefusal(`The file is a zip archive with ${file} in it. Unzip it, and give that file.`);
}

/** References to characters that need two units of UTF-16, such as &#x1f61c;. SheetJS reads only one unit of them. */
const LONG_REFERENCE = /&#(?:x0*([1-9a-f][\da-f]{4,5})|0*([1-9]\d{4,6}));/gi;

function withoutLongReferences(content: Buffer): Buffer {
  if (!content.includes('&#')) return content;
  const text = content
    .toString('latin1')
    .replace(LONG_REFERENCE, (reference, hexadecimal?: string, decimal?: string) => {
      const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
      const isLong = code > 0xffff && code <= 0x10ffff;
      return isLong ? Buffer.from(String.fromCodePoint(code)).toString('latin1') : reference;
    });
  return Buffer.from(text, 'latin1');
}

/** Opens a workbook in a compound file, as Excel wrote it until 2003: XLS. One with a password is such a file too. */
export async function openXls(path: string): Promise<Workbook> {
  // The letters of code pages, such as that of Excel 95 in Japan.
  set_cptable(await import('@e965/xlsx/dist/cpexcel.full.mjs'));
  const file = await readFile(path);
  return workbookOf(parse(() => read(file, { ...OPTIONS, type: 'buffer' })));
}

/** Opens the tables of a page in HTML, or a spreadsheet in the XML of Excel 2003. */
export function openMarkup(text: string): Workbook {
  // `raw` keeps the texts of cells: 007 and 03/04/2026 are what the page shows.
  return workbookOf(parse(() => read(text, { ...OPTIONS, type: 'string', raw: true })));
}

function parse(work: () => WorkBook): WorkBook {
  try {
    return work();
  } catch (error) {
    if (/password|encrypt/i.test(String(error))) {
      throw fileRefusal('The workbook has a password. Save it without one.');
    }
    throw damagedFile();
  }
}

function workbookOf(
  { SheetNames, Sheets, Workbook: properties, bookType }: WorkBook,
  hiddenNames: ReadonlySet<string> = new Set(),
): Workbook {
  const format = { date1904: properties?.WBProps?.date1904 === true, isOds: bookType === 'ods' };
  const sheets = SheetNames.map((name, index) => {
    const isHidden = (properties?.Sheets?.[index]?.Hidden ?? 0) !== 0 || hiddenNames.has(name);
    return { name, visible: !isHidden, sheet: Sheets[name] };
  });
  // The reader leaves out a sheet that it can't read.
  if (sheets.length === 0 || sheets.some(({ sheet }) => sheet === undefined)) throw damagedFile();
  const tables = sheets.filter(({ sheet }) => sheet!['!type'] === undefined || sheet!['!type'] === 'sheet');
  return {
    sheets: tables.map(({ name, visible }) => ({ name, visible })),
    async open(index): Promise<RawSheet> {
      const sheet = tables[index]!.sheet!;
      const total = Math.max(1, sheet['!data']?.length ?? 0);
      let row = 0;
      async function* rows(): RawSheet['rows'] {
        for (const next of readRows(sheet, format)) {
          ({ row } = next);
          yield next;
        }
        row = total;
      }
      return { rows: rows(), progress: () => Math.min(1, row / total), close: () => undefined };
    },
    close: () => undefined,
  };
}

const TABLE_STYLE =
  /<style:style\b[^<>]*?style:name="([^"]*)"[^<>]*>\s*<style:table-properties\b[^<>]*?table:display="false"/g;
const TABLE = /<table:table\b[^<>]*>/g;
const TABLE_STYLE_NAME = /table:style-name="([^"]*)"/;
const TABLE_NAME = /table:name="([^"]*)"/;

/** Returns the names of hidden sheets of an ODS, which SheetJS doesn't tell. */
function hiddenTables(content: Buffer | undefined): ReadonlySet<string> {
  const xml = content?.toString() ?? '';
  const styles = new Set([...xml.matchAll(TABLE_STYLE)].map(([, style]) => style));
  const tags = [...xml.matchAll(TABLE)].map(([tag]) => tag);
  return new Set(
    tags.flatMap((tag) => (styles.has(TABLE_STYLE_NAME.exec(tag)?.[1]) ? (TABLE_NAME.exec(tag)?.[1] ?? []) : [])),
  );
}
